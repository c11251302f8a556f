"""`$file_indexes`: one row a data file, column and type of index. Spec: 04, B."""

from __future__ import annotations

from collections.abc import Iterator

from core.fileindex import FileIndex, decode_file_index, index_file_name, read_file_index
from core.io.decoding import errors_naming
from core.manifest import EntryColumns, ManifestEntry
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.system.placement import Partitions, file_paths
from core.table import Table
from core.types import STRING, BigIntType, BooleanType, IntType

FIELDS = fields_of(
    partition=STRING,
    bucket=required(IntType()),
    file_path=required(STRING),
    file_size_in_bytes=required(BigIntType()),
    record_count=required(BigIntType()),
    schema_id=required(BigIntType()),
    column_name=required(STRING),
    index_type=required(STRING),
    storage_type=required(STRING),
    index_file_path=STRING,
    index_size_in_bytes=required(BigIntType()),
    index_container_size_in_bytes=required(BigIntType()),
    is_empty=required(BooleanType()),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    entries = EntryColumns.empty() if at is None else table.manifests.live_entries(at)
    return columns_of_rows(FIELDS, _rows(table, entries))


def _rows(table: Table, entries: EntryColumns) -> Iterator[tuple[object, ...]]:
    partitions = Partitions.of(table.schema, entries.column("partition"))
    texts, paths = partitions.spread(partitions.texts), file_paths(table.paths, partitions, entries)
    for row, entry in enumerate(entries.entries()):
        path = paths[row].as_py()
        beside = index_file_name(entry.file.extra_files)
        if entry.file.embedded_index is not None:
            with errors_naming(path):
                index = decode_file_index(entry.file.embedded_index)
            place: tuple[object, ...] = ("EMBEDDED", None, len(entry.file.embedded_index))
        elif beside is not None:
            index_path = f"{path.rpartition('/')[0]}/{beside}"
            found = read_file_index(table.io, index_path)
            index, place = found.index, ("FILE", index_path, found.size)
        else:
            continue
        yield from _of_file((texts[row].as_py(), path), entry, index, place)


def _of_file(
    where: tuple[str, str], entry: ManifestEntry, index: FileIndex, place: tuple[object, ...]
) -> Iterator[tuple[object, ...]]:
    partition, path = where
    storage, index_path, size = place
    file = entry.file
    of_file = (partition, entry.bucket, path, file.file_size, file.row_count, file.schema_id)
    for slot in index.slots:
        yield (
            *of_file,
            slot.column,
            slot.index_type,
            storage,
            index_path,
            slot.length,
            size,
            slot.is_empty,
        )


FILE_INDEXES = SystemTableKind("file_indexes", FIELDS, _read, shows=Shows.SNAPSHOT)
