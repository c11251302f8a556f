"""Manifest entries as columns: how 100,000 files are planned without 100,000 objects. Spec: 02, 3.

A manifest of any generation and any writer becomes one fixed table (`ENTRY_SCHEMA`): fields
are found by name, what is missing is null, what we do not know is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary.row import EMPTY_ROW, BinaryRow
from core.errors import FormatError, UnsupportedError
from core.manifest.cancel import IDENTITY, standing
from core.manifest.container import decode_tables, open_records
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta, FileSource
from core.manifest.unread import UnreadEntries
from core.stats.simple_stats import SimpleStats

MANIFEST_VERSION = 2

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_TEXTS, _LONGS = pa.list_(pa.string()), pa.list_(pa.int64())

# Our column, where it lies in the file, and its type.
_COLUMNS: tuple[tuple[str, str, pa.DataType], ...] = (
    ("kind", "_KIND", pa.int8()),
    ("partition", "_PARTITION", pa.binary()),
    ("bucket", "_BUCKET", pa.int32()),
    ("total_buckets", "_TOTAL_BUCKETS", pa.int32()),
    ("file_name", "_FILE._FILE_NAME", pa.string()),
    ("file_size", "_FILE._FILE_SIZE", pa.int64()),
    ("row_count", "_FILE._ROW_COUNT", pa.int64()),
    ("min_key", "_FILE._MIN_KEY", pa.binary()),
    ("max_key", "_FILE._MAX_KEY", pa.binary()),
    ("key_stats_min", "_FILE._KEY_STATS._MIN_VALUES", pa.binary()),
    ("key_stats_max", "_FILE._KEY_STATS._MAX_VALUES", pa.binary()),
    ("key_stats_nulls", "_FILE._KEY_STATS._NULL_COUNTS", _LONGS),
    ("value_stats_min", "_FILE._VALUE_STATS._MIN_VALUES", pa.binary()),
    ("value_stats_max", "_FILE._VALUE_STATS._MAX_VALUES", pa.binary()),
    ("value_stats_nulls", "_FILE._VALUE_STATS._NULL_COUNTS", _LONGS),
    ("min_sequence_number", "_FILE._MIN_SEQUENCE_NUMBER", pa.int64()),
    ("max_sequence_number", "_FILE._MAX_SEQUENCE_NUMBER", pa.int64()),
    ("schema_id", "_FILE._SCHEMA_ID", pa.int64()),
    ("level", "_FILE._LEVEL", pa.int32()),
    ("extra_files", "_FILE._EXTRA_FILES", _TEXTS),
    ("creation_time", "_FILE._CREATION_TIME", pa.int64()),  # milliseconds, the writer's wall clock
    ("delete_row_count", "_FILE._DELETE_ROW_COUNT", pa.int64()),
    ("embedded_index", "_FILE._EMBEDDED_FILE_INDEX", pa.binary()),
    ("file_source", "_FILE._FILE_SOURCE", pa.int32()),
    ("value_stats_cols", "_FILE._VALUE_STATS_COLS", _TEXTS),
    ("external_path", "_FILE._EXTERNAL_PATH", pa.string()),
    ("first_row_id", "_FILE._FIRST_ROW_ID", pa.int64()),
    ("write_cols", "_FILE._WRITE_COLS", _TEXTS),
    ("write_cols_sequences", "_FILE._WRITE_COLS_SEQUENCES", _LONGS),
)

ENTRY_SCHEMA = pa.schema([(name, data_type) for name, _, data_type in _COLUMNS])

# What pruning by partition and bucket, and cancelling, look at; it lies at the front of an entry.
HEAD = ("kind", "partition", "bucket", "total_buckets", "file_name", "file_size")

_MARK = ("_FILE", "_MIN_SEQUENCE_NUMBER")  # behind the statistics, which few plans look at

# No entry makes sense without these.
_REQUIRED = ("kind", "partition", "bucket", "total_buckets", "file_name", "file_size", "row_count",
             "min_sequence_number", "max_sequence_number", "schema_id", "level")  # fmt: skip

# Where foreign writers leave a row null, it is the empty row.
_ROWS = ("min_key", "max_key", "key_stats_min", "key_stats_max", "value_stats_min", "value_stats_max")


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """Manifest entries in order, with the columns of `ENTRY_SCHEMA`.

    Rows (`partition`, `min_key`, `key_stats_min`, ...) are serialized BinaryRows with their arity.

    `table` has all columns, or, where `unread` is set, some: the others are read from the unpacked
    manifests when they are asked for. `complete()` reads the rest and lets go of the manifests.
    """

    table: pa.Table
    unread: UnreadEntries | None = None
    _late: dict[str, pa.ChunkedArray[Any]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def empty() -> EntryColumns:
        return EntryColumns(_no_rows())

    @staticmethod
    def of(entries: Iterable[ManifestEntry]) -> EntryColumns:
        rows = [_row_of(entry) for entry in entries]
        columns = [[row[i] for row in rows] for i in range(len(ENTRY_SCHEMA))]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, ENTRY_SCHEMA, strict=True)]
        return EntryColumns(pa.Table.from_arrays(arrays, schema=ENTRY_SCHEMA))

    @staticmethod
    def concat(parts: Sequence[EntryColumns]) -> EntryColumns:
        tables = [part.complete().table for part in parts]
        return EntryColumns(pa.concat_tables(tables)) if parts else EntryColumns.empty()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, name: str) -> pa.ChunkedArray[Any]:
        """A column; one that is still to be read is read once."""
        if self.unread is None or name in self.table.column_names:
            return self.table.column(name)
        if name not in self._late:
            self._late[name] = _read(self.unread, [name]).column(name)
        return self._late[name]

    def numpy(self, name: str) -> npt.NDArray[Any]:
        """A numeric column without nulls as numpy."""
        return self.column(name).to_numpy()

    def with_columns(self, names: Iterable[str]) -> EntryColumns:
        """The same entries with these columns read: at once, which is cheaper than one by one.

        Raises:
            FormatError, UnsupportedError: as `decode_manifests`.
        """
        if self.unread is None:
            return self
        known = self._known()
        missing = [name for name in names if name not in known.column_names]
        if missing:
            read = _read(self.unread, missing)
            known = _beside(known, zip(read.column_names, read.columns, strict=True))
        return EntryColumns(known, self.unread)

    def _known(self) -> pa.Table:
        """All columns that have been read."""
        return _beside(self.table, self._late.items())

    def slice(self, start: int, end: int) -> EntryColumns:
        """The entries from one number up to another."""
        unread = self.unread.take(np.arange(start, end)) if self.unread else None
        return EntryColumns(self._known().slice(start, end - start), unread)

    def complete(self) -> EntryColumns:
        """These entries with all columns.

        Raises:
            FormatError, UnsupportedError: as `decode_manifests`.
        """
        if self.unread is None:
            return self
        return EntryColumns(self.with_columns(ENTRY_SCHEMA.names).table.select(ENTRY_SCHEMA.names))

    def filter(self, mask: pa.BooleanArray | pa.ChunkedArray[Any] | npt.NDArray[np.bool_]) -> EntryColumns:
        """The entries where `mask` is true; null drops, as false does."""
        if self.unread is not None:
            return self.take(
                np.flatnonzero(mask if isinstance(mask, np.ndarray) else pc.fill_null(mask, False))
            )
        return EntryColumns(self.table.filter(pa.array(mask) if isinstance(mask, np.ndarray) else mask))

    def take(self, rows: npt.NDArray[np.int64]) -> EntryColumns:
        """The entries with these numbers, in that order."""
        return EntryColumns(self._known().take(rows), self.unread.take(rows) if self.unread else None)

    def live(self) -> EntryColumns:
        """What is left when each DELETE has cancelled its ADD; the same as `merge_entries`.

        Raises:
            FormatError: a file is added while an entry for it is still standing.
        """
        stands = self.standing()
        return self if stands.all() else self.filter(stands)

    def standing(self) -> npt.NDArray[np.bool_]:
        """Which entries are left when each DELETE has cancelled its ADD.

        Raises:
            FormatError: as `live`.
        """
        return standing(self.column("file_name"), self._identities)

    def _identities(self, rows: npt.NDArray[np.int64]) -> pa.Table:
        """The columns `IDENTITY` of some entries."""
        known = self._known()
        found = EntryColumns(known.select([n for n in known.column_names if n in IDENTITY]), self.unread)
        return found.take(rows).with_columns(IDENTITY).table

    def adds(self) -> EntryColumns:
        if not self.numpy("kind").any():
            return self
        return self.filter(pc.equal(self.column("kind"), int(FileKind.ADD)))

    def deletes(self) -> EntryColumns:
        return self.filter(pc.equal(self.column("kind"), int(FileKind.DELETE)))

    def entry(self, index: int) -> ManifestEntry:
        return next(self.slice(index, index + 1).entries())

    def file(self, index: int) -> DataFileMeta:
        return self.entry(index).file

    def entries(self) -> Iterator[ManifestEntry]:
        """Each entry as an object, lazily, a few thousand at a time."""
        for batch in self.complete().table.to_batches(max_chunksize=4096):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield _entry_of(*values)


def decode_manifests(sources: Sequence[bytes]) -> EntryColumns:
    """The entries of manifests, in the order of `sources`, as they stand (nothing cancelled).

    Raises:
        FormatError: no manifest. UnsupportedError: an entry of another version.
    """
    tables = decode_tables(sources)
    return EntryColumns.concat([EntryColumns(_normal(table, ENTRY_SCHEMA)) for table in tables])


def open_manifests(sources: Sequence[bytes], explain: Callable[[], None] = lambda: None) -> EntryColumns:
    """The same entries, of which no column has been read yet.

    `explain` is called when that fails later, and may raise a better error.

    Raises:
        FormatError, UnsupportedError: as `decode_manifests`.
    """
    unread = UnreadEntries.of(open_records(sources, _MARK), explain)
    return EntryColumns(pa.table({"": pa.nulls(len(unread.rows))}), unread)


def _read(unread: UnreadEntries, names: Collection[str]) -> pa.Table:
    schema = pa.schema([member for member in ENTRY_SCHEMA if member.name in names])
    paths = ["_VERSION", *(path for name, path, _ in _COLUMNS if name in names)]
    return unread.read(paths, lambda table: _normal(table, schema), schema)


def _beside(table: pa.Table, more: Iterable[tuple[str, pa.ChunkedArray[Any]]]) -> pa.Table:
    for name, column in more:
        table = table.append_column(ENTRY_SCHEMA.field(name), column)
    return table


def _normal(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table of any writer as one of `schema`."""
    _check_version(table)
    found = {
        name: _located(table, path, data_type) for name, path, data_type in _COLUMNS if name in schema.names
    }
    for name in _REQUIRED:
        if name in found and found[name].null_count:
            raise FormatError("a manifest entry lacks a member", member=name)
    if (
        "kind" in found
        and len(table)
        and not pc.all(pc.is_in(found["kind"], pa.array([0, 1], pa.int8()))).as_py()
    ):
        raise FormatError("a manifest entry is neither ADD nor DELETE", member="_KIND")
    for name in _ROWS:
        if name in found and found[name].null_count:
            found[name] = pc.fill_null(found[name], EMPTY_ROW.to_bytes())
    return pa.Table.from_arrays([found[name] for name in schema.names], schema=schema)


