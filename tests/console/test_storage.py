"""`T/storage`: what data files are kept for, beside what is on the disk."""

from __future__ import annotations

from core import Table
from tests.console.conftest import TABLE, Caller
from tests.tables import data_paths


def test_every_file_on_the_disk_is_counted_once(alice: Caller, table: Table) -> None:
    shown = alice.json(f"{TABLE}/storage")
    kept = [shown[name]["files"] for name in ("live", "old_snapshots", "refs")]
    assert sum(kept) == len([path for path in data_paths(table) if "/data-" in path])
    assert sum(level["bytes"] for level in shown["levels"]) == shown["live"]["bytes"]
    assert shown["old_snapshots"]["files"] > 0 == shown["refs"]["files"]


def test_what_only_a_tag_has_left_is_counted_for_the_tags(alice: Caller, table: Table) -> None:
    eaten = alice.items(f"{TABLE}/snapshots/3/changes?change=deleted")  # the tag is on snapshot 2
    for snapshot_id in (1, 2, 3):
        table.snapshots.delete(snapshot_id)
    shown = alice.json(f"{TABLE}/storage")
    assert shown["refs"] == {"files": len(eaten), "bytes": sum(item["bytes"] for item in eaten)}
