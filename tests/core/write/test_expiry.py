"""Rows that are past their time go in compactions, and not before. Spec: 07, 8."""

from __future__ import annotations

from typing import Any

import pytest

from core.commit import TableCommit
from core.table import Table
from core.types import Timestamp
from core.write import plan_compaction, run_task
from tests.tables import new_table, put, rows_of

NOW = 1_700_000_000
TYPES: list[tuple[str, Any, Any]] = [
    ("INT", NOW - 3601, NOW - 3600),
    ("BIGINT", NOW - 3601, NOW - 3600),
    ("BIGINT", (NOW - 3600) * 1000 - 1, (NOW - 3600) * 1000),
    ("TIMESTAMP(3)", Timestamp((NOW - 3600) * 1000 - 1), Timestamp((NOW - 3600) * 1000)),
    ("TIMESTAMP(6) WITH LOCAL TIME ZONE", Timestamp((NOW - 3601) * 1000), Timestamp((NOW - 3600) * 1000)),
]


def table_of(kind: str) -> Table:
    expiring = {"record_level__expire_time": "1 h", "record_level__time_field": "t"}
    return new_table({"k": "INT NOT NULL", "t": kind}, ["k"], **expiring)


def compact_at(table: Table, now: int) -> int:
    """How many buckets a full compaction at a time rewrites."""
    plan = plan_compaction(table)
    TableCommit(table, "u").commit([run_task(table, task, now_seconds=now) for task in plan.tasks])
    return len(plan.tasks)


@pytest.mark.parametrize(("kind", "gone", "kept"), TYPES)
def test_a_row_goes_a_second_after_its_time(kind: str, gone: Any, kept: Any) -> None:
    table = table_of(kind)
    put(table, (1, gone), (2, kept), (3, None))
    assert len(rows_of(table)) == 3
    compact_at(table, NOW)
    assert rows_of(table) == [(2, kept), (3, None)]


def test_a_file_of_the_top_level_is_rewritten_once_a_row_of_it_has_expired() -> None:
    table = table_of("INT")
    put(table, (1, NOW), (2, 2**31 - 1))
    assert compact_at(table, NOW) == 1
    assert len(rows_of(table)) == 2
    (task,) = plan_compaction(table).tasks  # the clock says years after NOW
    assert (task.in_place, task.reason) == (True, "rewrite")
    compact_at(table, NOW + 7200)
    assert rows_of(table) == [(2, 2**31 - 1)]
    assert plan_compaction(table).tasks == ()
