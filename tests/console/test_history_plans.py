"""Plans of what is remembered of a table: restoring a state, expiring snapshots, tags, branches."""

from __future__ import annotations

import time
from typing import Any

import pytest

from console.jobs.models import Plan
from console.jobs.planning.changes import shown_files
from core import Table
from core.maintenance.expire import plan_expire_snapshots
from core.maintenance.reach import NamedFiles
from core.maintenance.restore import plan_restore
from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.maintenance.tags import plan_delete_tags
from core.snapshot import Consumer, Tag
from tests.console.conftest import TABLE, Caller
from tests.console.test_plans import codes, plan
from tests.tables import put


def refused(who: Caller, kind: str, branch: str = "main", **params: Any) -> dict[str, Any]:
    response = who.post(f"{TABLE}/plans", {"kind": kind, "branch": branch, "params": params})
    assert 400 <= response.status_code < 500, response.content
    problem: dict[str, Any] = response.json()
    return problem


def now_millis() -> int:
    return int(time.time() * 1000)


# --- restore --------------------------------------------------------------------------------------
def test_a_restoration_shows_what_leaves_and_comes_back_and_keeps_history(
    alice: Caller, table: Table
) -> None:
    view = plan(alice, "restore", to={"snapshot": "4"})
    effects, truth = view["effects"], plan_restore(table, 4, now_millis=0)
    assert (view["level"], view["requires"], view["confirmation"]) == (1, "table:operate", None)
    assert effects["to"] == truth.target.reference
    assert effects["files_returning"]["count"] == sum(p.returning.count for p in truth.change.partitions)
    assert effects["rows_delta"] == sum(p.rows_delta for p in truth.change.partitions)
    assert (effects["next_id"], effects["tag_made"]) == (7, truth.tag)
    assert (view["undo"]["kind"], view["undo"]["detail"]) == ("restore", truth.base.reference)


def test_a_guarded_rollback_is_undone_by_restoring_its_branch(alice: Caller, table: Table) -> None:
    head = table.snapshots.latest()
    assert head is not None
    apply_rollback(table, plan_rollback(table, 3), guard=Guard("guard-j-1"))
    view = plan(alice, "restore", to={"branch": "guard-j-1"})
    assert (view["effects"]["to"], view["effects"]["to_branch"]) == (head.reference, "guard-j-1")
    base = view["base"]
    assert Plan.objects.get().work == {"restore": {"branch": "guard-j-1", "base": base}}


def test_the_state_that_the_table_has_is_not_restored(alice: Caller, table: Table) -> None:
    assert codes(plan(alice, "restore", to={"snapshot": "6"})["blockers"]) == {"nothing-to-restore"}


def test_files_that_are_gone_block_a_restoration(alice: Caller, table: Table) -> None:
    live = {item["name"] for item in alice.items(f"{TABLE}/files")}
    old = [item for item in alice.items(f"{TABLE}/files?at=2") if item["name"] not in live]
    table.io.delete(old[0]["path"])
    (blocker,) = plan(alice, "restore", to={"snapshot": "2"})["blockers"]
    assert (blocker["code"], blocker["values"]["first"]) == ("missing-files", old[0]["name"])


def test_an_id_that_was_used_again_is_no_target(alice: Caller, table: Table) -> None:
    old = table.snapshots.get(5)
    apply_rollback(table, plan_rollback(table, 4))
    put(table, ("2026-11-20", 1, 1, "another five"))
    table.tags.create(Tag("held", old))
    assert refused(alice, "restore", to={"snapshot": old.reference})["code"] == "snapshot-replaced"
    assert refused(alice, "rollback", to={"snapshot": old.reference})["code"] == "snapshot-replaced"


# --- expire ---------------------------------------------------------------------------------------
def test_files_of_which_no_size_is_known_are_not_told_as_empty() -> None:
    rows = [("manifest", "m-1", "/m-1", None), ("data", "d-1", "/d-1", 7)]
    roles = {role["role"]: role["bytes"] for role in shown_files(NamedFiles.of_rows(rows))["roles"]}
    assert roles == {"manifest": None, "data": 7}


def test_an_expiration_names_what_goes_and_what_it_frees(alice: Caller, table: Table) -> None:
    view = plan(alice, "expire", retain_min=1, retain_max=2)
    truth = plan_expire_snapshots(table, now_millis=now_millis(), retain_min=1, retain_max=2)
    effects = view["effects"]
    assert [s["id"] for s in effects["snapshots_removed"]] == [s.id for s in truth.expired] == [1, 2, 3, 4]
    assert (effects["snapshots_kept"], effects["first_kept"]) == (2, 5)
    assert (effects["files_freed"]["count"], effects["files_freed"]["bytes"]) == (
        len(truth.files), truth.files.size,
    )  # fmt: skip
    assert sum(role["count"] for role in effects["files_freed"]["roles"]) == len(truth.files)
    assert Plan.objects.get().work == {"expire-snapshots": {"retain_min": 1, "retain_max": 2}}


