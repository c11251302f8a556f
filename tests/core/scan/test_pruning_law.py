"""Law: whatever is pruned, a filtered read is the whole read, filtered. Spec: 09, 8."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import open_catalog
from core.catalog import Catalog
from core.predicate import bind, evaluate, parse_predicate
from core.table import Table
from core.types import RowKind

SCHEMA = pa.schema(
    [pa.field("k", pa.int32(), nullable=False), ("v", pa.int64()), ("s", pa.string()), ("p", pa.int32())]
)
INTEGERS = st.integers(-2, 42)
COMPARED = ["=", "<>", "<", "<=", ">", ">="]
LEAVES = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(["k", "v", "p"]), st.sampled_from(COMPARED), INTEGERS),
    st.builds("s {} 's{}'".format, st.sampled_from(COMPARED), INTEGERS),
    st.builds("s LIKE 's{}%'".format, st.integers(0, 4)),
    st.builds(
        "{} {} ({}, {})".format, st.sampled_from("kvp"), st.sampled_from(["IN", "NOT IN"]), INTEGERS, INTEGERS
    ),
    st.builds("{} IS {}NULL".format, st.sampled_from("kvsp"), st.sampled_from(["", "NOT "])),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds("({} AND {})".format, inner, inner)
        | st.builds("({} OR {})".format, inner, inner)
        | st.builds("NOT ({})".format, inner)
    ),
    max_leaves=4,
)


def fill(table: Table, *, deletes: bool) -> Table:
    """Five commits of neighbouring keys, each overlapping the one before; some values null."""
    for commit in range(5):
        keys = range(commit * 5, commit * 5 + 8)
        rows = {
            "k": keys,
            "v": [None if k % 5 == 0 else (k * 7 + commit) % 40 for k in keys],
            "s": [None if k % 7 == 0 else f"s{k % 40 + commit}" for k in keys],
            "p": [None if k % 4 == 3 else k % 4 for k in keys],
        }
        kinds = [RowKind.DELETE if deletes and k % 6 == 1 else RowKind.INSERT for k in keys]
        with table.new_write() as write:
            write.write(pa.table(rows, schema=SCHEMA), kinds if deletes else None)
            table.new_commit("test").commit(write.prepare_commit())
    return table


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    catalog = open_catalog(str(tmp_path_factory.mktemp("warehouse")))
    catalog.create_database("db")
    return catalog


@pytest.fixture(scope="module")
def append(catalog: Catalog) -> Table:
    return fill(catalog.create_table("db.append", SCHEMA, partition_keys=["p"]), deletes=False)


@pytest.fixture(scope="module")
def keyed(catalog: Catalog) -> Table:
    options = {"bucket": "3", "write-only": "true"}
    return fill(catalog.create_table("db.keyed", SCHEMA, primary_keys=["k"], options=options), deletes=True)


def rows_of(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def check(table: Table, where: str) -> None:
    predicate = bind(parse_predicate(where), table.schema.fields)
    whole = table.to_arrow().combine_chunks().to_batches()[0]
    expected = pa.Table.from_batches([whole.filter(evaluate(predicate, whole))])
    assert rows_of(table.to_arrow(filter=where)) == rows_of(expected)


@settings(max_examples=settings().max_examples // 2)
@given(FILTERS)
def test_pruning_an_append_table_drops_no_matching_row(append: Table, where: str) -> None:
    check(append, where)


@settings(max_examples=settings().max_examples // 2)
@given(FILTERS)
def test_pruning_a_primary_key_table_drops_and_revives_no_row(keyed: Table, where: str) -> None:
    check(keyed, where)


def test_the_tables_of_these_laws_give_pruning_something_to_do(append: Table, keyed: Table) -> None:
    assert 0 < len(append.plan(filter="v > 30 AND p = 1").entries) < len(append.plan().entries)
    assert 0 < len(keyed.plan(filter="k = 7").entries) < len(keyed.plan().entries)
    assert len(keyed.plan(filter="v = 99").entries) == 0
