"""The numbers of an explanation add up, whatever the table and the filter: none is told twice or lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from core.read import Explanation
from core.scan import Stage
from core.table import Table
from tests.tables import files_of, new_table, put

Row = tuple[int, int, int]
NUMBERS = st.integers(0, 6)
COMMITS = st.lists(
    st.lists(st.tuples(st.integers(1, 3), NUMBERS, NUMBERS), min_size=1, max_size=6), min_size=1, max_size=4
)
TESTS = st.builds(
    "{} {} {}".format, st.sampled_from("pkv"), st.sampled_from(["=", "<", ">=", "<>"]), st.integers(0, 7)
)
FILTERS = st.lists(TESTS, max_size=3).map(" AND ".join)
FEW = settings(max_examples=12)


def made(commits: Sequence[Sequence[Row]], keys: Sequence[str], **options: str) -> Table:
    table = new_table({"p": "INT", "k": "INT", "v": "INT"}, keys, partition=["p"], **options)
    for rows in commits:
        put(table, *rows)
    return table


def of_files(found: Explanation) -> list[Stage]:
    return [stage for stage in found.stages if stage.unit == "files"]


def check(table: Table, where: str) -> None:
    found, plan, live = table.explain(filter=where or None), table.plan(filter=where or None), files_of(table)
    stages = of_files(found)
    kept = [(s.kept, s.kept_size, s.kept_rows) for s in stages]
    before = [(s.kept + s.dropped, s.kept_size + s.dropped_size, _rows(s)) for s in stages]
    assert before[0] == (len(live), sum(f.file_size for f in live), sum(f.row_count for f in live))
    assert all(after == first for first, after in zip(kept, before[1:], strict=False))
    entries = plan.entries
    sizes, rows = (int(entries.numpy(name).sum()) for name in ("file_size", "row_count"))
    assert kept[-1] == (len(entries), sizes, rows)
    for stage in stages:
        gone = [file for file in found.files if file.dropped_by is stage.name]
        told = (len(gone), sum(file.size for file in gone), sum(file.rows for file in gone))
        assert told == (stage.dropped, stage.dropped_size, stage.dropped_rows)
    assert sorted(f.file_name for f in found.files) == sorted(f.file_name for f in live)


def _rows(stage: Stage) -> int:
    return (stage.kept_rows or 0) + (stage.dropped_rows or 0)


@given(COMMITS, FILTERS)
@FEW
def test_what_stages_drop_of_an_append_table_is_what_is_not_read(
    commits: list[list[Row]], where: str
) -> None:
    table = made(commits, [], bucket="-1")
    check(table, where)
    found = table.explain(filter=where or None)
    rows = [stage for stage in found.stages if stage.unit in ("rows", "row groups")]
    left = [stage.kept_rows for stage in rows if stage.kept_rows is not None]
    assert all(some >= fewer for some, fewer in pairwise(left))
    assert left[-1] == sum(file.rows_read for file in found.files)
    assert left[-1] >= table.to_arrow(filter=where or None).num_rows


@given(COMMITS, FILTERS)
@FEW
def test_what_stages_drop_of_a_table_with_keys_is_what_is_not_read(
    commits: list[list[Row]], where: str
) -> None:
    check(made(commits, ["p", "k"], bucket="2"), where)
