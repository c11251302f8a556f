"""Carries out a planned DELETE, UPDATE or MERGE: new files, and what they replace, as commit messages.

An append table is read file by file, first only the columns that decide. A file without a row
that changes is left alone; one without a row that stays goes. Of any other

    with deletion vectors   the rows that go or change are marked, and those that change written anew
    without                 all rows that are left are written anew, and the file goes

A primary-key table gets -D and +U rows for what its merged rows say. Memory is that of a read and
of a `TableWrite`, a bitmap of positions for each file that changes, and a merge's source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyroaring import BitMap

from core.binary import BinaryRow
from core.deletionvectors import DeletionVector, VectorPlace, change_vectors
from core.dml.changes import Chosen, RowChanges
from core.dml.expressions import assigned
from core.dml.plan import ChangePlan
from core.manifest import DataFileMeta, IndexManifestEntry
from core.options import DELETION_VECTORS_ENABLED, ROWKIND_FIELD
from core.predicate import split_and
from core.read import read_plan
from core.read.file_reader import FileReader
from core.scan import Split
from core.scan.source import bucket_directory
from core.types import RowKind
from core.write.message import CommitMessage
from core.write.table_write import TableWrite
from core.write.target import WriteTarget


def apply_changes(table: WriteTarget, plan: ChangePlan) -> list[CommitMessage]:
    """The change as messages to commit or to abort; nobody sees it before. Empty where no row changes.

    Raises:
        InvalidRequestError: a value does not fit its column, or several rows of the source would
            change one of the table.
        FormatError, NotFoundError: a file of the table is damaged or gone.
    """
    if len(plan.dropped):
        return list(_dropped(plan))
    seen = _Seen.of(plan)
    with TableWrite(table) as writer:
        change = _KeyedChange if table.schema.primary_keys else _AppendChange
        run: _KeyedChange | _AppendChange = change(table, plan, writer, seen)
        run.read()
        for rows in _inserted(plan, seen):
            writer.write(rows)
        return run.finish()


def _dropped(plan: ChangePlan) -> Iterator[CommitMessage]:
    """The files of whole partitions and their indexes, bucket by bucket."""
    files: dict[tuple[BinaryRow, int], list[DataFileMeta]] = {}
    totals: dict[tuple[BinaryRow, int], int] = {}
    for entry in plan.dropped.entries():
        files.setdefault((entry.partition, entry.bucket), []).append(entry.file)
        totals[entry.partition, entry.bucket] = entry.total_buckets
    indexes: dict[tuple[BinaryRow, int], list[IndexManifestEntry]] = {}
    for index in plan.dropped_indexes:
        indexes.setdefault((index.partition, index.bucket), []).append(index)
    for key in {**files, **indexes}:
        yield CommitMessage(
            partition=key[0],
            bucket=key[1],
            total_buckets=totals.get(key, -1),
            deleted_files=tuple(files.get(key, ())),
            deleted_index_files=tuple(indexes.get(key, ())),
        )


@dataclass(slots=True)
class _Seen:
    """Which rows of the source have joined one of the table."""

    rows: npt.NDArray[np.bool_]

    @staticmethod
    def of(plan: ChangePlan) -> _Seen:
        source = plan.changes.source
        return _Seen(np.zeros(source.rows.num_rows if source else 0, np.bool_))

    def note(self, chosen: Chosen) -> None:
        self.rows[chosen.partners[chosen.partners >= 0]] = True


def _inserted(plan: ChangePlan, seen: _Seen) -> Iterator[pa.Table]:
    """What the source's rows that joined none become; the first clause that holds for a row counts."""
    source = plan.changes.source
    if source is None:
        return
    rows = source.rows.filter(pa.array(~seen.rows))
    for clause in plan.inserts:
        holds = clause.holds(rows)
        taken = rows.filter(pa.array(holds))
        if taken.num_rows and clause.assignments is not None:
            yield assigned(taken, clause.assignments, plan.changes.fields)
        rows = rows.filter(pa.array(~holds))


@dataclass(slots=True)
class _KeyedChange:
    """A primary-key table: what changes is written on top of it."""

    table: WriteTarget
    plan: ChangePlan
    writer: TableWrite
    seen: _Seen

    def read(self) -> None:
        changes = self.plan.changes
        if self.plan.scan is None:
            return
        for batch in read_plan(self.table, self.plan.scan):
            chosen = changes.choose(batch)
            self.seen.note(chosen)
            self._write(changes.updated(chosen), RowKind.UPDATE_AFTER)
            self._write(changes.deleted(chosen), RowKind.DELETE)

    def _write(self, rows: pa.Table, kind: RowKind) -> None:
        if not len(rows):
            return
        column = self.table.options.get(ROWKIND_FIELD)
        if column:  # it says of what kind a row is, whatever a writer is told
            place = rows.schema.get_field_index(column)
            rows = rows.set_column(place, rows.schema.field(place), _texts(kind, len(rows)))
        self.writer.write(rows, pa.array(np.full(len(rows), int(kind), np.int8)))

    def finish(self) -> list[CommitMessage]:
        return self.writer.prepare_commit()


