"""Rule R23: where the hint, the listing and the ids disagree, the overview says so and no action starts."""

from __future__ import annotations

from typing import Any

import pytest

from core import Table
from core.maintenance.repair_hints import apply_repair_hints, plan_repair_hints
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from tests.console.conftest import TABLE, Caller
from tests.tables import put

ROW = ("2026-11-20", 1, 1, "later")


def pointer(who: Caller) -> dict[str, Any]:
    found: dict[str, Any] = who.json(TABLE)["pointer"]
    return found


def blockers(who: Caller) -> list[str]:
    plan = who.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    return [blocker["code"] for blocker in plan["blockers"]]


@pytest.fixture
def torn(table: Table) -> Table:
    """Six snapshots without the fourth, and a hint to the third: readers see three."""
    table.snapshots.delete(4)
    table.snapshots.write_hint(3)
    return table


def test_a_hint_below_a_gap_is_told_with_the_gap_and_forbids_every_action(alice: Caller, torn: Table) -> None:
    assert pointer(alice) == {
        "hint": 3, "listed": 6, "agree": False,
        "detail": "LATEST says '3', the listing says 6; missing between EARLIEST and LATEST: 4",
    }  # fmt: skip
    assert "pointer-disagreement" in blockers(alice)
    assert [row["id"] for row in alice.items(f"{TABLE}/snapshots")] == [6, 5, 3, 2, 1]


def test_what_disagrees_is_told_in_chinese(alice: Caller, torn: Table) -> None:
    found = alice.get(TABLE, Accept_Language="zh-CN").json()["pointer"]
    assert found["detail"] == "LATEST 提示为 '3'，目录列表为 6；EARLIEST 与 LATEST 之间缺少：4"


def test_a_commit_that_closes_the_gap_leaves_the_head_and_that_is_told(alice: Caller, torn: Table) -> None:
    """Its id is the missing one, so readers go on to the other history, which has not its rows."""
    [lost] = put(torn, ROW)
    assert lost.id == 4
    found = pointer(alice)
    assert (found["hint"], found["listed"], found["agree"]) == (4, 6, False)
    assert "pointer-disagreement" in blockers(alice)


def test_a_job_made_before_the_hint_went_astray_does_not_start(alice: Caller, table: Table) -> None:
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    table.snapshots.delete(4)
    table.snapshots.write_hint(3)  # the next commit would be 4, and no reader would find it
    reply = alice.post("/jobs", {"plan_id": plan["id"]})
    assert (reply.status_code, reply.json()["code"]) == (409, "plan-blocked")
    assert reply.json()["blockers"] == ["pointer-disagreement"]


def test_a_commit_whose_hint_is_still_to_come_holds_up_no_job(alice: Caller, table: Table) -> None:
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    put(table, ROW)
    table.snapshots.write_hint(6)
    assert alice.post("/jobs", {"plan_id": plan["id"]}).status_code == 201


def test_a_gap_below_a_right_hint_is_told_and_forbids_nothing(alice: Caller, table: Table) -> None:
    table.snapshots.delete(4)
    found = pointer(alice)
    assert (found["agree"], found["detail"]) == (False, "missing between EARLIEST and LATEST: 4")
    assert "pointer-disagreement" not in blockers(alice)


def test_hints_that_are_repaired_agree_with_the_listing(alice: Caller, torn: Table) -> None:
    apply_repair_hints(torn, plan_repair_hints(torn))
    assert pointer(alice)["hint"] == 6
    assert "pointer-disagreement" not in blockers(alice)


def test_ids_used_again_after_a_rollback_are_one_history_that_agrees(alice: Caller, table: Table) -> None:
    before = [row["ref"] for row in alice.items(f"{TABLE}/snapshots")]
    apply_rollback(table, plan_rollback(table, 4))
    put(table, ROW)
    assert pointer(alice) == {"hint": 5, "listed": 5, "agree": True, "detail": None}
    after = [row["ref"] for row in alice.items(f"{TABLE}/snapshots")]
    assert after[1:] == before[2:]
    assert after[0] not in before
    assert alice.get(f"{TABLE}/snapshots/{before[1]}").json()["code"] == "snapshot-replaced"
    assert alice.get(f"{TABLE}/snapshots/{before[0]}").status_code in (404, 410)
