"""Changes rows in the files that hold them: file by file, first only the columns that decide.

A file without a row that changes is left alone; one without a row that stays goes. Of any other

    with deletion vectors   the rows that go or change are marked, and those that change written anew
    without                 all rows that are left are written anew, and the file goes

So it is on append tables, and for a DELETE on tables whose merge engine keeps what a -D row deletes.
There the rows keep their level and their sequence numbers, and have to stand alone: where several
files of a bucket may hold versions of one key, none of them could be judged by itself.

Rows that have ids keep them, and those that do not change their sequence number too (Spec: 04, A6).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import pyarrow as pa
from pyroaring import BitMap

from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND, tracks_rows
from core.datafile.write import FileNames, RollingFileWriter, delete_data_file
from core.deletionvectors import DeletionVector
from core.dml.buckets import BucketChange, BucketChanges
from core.dml.changes import RowChanges
from core.dml.plan import ChangePlan
from core.dml.seen import Seen
from core.errors import InvalidRequestError
from core.manifest import DataFileMeta, FileSource
from core.options import DATA_FILE_PREFIX, DELETION_VECTORS_ENABLED
from core.predicate import Predicate, split_and
from core.read import read_split
from core.read.file_reader import FileReader
from core.scan import Split
from core.scan.levels import skips_level_zero
from core.scan.source import bucket_directory
from core.write.layout import file_layout
from core.write.message import CommitMessage
from core.write.table_write import TableWrite
from core.write.target import WriteTarget


class _Rewrite(Protocol):
    """Writes what becomes of a file's rows."""

    def updated(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta, rows: BitMap) -> None:
        """Those that change, as they become."""
        ...

    def remaining(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta) -> None:
        """All that do not go, as they become."""
        ...


