"""TableWrite: rows in, commit messages out. Nothing is visible before the messages are committed.

Memory: the rows that wait in all buckets together stay below `write-buffer-size`; above it
the fullest bucket writes what it holds. A flush of a primary-key bucket holds its rows
twice (see `MergeTreeBucketWriter`), so the peak is twice the buffer, one batch of the
caller, and a row group for each of the at most `write-max-writers-to-spill` open files.

A key's rows have to go through one TableWrite: two of them would give out the same sequence
numbers, and the newest row of a key would be a matter of chance.

A writer in which anything fails takes and gives no more rows, as some that it took are gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow, decode_row
from core.datafile.write import FileLayout, FileNames
from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    CHANGELOG_FILE_PREFIX,
    CHANGELOG_PRODUCER,
    DATA_FILE_PREFIX,
    PARTITION_DEFAULT_NAME,
    PARTITION_LEGACY_NAME,
    WRITE_BUFFER_SIZE,
    WRITE_MAX_WRITERS_TO_SPILL,
    ChangelogProducer,
    TableOptions,
)
from core.partition import partition_path
from core.schema.table_schema import TableSchema
from core.write.bucket_assigners import IndexReplacement, bucket_assigner
from core.write.bucket_writers import AppendBucketWriter, BucketWriter, MergeTreeBucketWriter, NewFiles
from core.write.conform import Rows, conform_rows
from core.write.flush import FlushRules
from core.write.layout import blob_layouts, changelog_layout, level_zero_layout, row_keeping_layout
from core.write.message import CommitMessage
from core.write.partitions import BucketRows
from core.write.restore import WriteBase, read_write_base
from core.write.row_kinds import RowKinds, ignored_kinds, kinds_of
from core.write.support import check_writable
from core.write.target import WriteTarget
from core.write.writer_compaction import WriterCompaction, discard_messages

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_Bucket = tuple[BinaryRow, int]


class TableWrite:
    """Writes rows to new data files. Use it in a `with` block: leaving it drops what was not prepared."""

    def __init__(
        self,
        table: WriteTarget,
        *,
        base: WriteBase | None = None,
        keeps_row_ids: bool = False,
        compacts: bool = True,
    ) -> None:
        """A writer that goes on where the table stands now.

        Args:
            table: what to write to.
            base: what is known of the live files, if the caller has read it already.
            keeps_row_ids: the rows were in the table before, and come with `_ROW_ID` and
                `_SEQUENCE_NUMBER`, which is null where a row has changed.
            compacts: whether the compactions that are due come with the rows; not where the same
                commit takes files away, of which the compaction would know nothing.

        Raises:
            UnsupportedError: the table asks for something that we would write wrongly.
        """
        check_writable(table.schema, table.options, table.home)
        self._table = table
        self._schema = table.schema
        plain = level_zero_layout(table.schema, table.options)
        self._layout = row_keeping_layout(plain) if keeps_row_ids else plain
        self._without_blobs, self._blobs = blob_layouts(self._layout, table.options)
        self._base = read_write_base(table) if base is None else base
        self._made_after: str | None = self._base.snapshot  # None: to be looked up before the next file
        self._flush = FlushRules.of(table.schema, table.options)
        self._names = FileNames(table.options.get(DATA_FILE_PREFIX))
        self._changelog = _changelog_files(table.schema, table.options)
        self._compaction = WriterCompaction.of(table, replaces=self._base.replaces) if compacts else None
        self._buffer_size = table.options.get(WRITE_BUFFER_SIZE)
        self._max_writers = table.options.get(WRITE_MAX_WRITERS_TO_SPILL)
        self._total_buckets = table.options.get(BUCKET)
        self._buckets = bucket_assigner(table, self._base, self._names)
        self._writers: dict[_Bucket, BucketWriter] = {}
        # Bytes that wait, by bucket that holds rows or an open file, oldest use first; and their sum.
        self._open: dict[_Bucket, int] = {}
        self._waiting = 0
        self._has_failed = False

    def write(self, rows: Rows, row_kinds: RowKinds | None = None) -> None:
        """Take some rows; columns are found by name, those that are missing are null.

        Args:
            rows: Arrow rows, kept in order; for a primary-key table later rows win.
            row_kinds: the kind of each row (as `RowKind`), all inserts by default; only
                for primary-key tables. A table with `rowkind.field` takes them from that column.

        Raises:
            InvalidRequestError: a column or value does not fit the table.
        """
        table = conform_rows(rows, self._layout.fields)
        kinds = kinds_of(table, row_kinds, self._schema, self._table.options)
        if kinds is not None:
            table = table.append_column(_KIND, kinds)
            ignored = ignored_kinds(self._table.options)
            if ignored:
                table = table.filter(pc.invert(pc.is_in(table.column(_KIND), pa.array(ignored, pa.int8()))))
        with self._all_or_failed():
            if self._made_after is None:
                self._made_after = _latest_reference(self._table)
            for group in self._buckets.route(table):
                self._take(group)

    def _take(self, group: BucketRows) -> None:
        key = (group.partition, group.bucket)
        kinds = group.rows.column(_KIND) if _KIND in group.rows.column_names else None
        writer = self._writer(key)
        rows = group.rows.select([field.name for field in self._layout.fields])
        writer.write(rows, kinds, group.arrivals)
        self._waiting -= self._open.pop(key, 0)
        self._open[key] = writer.buffered_bytes
        self._waiting += self._open[key]
        self._relieve()

    @contextmanager
    def _all_or_failed(self) -> Iterator[None]:
        """Who goes on after an error would commit a part of the rows."""
        if self._has_failed:
            raise InvalidRequestError("the writer has failed before, and lost rows: write all of them anew")
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise

    def _writer(self, key: _Bucket) -> BucketWriter:
        if key not in self._writers:
            partition, bucket = key
            if self._total_buckets > 0:
                self._base.check_buckets(partition, self._total_buckets)
            # The base knows nothing of tables without buckets: their files have no order, and count from 0.
            first = self._base.next_sequence(partition, bucket)
            directory = bucket_directory(self._table, partition, bucket)
            place = (self._table.io, directory, self._without_blobs, self._names, first)
            self._writers[key] = (
                MergeTreeBucketWriter(*place, self._flush, self._changelog)
                if self._schema.primary_keys
                else AppendBucketWriter(*place, self._blobs)
            )
        return self._writers[key]

    def _relieve(self) -> None:
        """Keep within the memory and the number of open files that the options grant."""
        while self._waiting > self._buffer_size:
            self._release(max(self._open, key=self._open.__getitem__))
        if not self._schema.primary_keys:
            while len(self._open) > self._max_writers:
                self._release(next(iter(self._open)))

    def _release(self, key: _Bucket) -> None:
        self._writers[key].release_memory()
        self._waiting -= self._open.pop(key)

    def prepare_commit(self, identifier: int | None = None) -> list[CommitMessage]:
        """Write out everything; the messages of all buckets that have new files.

        The files belong to the messages from now on: commit them, or abort them with
        `TableCommit.abort`. More rows may be written afterwards. Unless the table is `write-only`,
        the messages also hold the compactions that are due (`core.write.writer_compaction`).

        Args:
            identifier: of the commit that is to come, where commits are numbered;
                `full-compaction.delta-commits` counts by it. None for a batch.

        Raises:
            StorageError: the store failed; all files are deleted, and the writer cannot be used any more.
            InvalidRequestError: the writer has failed before.
        """
        with self._all_or_failed():
            messages = self._messages()
            self._open, self._waiting, self._made_after = {}, 0, None
            if self._compaction is None:
                return messages
            try:
                return self._compaction.added_to(messages, identifier)
            except BaseException:
                discard_messages(self._table, messages)
                raise

    def _messages(self) -> list[CommitMessage]:
        made: dict[_Bucket, NewFiles] = {}
        try:
            for key, writer in self._writers.items():
                made[key] = writer.prepare()
            indexes = {(i.new.partition, i.new.bucket): i for i in self._buckets.prepare()}
        except BaseException:
            discard_messages(self._table, [self._message(key, new, None) for key, new in made.items()])
            raise
        return [
            self._message(key, new, indexes.get(key))
            for key, new in made.items()
            if new.files or key in indexes
        ]

    def _message(self, key: _Bucket, new: NewFiles, index: IndexReplacement | None) -> CommitMessage:
        return CommitMessage(
            partition=key[0],
            bucket=key[1],
            total_buckets=self._total_buckets,
            made_after=self._made_after or "",
            new_files=new.files,
            new_changelog=new.changelog,
            new_index_files=(index.new,) if index else (),
            deleted_index_files=(index.replaced,) if index and index.replaced else (),
        )

    def close(self) -> None:
        """Drop what was not prepared."""
        self.abort()

    def abort(self) -> None:
        """Delete the files that `prepare_commit` has not given away."""
        for writer in self._writers.values():
            writer.abort()
        self._buckets.abort()
        self._open, self._waiting = {}, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()


_KIND = "_VALUE_KIND"


def _latest_reference(table: WriteTarget) -> str:
    snapshot = table.snapshots.latest()
    return snapshot.reference if snapshot else ""


def _changelog_files(schema: TableSchema, options: TableOptions) -> tuple[FileLayout, FileNames] | None:
    """How the rows of a table go into a changelog as they come; None if they do not. Spec: 06, 9.2."""
    if not schema.primary_keys or options.get(CHANGELOG_PRODUCER) is not ChangelogProducer.INPUT:
        return None
    return changelog_layout(schema, options), FileNames(options.get(CHANGELOG_FILE_PREFIX))


def bucket_directory(table: WriteTarget, partition: BinaryRow, bucket: int) -> str:
    """Where the data files of a bucket lie."""
    return table.paths.bucket_dir(partition_directory(table.schema, table.options, partition), bucket)


def partition_directory(schema: TableSchema, options: TableOptions, partition: BinaryRow) -> str:
    """`k1=v1/k2=v2` of a partition, as it stands in paths."""
    return partition_path(
        schema.partition_keys,
        schema.partition_types,
        decode_row(schema.partition_types, partition),
        options.get(PARTITION_DEFAULT_NAME),
        options.get(PARTITION_LEGACY_NAME),
    )