def _texts(kind: RowKind, count: int) -> Any:
    repeat: Any = pa.repeat  # its stubs want the type spelled out
    return repeat(pa.scalar(kind.short), count)


@dataclass(slots=True)
class _BucketChange:
    """What changes in one bucket of an append table."""

    split: Split
    removed: list[DataFileMeta] = field(default_factory=list)
    marked: dict[str, DeletionVector] = field(default_factory=dict)  # rows that go, by data file


@dataclass(slots=True)
class _AppendChange:
    """An append table: files are replaced, or their rows marked as deleted."""

    table: WriteTarget
    plan: ChangePlan
    writer: TableWrite
    seen: _Seen
    _buckets: dict[tuple[BinaryRow, int], _BucketChange] = field(default_factory=dict)

    def read(self) -> None:
        scan = self.plan.scan
        for split in scan.splits if scan else ():
            reader = FileReader.of(self.table, self.table.schema, split)
            bucket = self._buckets.setdefault((split.partition, split.bucket), _BucketChange(split))
            for file in split.files:
                self._change(bucket, reader, file)

    def _change(self, bucket: _BucketChange, reader: FileReader, file: DataFileMeta) -> None:
        touched, updated, live = self._touched(reader, file)
        if not touched:
            return
        marks = bool(self.table.options.get(DELETION_VECTORS_ENABLED)) and len(touched) < live
        changes, fields = self.plan.changes, self.table.schema.fields
        if marks:
            bucket.marked[file.file_name] = DeletionVector(touched)
            for _, rows in reader.iter_numbered(file, fields, wanted=updated):
                self.writer.write(changes.updated(changes.choose(rows)))
            return
        bucket.removed.append(file)
        if len(touched) < live or updated:
            for rows in reader.read(file, fields):
                self.writer.write(changes.remaining(changes.choose(rows)))

    def _touched(self, reader: FileReader, file: DataFileMeta) -> tuple[BitMap, BitMap, int]:
        """Positions of rows that go or change, of those that change, and how many rows are there."""
        changes: RowChanges = self.plan.changes
        predicate = self.plan.scan.predicate if self.plan.scan else None
        conjuncts = () if predicate is None else tuple(split_and(predicate))
        fields = self.table.schema.fields_of(changes.deciding_columns) or self.table.schema.fields[:1]
        deleted = reader.deleted.get(file.file_name)
        touched, updated = BitMap(), BitMap()
        for start, batch in reader.iter_numbered(file, fields, conjuncts):
            alive = np.ones(batch.num_rows, np.bool_)
            if deleted is not None:
                alive[deleted.within(start, batch.num_rows)] = False
            chosen = changes.choose(batch.filter(pa.array(alive)))
            self.seen.note(chosen)
            positions = (start + np.flatnonzero(alive)).astype(np.uint32)
            touched |= BitMap(positions[chosen.touched])
            updated |= BitMap(positions[changes.is_updated(chosen)])
        return touched, updated, file.row_count - (len(deleted) if deleted else 0)

    def finish(self) -> list[CommitMessage]:
        made: list[str] = []
        try:
            messages = [m for bucket in self._buckets.values() for m in self._messages(bucket, made)]
            return [*messages, *self.writer.prepare_commit()]
        except BaseException:
            for path in made:
                self.table.io.delete(path)
            raise

    def _messages(self, bucket: _BucketChange, made: list[str]) -> Iterator[CommitMessage]:
        if not bucket.removed and not bucket.marked:
            return
        split, snapshot = bucket.split, self.plan.snapshot
        directory = bucket_directory(self.table, self.table.schema, split.partition, split.bucket)
        place = VectorPlace.of(self.table.paths, self.table.options, split.partition, split.bucket, directory)
        entries = self.table.manifests.index_entries(snapshot) if snapshot else []
        own = [e for e in entries if (e.partition, e.bucket) == (split.partition, split.bucket)]
        names = [file.file_name for file in bucket.removed]
        change = change_vectors(self.table.io, place, own, bucket.marked, names)
        made += [f"{place.directory}/{entry.file_name}" for entry in change.new]
        yield CommitMessage(
            partition=split.partition,
            bucket=split.bucket,
            total_buckets=split.total_buckets,
            deleted_files=tuple(bucket.removed),
            new_index_files=change.new,
            deleted_index_files=change.deleted,
        )
