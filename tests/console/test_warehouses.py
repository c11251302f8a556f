"""`/warehouses`: register, test, change, forget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.warehouses import measuring, starting
from console.warehouses.models import TableStatistics, Warehouse
from console.warehouses.tasks import measure_all
from core.io import LocalFileIO
from tests.console.conftest import Caller

SECRET = {"s3.access-key": "AKIA", "s3.secret-key": "hunter2hunter2"}


def test_a_registered_warehouse_is_checked_at_once(alice: Caller, made_lake: Path) -> None:
    reply = alice.post("/warehouses", {"name": "lake", "location": str(made_lake)})
    assert reply.status_code == 201
    assert (reply.json()["state"], reply.json()["error"]) == ("up", None)
    assert alice.items("/warehouses")[0]["name"] == "lake"


def test_credentials_are_written_and_never_read(alice: Caller, made_lake: Path) -> None:
    body = {"name": "lake", "location": str(made_lake), "credentials": SECRET}
    reply = alice.post("/warehouses", body)
    assert "hunter2" not in reply.content.decode()
    assert reply.json()["credential_keys"] == sorted(SECRET)
    stored = Warehouse.objects.get()
    assert "hunter2" not in stored.encrypted_credentials
    assert stored.catalog_options()["s3.secret-key"] == "hunter2hunter2"


def test_a_change_keeps_credentials_that_it_does_not_name(alice: Caller, made_lake: Path) -> None:
    body = {"name": "lake", "location": str(made_lake), "credentials": SECRET}
    alice.post("/warehouses", body)
    tag = alice.get("/warehouses/lake")["ETag"]
    assert alice.patch("/warehouses/lake", {"description": "ours"}, match=tag).json()["description"] == "ours"
    assert Warehouse.objects.get().credentials == SECRET


@pytest.mark.parametrize("moved", ["location", "options"])
def test_credentials_do_not_follow_a_warehouse_to_another_place(
    moved: str, alice: Caller, made_lake: Path, tmp_path: Path
) -> None:
    body = {"name": "lake", "location": str(made_lake), "credentials": SECRET}
    alice.post("/warehouses", body)
    change = {
        "location": {"location": str(tmp_path)},
        "options": {"options": {"s3.endpoint": "http://127.0.0.1:9"}},
    }
    reply = alice.patch("/warehouses/lake", change[moved])
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"] == "/credentials"
    assert Warehouse.objects.get().location == str(made_lake)
    assert alice.patch("/warehouses/lake", {**change[moved], "credentials": {}}).status_code == 200
    assert Warehouse.objects.get().credentials == {}


def test_a_name_is_given_once(alice: Caller, lake: Warehouse) -> None:
    reply = alice.post("/warehouses", {"name": "lake", "location": lake.location})
    assert reply.json()["errors"][0]["pointer"] == "/name"


def test_forgetting_a_warehouse_touches_nothing_in_it(alice: Caller, lake: Warehouse) -> None:
    before = sorted(Path(lake.location).rglob("*"))
    assert alice.delete("/warehouses/lake").status_code == 204
    assert sorted(Path(lake.location).rglob("*")) == before


def test_a_check_names_the_step_that_fails(alice: Caller, tmp_path: Path) -> None:
    reply = alice.post("/warehouse-checks", {"location": "gopher://nowhere"}).json()
    assert not reply["ok"]
    assert [step["ok"] for step in reply["steps"]] == [False]


def test_a_check_walks_to_the_first_table(alice: Caller, lake: Warehouse) -> None:
    reply = alice.post("/warehouses/lake/checks").json()
    assert [step["name"] for step in reply["steps"]] == [
        "options",
        "reach_store",
        "store",
        "connect",
        "list_databases",
        "list_tables",
        "read_table",
    ]
    assert reply["ok"]


@pytest.mark.parametrize("location", ["relative/path", "/", "{data}", "{data}/warehouses/.."])
def test_no_warehouse_holds_the_consoles_own_data(alice: Caller, settings: Any, location: str) -> None:
    reply = alice.post("/warehouses", {"name": "x", "location": location.format(data=settings.DATA_FOLDER)})
    assert (reply.status_code, reply.json()["code"]) == (503, "warehouse-unavailable")
    assert not Warehouse.objects.exists()


def test_measuring_notes_a_warehouse_that_is_gone(lake: Warehouse, tmp_path: Path) -> None:
    measure_all()
    assert Warehouse.objects.get().state == "up"
    assert TableStatistics.objects.get().rows
    Warehouse.objects.update(location="gopher://nowhere")
    measure_all()
    assert Warehouse.objects.get(pk=lake.pk).state in ("down", "up")


def test_names_from_the_metadata_that_hold_a_slash_are_not_found(alice: Caller, lake: Warehouse) -> None:
    assert alice.get("/warehouses/lake/databases/..%2F..%2Fetc/tables/t").status_code == 404
    assert alice.get("/warehouses/lake/databases/db/tables/t$files").status_code == 404


# --- first start ----------------------------------------------------------------------------------
def test_tables_that_were_measured_are_listed_without_a_look_into_them(
    alice: Caller, lake: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "/warehouses/lake/databases/db/tables"
    before = [row["name"] for row in alice.items(tables)]
    measuring.measure_all_of(lake)
    asked: list[str] = []
    monkeypatch.setattr(LocalFileIO, "list_files", lambda self, directory, **how: asked.append(directory))
    assert [row["name"] for row in alice.items(tables)] == before
    assert not asked


def test_an_existing_warehouse_is_opened_once(made_lake: Path, db: None) -> None:
    first, again = starting.open_existing(str(made_lake)), starting.open_existing(f"{made_lake}/")
    assert first == again


def test_a_folder_that_is_not_there_is_refused(db: None) -> None:
    with pytest.raises(ValueError, match="no folder"):
        starting.open_existing("/nowhere/at/all")


def test_the_demo_is_made_once_and_stays_away_when_removed(db: None, settings: Any, tmp_path: Path) -> None:
    settings.DATA_FOLDER = tmp_path
    demo = starting.open_demo()
    assert demo is not None
    assert demo.job_set.count() == 1
    starting.open_demo()
    assert demo.job_set.count() == 1
    demo.delete()
    assert starting.open_demo() is None


def test_a_demo_that_failed_is_made_anew(db: None, settings: Any, tmp_path: Path) -> None:
    settings.DATA_FOLDER = tmp_path
    demo = starting.open_demo()
    assert demo is not None
    demo.job_set.update(state="failed")
    starting.open_demo()
    assert demo.job_set.count() == 2


def test_a_search_shows_what_was_measured_since_the_last_one(alice: Caller, lake: Warehouse) -> None:
    row = TableStatistics.objects.create(
        warehouse=lake, database="db", name="t", rows=1, measured_at=timezone.now()
    )
    assert [t["rows"] for t in alice.items("/tables?q=DB.T")] == [1]
    row.rows, row.measured_at = 2, timezone.now()
    row.save()
    assert [t["rows"] for t in alice.items("/tables?q=DB.T")] == [2]
    row.delete()
    assert alice.items("/tables?q=db.t") == []
