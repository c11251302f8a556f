"""Every index of the reference warehouses is the one that we make of the same column, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.arrow import to_python
from core.catalog import open_catalog
from core.datafile.read import read_data_file
from core.fileindex import FileIndex, IndexSlot, decode_file_index, encode_file_index, index_file_name
from core.fileindex.bitmap import encode_bitmap_index
from core.fileindex.bloom_filter import build_bloom_filter, encode_bloom_filter
from core.fileindex.cursor import Cursor
from core.fileindex.hashes import value_hashes
from core.fileindex.keys import Key, key_form
from core.manifest import ManifestEntry
from core.scan.source import bucket_directory
from core.table import Table
from core.types import DataField, DataType, MapType
from tests.core.fileindex.columns import encode, nulls, rows_by_key

CORPORA = Path(__file__).parents[2] / "corpora"
TABLES = [
    *(
        f"java09/idx.{name}"
        for name in ("bitmap_embedded", "bitmap_file_mixed", "bloom_embedded", "bloom_file")
    ),
    *(f"java09bsi/idx.{name}" for name in ("bsi_embedded", "bsi_file_mixed")),
]


@pytest.mark.parametrize("name", TABLES)
def test_indexes_are_made_of_their_columns_as_java_makes_them(name: str) -> None:
    warehouse, _, table_name = name.partition("/")
    table = open_catalog(str(CORPORA / warehouse)).get_data_table(table_name)
    compared = 0
    for entry in live(table):
        path, index = index_of(table, entry)
        for slot in index.slots:
            column, data_type = column_of(table, entry, path, slot)
            made = made_of(table, slot, column, data_type, index.payload(slot))
            assert made == index.payload(slot), (slot, column)
            compared += 1
    assert compared


@pytest.mark.parametrize("name", TABLES)
def test_a_container_is_put_together_again(name: str) -> None:
    warehouse, _, table_name = name.partition("/")
    table = open_catalog(str(CORPORA / warehouse)).get_data_table(table_name)
    for entry in live(table):
        _, index = index_of(table, entry)
        columns: dict[str, dict[str, bytes | None]] = {}
        for slot in index.slots:
            payload = None if slot.is_empty else index.payload(slot)
            columns.setdefault(slot.column, {})[slot.index_type] = payload
        assert encode_file_index(columns) == index.data


def live(table: Table) -> Iterator[ManifestEntry]:
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    return table.manifests.live_entries(snapshot).entries()


def index_of(table: Table, entry: ManifestEntry) -> tuple[str, FileIndex]:
    """The path of the data file, and its index."""
    directory = bucket_directory(table, table.schema, entry.partition, entry.bucket)
    beside = index_file_name(entry.file.extra_files)
    data = entry.file.embedded_index or table.io.read(f"{directory}/{beside}")
    return f"{directory}/{entry.file.file_name}", decode_file_index(data)


def column_of(table: Table, entry: ManifestEntry, path: str, slot: IndexSlot) -> tuple[list[Any], DataType]:
    """What the writer of the index saw: the column, or the values of one key of a map."""
    name, _, key = slot.column.partition("[")
    field: DataField = table.schema.field(name)
    batches = list(read_data_file(table.io, path, [field]))
    values = [v for batch in batches for v in to_python(batch.column(0), field.type)]
    if not key:
        return values, field.type
    assert isinstance(field.type, MapType)
    return [dict(value or ()).get(key[:-1]) for value in values], field.type.value


def made_of(table: Table, slot: IndexSlot, column: list[Any], data_type: DataType, found: bytes) -> bytes:
    match slot.index_type:
        case "bloom-filter":
            base = slot.column.partition("[")[0]
            options = table.schema.options
            items = int(options.get(f"file-index.bloom-filter.{base}.items", "1000000"))
            rate = float(options.get(f"file-index.bloom-filter.{base}.fpp", "0.1"))
            hashes = [h for v in column if v is not None for h in value_hashes(data_type, v)]
            return encode_bloom_filter(build_bloom_filter(np.array(hashes, np.int64), items, rate))
        case "bitmap":
            rows = rows_by_key(column, data_type)
            in_order = {key: rows[key] for key in keys_of_v1(found, data_type)}
            return encode_bitmap_index(1, len(column), in_order, nulls(column), key_form(data_type))
        case index_type:
            return encode(index_type, column, data_type)


def keys_of_v1(payload: bytes, data_type: DataType) -> list[Key]:
    """The keys in the order of the writer's hash table."""
    cursor = Cursor(payload, 5)
    count, has_nulls = cursor.count(), cursor.boolean()
    cursor.take(4 if has_nulls else 0)
    keys = []
    for _ in range(count):
        keys.append(key_form(data_type).read(cursor))
        cursor.take(4)
    return keys
