"""A merge's source that memory does not hold, against one that it does."""

from __future__ import annotations

import gc
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dml import Column, Matched, NotMatched
from core.dml.source import Source
from core.tableindex import KeyIndex, RowStore
from core.types import DataField, parse_type
from tests.core.dml.test_engines import commit
from tests.tables import new_table, put, rows_of

ON = {"k": DataField(0, "k", parse_type("INT"))}
KEYS = st.lists(st.none() | st.integers(0, 9), max_size=30)


def of(keys: list[int | None], *, in_files: bool) -> Source:
    rows = pa.table({"k": pa.array(keys, pa.int32()), "w": pa.array(range(len(keys)), pa.int64())})
    batches = pa.Table.from_batches(rows.to_batches(max_chunksize=4), rows.schema)
    if not in_files:
        return Source(batches, ON)
    schema = pa.schema([("source.k", pa.int32()), ("source.w", pa.int64())])
    return Source(batches, ON, store=RowStore(schema, 1), index=KeyIndex(2, 1))


@settings(max_examples=25)
@given(KEYS, KEYS)
def test_partners_are_the_same_wherever_the_source_lies(
    keys: list[int | None], asked: list[int | None]
) -> None:
    source = of(keys, in_files=True)
    rows = pa.record_batch({"k": pa.array(asked, pa.int32())})
    partners, several = source.partners(rows)
    expected = [keys.index(k) if k is not None and k in keys else -1 for k in asked]
    assert partners.tolist() == expected
    assert several.tolist() == [k is not None and keys.count(k) > 1 for k in asked]
    shown = source.beside(rows, partners).column("source.w").to_pylist()
    assert shown == [None if p < 0 else p for p in expected]
    assert list(map(str, source.bounds())) == list(map(str, of(keys, in_files=False).bounds()))


def test_a_stream_of_rows_is_merged() -> None:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1")
    put(table, (1, "a"), (2, "b"))
    rows = pa.table({"id": pa.array([2, 3], pa.int32()), "v": ["B", "C"]})
    reader = pa.RecordBatchReader.from_batches(rows.schema, iter(rows.to_batches(max_chunksize=1)))
    commit(table, table.plan_merge(reader, ["id"], [Matched({"v": Column("source.v")}), NotMatched()]))
    assert rows_of(table) == [(1, "a"), (2, "B"), (3, "C")]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are listed by Linux alone")
def test_files_are_gone_with_the_source() -> None:
    def spilled() -> list[str]:
        return [line for line in Path("/proc/self/maps").read_text().splitlines() if "lakescope-" in line]

    before = len(spilled())
    source = of(list(range(9)), in_files=True)
    assert len(spilled()) > before
    assert all("(deleted)" in line for line in spilled())
    del source
    gc.collect()
    assert len(spilled()) == before
