"""TableWrite: rows in, commit messages out. Nothing is visible before the messages are committed.

Memory: the rows that wait in all buckets together stay below `write-buffer-size`; above it
the fullest bucket writes what it holds. A flush of a primary-key bucket holds its rows
twice (see `MergeTreeBucketWriter`), so the peak is twice the buffer, one batch of the
caller, and a row group for each of the at most `write-max-writers-to-spill` open files.

A key's rows have to go through one TableWrite: two of them would give out the same sequence
numbers, and the newest row of a key would be a matter of chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow, decode_row
from core.datafile.write import FileNames
from core.errors import InvalidRequestError
from core.manifest.file_meta import DataFileMeta
from core.options import (
    BUCKET,
    DATA_FILE_PREFIX,
    IGNORE_DELETE,
    IGNORE_UPDATE_BEFORE,
    PARTITION_DEFAULT_NAME,
    PARTITION_LEGACY_NAME,
    WRITE_BUFFER_SIZE,
    WRITE_MAX_WRITERS_TO_SPILL,
    TableOptions,
)
from core.partition import partition_path
from core.read.newest import VersionOrder
from core.schema.table_schema import TableSchema
from core.types.row_kind import RowKind
from core.write.bucket_assigners import IndexReplacement, bucket_assigner
from core.write.bucket_writers import AppendBucketWriter, BucketWriter, MergeTreeBucketWriter
from core.write.conform import Rows, conform_rows
from core.write.layout import level_zero_layout
from core.write.message import CommitMessage
from core.write.partitions import partitions_of, split_rows
from core.write.restore import WriteBase, read_write_base
from core.write.support import check_writable
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

RowKinds: TypeAlias = "pa.Array[Any] | pa.ChunkedArray[Any] | Sequence[RowKind]"
_Bucket = tuple[BinaryRow, int]


class TableWrite:
    """Writes rows to new data files. Use it in a `with` block: leaving it drops what was not prepared."""

    def __init__(self, table: WriteTarget, *, base: WriteBase | None = None) -> None:
        """A writer that goes on where the table stands now.

        Args:
            table: what to write to.
            base: what is known of the live files, if the caller has read it already.

        Raises:
            UnsupportedError: the table asks for something that we would write wrongly.
        """
        check_writable(table.schema, table.options)
        self._table = table
        self._schema = table.schema
        self._layout = level_zero_layout(table.schema, table.options)
        self._base = read_write_base(table) if base is None else base
        self._made_after: str | None = self._base.snapshot  # None: to be looked up before the next file
        # Rows of one writer are ordered by their arrival, unless the table orders them by columns.
        self._order = VersionOrder.of(table.options, by_run=True, has_retracts=False)
        self._names = FileNames(table.options.get(DATA_FILE_PREFIX))
        self._buffer_size = table.options.get(WRITE_BUFFER_SIZE)
        self._max_writers = table.options.get(WRITE_MAX_WRITERS_TO_SPILL)
        self._total_buckets = table.options.get(BUCKET)
        self._buckets = bucket_assigner(table, self._base)
        self._writers: dict[_Bucket, BucketWriter] = {}
        # Bytes that wait, by bucket that holds rows or an open file, oldest use first; and their sum.
        self._open: dict[_Bucket, int] = {}
        self._waiting = 0

    def write(self, rows: Rows, row_kinds: RowKinds | None = None) -> None:
        """Take some rows; columns are found by name, those that are missing are null.

        Args:
            rows: Arrow rows, kept in order; for a primary-key table later rows win.
            row_kinds: the kind of each row (as `RowKind`), all inserts by default; only
                for primary-key tables.

        Raises:
            InvalidRequestError: a column or value does not fit the table.
        """
        table = conform_rows(rows, self._schema.fields)
        kinds = self._kinds(row_kinds, len(table))
        if kinds is not None:
            table = table.append_column(_KIND, kinds)
            ignored = ignored_kinds(self._table.options)
            if ignored:
                table = table.filter(pc.invert(pc.is_in(table.column(_KIND), pa.array(ignored, pa.int8()))))
        if self._made_after is None:
            self._made_after = _latest_reference(self._table)
        placed = partitions_of(table, self._schema.partition_fields)
        for group in split_rows(table, placed, self._buckets.assign(table, placed)):
            key = (group.partition, group.bucket)
            kinds = group.rows.column(_KIND) if kinds is not None else None
            writer = self._writer(key)
            writer.write(group.rows.select(self._schema.field_names), kinds)
            self._waiting -= self._open.pop(key, 0)
            self._open[key] = writer.buffered_bytes
            self._waiting += self._open[key]
            self._relieve()

    def _kinds(self, row_kinds: RowKinds | None, count: int) -> pa.ChunkedArray[Any] | None:
        if row_kinds is None:
            return None
        if not self._schema.primary_keys:
            raise InvalidRequestError("only tables with a primary key take kinds of rows")
        given = (
            row_kinds if isinstance(row_kinds, (pa.Array, pa.ChunkedArray)) else [int(k) for k in row_kinds]
        )
        kinds = pa.chunked_array([given], pa.int8()) if isinstance(given, list) else given.cast(pa.int8())
        kinds = kinds if isinstance(kinds, pa.ChunkedArray) else pa.chunked_array([kinds])
        if len(kinds) != count or kinds.null_count:
            raise InvalidRequestError(
                "each row needs a kind", rows=count, kinds=len(kinds) - kinds.null_count
            )
        if count and not pc.all(pc.is_in(kinds, pa.array([int(k) for k in RowKind], pa.int8()))).as_py():
            raise InvalidRequestError("not a kind of row", expected="0 (+I), 1 (-U), 2 (+U) or 3 (-D)")
        return kinds

    def _writer(self, key: _Bucket) -> BucketWriter:
        if key not in self._writers:
            partition, bucket = key
            if self._total_buckets > 0:
                self._base.check_buckets(partition, self._total_buckets)
            # The base knows nothing of tables without buckets: their files have no order, and count from 0.
            first = self._base.next_sequence(partition, bucket)
            directory = bucket_directory(self._table, partition, bucket)
            place = (self._table.io, directory, self._layout, self._names, first)
            keyed = bool(self._schema.primary_keys)
            self._writers[key] = (
                MergeTreeBucketWriter(*place, self._order) if keyed else AppendBucketWriter(*place)
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

    def prepare_commit(self) -> list[CommitMessage]:
        """Write out everything; the messages of all buckets that have new files.

        The files belong to the messages from now on: commit them, or abort them with
        `TableCommit.abort`. More rows may be written afterwards.
        """
        files = {key: writer.prepare() for key, writer in self._writers.items()}
        indexes = {(i.new.partition, i.new.bucket): i for i in self._buckets.prepare()}
        messages = [
            self._message(key, made, indexes.get(key))
            for key, made in files.items()
            if made or key in indexes
        ]
        self._open, self._waiting, self._made_after = {}, 0, None
        return messages

    def _message(
        self, key: _Bucket, files: tuple[DataFileMeta, ...], index: IndexReplacement | None
    ) -> CommitMessage:
        return CommitMessage(
            partition=key[0],
            bucket=key[1],
            total_buckets=self._total_buckets,
            made_after=self._made_after or "",
            new_files=files,
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


def ignored_kinds(options: TableOptions) -> list[int]:
    """Kinds of rows that the table does not take. Spec: 06, 1, step 3."""
    if options.get(IGNORE_DELETE):
        return [RowKind.UPDATE_BEFORE, RowKind.DELETE]
    return [RowKind.UPDATE_BEFORE] if options.get(IGNORE_UPDATE_BEFORE) else []


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