def _check_version(table: pa.Table) -> None:
    if "_VERSION" not in table.column_names:
        raise FormatError("not a manifest: entries have no _VERSION", columns=", ".join(table.column_names))
    for version in table.column("_VERSION").unique().to_pylist():
        if version != MANIFEST_VERSION:
            raise UnsupportedError(
                "manifest of another version", feature=f"_VERSION {version}", expected=MANIFEST_VERSION
            )


def _located(table: pa.Table, path: str, data_type: pa.DataType) -> pa.ChunkedArray[Any]:
    """The member at `path`, nulls where the writer knew no such member."""
    first, *steps = path.split(".")
    column = table.column(first) if first in table.column_names else None
    for step in steps:
        if column is None or not pa.types.is_struct(column.type) or column.type.get_field_index(step) < 0:
            return _nulls(table.num_rows, data_type)
        column = pc.struct_field(column, step)
    if column is None:
        return _nulls(table.num_rows, data_type)
    return column if column.type == data_type else _cast(column, path, data_type)


def _nulls(length: int, data_type: Any) -> pa.ChunkedArray[Any]:
    return pa.chunked_array([pa.nulls(length, data_type)])


def _cast(column: pa.ChunkedArray[Any], path: str, data_type: pa.DataType) -> pa.ChunkedArray[Any]:
    try:
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("ms", column.type.tz))
        return column.cast(data_type)
    except pa.ArrowException as error:
        raise FormatError(
            "a member has the wrong type", member=path, expected=data_type, found=column.type
        ) from error


