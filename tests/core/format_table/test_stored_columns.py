"""Columns of files whose names are in other letters than the table's, or are none."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

from core import open_catalog
from core.errors import FormatError
from core.format_table import FormatTable
from tests.builders import fields
from tests.core.format_table.tables import format_table

COLUMNS = {"id": "INT", "info": "ROW<name STRING, more MAP<STRING, ARRAY<ROW<z INT>>>>", "c": "CHAR(3)"}
KIND = pa.struct(
    [("NAME", pa.string()), ("More", pa.map_(pa.string(), pa.list_(pa.struct([("Z", pa.int32())]))))]
)
INFO = {"NAME": "a", "More": [("K", [{"Z": 5}])]}
STORED = pa.table(
    {"C": ["ab ", "x"], "Id": pa.array([1, 2], pa.int32()), "INFO": pa.array([INFO, None], KIND)}
)
ROWS = [
    {"id": 1, "info": {"name": "a", "more": [("K", [{"z": 5}])]}, "c": "ab"},
    {"id": 2, "info": None, "c": "x"},
]


def put(table: FormatTable, rows: pa.Table) -> None:
    made: Any = BytesIO()
    (pa.parquet if table.kind == "parquet" else pa.orc).write_table(rows, made)
    table.io.write(f"{table.location}/a", made.getvalue())


@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_letters_count_unless_the_catalog_says_that_they_do_not(kind: str) -> None:
    table = format_table(COLUMNS, file__format=kind)
    put(table, STORED)
    assert table.to_arrow().to_pylist() == [dict.fromkeys(COLUMNS)] * 2
    folded = table.with_options({"case-sensitive": "false"})
    found = [row | {"c": row["c"].rstrip()} for row in folded.to_arrow().to_pylist()]
    assert found == ROWS
    assert folded.to_arrow(["c", "id"], "id > 1").to_pylist() == [{"c": "x", "id": 2}]


@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_columns_that_differ_in_letters_alone_are_not_guessed_between(kind: str) -> None:
    table = format_table({"id": "INT", "x": "INT"}, file__format=kind)
    put(table, pa.table({"ID": [1], "id": [2], "X": [3]}))
    assert table.to_arrow().to_pylist() == [{"id": 2, "x": None}]
    folded = table.with_options({"case-sensitive": "false"})
    assert folded.to_arrow(["x"]).to_pylist() == [{"x": 3}]
    with pytest.raises(FormatError, match="found=ID, id"):
        folded.to_arrow()


def test_columns_of_json_in_other_letters_are_found_in_each_line() -> None:
    columns = {"id": "INT", "info": "ROW<name STRING>", "M": "MAP<STRING, INT>"}
    for line in ('{"Id":"1","INFO":{"Name":"a"}}', '{"Id":1,"INFO":{"Name":"a"}}'):
        table = format_table(columns, file__format="json")
        table.io.write(f"{table.location}/a", f'{line}\n{{"ID":2,"m":{{"K":3}}}}\n'.encode())
        assert table.to_arrow(["id"]).to_pylist() == [{"id": None}] * 2
        folded = table.with_options({"case-sensitive": "false"})
        first = {"id": 1, "info": {"name": "a"}, "M": None}
        assert folded.to_arrow().to_pylist() == [first, {"id": 2, "info": None, "M": [("K", 3)]}]
        assert folded.to_arrow(["info"]).to_pylist()[0] == {"info": {"name": "a"}}


def test_columns_without_names_are_told_by_their_place_in_old_files_of_orc() -> None:
    table = format_table({"a": "INT", "p": "INT", "b": "STRING", "new": "INT"}, ["p"], file__format="orc")
    made: Any = BytesIO()
    pa.orc.write_table(pa.table({"_col0": pa.array([1], pa.int32()), "_col1": ["x"]}), made)
    table.io.write(f"{table.location}/p=7/000000_0", made.getvalue())
    assert table.to_arrow().to_pylist() == [{"a": 1, "p": 7, "b": "x", "new": None}]
    assert table.to_arrow(["b"], "a = 1").to_pylist() == [{"b": "x"}]
    named = format_table({"_col1": "INT", "x": "INT"}, file__format="orc")
    put(named, pa.table({"_col0": [1], "_col1": [2]}))
    assert named.to_arrow().to_pylist() == [{"_col1": 2, "x": None}]


def test_a_catalog_tells_its_tables_whether_letters_count(tmp_path: Path) -> None:
    options = {"type": "format-table", "file.format": "parquet"}
    for given, found in (({}, None), ({"case-sensitive": "false"}, 1), ({"case-sensitive": "true"}, None)):
        catalog = open_catalog({"warehouse": str(tmp_path), **given})
        if found is None and not given:
            catalog.create_database("db")
            catalog.create_table("db.t", fields(id="INT"), options=options)
        table = catalog.get_table("db.t")
        assert isinstance(table, FormatTable)
        put(table, pa.table({"Id": [1]}))
        assert table.to_arrow().to_pylist() == [{"id": found}]


def test_files_for_hive_hold_decimals_as_bytes_and_times_as_int96() -> None:
    columns = {"d": "DECIMAL(5, 2)", "ts": "TIMESTAMP(6)", "n": "ARRAY<TIMESTAMP(3)>", "i": "INT"}
    physical = {}
    for hives in ("false", "true"):
        table = format_table(columns, file__format="parquet", parquet__hive_types=hives)
        rows = pa.table({"d": ["1.25"], "ts": [0], "n": [[1]], "i": [1]}).cast(table.arrow_schema)
        table.append(rows)
        (file,) = table.io.list_files(table.location)
        with table.io.open_input(file.path) as source:
            footer = pa.parquet.ParquetFile(source).schema
        physical[hives] = [footer.column(i).physical_type for i in range(4)]
        assert table.to_arrow().to_pylist() == rows.to_pylist()
    assert physical["false"] == ["INT32", "INT64", "INT64", "INT32"]
    assert physical["true"] == ["FIXED_LEN_BYTE_ARRAY", "INT96", "INT96", "INT32"]
