"""`T/system/{name}` and `sys`: every system table of the format, as core reads it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from console.audit.models import AuditEvent
from core import Table, open_catalog
from core.schema.changes import SetOption
from core.system import WAREHOUSE_TABLES, open_system_table
from core.system.registry import ROW_TABLES, SYSTEM_TABLES
from tests.console.conftest import TABLE, Caller
from tests.tables import put

SYS = "/warehouses/lake/system"


def names(view: dict[str, Any]) -> list[str]:
    return [column["name"] for column in view["columns"]]


def dicts(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(names(view), row, strict=True)) for row in view["rows"]]


@pytest.mark.parametrize("name", SYSTEM_TABLES)
def test_each_has_the_columns_and_rows_of_core(name: str, alice: Caller, table: Table) -> None:
    truth = open_system_table(table, name).to_arrow()
    view = alice.json(f"{TABLE}/system/{name}?limit=1000")
    assert (names(view), view["total"], len(view["rows"])) == (
        truth.column_names, truth.num_rows, truth.num_rows,
    )  # fmt: skip


@pytest.mark.parametrize("name", WAREHOUSE_TABLES)
def test_the_tables_of_sys_are_those_of_the_whole_warehouse(name: str, alice: Caller, table: Table) -> None:
    truth: Any = open_catalog(str(table.location).rpartition("/db.db")[0]).get_table(f"sys.{name}")
    view = alice.json(f"{SYS}/{name}")
    assert (names(view), view["total"]) == (truth.to_arrow().column_names, truth.to_arrow().num_rows)


def test_the_list_tells_columns_and_what_each_is_of(alice: Caller, table: Table) -> None:
    found = {item["name"]: item for item in alice.items(f"{TABLE}/system")}
    assert found.keys() == {*SYSTEM_TABLES, *ROW_TABLES} - {"row_tracking"}
    assert [found[name]["shows"] for name in ("files", "options", "tags", "ro")] == [
        "snapshot", "schema", "table", "rows",
    ]  # fmt: skip
    assert {item["name"] for item in alice.items(SYS)} == set(WAREHOUSE_TABLES)


def test_a_pinned_snapshot_is_what_is_shown(alice: Caller, table: Table) -> None:
    at = table.snapshots.get(2).reference
    view = alice.json(f"{TABLE}/system/files?at={at}")
    put(table, ("2026-11-20", 77, 1, "since"))
    assert view == alice.json(f"{TABLE}/system/files?at={at}")
    assert (view["as_of"], view["total"]) == (
        at, open_system_table(table, "files").to_arrow(snapshot_id=2).num_rows,
    )  # fmt: skip


def test_pages_follow_each_other_and_keep_their_filter(alice: Caller, table: Table) -> None:
    whole = alice.json(f"{TABLE}/system/snapshots?filter=snapshot_id > 2")
    first = alice.json(f"{TABLE}/system/snapshots?filter=snapshot_id > 2&limit=3")
    rest = alice.json(f"{TABLE}/system/snapshots?filter=snapshot_id > 2&limit=3&cursor={first['next']}")
    assert first["rows"] + rest["rows"] == whole["rows"]
    assert [row["snapshot_id"] for row in dicts(whole)] == [3, 4, 5, 6]
    other = alice.get(f"{TABLE}/system/snapshots?limit=3&cursor={first['next']}").json()
    assert other["code"] == "cursor-mismatch"


def test_a_wrong_filter_is_explained(alice: Caller, table: Table) -> None:
    problem = alice.get(f"{TABLE}/system/files?filter=colour = 'red'").json()
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("validation-failed", "filter")


def test_what_there_is_not_is_not_found(alice: Caller, table: Table) -> None:
    for path in (f"{TABLE}/system/nope", f"{SYS}/nope"):
        assert alice.get(path).json()["code"] == "not-found"


def test_all_rows_are_exported_as_lines_and_as_a_sheet(alice: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/system/snapshots")
    lines = alice.get(f"{TABLE}/system/snapshots", Accept="application/x-ndjson").getvalue().decode()
    sheet = alice.get(f"{TABLE}/system/snapshots?limit=2", Accept="text/csv").getvalue().decode()
    assert [json.loads(line) for line in lines.splitlines()] == dicts(view)
    assert len(list(csv.DictReader(io.StringIO(sheet)))) == view["total"]


def test_values_of_rows_are_not_shown_and_not_found_out_by_a_filter(vera: Caller, table: Table) -> None:
    view = vera.json(f"{TABLE}/system/files")
    assert view["hidden"] == ["max_key", "max_value_stats", "min_key", "min_value_stats"]
    assert not set(view["hidden"]) & set(names(view))
    assert vera.get(f"{TABLE}/system/files?filter=min_key > 'a'").status_code == 400


def test_secret_options_are_masked_everywhere(alice: Caller, table: Table) -> None:
    put(table.alter([SetOption("my.secret-key", "hunter2")]), ("2026-11-20", 1, 1, "of that schema"))
    for path in (f"{TABLE}/system/options", f"{TABLE}/system/schemas", f"{SYS}/all_table_options"):
        text = json.dumps(alice.json(path))
        assert "my.secret-key" in text
        assert "hunter2" not in text
    assert alice.json(f"{TABLE}/system/options?filter=value = 'hunter2'")["total"] == 0


def test_those_that_tell_rows_are_read_as_previews_are(alice: Caller, vera: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/system/audit_log?limit=3")
    assert (names(view)[0], len(view["rows"]), view["truncated"]) == ("rowkind", 3, True)
    assert AuditEvent.objects.filter(action="get_system_table").exists()
    assert vera.get(f"{TABLE}/system/audit_log").json()["permission"] == "data:read"
    old = alice.json(f"{TABLE}/system/ro?at=3&limit=1000")
    assert len(old["rows"]) == open_system_table(table, "ro").to_arrow(snapshot_id=3).num_rows
