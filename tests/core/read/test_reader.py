"""Rows of a split: columns, partitions, older schemas, filters. Spec: 09, 4 and 9."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.binary import encode_row
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.read import read_split
from core.types import DataField, parse_type
from tests.builders import schema
from tests.core.read.bucket import Bucket

COLUMNS = {"a": "INT", "b": "STRING", "c": "DOUBLE"}
ROWS = [(1, "x", 0.5), (2, None, None), (3, "z", 2.5)]


def bucket(root: Path, columns: dict[str, str] | None = None, **changes: object) -> Bucket:
    return Bucket(root, schema(columns or COLUMNS), **changes)  # type: ignore[arg-type]


def test_files_of_an_append_table_are_concatenated_in_order(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    rows.write(ROWS[:1])
    assert rows.read() == [*ROWS, ROWS[0]]


def test_columns_come_in_the_order_asked_for(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    assert rows.read(["c", "a"]) == [(0.5, 1), (None, 2), (2.5, 3)]


def test_the_filter_may_look_at_columns_that_are_not_returned(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    assert rows.read(["c"], filter="b = 'z' OR a = 1") == [(0.5,), (2.5,)]


def test_the_filter_is_exact_where_row_groups_only_may_match(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write([(i, "x", None) for i in range(20)])
    assert rows.read(["a"], filter="a > 5 AND a <> 8 AND a < 11") == [(6,), (7,), (9,), (10,)]


def test_no_columns_at_all_still_count_rows(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    batches = list(read_split(rows, rows.schema, rows.split, []))
    assert [(batch.num_rows, batch.num_columns) for batch in batches] == [(3, 0)]


def partitioned(root: Path) -> Bucket:
    table = schema({"p": "STRING", "d": "DATE", "v": "INT"}, partition_keys=["p", "d"])
    partition = encode_row(table.partition_types, ("a/b", 19756))
    rows = Bucket(root / "p=a%2Fb" / "d=19756", table, partition, table_root=root)
    rows.root.mkdir(parents=True)
    rows.write([("wrong", 0, 1), ("wrong", 0, 2)])
    return rows


def test_partition_columns_come_from_the_partition(tmp_path: Path) -> None:
    assert partitioned(tmp_path).read() == [("a/b", 19756, 1), ("a/b", 19756, 2)]


def test_partition_columns_alone_do_not_open_the_file(tmp_path: Path) -> None:
    rows = partitioned(tmp_path)
    (rows.root / "bucket-0" / "data-0.parquet").unlink()
    assert rows.read(["p"]) == [("a/b",), ("a/b",)]


def test_older_files_are_read_as_the_new_schema(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    fields = (
        DataField(1, "bb", parse_type("STRING")),
        DataField(7, "new", parse_type("INT")),
        DataField(0, "a", parse_type("BIGINT")),
    )
    rows.schema = replace(rows.schema, id=1, fields=fields)
    rows.write([("n", 5, 2**40)])
    assert rows.read() == [("x", None, 1), (None, None, 2), ("z", None, 3), ("n", 5, 2**40)]
    assert rows.read(["bb"], filter="a >= 3 AND (new IS NULL OR new = 5)") == [("z",), ("n",)]


def test_a_filter_on_a_column_that_older_files_lack_matches_its_nulls(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    newer = replace(rows.schema, id=1, fields=(*rows.schema.fields, DataField(9, "w", parse_type("INT"))))
    assert len(rows.read(as_schema=newer, filter="w IS NULL")) == 3
    assert rows.read(as_schema=newer, filter="w > 0") == []


def test_a_name_used_again_for_another_column_does_not_find_the_old_values(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    reused = replace(rows.schema, id=1, fields=(DataField(9, "b", parse_type("STRING")),))
    assert rows.read(as_schema=reused) == [(None,), (None,), (None,)]


def test_a_column_that_cannot_be_cast_is_refused_before_any_file_is_opened(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    retyped = replace(rows.schema, id=1, fields=(DataField(2, "c", parse_type("BYTES")),))
    with pytest.raises(UnsupportedError, match="cast from DOUBLE to BYTES"):
        read_split(rows, retyped, rows.split)


@pytest.mark.parametrize(
    ("columns", "where", "message"),
    [(["nope"], None, "nope"), (None, "nope = 1", "nope"), (None, "a = ", "filter|expected|literal")],
)
def test_a_mistake_of_the_caller_is_told_before_any_file_is_opened(
    tmp_path: Path, columns: list[str] | None, where: str | None, message: str
) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    with pytest.raises(InvalidRequestError, match=message):
        read_split(rows, rows.schema, rows.split, columns, where)


def test_a_stored_value_that_does_not_fit_names_the_file(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    retyped = replace(rows.schema, id=1, fields=(DataField(1, "b", parse_type("INT")),))
    with pytest.raises(FormatError, match=r"data-0\.parquet"):
        rows.read(as_schema=retyped)


def test_an_external_file_in_another_store_is_refused_by_name(tmp_path: Path) -> None:
    rows = bucket(tmp_path)
    rows.write(ROWS)
    rows.files[0] = replace(rows.files[0], external_path="s3://elsewhere/data-0.parquet")
    with pytest.raises(UnsupportedError, match="s3:// beside file://"):
        rows.read()
