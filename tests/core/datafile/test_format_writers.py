"""What the writers of ORC and Avro make of rows. Spec: 04, A3 and A4."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from pyarrow import orc

from core.arrow import arrow_schema, from_python, to_python
from core.avro import read_schema
from core.datafile.avro_schema import avro_schema
from core.datafile.compression import Compression
from core.datafile.file_format import FileFormat
from core.datafile.read import read_data_file
from core.datafile.write import FileLayout, FileNames, RollingFileWriter
from core.datafile.write_stats import stats_rules
from core.errors import UnsupportedError
from core.io import MemoryFileIO
from core.options import TableOptions
from core.schema import TableSchema
from core.types import DataField, DataType, Timestamp, parse_type, type_to_text
from tests.strategies import data_types, typed_rows


def avro_holds(kind: DataType) -> bool:
    try:
        avro_schema([DataField(0, "f", kind)])
    except UnsupportedError:
        return False
    return True


COLUMNAR = data_types(variant=False)


def fields_of(types: list[DataType]) -> tuple[DataField, ...]:
    return tuple(DataField(100 * (i + 1), f"c{i}", kind) for i, kind in enumerate(types))


def table_of(fields: tuple[DataField, ...], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = [from_python([row[i] for row in rows], f.type) for i, f in enumerate(fields)]
    return pa.Table.from_arrays(columns, schema=arrow_schema(fields))


def write(fields: tuple[DataField, ...], rows: pa.Table, **layout: Any) -> tuple[MemoryFileIO, list[str]]:
    """The paths of files of these rows."""
    io = MemoryFileIO()
    schema = TableSchema(id=0, fields=fields, highest_field_id=9999)
    stats = stats_rules(schema, TableOptions({}), 0)
    how = FileLayout(schema_id=0, fields=fields, stats=stats, **layout)
    writer = RollingFileWriter(io, "memory://t", how, FileNames())
    for batch in rows.to_batches():
        writer.write(batch)
    files = writer.take()
    assert all(io.status(f"memory://t/{f.file_name}").size == f.file_size for f in files)
    assert sum(f.row_count for f in files) == len(rows)
    return io, [f"memory://t/{f.file_name}" for f in files]


def read(io: MemoryFileIO, paths: list[str], fields: tuple[DataField, ...]) -> pa.Table:
    batches = [batch for path in paths for batch in read_data_file(io, path, fields)]
    return pa.Table.from_batches(batches, schema=arrow_schema(fields))


def values(table: pa.Table, fields: tuple[DataField, ...]) -> list[str]:
    """Of each column, as texts: a NaN is like another."""
    return [repr(to_python(table.column(f.name), f.type)) for f in fields]


@settings(max_examples=settings().max_examples // 4)
@given(typed_rows(COLUMNAR.filter(avro_holds), max_columns=3, max_rows=6))
def test_rows_of_any_types_are_read_back_from_avro(
    typed: tuple[list[DataType], list[tuple[Any, ...]]],
) -> None:
    types, rows = typed
    assume(rows and types)
    fields = fields_of(types)
    table = table_of(fields, rows)
    io, paths = write(fields, table, format=FileFormat.AVRO)
    assert values(read(io, paths, fields), fields) == values(table, fields)


@settings(max_examples=settings().max_examples // 4)
@given(typed_rows(COLUMNAR, max_columns=3, max_rows=6))
def test_rows_of_any_types_are_read_back_from_orc(
    typed: tuple[list[DataType], list[tuple[Any, ...]]],
) -> None:
    types, rows = typed
    texts = "".join(map(type_to_text, types))
    assume(rows and types and "VECTOR" not in texts and not re.search(r"\bCHAR", texts))  # padding is lost
    fields = fields_of(types)
    table = table_of(fields, rows)
    try:
        io, paths = write(fields, table, format=FileFormat.ORC)
        found = read(io, paths, fields)
    except UnsupportedError:  # times that Arrow's encoder or decoder does not do
        assume(False)
    assert values(found, fields) == values(table, fields)


def stored(kind: str, value: Any, file_format: FileFormat, **layout: Any) -> bytes:
    fields = fields_of([parse_type(kind)])
    io, (path,) = write(fields, table_of(fields, [(value,)]), format=file_format, **layout)
    return io.read(path)


@pytest.mark.parametrize(
    ("kind", "value", "stored_as"),
    [
        ("TIME", 1, "int32"),
        ("TINYINT", 1, "int8"),
        ("TIMESTAMP(3)", Timestamp(1, 0), "timestamp[ns]"),
        ("TIMESTAMP(9) WITH LOCAL TIME ZONE", Timestamp(1, 2), "timestamp[ns, tz=UTC]"),
        ("CHAR(3)", "a", "string"),
        ("DECIMAL(38, 10)", None, "decimal128(38, 10)"),
        ("MULTISET<INT>", [(1, 2)], "map<int32, int32>"),
    ],
)
def test_orc_types(kind: str, value: Any, stored_as: str) -> None:
    data = stored(kind, value, FileFormat.ORC)
    assert str(orc.ORCFile(pa.BufferReader(data)).schema.field(0).type) == stored_as


def test_a_file_of_avro_says_what_java_says() -> None:
    """The schema of `java09/types.db/nested_avro`, where Java spells these columns."""
    data = stored("MAP<INT, ROW<a INT NOT NULL, b TIMESTAMP(6)>>", None, FileFormat.AVRO)
    ((_, record),) = [read_schema(data)]
    (column,) = record["fields"]
    assert column == {
        "name": "c0",
        "default": None,
        "type": [
            "null",
            {
                "type": "array",
                "logicalType": "map",
                "items": {
                    "type": "record",
                    "name": "record_c0",
                    "fields": [
                        {"name": "key", "type": ["null", "int"]},
                        {
                            "name": "value",
                            "default": None,
                            "type": [
                                "null",
                                {
                                    "type": "record",
                                    "name": "record_c0_value",
                                    "fields": [
                                        {"name": "a", "type": "int"},
                                        {
                                            "name": "b",
                                            "default": None,
                                            "type": [
                                                "null",
                                                {"type": "long", "logicalType": "timestamp-micros"},
                                            ],
                                        },
                                    ],
                                },
                            ],
                        },
                    ],
                },
            },
        ],
    }


@pytest.mark.parametrize("kind", ["TIME(6)", "TIMESTAMP(9)", "ROW<x ARRAY<TIMESTAMP(7)>>"])
def test_what_avro_does_not_hold_is_refused(kind: str) -> None:
    with pytest.raises(UnsupportedError, match="in Avro files"):
        stored(kind, None, FileFormat.AVRO)


def spelled(kind: str, time: Timestamp) -> Any:
    return {"TIMESTAMP": time, "ARRAY": [time], "MAP": [(1, (time,))]}[re.split(r"\W", kind)[0]]


@pytest.mark.parametrize("kind", ["TIMESTAMP(6)", "ARRAY<TIMESTAMP(9)>", "MAP<INT, ROW<t TIMESTAMP(6)>>"])
def test_times_that_java_would_misread_in_orc_are_refused(kind: str) -> None:
    assert stored(kind, spelled(kind, Timestamp(-5, 0)), FileFormat.ORC)
    assert stored(kind, spelled(kind, Timestamp(5, 1000)), FileFormat.ORC)
    with pytest.raises(UnsupportedError, match="before 1970"):
        stored(kind, spelled(kind, Timestamp(-5, 1000)), FileFormat.ORC)


@pytest.mark.parametrize("second", [-9_223_372_036, 9_223_372_035])
def test_times_that_orc_would_not_give_back_are_refused(second: int) -> None:
    beyond = second + (1 if second > 0 else -1)
    assert stored("TIMESTAMP(3)", Timestamp(second * 1000, 0), FileFormat.ORC)
    with pytest.raises(UnsupportedError, match="before 1677 or after 2262"):
        stored("TIMESTAMP(3)", Timestamp(beyond * 1000, 0), FileFormat.ORC)


@pytest.mark.parametrize(
    ("file_format", "codecs"),
    [
        (FileFormat.PARQUET, "zstd snappy gzip brotli none"),
        (FileFormat.ORC, "zstd snappy zlib lz4 none"),
        (FileFormat.AVRO, "zstd snappy deflate bzip2 xz none"),
    ],
)
def test_every_codec_of_a_format_is_read_back(file_format: FileFormat, codecs: str) -> None:
    fields = fields_of([parse_type("STRING")])
    rows = table_of(fields, [("a text",), (None,)] * 500)
    for name in codecs.split():
        compression = Compression.of(name, 3, file_format)
        io, paths = write(fields, rows, format=file_format, compression=compression, names_codec=True)
        assert paths[0].endswith(f"-0.{name}.{file_format}")
        assert read(io, paths, fields) == rows


def test_a_codec_that_a_format_does_not_have_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="zlib of avro"):
        Compression.of("zlib", 1, FileFormat.AVRO)


@pytest.mark.parametrize("file_format", [FileFormat.ORC, FileFormat.AVRO])
def test_files_roll_at_the_target_size(file_format: FileFormat) -> None:
    fields = fields_of([parse_type("BIGINT")])
    numbers = np.random.default_rng(7).integers(0, 1 << 60, 100_000)
    rows = pa.table([pa.array(numbers)], schema=arrow_schema(fields))
    io, paths = write(fields, rows, format=file_format, target_size=128 * 1024)
    assert len(paths) >= 4
    assert all(io.status(path).size <= 300 * 1024 for path in paths)
    assert read(io, paths, fields) == rows


def test_a_block_size_makes_stripes() -> None:
    fields = fields_of([parse_type("BIGINT")])
    numbers = np.random.default_rng(7).integers(0, 1 << 60, 50_000)
    rows = pa.table([pa.array(numbers)], schema=arrow_schema(fields))
    io, (path,) = write(fields, rows, format=FileFormat.ORC, block_size=64 * 1024)
    assert orc.ORCFile(pa.BufferReader(io.read(path))).nstripes > 2
