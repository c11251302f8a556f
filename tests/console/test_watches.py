"""`/watches`: tables that a person watches, each person's own, with what was last measured."""

from __future__ import annotations

from console.warehouses.measuring import measure
from console.warehouses.models import TableStatistics, Warehouse, Watch
from core import Table
from tests.console.conftest import Caller
from tests.tables import put

T = {"warehouse": "lake", "database": "db", "name": "t"}


def test_a_watched_table_is_shown_with_its_last_commit(vera: Caller, lake: Warehouse, table: Table) -> None:
    put(table, ("2026-11-20", 1, 1, "a"), ("2026-11-20", 2, 2, "b"))
    assert vera.post("/watches", T).json()["table"] is None  # nobody has measured it
    measure(lake, "db", "t")
    [watch] = vera.items("/watches")
    assert {name: watch[name] for name in T} == T
    assert (watch["table"]["rows_delta"], watch["table"]["name"]) == (2, "t")
    assert sum(watch["table"]["commits_24h"]) > 0


def test_what_is_watched_is_a_persons_own_and_once(vera: Caller, bob: Caller, table: Table) -> None:
    first, again = vera.post("/watches", T), vera.post("/watches", T)
    assert (first.status_code, again.status_code, first["Location"]) == (201, 201, again["Location"])
    assert bob.items("/watches") == []
    tag = vera.get(first["Location"])["ETag"]
    assert vera.delete(first["Location"], match=None).status_code == 428
    assert vera.delete(first["Location"], match=tag).status_code == 204
    assert vera.items("/watches") == []


def test_a_table_that_is_not_there_or_not_ones_own_is_not_watched(
    vera: Caller, carol: Caller, table: Table
) -> None:
    assert vera.post("/watches", T | {"name": "no"}).json()["code"] == "not-found"
    assert vera.post("/watches", T | {"database": "no"}).json()["code"] == "forbidden"
    assert vera.post("/watches", {"warehouse": "lake"}).json()["code"] == "validation-failed"
    assert carol.post("/watches", T).status_code == 403
    assert not Watch.objects.exists()


def test_who_lost_a_right_keeps_the_mark_and_is_told_nothing_of_the_table(
    vera: Caller, lake: Warehouse, table: Table
) -> None:
    vera.post("/watches", T)
    measure(lake, "db", "t")
    vera.user.role_bindings.all().delete()  # type: ignore[union-attr]
    assert [watch["table"] for watch in vera.items("/watches")] == [None]


def test_a_table_that_is_gone_stays_marked_without_numbers(
    vera: Caller, lake: Warehouse, table: Table
) -> None:
    vera.post("/watches", T)
    TableStatistics.objects.all().delete()
    assert vera.items("/watches")[0]["table"] is None
    assert vera.items("/watches?database=other") == []
