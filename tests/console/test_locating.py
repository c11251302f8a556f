"""A pasted name finds its table and snapshot, or says why it does not."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from console.inspector import locating
from console.warehouses.measuring import measure_all_of
from console.warehouses.models import Warehouse
from core import Table
from core.snapshot import Snapshot
from tests.console.conftest import Caller

HERE = "&table=lake/db/t"


def find(who: Caller, name: str, more: str = "") -> dict[str, Any]:
    found: dict[str, Any] = who.json(f"/objects?name={quote(name, safe='')}{more}")
    return found


def only(found: dict[str, Any]) -> tuple[str, str]:
    """The table that was found, and as what."""
    assert found["verdict"] == "found", found
    (item,) = found["items"]
    return f"{item['warehouse']}.{item['database']}.{item['table']}", item["role"]


def snapshot_of(table: Table, number: int) -> Snapshot:
    return table.snapshots.get(number)


def file_of(table: Table, number: int) -> str:
    """A data file that commit `number` added."""
    delta = table.manifests.delta_entries(snapshot_of(table, number)).adds()
    return str(delta.column("file_name")[0].as_py())


def test_a_live_file_is_found_in_any_measured_table(alice: Caller, lake: Warehouse, table: Table) -> None:
    measure_all_of(lake)
    found = find(alice, file_of(table, 6))
    assert only(found) == ("lake.db.t", "live")
    assert found["items"][0]["snapshot"] == snapshot_of(table, 6).reference


def test_a_removed_file_is_found_by_the_commit_that_removed_it(alice: Caller, table: Table) -> None:
    live = set(table.manifests.live_entries(snapshot_of(table, 6)).column("file_name").to_pylist())
    gone = table.manifests.delta_entries(snapshot_of(table, 3)).deletes().column("file_name").to_pylist()
    found = find(alice, next(str(name) for name in gone if name not in live), HERE)
    assert only(found) == ("lake.db.t", "removed")
    assert found["items"][0]["snapshot"] == snapshot_of(table, 3).reference


@pytest.mark.parametrize("role", ["base", "delta"])
def test_a_manifest_and_its_list_are_found_by_the_snapshot(alice: Caller, table: Table, role: str) -> None:
    snapshot = snapshot_of(table, 2)
    listed = snapshot.base_manifest_list if role == "base" else snapshot.delta_manifest_list
    found = find(alice, listed, HERE)
    assert (only(found)[1], found["items"][0]["snapshot"]) == (role, snapshot.reference)
    manifest = table.manifests.delta_manifests(snapshot)[0].file_name
    assert only(find(alice, manifest, HERE))[0] == "lake.db.t"


def test_a_whole_path_names_its_table(alice: Caller, table: Table) -> None:
    path = table.paths.snapshot_file(4)
    assert find(alice, path)["items"][0]["snapshot"] == snapshot_of(table, 4).reference
    assert find(alice, f"s3://elsewhere/db.db/t/manifest/{snapshot_of(table, 4).delta_manifest_list}")[
        "items"
    ]


OF_TABLES = [
    ("dv.db/pk_dv", "index_manifest", "index"),
    ("dv.db/pk_dv", "index_file", "index"),
    ("ops.db/analyzed", "statistics", "statistics"),
    ("changelog.db/lookup", "file", "changelog"),
]


@pytest.mark.parametrize(("path", "kind", "role"), OF_TABLES)
def test_indexes_statistics_and_changelogs_of_java_are_found(
    alice: Caller, corpus: Any, path: str, kind: str, role: str
) -> None:
    corpus("java09")
    database, name = path.split(".db/")
    table = locating.open_table("java09", database, name).table
    found = find(alice, _name_of(table, kind), f"&table=java09/{database}/{name}")
    assert (found["kind"], *only(found)) == (kind, f"java09.{database}.{name}", role)


def _name_of(table: Table, kind: str) -> str:
    """The newest object of the kind."""
    for snapshot in reversed(list(table.snapshots.iter_all())):
        changelog = table.manifests.changelog_entries(snapshot).column("file_name").to_pylist()
        names = {
            "index_manifest": snapshot.index_manifest,
            "index_file": next((e.file_name for e in table.manifests.index_entries(snapshot)), None),
            "statistics": snapshot.statistics,
            "file": changelog[0] if changelog else None,
        }
        if names[kind]:
            return str(names[kind])
    raise AssertionError(f"the table has no {kind}")


def test_what_only_a_tag_keeps_is_found_by_the_tag(alice: Caller, table: Table) -> None:
    live = set(table.manifests.live_entries(snapshot_of(table, 6)).column("file_name").to_pylist())
    added = table.manifests.delta_entries(snapshot_of(table, 2)).adds().column("file_name").to_pylist()
    for number in (1, 2, 3):  # as if expired: their snapshots are gone
        table.snapshots.delete(number)
    found = find(alice, next(str(name) for name in added if name not in live), HERE)
    assert (only(found)[1], found["items"][0]["tag"]) == ("tagged", "v2")
    assert find(alice, "snapshot-2", HERE)["items"][0]["tag"] == "v2"


def test_what_expired_is_gone_and_what_nothing_names_is_unreferenced(alice: Caller, table: Table) -> None:
    never = "manifest-00000000-0000-0000-0000-000000000000-0"
    assert find(alice, never, HERE)["verdict"] == "gone"
    table.io.write(table.paths.manifest_file(never), b"left over")
    assert find(alice, never, HERE)["verdict"] == "unreferenced"
    found = find(alice, "data-00000000-0000-0000-0000-000000000000-0.parquet", HERE)
    assert (found["verdict"], found["searched"]["commits"]) == ("not-found", 6)


def test_a_number_alone_needs_a_table(alice: Caller, table: Table) -> None:
    assert find(alice, "snapshot-4")["verdict"] == "needs-table"
    assert only(find(alice, "snapshot-4", HERE)) == ("lake.db.t", "itself")
    assert find(alice, "schema-0", HERE)["items"][0]["role"] == "itself"


def test_what_is_no_name_and_what_no_warehouse_has(alice: Caller, table: Table) -> None:
    assert find(alice, "what happened")["verdict"] == "no-name"
    assert find(alice, "/lake/db.db/other/snapshot/snapshot-1")["verdict"] == "unknown-table"


def test_a_search_that_runs_out_of_time_says_how_far_it_came(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locating, "SECONDS", -1.0)
    found = find(alice, "manifest-00000000-0000-0000-0000-000000000000-0", HERE)
    assert (found["verdict"], found["searched"]["tables"], found["searched"]["of"]) == ("not-in-time", 0, 1)


def test_nobody_finds_files_of_tables_that_they_may_not_browse(
    carol: Caller, vera: Caller, lake: Warehouse, table: Table
) -> None:
    measure_all_of(lake)
    name = file_of(table, 6)
    assert find(vera, name)["verdict"] == "found"
    assert find(carol, name, HERE)["items"] == []
    assert find(carol, table.paths.snapshot_file(4))["verdict"] == "unknown-table"


def test_a_search_needs_a_name_and_a_whole_table(alice: Caller) -> None:
    assert alice.get("/objects").json()["errors"][0]["pointer"] == "name"
    assert alice.get("/objects?name=snapshot-1&table=t").json()["errors"][0]["pointer"] == "table"