class FileChanges:
    """One statement. Use it in a `with` block: leaving it drops what was not handed out."""

    def __init__(self, table: WriteTarget, plan: ChangePlan, writer: TableWrite, seen: Seen) -> None:
        """`writer` is of new rows; `seen` learns which rows of the source join one of the table."""
        self._table, self._plan, self._seen, self._writer = table, plan, seen, writer
        self._buckets = BucketChanges(table, plan.snapshot)
        tracked = tracks_rows(table.schema)
        self._old_rows = TableWrite(table, keeps_row_ids=True, compacts=False) if tracked else writer
        self._rewrite: _Rewrite = (
            _Keyed(table, plan.changes)
            if table.schema.primary_keys
            else _Appended(plan.changes, self._old_rows)
        )
        self._is_done = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._old_rows.abort()
        if not self._is_done:
            self._buckets.discard()

    def read(self) -> None:
        """Look at the rows of the plan, and write what becomes of them."""
        scan = self._plan.scan
        for split in scan.splits if scan else ():
            if self._table.schema.primary_keys and not split.raw_convertible:
                self._check_untouched(split)
                continue
            reader = FileReader.of(self._table, self._table.schema, split)
            bucket = self._buckets.of(split)
            for file in split.files:
                self._change(bucket, reader, file)
        if skips_level_zero(self._table.schema):
            self._check_nothing_waits()

    def _check_nothing_waits(self) -> None:
        """`InvalidRequestError` if rows that no read shows yet could bring a deleted key back."""
        snapshot = self._plan.snapshot
        changed = self._buckets.losing_rows()
        if snapshot is None or not changed:
            return
        live = self._table.manifests.live_entries(snapshot)
        for entry in live.filter(live.numpy("level") == 0).entries():
            if (entry.partition, entry.bucket) in changed:
                raise InvalidRequestError(
                    "rows wait on level 0 that may be of the keys to be deleted: compact the table first",
                    bucket=entry.bucket,
                    file=entry.file.file_name,
                )

    def _check_untouched(self, split: Split) -> None:
        """`InvalidRequestError` if rows change that would have to be merged first."""
        changes = self._plan.changes
        names = [f.name for f in changes.deciding_fields]
        for batch in read_split(self._table, self._table.schema, split, names):
            if changes.choose(batch).touched.any():
                raise InvalidRequestError(
                    "files that overlap hold rows to be deleted, which this merge engine cannot take back: "
                    "compact the table first",
                    bucket=split.bucket,
                    file=split.files[0].file_name,
                )

    def _change(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta) -> None:
        touched, updated, live = self._touched(reader, file)
        if not touched:
            return
        if self._table.options.get(DELETION_VECTORS_ENABLED) and len(touched) < live:
            bucket.marked[file.file_name] = DeletionVector(touched)
            self._rewrite.updated(bucket, reader, file, updated)
            return
        bucket.removed.append(file)
        if len(touched) < live or updated:
            self._rewrite.remaining(bucket, reader, file)

    def _touched(self, reader: FileReader, file: DataFileMeta) -> tuple[BitMap, BitMap, int]:
        """Positions of rows that go or change, of those that change, and how many rows are there."""
        changes, scan = self._plan.changes, self._plan.scan
        predicate = scan.predicate if scan else None
        conjuncts: tuple[Predicate, ...] = () if predicate is None else tuple(split_and(predicate))
        deleted = reader.deleted.get(file.file_name)
        touched, updated = BitMap(), BitMap()
        for start, batch in reader.iter_numbered(file, changes.deciding_fields, conjuncts):
            alive = np.ones(batch.num_rows, np.bool_)
            if deleted is not None:
                alive[deleted.within(start, batch.num_rows)] = False
            chosen = changes.choose(batch.filter(pa.array(alive)))
            self._seen.note(chosen.partners)
            positions = (start + np.flatnonzero(alive)).astype(np.uint32)
            touched |= BitMap(positions[chosen.touched])
            updated |= BitMap(positions[changes.is_updated(chosen)])
        return touched, updated, file.row_count - (len(deleted) if deleted else 0)

    def finish(self) -> list[CommitMessage]:
        """The messages of all buckets, those of the writer of new rows too."""
        changed = list(self._buckets.messages())
        old = self._old_rows.prepare_commit() if self._old_rows is not self._writer else []
        try:
            messages = [*changed, *old, *self._writer.prepare_commit()]
        except BaseException:
            for message in old:
                for file in message.new_files:
                    directory = bucket_directory(
                        self._table, self._table.schema, message.partition, message.bucket
                    )
                    delete_data_file(self._table.io, directory, file)
            raise
        self._is_done = True
        return messages


@dataclass(frozen=True, slots=True)
class _Appended:
    """Rows of an append table go wherever their columns say."""

    changes: RowChanges
    writer: TableWrite

    def updated(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta, rows: BitMap) -> None:
        for _, batch in reader.iter_numbered(file, self.changes.fields, wanted=rows):
            self.writer.write(self.changes.updated(self.changes.choose(batch)))

    def remaining(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta) -> None:
        for batch in reader.read(file, self.changes.fields):
            self.writer.write(self.changes.remaining(self.changes.choose(batch)))


@dataclass(frozen=True, slots=True)
class _Keyed:
    """Rows of a primary-key table stay on their level, as they are stored; none of them changes."""

    table: WriteTarget
    changes: RowChanges

    def updated(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta, rows: BitMap) -> None:
        pass

    def remaining(self, bucket: BucketChange, reader: FileReader, file: DataFileMeta) -> None:
        table, split = self.table, bucket.split
        source = FileSource.APPEND if file.file_source is None else file.file_source
        layout = file_layout(table.schema, table.options, level=file.level, source=source)
        directory = bucket_directory(table, table.schema, split.partition, split.bucket)
        names = FileNames(table.options.get(DATA_FILE_PREFIX))
        writer = RollingFileWriter(table.io, directory, layout, names)
        try:
            for batch in reader.read(file, (*table.schema.fields, SEQUENCE_NUMBER, VALUE_KIND)):
                stays = ~self.changes.choose(batch).touched
                writer.write(batch.filter(pa.array(stays)))
            bucket.made.extend(writer.take())
        except BaseException:
            writer.abort()
            raise
