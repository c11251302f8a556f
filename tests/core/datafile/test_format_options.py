"""`parquet.*`, `orc.*` and `avro.*` reach the encoders, and what nobody knows is left alone. Spec: 04, A4."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from core.avro import read_schema
from core.datafile.file_format import FileFormat
from core.datafile.format_options import FormatOptions, block_bytes, compression_of
from core.errors import InvalidRequestError
from core.options import TableOptions
from core.table import Table
from core.write import TableWrite
from tests.tables import files_of, rows_of
from tests.tables import new_table as make

COLUMNS = {"id": "INT", "s": "STRING", "d": "DECIMAL(9, 2)", "b": "BOOLEAN", "l": "ARRAY<INT>"}


def written(rows: int = 2000, **options: Any) -> tuple[Table, bytes]:
    """A table with one file of `rows` rows, and its bytes; options have their own spelling."""
    spelled = {key.replace("-", "_").replace(".", "__"): value for key, value in options.items()}
    table = make(COLUMNS, bucket="-1", **spelled)
    columns = [list(range(rows)), ["aa", "bb"] * (rows // 2), [None] * rows, [True] * rows, [[1]] * rows]
    with TableWrite(table) as writer:
        schema = pa.schema([("id", pa.int32()), ("s", pa.string()), ("d", pa.decimal128(9, 2))])
        schema = schema.append(pa.field("b", pa.bool_())).append(pa.field("l", pa.list_(pa.int32())))
        writer.write(pa.table(columns, schema=schema))
        table.new_commit("u").commit(writer.prepare_commit())
    assert len(rows_of(table)) == rows
    (file,) = files_of(table)
    return table, table.io.read(f"{table.location}/bucket-0/{file.file_name}")


def parquet(**options: Any) -> Any:
    return pq.ParquetFile(BytesIO(written(**options)[1])).metadata


def encodings(group: Any) -> list[bool]:
    return [group.column(i).has_dictionary_page for i in range(3)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [False, True, False]),
        ({"parquet.enable.dictionary": "true"}, [False, True, False]),
        ({"parquet.enable.dictionary": "false"}, [False, False, False]),
        (
            {"parquet.enable.dictionary": "false", "parquet.enable.dictionary#id": "true"},
            [True, False, False],
        ),
        ({"parquet.enable.dictionary#s": "false", "parquet.enable.dictionary#d": "true"}, [False] * 3),
    ],
)
def test_dictionaries_of_parquet(options: dict[str, str], expected: list[bool]) -> None:
    assert encodings(parquet(**options).row_group(0)) == expected


def test_bloom_filters_of_parquet() -> None:
    def lengths(**options: str) -> list[bool]:
        group = parquet(**options).row_group(0)
        return [group.column(i).bloom_filter_length is not None for i in range(group.num_columns)]

    one = {"parquet.bloom.filter.enabled#id": "true", "parquet.bloom.filter.expected.ndv#id": "100"}
    assert lengths(**one) == [True, False, False, False, False]
    assert lengths(**{"parquet.bloom.filter.enabled": "true", "parquet.bloom.filter.enabled#s": "false"}) == [
        *(True, False, True, False, False)
    ]


def test_sizes_of_parquet() -> None:
    assert parquet(**{"parquet.block.size": "4000"}).num_row_groups > 10
    assert parquet(**{"parquet.block.size": "4000", "file.block-size": "1 mb"}).num_row_groups == 1
    small = parquet(**{"parquet.page.row.count.limit": "100", "parquet.page.size": "100"})
    assert small.row_group(0).total_byte_size > parquet().row_group(0).total_byte_size


def test_codecs_of_the_format_go_before_those_of_the_table() -> None:
    assert parquet(**{"parquet.compression": "SNAPPY"}).row_group(0).column(0).compression == "SNAPPY"
    _, data = written(**{"file.format": "avro", "avro.codec": "deflate"})
    assert read_schema(BytesIO(data))
    assert b"deflate" in data[:2000]
    level = {"file.compression.zstd-level": "3", "orc.compression.zstd.level": "9"}
    assert compression_of(TableOptions(level), "zstd", FileFormat.ORC).zstd_level == 9
    assert compression_of(TableOptions(level), "zstd", FileFormat.AVRO).zstd_level == 3


def test_settings_of_orc() -> None:
    settings = {"orc.row.index.stride": "100", "orc.dictionary.key.threshold": "0"}
    _, data = written(**{"file.format": "orc", **settings})
    assert orc.ORCFile(BytesIO(data)).row_index_stride == 100
    assert block_bytes(TableOptions({"orc.stripe.size": "70000"}), FileFormat.ORC) == 70000


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("parquet.page.size", "1 mb"),
        ("parquet.page.size", "0"),
        ("parquet.enable.dictionary#id", "perhaps"),
        ("parquet.bloom.filter.fpp#id", "little"),
        ("parquet.bloom.filter.fpp#id", "1"),
        ("parquet.bloom.filter.expected.ndv#id", "0"),
        ("orc.row.index.stride", "-1"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(key: str, text: str) -> None:
    with pytest.raises(InvalidRequestError, match=key):
        FormatOptions.of(TableOptions({key: text}))


def test_what_nobody_knows_is_left_alone() -> None:
    unknown = {"parquet.some.setting": "x", "orc.bloom.filter.columns": "id", "avro.row-name-mapping": "y"}
    assert FormatOptions.of(TableOptions(unknown)) == FormatOptions()