def test_without_parameters_the_options_of_the_table_decide(alice: Caller, table: Table) -> None:
    view = plan(alice, "expire")
    assert codes(view["blockers"]) == {"nothing-to-expire"}
    assert (view["effects"]["retain_min"], view["effects"]["max_deletes"]) == (10, 50)


def test_a_consumer_that_holds_snapshots_is_named(alice: Caller, table: Table) -> None:
    table.consumers.put(Consumer("slow", 3))
    view = plan(alice, "expire", retain_min=1, retain_max=1)
    (warning,) = view["warnings"]
    assert warning["detail"] == "Consumer slow still reads from #3: nothing from there on goes"
    assert [s["id"] for s in view["effects"]["snapshots_removed"]] == [1, 2]


def test_the_limit_of_one_run_is_told(alice: Caller, table: Table) -> None:
    view = plan(alice, "expire", retain_min=1, retain_max=1, max_deletes=2)
    assert view["warnings"][0]["detail"] == "At most 2 go at once; 3 more are due"


def test_a_window_that_contradicts_itself_is_refused_by_its_field(alice: Caller, table: Table) -> None:
    problem = refused(alice, "expire", retain_min=5, retain_max=2)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("validation-failed", "/params/retain_max")


def test_what_an_expiry_frees_is_told_by_partition(alice: Caller, table: Table) -> None:
    table.tags.delete("v2")  # which keeps what a compaction replaced
    truth = plan_expire_snapshots(table, now_millis=now_millis(), retain_min=1, retain_max=1)
    effects = plan(alice, "expire", retain_min=1, retain_max=1)["effects"]
    inside = [path for path in truth.files.paths if "/dt=" in path]
    assert sum(p["files"] for p in effects["partitions"]) == len(inside) > 0
    assert {p["partition"] for p in effects["partitions"]} <= {"dt=2026-11-19", "dt=2026-11-20"}
    assert sum(p["bytes"] for p in effects["partitions"]) <= truth.files.size


def test_a_preview_says_what_the_plan_would_and_keeps_nothing(alice: Caller, table: Table) -> None:
    params = {"retain_min": 1, "retain_max": 2}
    body = {"kind": "expire", "params": params}
    seen = alice.post(f"{TABLE}/plans/preview", body).json()
    assert not Plan.objects.exists()
    view = plan(alice, "expire", **params)
    assert {name: seen[name] for name in ("warnings", "blockers")} == {"warnings": [], "blockers": []}
    assert seen["effects"] | {"older_than": ""} == view["effects"] | {"older_than": ""}
    wrong = alice.post(f"{TABLE}/plans/preview", body | {"params": {"retain_min": 5, "retain_max": 2}})
    assert wrong.json()["errors"][0]["pointer"] == "/params/retain_max"


# --- tags -----------------------------------------------------------------------------------------
def test_a_new_tag_loses_nothing_and_needs_nobody_else_to_wait(alice: Caller, table: Table) -> None:
    running = alice.post("/jobs", {"plan_id": plan(alice, "compact")["id"]})
    assert running.status_code == 201
    view = plan(alice, "tag", action="create", name="v6", retain="30 d")
    assert (view["level"], view["blockers"], view["undo"]["kind"]) == (0, [], "delete_tag")
    assert view["effects"]["after"] == table.snapshots.get(6).reference
    assert view["effects"]["retained_until"] is not None
    assert alice.post("/jobs", {"plan_id": view["id"]}).status_code == 201


def test_a_tag_kept_beyond_the_calendar_has_no_end(alice: Caller, table: Table) -> None:
    view = plan(alice, "tag", action="create", name="v6", retain="99999999 d")
    assert view["effects"]["retained_until"] is None


def test_a_taken_name_blocks(alice: Caller, table: Table) -> None:
    assert codes(plan(alice, "tag", action="create", name="v2")["blockers"]) == {"tag-exists"}
    assert codes(plan(alice, "tag", action="rename", name="v2", new_name="v2")["blockers"]) == {"tag-exists"}


def test_deleting_a_tag_shows_what_only_it_held(alice: Caller, table: Table) -> None:
    plan_of_all = plan_expire_snapshots(table, now_millis=now_millis(), retain_min=1, retain_max=1)
    for snapshot in plan_of_all.expired:
        table.snapshots.delete(snapshot.id)
    view = plan(alice, "tag", action="delete", name="v2")
    truth = plan_delete_tags(table, ["v2"])
    assert view["effects"]["files_freed"]["count"] == len(truth.files) > 0
    assert view["undo"] is None  # the snapshot is gone but for the tag


def test_replacing_a_tag_says_from_where_to_where(alice: Caller, table: Table) -> None:
    before = table.tags.get("v2").snapshot.reference
    view = plan(alice, "tag", action="replace", name="v2", snapshot="4")
    effects = view["effects"]
    assert (effects["before"], effects["after"]) == (before, table.snapshots.get(4).reference)
    assert (view["level"], view["undo"]["kind"]) == (1, "replace_tag")


