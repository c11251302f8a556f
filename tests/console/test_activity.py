"""The small history of measurements: commits of a day by the hour, growth of a warehouse by the day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.inspector.opening import OpenTable, open_table
from console.warehouses import services
from console.warehouses.activity import commits_by_hour, growth, last_day, with_today
from console.warehouses.measuring import measure
from console.warehouses.models import TableStatistics, Warehouse
from console.warehouses.tasks import measure_tables, measure_warehouse
from core import Table
from tests.console.conftest import Caller
from tests.tables import put

NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
DAY = int(NOW.timestamp()) // 86_400


def opened(lake: Warehouse) -> OpenTable:
    return open_table("lake", "db", "t")


def test_a_list_of_tables_shows_the_commits_of_the_last_day(
    alice: Caller, lake: Warehouse, table: Table
) -> None:
    row = measure(lake, "db", "t")
    shown = alice.items("/tables?q=db.t")[0]["commits_24h"]
    assert (len(shown), sum(shown)) == (24, 6)
    put(table, ("2026-11-20", 99, 1, "one more"))
    measure(lake, "db", "t")
    assert sum(alice.items("/tables?q=db.t")[0]["commits_24h"]) == 7
    assert last_day(row.commit_hours, timezone.now() + timedelta(days=2)) == [0] * 24
    TableStatistics.objects.update(commit_hours=None, measured_at=timezone.now())
    assert alice.items("/tables?q=db.t")[0]["commits_24h"] is None


def test_only_what_is_new_is_read_and_a_rollback_counts_anew(lake: Warehouse, table: Table) -> None:
    latest, now = table.snapshots.latest(), timezone.now()
    assert latest is not None
    hour = int(now.timestamp()) // 3600
    known = [[hour - 30, 5], [hour - 2, 50]]
    found = commits_by_hour(opened(lake), latest, known, table.snapshots.get(4).reference, now)
    assert sum(count for _, count in found) == 52  # 5 and 6 came since, and hours of yesterday are let go
    anew = commits_by_hour(opened(lake), latest, known, "4~00000000", now)
    assert sum(count for _, count in anew) == 6
    assert commits_by_hour(opened(lake), None, known, "4~00000000", now) == []


def test_an_owner_is_the_catalogs_or_the_option(alice: Caller, lake: Warehouse, table: Table) -> None:
    assert measure(lake, "db", "t").owner is None
    TableStatistics.objects.update(owner="ada", measured_at=timezone.now())
    assert [row["name"] for row in alice.items("/tables?owner=ada")] == ["t"]


@pytest.mark.parametrize(
    ("days", "size", "expected", "since"),
    [
        ([[DAY - 8, 10], [DAY - 7, 40], [DAY - 1, 90], [DAY, 95]], 100, 60, DAY - 7),
        ([[DAY - 8, 10], [DAY - 1, 90]], 100, 90, DAY - 8),
        ([[DAY - 2, 130]], 100, -30, DAY - 2),  # measured since then
        ([[DAY, 95]], 100, None, None),
        ([], 100, None, None),
        ([[DAY - 2, 130]], None, None, None),
    ],
)
def test_growth_is_held_against_a_week_ago_or_the_first_day(
    days: Any, size: int | None, expected: int | None, since: int | None
) -> None:
    found = growth(days, size, NOW)
    day = found["growth_since"]
    assert (found["growth_bytes"], day and int(day.timestamp()) // 86_400) == (expected, since)


def test_a_day_is_noted_once_and_old_ones_are_let_go() -> None:
    days = [[DAY - 20, 1], [DAY - 8, 2], [DAY - 1, 3], [DAY, 4]]
    assert with_today(days, 5, NOW) == [[DAY - 8, 2], [DAY - 1, 3], [DAY, 5]]
    assert with_today(days, None, NOW) == [[DAY - 8, 2], [DAY - 1, 3]]


def test_a_measured_warehouse_tells_its_growth(alice: Caller, lake: Warehouse) -> None:
    measure_warehouse(lake.pk)
    assert alice.json("/warehouses/lake")["growth_bytes"] is None
    today = int(timezone.now().timestamp()) // 86_400
    Warehouse.objects.update(daily_bytes=[[today - 3, 1000]])
    measure_warehouse(lake.pk)
    shown = alice.json("/warehouses/lake")
    assert shown["growth_bytes"] == shown["bytes"] - 1000
    assert Warehouse.objects.get().daily_bytes == [[today - 3, 1000], [today, shown["bytes"]]]
    alice.patch("/warehouses/lake", {"location": lake.location + "/moved"})
    assert Warehouse.objects.get().daily_bytes == []


def test_tables_that_are_seen_and_not_measured_are_measured_soon(
    alice: Caller, lake: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(services, "_asked", {})
    monkeypatch.setattr(services, "send", lambda *task: sent.append(task))
    for _ in range(2):  # the second look asks nobody
        assert [row["rows"] for row in alice.items("/warehouses/lake/databases/db/tables")] == [None]
    assert sent == [(services.MEASURE_TABLES, lake.pk, "db", ["t"])]
    measure_tables(lake.pk, "db", ["t"])
    assert [row["rows"] for row in alice.items("/warehouses/lake/databases/db/tables")] != [None]
    assert len(sent) == 1
