"""What a rollback plan shows, and what applying it leaves. Spec: 08, 10; design, 7.2."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.errors import (
    CommitConflictError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    UnsupportedError,
)
from core.maintenance import Guard, apply_rollback, plan_rollback
from core.maintenance.check import check_table
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.schema import AddColumn
from core.snapshot import Consumer, Tag
from core.table import Table
from core.types import parse_type
from tests.core.maintenance.tables import keyed, later
from tests.crashes import is_whole, seen_through
from tests.faults import RacingFileIO
from tests.tables import compact, data_paths, files_of, new_table, put, remove, rows_of

CORPORA = Path(__file__).parents[2] / "corpora"


def make_table(**options: str) -> Table:
    """Snapshots 1 to 4: two appends, a compaction, a delete."""
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], **options)
    put(table, (1, "a"))
    put(table, (2, "b"))
    compact(table)
    remove(table, (1, None))
    return table


def tag(table: Table, name: str, snapshot_id: int) -> None:
    table.tags.create(Tag(name, table.snapshots.get(snapshot_id)))


def test_the_plan_names_what_goes_and_what_comes_back() -> None:
    table = make_table()
    tag(table, "old", 1)
    tag(table, "new", 3)
    plan = plan_rollback(table, 2)
    assert [s.id for s in plan.removed_snapshots] == [3, 4]
    assert plan.removed_tags == ("new",)
    assert (plan.leaving.count, plan.returning.count) == (2, 2)
    assert (plan.leaving.rows, plan.returning.rows, plan.rows_delta) == (3, 2, -1)
    assert plan.leaving.size == sum(file.file_size for file in files_of(table))
    assert (plan.next_id, plan.schema_id, plan.missing_files) == (3, 0, ())
    assert plan.history == tuple(table.snapshots.get(i).reference for i in (2, 3, 4))


def test_changes_are_told_by_partition_the_largest_first() -> None:
    table = new_table({"p": "STRING", "v": "INT"}, partition=["p"], bucket="-1")
    put(table, ("a", 1))
    put(table, ("b", 1), ("b", 2), ("a", 3))
    plan = plan_rollback(table, 1)
    assert [(p.partition, p.rows_delta) for p in plan.partitions] == [("p=b", -2), ("p=a", -1)]


def test_a_file_that_cannot_come_back_blocks_the_rollback() -> None:
    table = make_table()
    (lost,) = [p for p in data_paths(table) if p.endswith(files_before(table, 1)[0])]
    table.io.delete(lost)
    plan = plan_rollback(table, 2)
    assert (plan.blockers, plan.missing_files) == (("missing-files",), (lost,))
    with pytest.raises(InvalidRequestError, match="blocked"):
        apply_rollback(table, plan)
    assert table.snapshots.latest_id() == 4


def files_before(table: Table, snapshot_id: int) -> list[str]:
    live = table.manifests.live_entries(table.snapshots.get(snapshot_id))
    return [entry.file.file_name for entry in live.entries()]


def test_consumers_writers_and_branches_beyond_the_target_are_named() -> None:
    table = make_table()
    table.consumers.put(Consumer("behind", 2))
    table.consumers.put(Consumer("ahead", 5))
    tag(table, "t3", 3)
    table.branches.create("later", from_tag="t3")
    newest = table.snapshots.latest()
    plan = plan_rollback(table, 1, now_millis=newest.time_millis + 1000)
    assert [(c.id, c.next_snapshot) for c in plan.consumers] == [("ahead", 5)]
    assert [w.user for w in plan.recent_writers] == ["tester"]
    assert plan.branches == ("later",)
    assert set(plan.warnings) == {"consumer-ahead", "recent-writer", "tags-removed", "branch-after-target"}


def test_consumers_beyond_the_target_read_on_from_the_next_commit_if_asked_for() -> None:
    table = make_table()
    for name, snapshot_id in (("behind", 2), ("ahead", 5)):
        table.consumers.put(Consumer(name, snapshot_id))
    apply_rollback(table, plan_rollback(table, 2), reset_consumers=True)
    assert {c.id: c.next_snapshot for c in table.consumers.list()} == {"behind": 2, "ahead": 3}


def test_a_writer_of_long_ago_is_not_recent() -> None:
    table = make_table()
    later = table.snapshots.latest().time_millis + 11 * 60 * 1000
    assert plan_rollback(table, 1, now_millis=later).recent_writers == ()


def test_the_table_is_again_as_it_was_and_ids_go_on_from_there() -> None:
    table = make_table()
    before = rows_of(table, snapshot_id=2)
    apply_rollback(table, plan_rollback(table, 2))
    assert rows_of(table) == before
    assert table.snapshots.ids() == [1, 2]
    assert table.io.read(f"{table.paths.snapshot_dir}/LATEST") == b"2"
    (snapshot,) = put(table, (9, "again"))
    assert snapshot.id == 3


def test_no_data_file_is_deleted() -> None:
    table = make_table()
    paths = data_paths(table)
    apply_rollback(table, plan_rollback(table, 1))
    assert data_paths(table) == paths


def test_schemas_stay() -> None:
    table = make_table()
    table.schemas.commit_changes([AddColumn(("n",), parse_type("INT"))], has_snapshots=True)
    apply_rollback(table.refreshed(), plan_rollback(table.refreshed(), 1))
    assert table.schemas.ids() == [0, 1]
    assert rows_of(table.refreshed()) == [(1, "a", None)]


def test_a_tag_is_a_target_and_later_tags_go() -> None:
    table = make_table()
    tag(table, "old", 1)
    tag(table, "new", 4)
    apply_rollback(table, plan_rollback(table, tag="old"))
    assert (table.snapshots.ids(), table.tags.names()) == ([1], ["old"])


def test_an_expired_target_is_written_again_from_its_tag() -> None:
    table = make_table()
    tag(table, "kept", 1)
    table.snapshots.delete(1)
    table.snapshots.write_earliest_hint(2)
    plan = plan_rollback(table, 1)
    assert (plan.restores_target_file, plan.target_tag) == (True, "kept")
    apply_rollback(table, plan)
    assert rows_of(table) == [(1, "a")]
    assert (table.snapshots.earliest_id(), table.snapshots.latest_id()) == (1, 1)


def test_a_guard_keeps_the_head_in_a_branch_and_the_target_in_a_tag() -> None:
    table = make_table()
    head = rows_of(table)
    apply_rollback(table, plan_rollback(table, 1), guard=Guard("guard-j-1"))
    assert rows_of(table.with_branch("guard-j-1")) == head
    assert table.tags.names() == ["guard-j-1-target"]


def test_a_plan_is_stale_once_the_table_has_moved() -> None:
    table = make_table()
    plan = plan_rollback(table, 1)
    put(table, (5, "e"))
    with pytest.raises(CommitConflictError, match="moved"):
        apply_rollback(table, plan)


def test_a_tag_that_is_younger_than_the_plan_is_not_removed() -> None:
    table = make_table()
    plan = plan_rollback(table, 1)
    tag(table, "release", 2)
    with pytest.raises(CommitConflictError, match="release"):
        apply_rollback(table, plan)
    assert table.tags.names() == ["release"]
    assert table.snapshots.latest_id() == 4


def test_a_commit_during_a_rollback_undoes_it() -> None:
    """By a writer that does not look back: it looked at the latest snapshot just before that went."""
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    for i in range(4):
        put(table, (i,))
    head = table.snapshots.get(4)

    def commit_on_top(done: int, total: int) -> None:
        if done == 1:
            table.snapshots.create(replace(head, id=5, uuid="theirs", delta_record_count=0))

    with pytest.raises(CommitConflictError, match="during the rollback"):
        apply_rollback(table, plan_rollback(table, 2), progress=commit_on_top)
    assert table.snapshots.ids() == [1, 2, 3, 4, 5]
    assert table.snapshots.latest_id() == 5
    assert check_table(table).findings == ()


def test_a_rollback_to_the_latest_changes_nothing() -> None:
    plan = plan_rollback(make_table(), 4)
    assert plan.changes_nothing
    assert (plan.leaving.count, plan.returning.count, plan.partitions) == (0, 0, ())


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"snapshot_id": 9}, NotFoundError),
        ({"tag": "none"}, NotFoundError),
        ({}, InvalidRequestError),
        ({"snapshot_id": 1, "tag": "old"}, InvalidRequestError),
    ],
)
def test_a_target_must_be_one_that_exists(how: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        plan_rollback(make_table(), **how)


def test_a_tag_of_history_that_was_rewound_is_no_target() -> None:
    table = make_table()
    stranger = table.snapshots.get(3)
    apply_rollback(table, plan_rollback(table, 2))
    put(table, (7, "other"))
    table.tags.create(Tag("stranger", stranger))
    with pytest.raises(InvalidRequestError, match="no longer part"):
        plan_rollback(table, tag="stranger")


def test_only_main_can_be_guarded() -> None:
    table = make_table()
    tag(table, "t", 4)
    table.branches.create("b", from_tag="t")
    branch = table.with_branch("b")
    put(branch, (8, "x"))
    plan = plan_rollback(branch, 4)
    with pytest.raises(UnsupportedError):
        apply_rollback(branch, plan, guard=Guard("g"))
    apply_rollback(branch, plan)
    assert branch.snapshots.latest_id() == 4
    assert table.snapshots.latest_id() == 4


DAMAGED_HEADS = {
    "missing_manifest_list": (6, "manifest-list-59e0987f"),
    "corrupt_manifest_list": (3, "manifest-list-12eccf4f"),
    "truncated_manifest": (3, "manifest-9eff90c6"),
}


def damaged_copy(tmp_path: Path, name: str) -> Table:
    shutil.copytree(CORPORA / "damaged" / "broken.db" / name, tmp_path / "broken.db" / name)
    return open_catalog(str(tmp_path)).get_data_table(f"broken.{name}")


@pytest.mark.parametrize("name", DAMAGED_HEADS)
def test_a_damaged_head_is_planned_as_unknown_and_named(name: str, tmp_path: Path) -> None:
    target, lost = DAMAGED_HEADS[name]
    plan = plan_rollback(damaged_copy(tmp_path, name), target)
    assert (plan.leaving, plan.returning, plan.rows_delta, plan.size_delta) == (None, None, None, None)
    assert (plan.partitions, plan.blockers) == ((), ())
    assert "head-damaged" in plan.warnings
    assert lost in str(plan.head_damage.fields["path"])


@pytest.mark.parametrize("name", DAMAGED_HEADS)
def test_a_rollback_repairs_a_table_whose_head_is_damaged(name: str, tmp_path: Path) -> None:
    table, (target, _) = damaged_copy(tmp_path, name), DAMAGED_HEADS[name]
    before = rows_of(table, snapshot_id=target)
    with pytest.raises(PaimonError):
        rows_of(table)
    apply_rollback(table, plan_rollback(table, target), guard=Guard("guard-j-1"))
    assert rows_of(table) == before
    assert table.with_branch("guard-j-1").snapshots.latest_id() == target + 1


def test_a_target_that_is_damaged_too_is_refused_by_name(tmp_path: Path) -> None:
    table = damaged_copy(tmp_path, "missing_manifest_list")
    lost = table.paths.manifest_file(table.snapshots.get(5).base_manifest_list)
    table.io.delete(lost)
    with pytest.raises(NotFoundError) as error:
        plan_rollback(table, 5)
    assert error.value.fields["path"] == lost


def test_under_a_damaged_head_each_file_of_the_target_must_be_there(tmp_path: Path) -> None:
    """Also one that the head has, too, as far as anybody can tell."""
    table = damaged_copy(tmp_path, "missing_manifest_list")
    needed = {path for path in data_paths(table) if path.rpartition("/")[2] in files_before(table, 6)}
    lost = max(needed)
    table.io.delete(lost)
    plan = plan_rollback(table, 6)
    assert (plan.blockers, plan.missing_files) == (("missing-files",), (lost,))


def test_under_a_damaged_head_a_lost_schema_of_the_target_is_refused() -> None:
    table = make_table()
    table.schemas.commit_changes([AddColumn(("n",), parse_type("INT"))], has_snapshots=True)
    table = table.refreshed()
    (head,) = put(table, (5, "e", 5))
    table.io.delete(table.paths.manifest_file(head.delta_manifest_list))
    table.io.delete(table.paths.schema_file(0))
    with pytest.raises(NotFoundError, match="schema_id=0"):
        plan_rollback(table.refreshed(), 4)


def test_under_a_damaged_head_index_files_of_the_target_must_be_there(tmp_path: Path) -> None:
    table = damaged_copy(tmp_path, "garbage_dv_index")
    head = table.snapshots.latest()
    (index, *_) = table.manifests.index_entries(table.snapshots.get(head.id - 1))
    table.io.delete(table.paths.manifest_file(head.delta_manifest_list))
    table.io.delete(table.paths.index_file(index.file_name))
    assert plan_rollback(table, head.id - 1).missing_files == (table.paths.index_file(index.file_name),)


def expire(table: Table) -> None:
    """All snapshots but the latest go."""
    now = later(table)
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=now, retain_min=1))


def test_nothing_is_removed_if_the_target_has_expired_since_the_plan() -> None:
    table = keyed()
    plan = plan_rollback(table, 2)
    expire(table)
    with pytest.raises(CommitConflictError, match="the target has expired"):
        apply_rollback(table, plan)
    assert table.snapshots.ids() == [6]


def test_a_target_that_only_a_tag_held_stays_expired_if_the_tag_has_gone() -> None:
    table = keyed()
    tag(table, "v2", 2)
    expire(table)
    plan = plan_rollback(table, tag="v2")
    table.tags.delete("v2")
    with pytest.raises(CommitConflictError, match="the target has expired"):
        apply_rollback(table, plan)
    assert table.snapshots.ids() == [6]


@pytest.mark.parametrize("at", ["snapshot-6", "snapshot-4", "snapshot-3"])
def test_an_expiration_that_takes_the_target_meanwhile_leaves_the_latest_snapshot(at: str) -> None:
    table = keyed()
    rows, plan = rows_of(table), plan_rollback(table, 2)
    io = RacingFileIO(table.io, "delete", at, lambda: [table.snapshots.delete(i) for i in (1, 2)])
    with pytest.raises(CommitConflictError, match="the target has expired"):
        apply_rollback(seen_through(table, io), plan)
    assert table.snapshots.latest_id() == 6
    assert rows_of(table) == rows
    assert is_whole(table)
