"""Views and functions: listed, shown, and kept where the warehouse's catalog keeps them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from console.rest_catalog.models import StoredFunction, StoredView
from console.warehouses.measuring import measure_all_of
from console.warehouses.models import Warehouse
from core import open_catalog
from core.catalog.views import ViewSchema
from core.types import DataField, parse_type
from tests.console.conftest import Caller, person
from tests.console.rest_catalog import CatalogClient

DB = "/warehouses/lake/databases/db"
COLUMNS = [{"id": 0, "name": "id", "type": "BIGINT NOT NULL"}]
WIRE = {
    "fields": COLUMNS,
    "query": "SELECT id FROM t",
    "dialects": {"spark": "SELECT id FROM `t`"},
    "comment": "big ones",
    "options": {"owner": "ops", "s3.secret-key": "hunter2hunter2"},
}


@pytest.fixture
def view(lake: Warehouse) -> StoredView:
    return StoredView.objects.create(warehouse=lake, database="db", name="v", schema=WIRE, created_by="ann")


def test_a_view_of_directories_is_shown_with_what_is_known_of_it(vera: Caller, view: StoredView) -> None:
    shown = vera.json(f"{DB}/views/v")
    assert (shown["query"], shown["dialects"]) == (WIRE["query"], WIRE["dialects"])
    assert shown["columns"] == [{"id": 0, "name": "id", "type": "BIGINT NOT NULL", "comment": None}]
    assert (shown["comment"], shown["kept_by"], shown["audit"]["created_by"]) == (
        "big ones",
        "console",
        "ann",
    )
    assert "hunter2" not in json.dumps(shown)


def test_lists_and_searches_tell_views_from_tables(alice: Caller, lake: Warehouse, view: StoredView) -> None:
    assert [row["name"] for row in alice.items(f"{DB}/views")] == ["v"]
    unmeasured = {row["name"]: row["type"] for row in alice.items(f"{DB}/tables")}
    assert unmeasured == {"t": None, "v": "view"}
    measure_all_of(lake)
    assert {row["name"]: row["type"] for row in alice.items("/tables?q=db.")} == {"t": "table", "v": "view"}
    assert [row["name"] for row in alice.items("/tables?type=view")] == ["v"]
    assert alice.items("/warehouses/lake/databases")[0]["tables"] == 1
    view.delete()
    measure_all_of(lake)
    assert [row["name"] for row in alice.items("/tables?q=db.")] == ["t"]


def test_a_view_that_is_not_there_is_not_found(alice: Caller, lake: Warehouse) -> None:
    assert alice.get(f"{DB}/views/none").status_code == 404
    assert alice.get(f"{DB}/functions/none").status_code == 404
    assert alice.get("/warehouses/lake/databases/none/views").status_code == 404


def test_a_function_is_shown_with_its_definitions(alice: Caller, lake: Warehouse) -> None:
    definition = {
        "name": "area",
        "inputParams": [{"id": 0, "name": "w", "type": "INT"}],
        "returnParams": [{"id": 0, "name": "a", "type": "INT"}],
        "deterministic": True,
        "definitions": {"spark": {"type": "lambda", "definition": "w -> w * w", "language": "scala"}},
        "comment": None,
        "options": {},
    }
    StoredFunction.objects.create(warehouse=lake, database="db", name="area", definition=definition)
    assert [row["name"] for row in alice.items(f"{DB}/functions")] == ["area"]
    shown = alice.json(f"{DB}/functions/area")
    assert [p["name"] for p in shown["parameters"]] == ["w"]
    assert shown["definitions"][0]["definition"] == "w -> w * w"


@pytest.mark.parametrize("server", ["sqlite", "hive"])
def test_views_of_a_catalog_that_keeps_them_are_the_catalogs_on_page_and_rest_server(
    server: str, request: pytest.FixtureRequest, tmp_path: Path, alice: Caller
) -> None:
    (folder := tmp_path / "names").mkdir()
    kinds: dict[str, Any] = {
        "sqlite": lambda: {"metastore": "jdbc", "uri": f"jdbc:sqlite:{folder}/n.db"},
        "hive": lambda: dict(request.getfixturevalue("hive")),
    }
    options: Mapping[str, str] = kinds[server]()
    catalog = open_catalog({**options, "warehouse": str(folder)})
    database = f"d{uuid.uuid4().hex[:8]}"
    catalog.create_database(database)
    schema = ViewSchema((DataField(0, "id", parse_type("BIGINT")),), "SELECT 1", comment="made beside")
    catalog.create_view(f"{database}.beside", schema)
    lake = Warehouse.objects.create(name="lake", location=str(folder), options=dict(options))
    client = CatalogClient(person("ann", "admin"))
    made = {
        "identifier": {"database": database, "object": "served"},
        "schema": {**WIRE, "dialects": {}, "options": {}},
    }
    client.post(f"/v1/lake/databases/{database}/views", made)
    assert client.get(f"/v1/lake/databases/{database}/views")["views"] == ["beside", "served"]
    assert catalog.list_views(database) == ["beside", "served"]
    assert not StoredView.objects.exists()
    shown = alice.json(f"/warehouses/{lake.name}/databases/{database}/views/beside")
    assert (shown["query"], shown["comment"], shown["kept_by"]) == ("SELECT 1", "made beside", "catalog")
    client.delete(f"/v1/lake/databases/{database}/views/served")
    assert catalog.list_views(database) == ["beside"]


def test_views_that_the_console_kept_before_go_to_the_catalog_that_keeps_them(
    tmp_path: Path, alice: Caller
) -> None:
    options = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/n.db"}
    catalog = open_catalog({**options, "warehouse": str(tmp_path)})
    catalog.create_database("db")
    catalog.create_table("db.taken", (DataField(0, "id", parse_type("BIGINT")),))
    lake = Warehouse.objects.create(name="lake", location=str(tmp_path), options=options)
    for name in ("old", "taken"):
        StoredView.objects.create(warehouse=lake, database="db", name=name, schema=WIRE)
    measure_all_of(lake)
    assert catalog.list_views("db") == ["old"]
    assert list(StoredView.objects.values_list("name", flat=True)) == ["taken"]  # nothing is lost
    assert alice.json("/warehouses/lake/databases/db/views/old")["query"] == WIRE["query"]
