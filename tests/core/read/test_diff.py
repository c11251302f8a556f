"""Differences of tables that look versions up: what a lower level took in counts once."""

from __future__ import annotations

import pytest

from core.compact import Strategy
from core.table import Table
from tests.tables import compact, levels_of, new_table, put, rows_of

COLUMNS = {"id": "INT NOT NULL", "n": "INT"}


@pytest.fixture(params=["changelog_producer", "deletion_vectors__enabled", "force_lookup"])
def table(request: pytest.FixtureRequest) -> Table:
    """Sums on two levels above 0, the lower of which holds those of the upper."""
    value = "lookup" if request.param == "changelog_producer" else "true"
    table = new_table(
        COLUMNS,
        ["id"],
        merge_engine="aggregation",
        fields__n__aggregate_function="sum",
        **{request.param: value},
    )
    put(table, *[(i, 10) for i in range(3000)])
    compact(table)
    for amount in (5, 7):
        put(table, (1, amount), (5000, amount))
        compact(table, Strategy.MINOR)
    return table


def changed(table: Table, first: int, last: int) -> list[tuple[int, int]]:
    options = {"incremental-between": f"{first},{last}", "incremental-between-scan-mode": "diff"}
    return [row for row in rows_of(table.with_options(options)) if row[0] in (1, 5000)]


def test_the_rows_of_a_diff_are_those_of_the_later_state(table: Table) -> None:
    assert levels_of(table)[0] > 0
    assert len(set(levels_of(table))) > 1
    assert [row for row in rows_of(table) if row[0] in (1, 5000)] == [(1, 22), (5000, 12)]
    assert changed(table, 2, 6) == [(1, 22), (5000, 12)]
    assert changed(table, 4, 6) == [(1, 22), (5000, 12)]
    assert changed(table, 2, 4) == [(1, 15), (5000, 5)]


def test_states_that_say_the_same_do_not_differ(table: Table) -> None:
    compact(table)
    latest = table.snapshots.latest_id() or 0
    assert changed(table, latest - 1, latest) == []
