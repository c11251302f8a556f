"""Law: pruning files of older schemas, with NaN and nulls, drops no matching row. Spec: 09, 4 and 8."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.predicate import bind, evaluate, parse_predicate
from core.scan import StageName
from core.schema import (
    AddColumn,
    DropColumn,
    RenameColumn,
    UpdateColumnType,
    apply_changes,
)
from core.table import Table
from core.types import parse_type
from tests.builders import NOON
from tests.tables import new_table, put

CHANGES = (
    RenameColumn(("v",), "w"),
    UpdateColumnType(("w",), parse_type("BIGINT")),
    UpdateColumnType(("i",), parse_type("STRING")),
    DropColumn(("s",)),
    AddColumn(("s",), parse_type("INT")),
    AddColumn(("n",), parse_type("DOUBLE")),
)
COLUMNS = {"k": "INT", "v": "INT", "i": "INT", "f": "DOUBLE", "s": "STRING"}


def number(n: int) -> float | None:
    """Some of them NaN or null; whole files of either too."""
    if 20 <= n < 28:
        return math.nan
    return None if n % 5 == 0 else math.nan if n % 7 == 0 and n > 8 else -0.0 if n % 8 == 0 else n / 2


def evolved(keys: tuple[str, ...], **options: str) -> Table:
    table = new_table(COLUMNS, keys, **options)
    for start in (0, 8, 20):
        put(table, *((n, n * 3 % 17, n, number(n), f"s{n}") for n in range(start, start + 8)))
    table.schemas.create(apply_changes(table.schema, CHANGES, has_snapshots=True, time_millis=NOON))
    table = table.refreshed()
    assert table.schema.field_names == ("k", "w", "i", "f", "s", "n")
    for start in (4, 26):
        put(table, *((n, n + 2**40, str(n), number(n), n, number(n + 1)) for n in range(start, start + 8)))
    return table


@pytest.fixture(scope="module")
def append() -> Table:
    return evolved((), bucket="-1")


@pytest.fixture(scope="module")
def keyed() -> Table:
    return evolved(("k",), bucket="2", write_only="true")


NUMBERS = st.integers(-2, 40)
COMPARED = ["=", "<>", "<", "<=", ">", ">="]
LEAVES = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from("kws"), st.sampled_from(COMPARED), NUMBERS),
    st.builds("w > {}".format, st.sampled_from([2**40, 2**31, -(2**31)])),
    st.builds("i {} '{}'".format, st.sampled_from(COMPARED), NUMBERS),
    st.builds(
        "{} {} {}".format,
        st.sampled_from("fn"),
        st.sampled_from(COMPARED),
        st.sampled_from([0, -0.5, 3.5, 11, 40]),
    ),
    st.builds("{} {} 'NaN'".format, st.sampled_from("fn"), st.sampled_from(COMPARED)),
    st.builds(
        "{} {} (0, 5.5, {})".format,
        st.sampled_from("fn"),
        st.sampled_from(["IN", "NOT IN"]),
        st.sampled_from(["1", "'NaN'"]),
    ),
    st.builds("{} IS {}NULL".format, st.sampled_from("wifsn"), st.sampled_from(["", "NOT "])),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds("({} AND {})".format, inner, inner)
        | st.builds("({} OR {})".format, inner, inner)
        | st.builds("NOT ({})".format, inner)
    ),
    max_leaves=3,
)


def rows_of(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def check(table: Table, where: str) -> None:
    predicate = bind(parse_predicate(where), table.schema.fields)
    whole = table.to_arrow().combine_chunks().to_batches()[0]
    expected = pa.Table.from_batches([whole.filter(evaluate(predicate, whole))])
    assert rows_of(table.to_arrow(filter=where)) == rows_of(expected)


@settings(max_examples=settings().max_examples // 3)
@given(FILTERS)
def test_an_append_table_of_two_schemas_loses_no_matching_row(append: Table, where: str) -> None:
    check(append, where)


@settings(max_examples=settings().max_examples // 3)
@given(FILTERS)
def test_a_primary_key_table_of_two_schemas_loses_and_revives_no_row(keyed: Table, where: str) -> None:
    check(keyed, where)


@pytest.mark.parametrize(
    ("where", "files"),
    [("w = 5", 3), ("w > 1099511627776", 2), ("f < -1", 3), ("f > 1000", 5), ("n < 5", 2), ("s = 5", 1)],
)
def test_these_tables_give_pruning_something_to_do(append: Table, where: str, files: int) -> None:
    assert len(append.plan(filter=where).entries) == files
    found: Any = append.explain(filter=where)
    dropped = [file for file in found.files if file.dropped_by is StageName.STATISTICS]
    assert len(dropped) == 5 - files
