"""What real Paimon wrote, decoded and encoded again by us, is byte for byte what it was.

Manifests and their lists go through a third Avro library, by which records of ours are written with the
schema of the peer's own file: equal blocks mean equal members. What has no order of its own (hashes of a
HASH index) is compared as a set; in a file of deletion vectors each vector stands where its range says.
Indexes of data files are made of their columns in `fileindex/test_corpora.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pytest

from core.avro.container import MAGIC, open_container
from core.binary import BinaryRow, decode_row, encode_row
from core.binary.layout import reserved_area
from core.catalog import open_catalog
from core.deletionvectors import decode_index_file, encode_vector
from core.manifest import (
    ManifestEntry,
    decode_index_manifest,
    decode_manifest_list,
    decode_manifests,
    encode_index_manifest,
    encode_manifest,
    encode_manifest_list,
)
from core.table import Table
from core.tableindex import decode_hash_index, encode_hash_index
from core.types import DataType

CORPORA = Path(__file__).parents[1] / "corpora"
WRITERS = ("java09", "java09bsi", "pypaimon21", "rust04")


def avro_files(writer: str, kind: str) -> Iterator[bytes]:
    """The metadata files of a kind that are in Avro."""
    for path in sorted((CORPORA / writer).glob(f"*.db/*/**/manifest/{kind}-*")):
        data = path.read_bytes()
        other = kind == "manifest" and path.name.startswith("manifest-list")
        if data.startswith(MAGIC) and not other and path.suffix != ".sidecar":
            yield data


def rows_of(container: bytes) -> bytes:
    """The blocks of a container, unpacked."""
    return b"".join(block.data for block in open_container(BytesIO(container)).blocks)


def as_written_by(peers: bytes, ours: bytes) -> bytes:
    """Rows of ours with the schema of the peer's file."""
    schema = fastavro.parse_schema(open_container(BytesIO(peers)).schema)
    rows = BytesIO()
    for record in fastavro.reader(BytesIO(ours)):
        fastavro.schemaless_writer(rows, schema, record)
    return rows.getvalue()


@pytest.mark.parametrize("writer", WRITERS)
def test_manifests_have_the_bytes_of_their_writer(writer: str) -> None:
    found = list(avro_files(writer, "manifest"))
    for data in found:
        assert as_written_by(data, encode_manifest(decode_manifests([data]))) == rows_of(data)
    assert found


@pytest.mark.parametrize("writer", ["java09", "java09bsi"])  # the others have two members more, not described
def test_manifest_lists_have_the_bytes_of_their_writer(writer: str) -> None:
    found = list(avro_files(writer, "manifest-list"))
    for data in found:
        assert as_written_by(data, encode_manifest_list(decode_manifest_list(data))) == rows_of(data)
    assert found


@pytest.mark.parametrize("writer", ["java09", "pypaimon21"])  # the others have none
def test_index_manifests_have_the_bytes_of_their_writer(writer: str) -> None:
    found = list(avro_files(writer, "index-manifest"))
    for data in found:
        assert as_written_by(data, encode_index_manifest(decode_index_manifest(data))) == rows_of(data)
    assert found


def tables(writer: str) -> Iterator[Table]:
    catalog = open_catalog(str(CORPORA / writer))
    for database in catalog.list_databases():
        for name in catalog.list_tables(database):
            yield catalog.get_data_table(f"{database}.{name}")


def live(table: Table) -> list[ManifestEntry]:
    snapshot = table.snapshots.latest()
    return list(table.manifests.live_entries(snapshot).entries()) if snapshot else []


def rows(table: Table, entry: ManifestEntry) -> Iterator[tuple[list[DataType], BinaryRow]]:
    """The binary rows of an entry, and the types of their fields."""
    schema = table.schemas.get(entry.file.schema_id)
    keys = [field.type for field in schema.key_fields()]
    columns: dict[str, Any] = {field.name: field.type for field in schema.fields}
    named = entry.file.value_stats_cols
    values = list(columns.values()) if named is None else [columns[n] for n in named if n in columns]
    file = entry.file
    yield list(schema.partition_types), entry.partition
    yield from ((keys, row) for row in (file.min_key, file.max_key))
    yield from ((keys, row) for row in (file.key_stats.min_values, file.key_stats.max_values))
    yield from ((values, row) for row in (file.value_stats.min_values, file.value_stats.max_values))


@pytest.mark.parametrize("writer", WRITERS)
def test_binary_rows_have_the_bytes_of_their_writer(writer: str) -> None:
    compared = 0
    for table in tables(writer):
        for entry in live(table):
            for types, row in rows(table, entry):
                values = decode_row(types, row) if row.arity == len(types) else []  # those of nothing
                if values and (writer != "java09" or not has_long_null(types, values)):
                    assert encode_row(types, values) == row, table.identifier
                    compared += 1
    assert compared


def has_long_null(types: list[DataType], values: list[Any]) -> bool:
    """Whether a null of the row has an area, which only statistics of 0.9 leave out. Spec: 03, 1.2."""
    return any(value is None and reserved_area(kind) for kind, value in zip(types, values, strict=True))


def index_files(writer: str, index_type: str) -> Iterator[tuple[Any, bytes]]:
    """Entry and bytes of each live index file of a type."""
    for table in tables(writer):
        snapshot = table.snapshots.latest()
        for entry in table.manifests.index_entries(snapshot) if snapshot else ():
            if entry.index_type == index_type:
                yield entry, table.io.read(table.paths.index_file(entry.file_name))


@pytest.mark.parametrize("writer", ["java09", "pypaimon21"])  # the others write none
def test_deletion_vectors_have_the_bytes_of_their_writer(writer: str) -> None:
    compared = 0
    for entry, data in index_files(writer, "DELETION_VECTORS"):
        ranges = entry.deletion_vector_ranges or ()
        blocks = {name: encode_vector(v) for name, v in decode_index_file(data, ranges).items()}
        for r in ranges:
            assert data[r.offset : r.offset + len(blocks[r.data_file])] == blocks[r.data_file]
        assert len(data) == 1 + sum(map(len, blocks.values()))
        compared += len(blocks)
    assert compared


def test_hash_indexes_hold_what_java_wrote_in_another_order() -> None:
    found = list(index_files("java09", "HASH"))
    for entry, data in found:
        ours = encode_hash_index(decode_hash_index(data))
        assert len(ours) == len(data) == 4 * entry.row_count
        assert sorted(pieces(ours)) == sorted(pieces(data))
    assert found


def pieces(data: bytes) -> list[bytes]:
    return [data[i : i + 4] for i in range(0, len(data), 4)]
