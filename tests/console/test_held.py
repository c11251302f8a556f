"""`T/held`: what a tag or a branch keeps alone, and how far branches are from main."""

from __future__ import annotations

from core import Table
from tests.console.conftest import TABLE, Caller


def _alone(alice: Caller, kind: str, name: str) -> tuple[int, int]:
    row = next(row for row in alice.json(f"{TABLE}/held")[kind] if row["name"] == name)
    return row["files"], row["bytes"]


def test_a_tag_keeps_alone_what_no_snapshot_has_left(alice: Caller, table: Table) -> None:
    assert _alone(alice, "tags", "v2") == (0, 0)
    eaten = alice.items(f"{TABLE}/snapshots/3/changes?change=deleted")  # the tag is on snapshot 2
    for snapshot_id in (1, 2, 3):
        table.snapshots.delete(snapshot_id)
    assert _alone(alice, "tags", "v2") == (len(eaten), sum(item["bytes"] for item in eaten))


def test_what_a_branch_has_too_is_kept_by_neither_alone(alice: Caller, table: Table) -> None:
    eaten = alice.items(f"{TABLE}/snapshots/3/changes?change=deleted")
    table.branches.create("dev", from_tag="v2")
    for snapshot_id in (1, 2, 3):
        table.snapshots.delete(snapshot_id)
    assert (_alone(alice, "tags", "v2"), _alone(alice, "branches", "dev")) == ((0, 0), (0, 0))
    table.tags.delete("v2")
    assert _alone(alice, "branches", "dev") == (len(eaten), sum(item["bytes"] for item in eaten))


def test_a_branch_is_ahead_and_behind_since_the_snapshot_that_it_shares_with_main(
    alice: Caller, table: Table
) -> None:
    table.branches.create("dev", from_tag="v2")
    rows = {row["name"]: row for row in alice.json(f"{TABLE}/held")["branches"]}
    assert [rows["dev"][name] for name in ("forked_at", "ahead", "behind")] == [2, 0, 4]
    assert [rows["main"][name] for name in ("forked_at", "ahead", "behind")] == [None, None, None]


def test_a_branch_whose_start_main_has_lost_has_no_distance(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    for snapshot_id in (1, 2):
        table.snapshots.delete(snapshot_id)
    assert alice.json(f"{TABLE}/held")["branches"][1]["forked_at"] is None
