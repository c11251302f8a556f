"""Tags that people make, move, rename and delete. Spec: 08, 8; 10, 3."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.tags import (
    apply_create_tag,
    apply_delete_tags,
    apply_rename_tag,
    apply_replace_tag,
    plan_create_tag,
    plan_delete_tags,
    plan_expire_tags,
    plan_rename_tag,
    plan_replace_tag,
)
from core.table import Table
from tests.core.maintenance.tables import HOUR, checked, everything, files, is_clean, keyed, later, tag
from tests.crashes import seen_through
from tests.faults import RacingFileIO
from tests.tables import put, rows_of

NOW = 1_700_000_000_000


def expired(*tagged: int) -> Table:
    """Snapshot 6 alone, and tags `v<n>` on snapshots that are gone."""
    table = keyed()
    for snapshot_id in tagged:
        tag(table, f"v{snapshot_id}", snapshot_id)
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    return table


def test_a_tag_is_of_the_latest_snapshot_unless_told() -> None:
    table = keyed()
    assert apply_create_tag(table, plan_create_tag(table, "t", now_millis=NOW)).snapshot.id == 6
    assert table.tags.get("t").create_time is None


def test_a_retention_is_kept_with_the_time_of_making() -> None:
    table = keyed()
    plan = plan_create_tag(table, "t", now_millis=NOW, snapshot_id=2, time_retained=timedelta(hours=25))
    apply_create_tag(table, plan)
    found = table.tags.get("t")
    assert (found.snapshot.id, found.time_retained) == (2, timedelta(hours=25))
    assert found.create_time is not None


def test_a_retention_beyond_the_calendar_does_not_end() -> None:
    table = keyed()
    plan = plan_create_tag(table, "t", now_millis=NOW, time_retained=timedelta(days=99_999_999))
    apply_create_tag(table, plan)
    assert plan_expire_tags(table, now_millis=later(table)).tags == ()


def test_the_table_may_have_a_retention_for_all() -> None:
    table = keyed(tag__default_time_retained="2 d")
    assert plan_create_tag(table, "t", now_millis=NOW).tag.time_retained == timedelta(days=2)


def test_a_tag_by_time_is_of_the_first_snapshot_from_then_on() -> None:
    table = keyed()
    third = table.snapshots.get(3)
    found = plan_create_tag(table, "t", now_millis=NOW, timestamp_millis=third.time_millis).tag.snapshot
    assert found.time_millis >= third.time_millis
    assert found.id == 1 or table.snapshots.get(found.id - 1).time_millis < third.time_millis


def test_no_snapshot_has_come_so_far() -> None:
    table = keyed()
    with pytest.raises(NotFoundError, match="come so far"):
        plan_create_tag(table, "t", now_millis=NOW, timestamp_millis=later(table))
    with pytest.raises(NotFoundError, match="come so far"):
        plan_create_tag(table, "t", now_millis=NOW, watermark=1)


def test_a_snapshot_that_only_a_tag_holds_can_be_tagged() -> None:
    table = expired(2)
    apply_create_tag(table, plan_create_tag(table, "again", now_millis=NOW, snapshot_id=2))
    assert rows_of(table, tag="again") == rows_of(table, tag="v2")


def test_a_name_is_taken_once() -> None:
    table = keyed()
    tag(table, "t", 1)
    plan = plan_create_tag(table, "t", now_millis=NOW)
    assert [(n.code, n.fields["tag"]) for n in plan.blockers] == [("tag-exists", "t")]
    with pytest.raises(InvalidRequestError, match="tag-exists"):
        apply_create_tag(table, plan)


def expire(table: Table) -> None:
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))


def test_a_tag_on_a_snapshot_that_expires_meanwhile_is_taken_back() -> None:
    table = keyed()
    plan = plan_create_tag(table, "t", now_millis=NOW, snapshot_id=2)
    io = RacingFileIO(table.io, "create", "tag-t", lambda: expire(table))
    with pytest.raises(NotFoundError, match="expired while"):
        apply_create_tag(seen_through(table, io), plan)
    assert table.tags.names() == []


@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_tag_does_not_move_to_a_snapshot_that_expires_before(meanwhile: bool) -> None:
    table = keyed()
    tag(table, "t", 5)
    plan = plan_replace_tag(table, "t", now_millis=NOW, snapshot_id=2)
    io = RacingFileIO(table.io, "write", "tag-t", lambda: table.snapshots.delete(2))
    if not meanwhile:
        expire(table)
    with pytest.raises(NotFoundError, match="expired while"):
        apply_replace_tag(seen_through(table, io), plan)
    assert table.tags.get("t").snapshot.id == 5
    assert rows_of(table, tag="t")


def test_a_tag_of_an_expired_snapshot_gets_another_retention() -> None:
    table = expired(2)
    plan = plan_replace_tag(table, "v2", now_millis=NOW, snapshot_id=2, time_retained=timedelta(days=1))
    apply_replace_tag(table, plan)
    assert table.tags.get("v2").time_retained == timedelta(days=1)
    assert rows_of(table, tag="v2")


def test_a_tag_whose_snapshot_is_there_goes_alone() -> None:
    table = keyed()
    tag(table, "t", 2)
    before = files(table)
    assert len(apply_delete_tags(table, plan_delete_tags(table, ["t", "none"]))) == 0
    assert (table.tags.names(), files(table)) == ([], before)


def test_with_the_last_tag_of_a_snapshot_its_files_go() -> None:
    table = expired(1, 2)
    before = everything(table)
    plan = plan_delete_tags(table, ["v1"])
    assert len(plan.files)
    apply_delete_tags(table, plan)
    assert everything(table) == {root: rows for root, rows in before.items() if root != "main/v1"}
    assert is_clean(checked(table))
    apply_delete_tags(table, plan_delete_tags(table, ["v2"]))
    assert is_clean(checked(table))


def test_a_branch_that_was_founded_on_the_tag_keeps_its_files_and_is_named() -> None:
    table = expired(2)
    table.branches.create("dev", from_tag="v2")
    before = rows_of(table.with_branch("dev"))
    plan = plan_delete_tags(table, ["v2"])
    assert [(n.code, n.fields["branch"]) for n in plan.warnings] == [("branch-founded-by-tag", "dev")]
    apply_delete_tags(table, plan)
    assert rows_of(table.with_branch("dev")) == before
    assert is_clean(checked(table))


def test_a_tag_that_was_replaced_since_is_not_deleted() -> None:
    table = keyed()
    tag(table, "t", 2)
    plan = plan_delete_tags(table, ["t"])
    apply_replace_tag(table, plan_replace_tag(table, "t", now_millis=NOW, snapshot_id=4))
    with pytest.raises(CommitConflictError):
        apply_delete_tags(table, plan)
    assert table.tags.get("t").snapshot.id == 4


def test_what_only_the_old_tag_held_goes_when_it_moves() -> None:
    table = expired(1, 2)
    plan = plan_replace_tag(table, "v1", now_millis=NOW)
    apply_replace_tag(table, plan)
    assert table.tags.get("v1").snapshot.id == 6
    assert is_clean(checked(table))


def test_a_tag_can_only_be_replaced_where_there_is_one() -> None:
    with pytest.raises(NotFoundError):
        plan_replace_tag(keyed(), "none", now_millis=NOW)


def test_a_renamed_tag_holds_what_it_held() -> None:
    table = expired(2)
    before = rows_of(table, tag="v2")
    apply_rename_tag(table, plan_rename_tag(table, "v2", "release"))
    assert table.tags.names() == ["release"]
    assert rows_of(table, tag="release") == before


def test_a_new_name_must_be_free() -> None:
    table = keyed()
    tag(table, "a", 1)
    tag(table, "b", 2)
    assert [n.code for n in plan_rename_tag(table, "a", "b").blockers] == ["tag-exists"]


def test_a_tag_expires_by_its_own_retention() -> None:
    table = keyed()
    for name, hours in (("short", 1), ("long", 48)):
        retained = timedelta(hours=hours)
        apply_create_tag(table, plan_create_tag(table, name, now_millis=NOW, time_retained=retained))
    tag(table, "forever", 1)
    assert [t.name for t in plan_expire_tags(table, now_millis=NOW + 2 * HOUR).tags] == ["short"]


def test_a_limit_reaches_tags_without_a_retention_by_the_age_of_their_file() -> None:
    table = keyed()
    tag(table, "forever", 1)
    now = table.tags.modified_millis("forever") + 2 * HOUR
    assert plan_expire_tags(table, now_millis=now, older_than_millis=now - 3 * HOUR).changes_nothing
    found = plan_expire_tags(table, now_millis=now, older_than_millis=now)
    apply_delete_tags(table, found)
    assert table.tags.names() == []


def test_who_waits_for_a_tag_is_told_by_a_file() -> None:
    table = keyed(tag__create_success_file="true")
    apply_create_tag(table, plan_create_tag(table, "t", now_millis=NOW))
    path = f"{table.paths.tag_dir}/tag-success-file/t_SUCCESS"
    assert b'"creationTime": 1700000000000' in table.io.read(path)
    assert table.tags.names() == ["t"]
    apply_delete_tags(table, plan_delete_tags(table, ["t"]))
    assert not table.io.exists(path)


def test_tags_of_a_branch_are_its_own() -> None:
    table = expired(2)
    table.branches.create("dev", from_tag="v2")
    branch = table.with_branch("dev")
    put(branch, (7, "b"))
    apply_create_tag(branch, plan_create_tag(branch, "mine", now_millis=NOW))
    assert (table.tags.names(), branch.tags.names()) == (["v2"], ["mine", "v2"])
