"""Format tables: what is written is read, partitions are discovered and pruned, snapshots are refused."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from core.arrow import arrow_schema
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.format_table import FormatTable
from core.io.local import LocalFileIO
from tests.core.format_table.tables import file_names, format_table

COLUMNS = {
    "i": "INT",
    "s": "STRING",
    "d": "DECIMAL(10, 2)",
    "day": "DATE",
    "ts": "TIMESTAMP(6)",
    "b": "BYTES",
    "f": "DOUBLE",
    "yes": "BOOLEAN",
    "p": "INT",
    "q": "STRING",
}
ROWS = {
    "i": [1, None, 3],
    "s": ['a,"x"\\', None, "né\t\x01"],
    "d": [Decimal("1.50"), None, Decimal("-3.25")],
    "day": [date(2024, 1, 2), None, date(1969, 1, 1)],
    "ts": [datetime(2024, 1, 2, 3, 4, 5, 123456), None, datetime(1960, 1, 1)],
    "b": [b"ab", None, b"\x00\xff"],
    "f": [1.5, None, 1e20],
    "yes": [True, None, False],
    "p": [1, 1, None],
    "q": ["a/b=c", "a/b=c", None],
}


def rows_of(table: FormatTable, **columns: list[object]) -> pa.Table:
    return pa.table(columns, schema=arrow_schema(table.schema.fields))


@pytest.mark.parametrize("codec", ["", "zlib", "zstd"])
@pytest.mark.parametrize("kind", ["parquet", "orc", "csv", "json"])
def test_rows_are_read_as_they_were_written(kind: str, codec: str) -> None:
    codec = codec if kind == "orc" else codec.replace("zlib", "gzip")
    table = format_table(
        COLUMNS, ["p", "q"], file__format=kind, **({"file__compression": codec} if codec else {})
    )
    rows = rows_of(table, **ROWS)
    table.append(rows)
    assert sorted(table.to_arrow().to_pylist(), key=str) == sorted(rows.to_pylist(), key=str)


def test_text_files_hold_a_line_a_row_and_null_is_an_empty_one() -> None:
    table = format_table({"line": "STRING"}, file__format="text")
    table.append(rows_of(table, line=["a", None, "é"]))
    assert table.to_arrow().to_pydict() == {"line": ["a", "", "é"]}


def test_nested_columns_are_kept_in_json() -> None:
    table = format_table(
        {"a": "ARRAY<INT>", "m": "MAP<STRING, INT>", "r": "ROW<x INT, y ARRAY<STRING>>"}, file__format="json"
    )
    rows = rows_of(
        table,
        a=[[1, None], None, []],
        m=[[("k", 1), ('"', None)], None, []],
        r=[{"x": 1, "y": ["q"]}, None, {"x": None, "y": None}],
    )
    table.append(rows)
    assert table.to_arrow().to_pylist() == rows.to_pylist()
    assert table.to_arrow(["r", "a"]).to_pylist() == rows.select(["r", "a"]).to_pylist()


def test_a_filter_leaves_directories_out_before_they_are_listed() -> None:
    table = format_table({"i": "INT", "p": "INT", "q": "STRING"}, ["p", "q"])
    table.append(rows_of(table, i=[1, 2, 3], p=[1, 1, 2], q=["x", "y", "x"]))
    plan = table.plan(filter="p = 1 and q = 'x' and i > 0")
    assert (plan.file_count, plan.partitions, plan.partitions_left_out) == (1, 1, 2)
    assert table.to_arrow(["i"], "q = 'x' and i < 3").to_pydict() == {"i": [1]}


def test_partitions_that_others_made_are_found_and_typed() -> None:
    table = format_table({"i": "INT", "day": "DATE"}, ["day"], file__format="csv")
    table.io.write(f"{table.location}/day=2024-01-02/part-0", b"1\n")
    table.io.write(f"{table.location}/day=__DEFAULT_PARTITION__/deep/er.csv", b"2\n")
    for hidden in ("day=2024-01-02/_SUCCESS", "day=2024-01-02/.x.crc", "_temporary/day=1/x", "other/x", "x"):
        table.io.write(f"{table.location}/{hidden}", b"9\n")
    assert sorted(table.to_arrow().to_pydict()["i"]) == [1, 2]
    assert table.to_arrow(["day"], "day = '2024-01-02'").to_pylist() == [{"day": date(2024, 1, 2)}]
    assert table.to_arrow(filter="day is null").to_pydict() == {"i": [2], "day": [None]}


def test_a_directory_that_is_no_value_of_its_column_is_named() -> None:
    table = format_table({"i": "INT", "p": "INT"}, ["p"])
    table.io.write(f"{table.location}/p=x/f.parquet", b"")
    with pytest.raises(FormatError, match="found=p=x"):
        table.to_arrow()


def test_directories_may_be_named_by_values_alone() -> None:
    table = format_table(
        {"i": "INT", "p": "INT"}, ["p"], **{"format_table__partition_path_only_value": "true"}
    )
    table.append(rows_of(table, i=[1, 2], p=[7, None]))
    assert {name.partition("/")[0] for name in file_names(table)} == {"7", "__DEFAULT_PARTITION__"}
    assert table.to_arrow(filter="p = 7").to_pydict() == {"i": [1], "p": [7]}


@pytest.mark.parametrize("value", ["..", ".", "_hidden", ".x"])
def test_no_directory_named_by_a_value_alone_is_hidden_or_another_tables(value: str) -> None:
    table = format_table(
        {"i": "INT", "p": "STRING"}, ["p"], **{"format_table__partition_path_only_value": "true"}
    )
    write = table.new_write()
    with pytest.raises(InvalidRequestError, match="none begins with _"):
        write.write(rows_of(table, i=[1, 2], p=["a", value]))
    assert write.prepare_commit() == []


def test_columns_of_partitions_alone_are_read_with_their_count() -> None:
    table = format_table({"i": "INT", "p": "INT"}, ["p"], file__format="csv")
    table.append(rows_of(table, i=[1, None, 3], p=[7, 7, 7]))
    assert table.to_arrow(["p"]).to_pydict() == {"p": [7, 7, 7]}


def test_large_files_come_in_batches_and_are_split_by_size() -> None:
    table = format_table({"i": "INT"}, file__format="csv", target_file_row_num="1000")
    table.append(rows_of(table, i=list(range(2500))))
    assert table.plan().file_count == 3
    assert len(table.with_options({"source.split.target-size": "1 b"}).plan().splits) == 3
    assert sorted(table.to_arrow()["i"].to_pylist()) == list(range(2500))


@pytest.mark.parametrize("at", [{"snapshot_id": 1}, {"tag": "v1"}, {"timestamp_millis": 1}])
def test_there_is_no_snapshot_to_travel_to(at: dict[str, object]) -> None:
    with pytest.raises(InvalidRequestError, match="has no snapshots"):
        format_table({"i": "INT"}).to_batches(**at)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "options", "feature"),
    [
        ({"i": "INT"}, {"file__format": "avro"}, "file.format = avro"),
        ({"i": "INT"}, {"file__format": "mosaic"}, "file.format = mosaic"),
        ({"i": "INT"}, {"metastore__partitioned_table": "true"}, "metastore.partitioned-table"),
        ({"a": "ARRAY<INT>"}, {"file__format": "csv"}, "ARRAY<INT> in CSV"),
        ({"v": "VARIANT"}, {"file__format": "json"}, "VARIANT in JSON"),
        ({"a": "STRING", "b": "STRING"}, {"file__format": "text"}, "columns of file.format = text"),
        ({"i": "INT"}, {"file__format": "csv", "file__compression": "lz4"}, "lz4 of text files"),
        ({"i": "INT"}, {"file__format": "csv", "csv__line_delimiter": ";"}, "csv.line-delimiter"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(
    columns: dict[str, str], options: dict[str, str], feature: str
) -> None:
    with pytest.raises(UnsupportedError) as refused:
        format_table(columns, **options).new_write()
    assert feature in str(refused.value.fields["feature"])


def test_a_table_and_its_plan_are_picklable(tmp_path: object) -> None:
    table = format_table({"i": "INT"}, io=LocalFileIO(), location=f"{tmp_path}/t").with_options({"a": "b"})
    table.append(rows_of(table, i=[1]))
    again, plan = pickle.loads(pickle.dumps((table, table.plan())))
    assert [b.to_pydict() for b in again.read_split(plan.splits[0], plan)] == [{"i": [1]}]
    assert again.schema.options["a"] == "b"