@pytest.mark.parametrize(
    ("params", "code", "pointer"),
    [
        ({"action": "delete", "name": "nope"}, "not-found", None),
        ({"action": "replace", "name": "v2", "snapshot": "99"}, "snapshot-expired", None),
        ({"action": "create", "name": "a/b"}, "validation-failed", "/params/name"),
        ({"action": "create", "name": "a", "retain": "soon"}, "validation-failed", "/params/retain"),
        ({"action": "rename", "name": "v2"}, "validation-failed", "/params/new_name"),
    ],
)
def test_a_bad_question_about_a_tag_is_refused(
    params: dict[str, str], code: str, pointer: str | None, alice: Caller, table: Table
) -> None:
    problem = refused(alice, "tag", **params)
    assert problem["code"] == code
    assert pointer is None or problem["errors"][0]["pointer"] == pointer


# --- branches -------------------------------------------------------------------------------------
def test_a_branch_of_a_snapshot_makes_the_tag_that_keeps_it(alice: Caller, table: Table) -> None:
    effects = plan(alice, "branch", action="create", name="dev", start={"snapshot": "4"})["effects"]
    assert (effects["after"], effects["tags_made"]) == (table.snapshots.get(4).reference, ["dev"])


def test_deleting_a_branch_shows_what_nobody_reads_any_more(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    put(table.with_branch("dev"), ("2026-11-20", 1, 1, "there"))
    view = plan(alice, "branch", action="delete", name="dev")
    assert [s["id"] for s in view["effects"]["snapshots_removed"]] == [2, 3]
    assert (view["level"], codes(view["warnings"])) == (1, {"branch-files-left"})


def test_a_fast_forward_is_confirmed_by_name_and_shows_both_sides(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    put(table.with_branch("dev"), ("2026-11-20", 1, 1, "there"))
    view = plan(alice, "branch", action="fast_forward", name="dev")
    assert (view["level"], view["requires"], view["confirmation"]) == (2, "table:destroy", "lake.db.t")
    assert [s["id"] for s in view["effects"]["snapshots_removed"]] == [3, 4, 5, 6]
    assert [s["id"] for s in view["effects"]["snapshots_added"]] == [3]


def test_a_branch_is_planned_from_main(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    problem = refused(alice, "branch", "dev", action="delete", name="dev")
    assert problem["errors"][0]["pointer"] == "/branch"
    assert refused(alice, "branch", action="rename", name="no", new_name="x")["code"] == "not-found"


# --- consumers ------------------------------------------------------------------------------------
def test_a_consumer_that_is_moved_on_skips_and_lets_snapshots_expire(alice: Caller, table: Table) -> None:
    table.consumers.put(Consumer("slow", 2))
    table.consumers.put(Consumer("quick", 5))
    view = plan(alice, "consumer", action="reset", name="slow", snapshot="6")
    effects = view["effects"]
    assert (view["level"], view["blockers"], codes(view["warnings"])) == (1, [], {"consumer-skips"})
    assert (effects["before"], effects["after"], effects["skipped"], effects["repeated"]) == (2, 6, 4, 0)
    assert (effects["held_before"], effects["held_after"], effects["released"]) == (2, 5, 3)
    assert (view["undo"]["kind"], view["undo"]["detail"]) == ("reset_consumer", "2")


def test_a_consumer_that_is_moved_back_reads_again(alice: Caller, table: Table) -> None:
    table.consumers.put(Consumer("reader", 5))
    view = plan(alice, "consumer", action="reset", name="reader", snapshot=table.snapshots.get(3).reference)
    assert (view["effects"]["repeated"], codes(view["warnings"])) == (2, {"consumer-repeats"})
    stays = plan(alice, "consumer", action="reset", name="reader", snapshot="5")
    assert codes(stays["blockers"]) == {"consumer-there-already"}


def test_a_consumer_that_is_deleted_holds_nothing(alice: Caller, table: Table) -> None:
    table.consumers.put(Consumer("reader", 3))
    view = plan(alice, "consumer", action="delete", name="reader")
    assert (view["effects"]["after"], view["effects"]["held_after"], view["effects"]["released"]) == (
        None,
        None,
        4,
    )
    assert codes(view["warnings"]) == {"consumer-forgotten"}


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"action": "reset", "name": "nobody", "snapshot": "3"}, "not-found"),
        ({"action": "delete", "name": "nobody"}, "not-found"),
        ({"action": "reset", "name": "reader", "snapshot": "99"}, "snapshot-expired"),
        ({"action": "reset", "name": "reader", "snapshot": "3~00000000"}, "snapshot-replaced"),
        ({"action": "reset", "name": "reader"}, "validation-failed"),
    ],
)
def test_a_bad_question_about_a_consumer_is_refused(
    alice: Caller, table: Table, params: dict[str, Any], code: str
) -> None:
    table.consumers.put(Consumer("reader", 4))
    assert refused(alice, "consumer", **params)["code"] == code