@cache
def _no_rows() -> pa.Table:
    """Its columns take longer to make than a small manifest to read."""
    return ENTRY_SCHEMA.empty_table()


def _row_of(entry: ManifestEntry) -> tuple[Any, ...]:
    f = entry.file
    return (
        int(entry.kind),
        entry.partition.to_bytes(),
        entry.bucket,
        entry.total_buckets,
        f.file_name,
        f.file_size,
        f.row_count,
        f.min_key.to_bytes(),
        f.max_key.to_bytes(),
        f.key_stats.min_values.to_bytes(),
        f.key_stats.max_values.to_bytes(),
        f.key_stats.null_counts,
        f.value_stats.min_values.to_bytes(),
        f.value_stats.max_values.to_bytes(),
        f.value_stats.null_counts,
        f.min_sequence_number,
        f.max_sequence_number,
        f.schema_id,
        f.level,
        f.extra_files,
        f.creation_time_millis,
        f.delete_row_count,
        f.embedded_index,
        None if f.file_source is None else int(f.file_source),
        f.value_stats_cols,
        f.external_path,
        f.first_row_id,
        f.write_cols,
        f.write_cols_sequences,
    )


def _entry_of(*values: Any) -> ManifestEntry:
    """An entry of one row, values in the order of `ENTRY_SCHEMA`."""
    kind, partition, bucket, total_buckets, *of_file = values
    (name, size, rows, min_key, max_key, key_min, key_max, key_nulls, value_min, value_max, value_nulls,
     min_sequence, max_sequence, schema_id, level, extra_files, created, deletes, embedded, source,
     stats_cols, external_path, first_row_id, write_cols, write_sequences) = of_file  # fmt: skip
    file = DataFileMeta(
        file_name=name,
        file_size=size,
        row_count=rows,
        min_key=BinaryRow.from_bytes(min_key),
        max_key=BinaryRow.from_bytes(max_key),
        key_stats=_stats(key_min, key_max, key_nulls),
        value_stats=_stats(value_min, value_max, value_nulls),
        min_sequence_number=min_sequence,
        max_sequence_number=max_sequence,
        schema_id=schema_id,
        level=level,
        extra_files=tuple(extra_files or ()),
        creation_time_millis=created,
        delete_row_count=deletes,
        embedded_index=embedded,
        file_source=_file_source(source),
        value_stats_cols=_tuple(stats_cols),
        external_path=external_path,
        first_row_id=first_row_id,
        write_cols=_tuple(write_cols),
        write_cols_sequences=_tuple(write_sequences),
    )
    return ManifestEntry(FileKind(kind), BinaryRow.from_bytes(partition), bucket, total_buckets, file)


def _stats(low: bytes, high: bytes, nulls: list[int | None] | None) -> SimpleStats:
    return SimpleStats(BinaryRow.from_bytes(low), BinaryRow.from_bytes(high), tuple(nulls or ()))


def _tuple(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


def _file_source(code: int | None) -> FileSource | None:
    if code is None:
        return None
    try:
        return FileSource(code)
    except ValueError as error:
        raise UnsupportedError("unknown source of a data file", feature=f"_FILE_SOURCE {code}") from error
