"""The console as a REST catalog: who may ask, databases, tables, views, functions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from console.audit.chain import first_break
from console.audit.models import AuditDay, AuditEvent
from console.rest_catalog.base import UnsupportedView
from console.warehouses.models import Warehouse
from core import Table
from tests.console.conftest import Caller, person
from tests.console.rest_catalog import COLUMNS, LAKE, TABLE, CatalogClient

OK, NO = "ok", "forbidden"
DB = f"{LAKE}/databases/db"
SCHEMA = {"fields": COLUMNS}
NEW = {"database": "db", "object": "n"}

# verb, path, then what a viewer, a viewer with data, an operator get; an administrator always gets through.
MATRIX: list[tuple[str, str, str, str, str]] = [
    *(("GET", path, OK, OK, OK) for path in (f"{LAKE}/databases", DB, f"{DB}/tables", f"{LAKE}/tables",
      f"{DB}/views", f"{DB}/view-details", f"{LAKE}/views", f"{DB}/functions", f"{DB}/function-details",
      f"{LAKE}/functions", f"{DB}/views/v", f"{DB}/functions/f")),
    *(("GET", path, NO, OK, OK) for path in (f"{DB}/table-details", TABLE, f"{TABLE}/snapshot",
      f"{TABLE}/snapshots", f"{TABLE}/snapshots/6", f"{TABLE}/partitions", f"{TABLE}/branches",
      f"{TABLE}/tags", f"{TABLE}/tags/v2", f"{TABLE}/consumers", f"{TABLE}/token")),
    ("POST", f"{TABLE}/auth", NO, OK, OK),
    ("POST", f"{TABLE}/partitions/list-by-names", NO, OK, OK),
    ("POST", f"{TABLE}/partitions/list-by-filter", NO, OK, OK),
    *(("POST", path, NO, NO, OK) for path in (f"{DB}/register", TABLE, f"{TABLE}/commit", f"{TABLE}/tags",
      f"{TABLE}/branches", f"{TABLE}/branches/b/rename", f"{TABLE}/partitions", f"{TABLE}/partitions/drop",
      f"{TABLE}/partitions/mark", f"{TABLE}/consumers/reset", f"{DB}/functions", f"{DB}/views/v",
      f"{DB}/functions/f", DB)),
    *(("DELETE", path, NO, NO, OK) for path in (f"{TABLE}/tags/x", f"{TABLE}/branches/x", f"{DB}/views/v",
      f"{DB}/functions/f")),
    *(("POST", path, NO, NO, NO) for path in (f"{TABLE}/rollback", f"{TABLE}/rollback-schema",
      f"{TABLE}/replace", f"{TABLE}/branches/b/forward")),
    ("DELETE", TABLE, NO, NO, NO),
    ("DELETE", DB, NO, NO, NO),
]  # fmt: skip


@pytest.fixture
def admin(alice: Caller, lake: Warehouse) -> CatalogClient:
    assert alice.user is not None
    return CatalogClient(alice.user)


@pytest.mark.parametrize(("verb", "path", "viewer", "reader", "operator"), MATRIX)
def test_a_role_reaches_what_it_may(
    lake: Warehouse, verb: str, path: str, viewer: str, reader: str, operator: str
) -> None:
    view = resolve(path).func.view_class  # type: ignore[attr-defined]
    assert view is not UnsupportedView
    roles: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("viewer", {}, viewer),
        ("viewer", {"data_read": True}, reader),
        ("operator", {}, operator),
    )
    for role, flags, expected in roles:
        user = person(f"{role}{len(flags)}", role, warehouse="lake", database="db", **flags)
        response = CatalogClient(user).ask(verb, path, {} if verb == "POST" else None)
        assert (response.status_code == 403) is (expected == NO), (role, flags, response.content)


def test_a_stranger_may_nothing_and_learns_nothing(carol: Caller, lake: Warehouse) -> None:
    assert carol.user is not None
    stranger = CatalogClient(carol.user)
    for warehouse in ("lake", "none"):
        assert stranger.error("GET", "/v1/config", warehouse=warehouse)["code"] == 403
        assert stranger.error("GET", f"/v1/{warehouse}/databases")["code"] == 403


def test_a_token_gives_no_more_than_its_scopes(alice: Caller, lake: Warehouse) -> None:
    assert alice.user is not None
    narrow = CatalogClient(alice.user, "meta:read")
    assert narrow.get(f"{DB}/tables")["tables"] == ["t"]
    assert narrow.error("GET", TABLE)["code"] == 403
    assert narrow.error("POST", f"{LAKE}/databases", {"name": "x"})["code"] == 403


def test_only_a_token_that_is_valid_opens_the_catalog(alice: Caller, lake: Warehouse) -> None:
    assert alice.user is not None
    expired = CatalogClient(alice.user, expires_in=timedelta(seconds=-1))
    answer = expired.error("GET", "/v1/config", warehouse="lake")
    assert (answer["code"], answer["resourceType"]) == (401, None)
    session = Client()
    session.force_login(alice.user)
    assert session.get("/v1/config?warehouse=lake").status_code == 401


def test_too_many_requests_are_told_to_wait(admin: CatalogClient, settings: Any) -> None:
    settings.RATE_LIMIT_PER_MINUTE = 1
    responses = [admin.ask("GET", "/v1/config", warehouse="lake") for _ in range(3)]
    assert responses[-1].status_code == responses[-1].json()["code"] == 429
    assert int(responses[-1]["Retry-After"]) >= 1


def test_the_configuration_names_the_prefix_and_no_secret(admin: CatalogClient, lake: Warehouse) -> None:
    lake.options = {"s3.endpoint": "http://127.0.0.1:1", "metastore": "filesystem"}
    lake.save()
    assert admin.get("/v1/config", warehouse="lake") == {
        "defaults": {"s3.endpoint": "http://127.0.0.1:1"},
        "overrides": {"prefix": "lake"},
    }
    assert admin.error("GET", "/v1/config", warehouse="none")["code"] == 404
    assert admin.error("GET", "/v1/config")["code"] == 400


def test_answers_carry_an_id_to_quote(admin: CatalogClient) -> None:
    response = admin.ask("GET", f"{LAKE}/databases/none")
    assert response["X-Request-Id"] == response["Trace-Id"]
    assert response.json()["resourceType"] == "DATABASE"


# --- databases ------------------------------------------------------------------------------------
def test_databases_come_and_go(admin: CatalogClient) -> None:
    for name in ("b", "a"):
        admin.post(f"{LAKE}/databases", {"name": name, "options": {}})
    assert admin.get(f"{LAKE}/databases") == {"databases": ["a", "b", "db"], "nextPageToken": None}
    assert admin.error("POST", f"{LAKE}/databases", {"name": "a"})["resourceType"] == "DATABASE"
    found = admin.get(f"{LAKE}/databases/a")
    assert found["name"] == "a"
    assert found["location"].endswith("/a.db")
    admin.delete(f"{LAKE}/databases/a")
    assert admin.error("GET", f"{LAKE}/databases/a")["code"] == 404


def test_a_page_tells_where_the_next_begins(admin: CatalogClient) -> None:
    for name in ("d1", "d2", "e1"):
        admin.post(f"{LAKE}/databases", {"name": name})
    first = admin.get(f"{LAKE}/databases", maxResults="2", databaseNamePattern="d%")
    assert first == {"databases": ["d1", "d2"], "nextPageToken": "d2"} or first["databases"][0] == "d1"
    second = admin.get(f"{LAKE}/databases", maxResults="2", pageToken=first["nextPageToken"])
    assert second == {"databases": ["db", "e1"], "nextPageToken": None}
    assert admin.error("GET", f"{LAKE}/databases", maxResults="x")["code"] == 400


def test_properties_that_a_directory_cannot_keep_are_refused_by_name(admin: CatalogClient) -> None:
    answer = admin.error("POST", DB, {"removals": [], "updates": {"a": "b"}})
    assert answer["code"] == 501
    assert "properties" in answer["message"]


# --- tables ---------------------------------------------------------------------------------------
def test_a_table_is_made_shown_and_found_by_its_id(admin: CatalogClient) -> None:
    admin.make("orders", primaryKeys=["id"], options={"bucket": "1"}, comment="words")
    made = admin.get(f"{DB}/tables/orders")
    assert made["schema"]["fields"] == COLUMNS
    assert (made["schema"]["primaryKeys"], made["schema"]["comment"]) == (["id"], "words")
    assert (made["schemaId"], made["isExternal"], made["owner"]) == (0, False, "alice")
    assert admin.get(f"{LAKE}/tables/id/{made['id']}") == made
    assert admin.error("GET", f"{LAKE}/tables/id/none")["resourceType"] == "TABLE"


def test_lists_show_names_details_and_all_databases(admin: CatalogClient) -> None:
    admin.make("orders")
    assert admin.get(f"{DB}/tables")["tables"] == ["orders", "t"]
    assert admin.get(f"{DB}/tables", tableNamePattern="or%", tableType="table")["tables"] == ["orders"]
    assert admin.get(f"{DB}/tables", tableType="format-table")["tables"] == []
    assert [t["name"] for t in admin.get(f"{DB}/table-details")["tableDetails"]] == ["orders", "t"]
    assert admin.get(f"{LAKE}/tables", databaseNamePattern="d_", tableNamePattern="t")["tables"] == [
        {"database": "db", "object": "t"}
    ]


@pytest.mark.parametrize(
    ("verb", "path", "body", "code", "resource"),
    [
        ("GET", f"{LAKE}/databases/none/tables", None, 404, "DATABASE"),
        ("GET", f"{DB}/tables/none", None, 404, "TABLE"),
        ("GET", f"{DB}/tables/t%24branch_none", None, 404, "BRANCH"),
        ("GET", f"{DB}/tables/t%24snapshots", None, 400, None),
        ("POST", TABLE, {"changes": [{"action": "dropColumn", "fieldNames": ["x"]}]}, 404, "COLUMN"),
        (
            "POST",
            f"{DB}/tables/t",
            {"changes": [{"action": "addColumn", "fieldNames": ["note"], "dataType": "INT"}]},
            409,
            "COLUMN",
        ),
        ("POST", f"{DB}/tables/t", {"changes": [{"action": "explode"}]}, 501, None),
        ("POST", f"{DB}/tables/t", {"changes": 1}, 400, None),
        ("POST", f"{DB}/tables", {"identifier": {"database": "db", "object": "t"}, "schema": SCHEMA},
         409, "TABLE"),
        ("POST", f"{DB}/tables", {"identifier": {"database": "x", "object": "y"}, "schema": SCHEMA},
         400, None),
        ("POST", f"{DB}/register", {"identifier": NEW, "path": "/x"}, 501, None),
        ("PUT", f"{DB}/tables/t", {}, 501, None),
        ("GET", f"{LAKE}/nothing/here", None, 501, None),
    ],
)  # fmt: skip
def test_mistakes_are_told_as_the_spec_has_them(
    admin: CatalogClient, verb: str, path: str, body: Any, code: int, resource: str | None
) -> None:
    answer = admin.error(verb, path, body)
    assert (answer["code"], answer["resourceType"]) == (code, resource), answer


def test_a_schema_is_changed_by_all_changes_or_none(admin: CatalogClient) -> None:
    changes = [
        {"action": "addColumn", "fieldNames": ["b"], "dataType": "INT", "comment": None, "move": None},
        {"action": "setOption", "key": "snapshot.num-retained.min", "value": "3"},
    ]
    admin.make("orders")
    admin.error(
        "POST", f"{DB}/tables/orders", {"changes": [*changes, {"action": "dropColumn", "fieldNames": ["x"]}]}
    )
    assert admin.get(f"{DB}/tables/orders")["schemaId"] == 0
    admin.post(f"{DB}/tables/orders", {"changes": changes})
    changed = admin.get(f"{DB}/tables/orders")
    assert [f["name"] for f in changed["schema"]["fields"]] == ["id", "a", "b"]
    assert changed["schemaId"] == 1


def test_a_table_keeps_its_id_under_another_name_and_loses_it_when_dropped(admin: CatalogClient) -> None:
    admin.make("orders")
    old = admin.get(f"{DB}/tables/orders")["id"]
    source, destination = ({"database": "db", "object": name} for name in ("orders", "sales"))
    admin.post(f"{LAKE}/tables/rename", {"source": source, "destination": destination})
    assert admin.get(f"{DB}/tables/sales")["id"] == old
    admin.delete(f"{DB}/tables/sales")
    admin.make("sales")
    assert admin.get(f"{DB}/tables/sales")["id"] != old
    assert admin.error("GET", f"{LAKE}/tables/id/{old}")["code"] == 404


def test_a_table_made_anew_behind_our_back_has_another_id(admin: CatalogClient, table: Table) -> None:
    old = admin.get(TABLE)["id"]
    path = table.schemas._paths.schema_file(0)
    table.io.write(path, table.io.read(path) + b"\n")
    assert admin.get(TABLE)["id"] != old


def test_names_are_taken_from_the_address_as_it_came(admin: CatalogClient) -> None:
    admin.make("a b")
    assert admin.get(f"{DB}/tables/a+b")["name"] == "a b"
    assert admin.get(f"{DB}/tables/a%20b")["name"] == "a b"


def test_what_no_client_can_do_here_is_refused_by_name(admin: CatalogClient) -> None:
    for verb, path in (
        ("GET", f"{TABLE}/token"),
        ("GET", f"{LAKE}/permissions"),
        ("POST", f"{LAKE}/permissions/grant"),
        ("POST", f"{LAKE}/permissions/revoke"),
        ("POST", f"{TABLE}/policies"),
    ):
        answer = admin.error(verb, path, {} if verb == "POST" else None)
        assert answer["code"] == 501
        assert "feature=" in answer["message"]


# --- views and functions --------------------------------------------------------------------------
VIEW = {"fields": COLUMNS, "query": "SELECT * FROM t", "dialects": {}, "comment": None, "options": {}}


def test_views_are_made_changed_renamed_and_dropped(admin: CatalogClient) -> None:
    admin.post(f"{DB}/views", {"identifier": {"database": "db", "object": "v"}, "schema": VIEW})
    admin.post(f"{DB}/views/v", {"changes": [{"action": "addDialect", "dialect": "spark", "query": "q"}]})
    assert admin.get(f"{DB}/views/v")["schema"] == VIEW | {"dialects": {"spark": "q"}}
    source, destination = ({"database": "db", "object": name} for name in ("v", "w"))
    admin.post(f"{LAKE}/views/rename", {"source": source, "destination": destination})
    assert admin.get(f"{DB}/views")["views"] == ["w"]
    assert admin.get(f"{LAKE}/views")["views"] == [destination]
    assert [view["name"] for view in admin.get(f"{DB}/view-details")["viewDetails"]] == ["w"]
    admin.delete(f"{DB}/views/w")
    assert admin.error("GET", f"{DB}/views/w")["resourceType"] == "VIEW"


def test_tables_and_views_share_their_names(admin: CatalogClient) -> None:
    taken = {"identifier": {"database": "db", "object": "t"}, "schema": VIEW}
    assert admin.error("POST", f"{DB}/views", taken)["code"] == 409
    admin.post(f"{DB}/views", {"identifier": {"database": "db", "object": "v"}, "schema": VIEW})
    table = {"identifier": {"database": "db", "object": "v"}, "schema": {"fields": COLUMNS}}
    assert admin.error("POST", f"{DB}/tables", table)["resourceType"] == "TABLE"


def test_functions_are_made_changed_and_dropped(admin: CatalogClient) -> None:
    sql = {"type": "sql", "definition": "x + 1"}
    admin.post(f"{DB}/functions", {"name": "f", "deterministic": True, "definitions": {"spark": sql}})
    assert admin.error("POST", f"{DB}/functions", {"name": "f"})["resourceType"] == "FUNCTION"
    change = {"action": "addDefinition", "name": "flink", "definition": sql}
    admin.post(f"{DB}/functions/f", {"changes": [change]})
    answer = admin.error("POST", f"{DB}/functions/f", {"changes": [change]})
    assert (answer["code"], answer["resourceType"], answer["resourceName"]) == (409, "DEFINITION", "flink")
    assert admin.get(f"{DB}/functions/f")["definitions"] == {"spark": sql, "flink": sql}
    assert admin.get(f"{LAKE}/functions")["functions"] == [{"database": "db", "object": "f"}]
    admin.delete(f"{DB}/functions/f")
    assert admin.get(f"{DB}/functions")["functions"] == []


# --- audit ----------------------------------------------------------------------------------------
def test_each_change_and_denial_is_in_the_audit_log(admin: CatalogClient, lake: Warehouse) -> None:
    admin.make("orders", options={"secret.key": "hidden"})
    viewer = CatalogClient(person("victor", "viewer", warehouse="lake"))
    viewer.error("DELETE", f"{DB}/tables/orders")
    made, denied = AuditEvent.objects.filter(action__contains="Table").order_by("id")
    assert (made.actor, made.outcome, made.detail["request"]) == ("alice", "ok", {"table": "db.orders"})
    assert made.token.startswith("t-")
    assert (denied.actor, denied.outcome) == ("victor", "denied")
    assert all(first_break(day) is None for day in AuditDay.objects.all())
