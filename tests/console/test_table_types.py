"""Tables without snapshots in the console: what they are, their rows and objects; what needs snapshots is
refused, by one table of types and pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from console.warehouses.measuring import measure_all_of
from console.warehouses.models import Warehouse
from core import Table, open_catalog
from core.arrow import arrow_schema
from core.catalog import Catalog
from core.format_table import FormatTable
from core.identifier import Identifier
from core.schema.create import initial_schema
from tests.builders import fields
from tests.console.conftest import Caller, person
from tests.console.rest_catalog import CatalogClient
from tests.core.catalog.hive.tables import Metastore
from tests.hive_metastore import empty_metastore
from tests.table_types import types
from tests.tables import put

DB = "/warehouses/lake/databases/db/tables"
PAGES = (
    "snapshots", "files", "partitions", "buckets", "indexes", "tags", "branches", "consumers", "storage",
    "held", "system", "system/snapshots", "snapshots/1",
)  # fmt: skip
EVERY = ("", "/type", "/schemas", "/schemas/0", "/options")
MATERIALIZED = {
    "type": "materialized-table",
    "materialized-table.definition-query": "SELECT k FROM t",
    "materialized-table.interval-freshness": "30",
    "materialized-table.interval-freshness.time-unit": "MINUTE",
    "materialized-table.logical-refresh-mode": "AUTOMATIC",
    "materialized-table.refresh-mode": "FULL",
    "materialized-table.refresh-status": "ACTIVATED",
}


@pytest.fixture
def catalog(lake: Warehouse) -> Catalog:
    """`f`, `o`, `m`, `l` and `i`: a table of each type."""
    catalog = open_catalog(lake.location)
    csv = {"type": "format-table", "file.format": "csv"}
    catalog.create_table("db.f", fields(k="INT", p="STRING"), partition_keys=["p"], options=csv)
    table = catalog.get_table("db.f")
    assert isinstance(table, FormatTable)
    table.append(pa.table({"k": [1, 2], "p": ["x", "y"]}, schema=arrow_schema(table.schema.fields)))
    catalog.create_table("db.o", fields(k="INT"), options={"type": "object-table"})
    objects = catalog.get_table("db.o")
    objects.io.write(f"{objects.location}/a/<b> ü.html", b"0123456789")  # type: ignore[union-attr]
    catalog.create_table("db.m", fields(k="INT"), options=MATERIALIZED)
    for name, kind in (("l", "lance-table"), ("i", "iceberg-table")):
        reference = Table(catalog.io, f"{lake.location}/db.db/{name}", Identifier("db", name))
        reference.schemas.create(initial_schema(fields(k="INT"), options={"type": kind}, time_millis=1))
    return catalog


NAMES = {
    "table": "orders", "materialized-table": "m", "format-table": "f", "object-table": "o",
    "lance-table": "l", "iceberg-table": "i",
}  # fmt: skip
PLAIN = [NAMES[kind] for kind in types("snapshots", False)]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", PLAIN)
def test_a_page_that_needs_snapshots_says_so(name: str, page: str, alice: Caller, catalog: Catalog) -> None:
    reply = alice.get(f"{DB}/{name}/{page}")
    assert (reply.status_code, reply.json()["code"]) == (422, "unsupported-format-version")
    assert "no snapshots" in reply.json()["detail"]


@pytest.mark.parametrize("page", EVERY)
@pytest.mark.parametrize("name", ["f", "o", "m", "l", "i"])
def test_a_page_for_every_type_is_there(name: str, page: str, alice: Caller, catalog: Catalog) -> None:
    assert alice.get(f"{DB}/{name}{page}").status_code == 200


@pytest.mark.parametrize("kind", ["compact", "rollback", "expire", "create_tag", "write"])
@pytest.mark.parametrize("name", PLAIN)
def test_no_job_is_planned_for_a_table_without_snapshots(
    name: str, kind: str, alice: Caller, catalog: Catalog
) -> None:
    reply = alice.post(f"{DB}/{name}/plans", {"kind": kind})
    assert reply.status_code in (400, 422), reply.content


def test_the_type_tells_what_only_such_tables_have(alice: Caller, catalog: Catalog) -> None:
    files, objects, lance = (alice.json(f"{DB}/{name}/type") for name in ("f", "o", "l"))
    assert (files["type"], files["format"], files["partition_keys"]) == ("format-table", "csv", ["p"])
    assert files["location"].endswith("/db.db/f/data")
    assert (objects["type"], objects["columns"][0]) == ("object-table", "path")
    assert (lance["type"], lance["can_be_read"]) == ("lance-table", False)
    assert "never opened" in lance["refused"]


def test_a_materialized_table_tells_its_definition_and_freshness(alice: Caller, catalog: Catalog) -> None:
    shown = alice.json(f"{DB}/m/type")
    assert shown["has_snapshots"]
    told = shown["materialized"]
    assert (told["query"], told["freshness"], told["freshness_seconds"]) == (
        "SELECT k FROM t",
        "30 MINUTE",
        1800,
    )
    assert (told["refresh_mode"], told["refresh_status"], told["is_stale"]) == ("FULL", "ACTIVATED", None)


def preview(who: Caller, name: str, **asked: Any) -> Any:
    return who.post(f"{DB}/{name}/preview", {"limit": 10, **asked})


def test_rows_of_files_are_previewed(bob: Caller, catalog: Catalog) -> None:
    assert preview(bob, "f", filter="p = 'y'").json()["rows"] == [[2, "y"]]
    assert preview(bob, "o", columns=["path", "length"]).json()["rows"] == [["a/<b> ü.html", 10]]
    assert preview(bob, "f", at="1").status_code == 400
    assert preview(bob, "l").status_code == 422


def test_a_table_that_hive_made_is_listed_shown_read_and_served(
    alice: Caller, hive: Mapping[str, str], tmp_path: Path
) -> None:
    empty_metastore(hive["uri"])
    open_catalog({**hive, "warehouse": str(tmp_path)}).create_database("db")
    place = Metastore(hive, tmp_path / "db.db").make("t", {"i": "int", "s": "string"}, {"day": "date"})
    (place / "day=2024-05-06").mkdir()
    (place / "day=2024-05-06/000000_0").write_text("1\x01a\n\\N\x01b\n")
    measure_all_of(Warehouse.objects.create(name="lake", location=str(tmp_path), options=dict(hive)))
    (listed,) = alice.items(DB)
    assert (listed["name"], listed["type"]) == ("t", "format-table")
    told = alice.json(f"{DB}/t/type")
    assert (told["format"], told["partition_keys"], told["can_be_read"]) == ("csv", ["day"], True)
    assert alice.json(f"{DB}/t")["type"] == "format-table"
    assert preview(alice, "t").json()["rows"] == [[1, "a", "2024-05-06"], [None, "b", "2024-05-06"]]
    served = CatalogClient(person("ann", "admin")).get("/v1/lake/databases/db/tables/t")
    assert served["path"].removeprefix("file:") == str(place)
    assert served["schema"]["options"]["type"] == "format-table"
    assert [field["name"] for field in served["schema"]["fields"]] == ["i", "s", "day"]


def test_nothing_outside_of_the_warehouse_is_read(
    bob: Caller, catalog: Catalog, lake: Warehouse, tmp_path: Path
) -> None:
    secret = tmp_path / "elsewhere"
    secret.mkdir()
    (secret / "x").write_text("secret\n")
    for name, kind in (("t1", "object-table"), ("t2", "format-table")):
        options = {"type": kind, "file.format": "text", "path": str(secret)}
        catalog.create_table(f"db.{name}", fields(s="STRING"), options=options)
        reply = preview(bob, name)
        assert reply.status_code == 422
        assert "outside of its warehouse" in reply.json()["detail"]
        assert bob.json(f"{DB}/{name}/type")["can_be_read"] is False
    assert bob.get(f"{DB}/t1/objects/x").status_code == 422


@pytest.mark.parametrize("place", ["", "/other.db", "/other.db/secret/bucket-0"])
def test_no_table_is_read_by_the_name_of_another(
    place: str, bob: Caller, catalog: Catalog, lake: Warehouse
) -> None:
    catalog.create_database("other")
    put(catalog.create_table("other.secret", fields(k="INT")), (42,))
    for name, kind in (("t1", "object-table"), ("t2", "format-table")):
        options = {"type": kind, "file.format": "parquet", "path": f"{lake.location}{place}"}
        catalog.create_table(f"db.{name}", fields(k="INT"), options=options)
        reply = preview(bob, name)
        assert (reply.status_code, "by the name of another" in reply.json()["detail"]) == (422, True)
    assert bob.get(f"{DB}/t1/objects/snapshot-1").status_code == 422


OBJECT = f"{DB}/o/objects/a/%3Cb%3E%20%C3%BC.html"


def test_an_object_is_handed_out_to_be_saved(bob: Caller, catalog: Catalog) -> None:
    reply = bob.get(OBJECT)
    assert b"".join(reply.streaming_content) == b"0123456789"
    assert reply["Content-Type"] == "application/octet-stream"
    assert reply["Content-Disposition"] == "attachment; filename*=UTF-8''%3Cb%3E%20%C3%BC.html"
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in reply["Content-Security-Policy"]
    assert "script-src 'self'" not in reply["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("asked", "status", "given", "told"),
    [
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=0-99", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
def test_a_range_of_an_object_is_handed_out(
    asked: str, status: int, given: bytes, told: str | None, bob: Caller, catalog: Catalog
) -> None:
    reply = bob.get(OBJECT, Range=asked)
    assert (reply.status_code, b"".join(reply.streaming_content)) == (status, given)
    assert reply.headers.get("Content-Range") == told


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=5-2", "bytes=-0"])
def test_bytes_that_are_not_there_are_416(asked: str, bob: Caller, catalog: Catalog) -> None:
    reply = bob.get(OBJECT, Range=asked)
    assert (reply.status_code, reply.json()["code"]) == (416, "range-not-satisfiable")
    assert reply["Content-Range"] == "bytes */10"


def test_objects_need_the_permission_for_data_and_a_path_inside(
    vera: Caller, bob: Caller, catalog: Catalog
) -> None:
    assert vera.get(OBJECT).status_code == 403
    assert bob.get(f"{DB}/o/objects/..%2Fschema/schema-0").status_code in (400, 404)
    assert bob.get(f"{DB}/o/objects/none").status_code in (404, 422)
    assert bob.get(f"{DB}/f/objects/x").status_code == 400
