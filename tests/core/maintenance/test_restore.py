"""An old state is committed again, and nothing is lost. Spec: 08, 10."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.rescale import apply_rescale, plan_rescale
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import CommitKind, Snapshot
from core.table import Table
from core.write import CommitMessage
from tests.core.maintenance.tables import (
    checked,
    corpus,
    deleted_yet_live,
    everything,
    is_clean,
    keyed,
    later,
    tag,
)
from tests.tables import copy, data_paths, new_table, prepare, put, rows_of


def restore(table: Table, snapshot_id: int | None = None, tag: str | None = None) -> Snapshot:
    return apply_restore(table, plan_restore(table, snapshot_id, tag, now_millis=0), "restorer")


@pytest.mark.parametrize("snapshot_id", [1, 2, 3, 5])
def test_the_table_reads_as_it_did_and_the_past_stays(snapshot_id: int) -> None:
    table = keyed()
    before = everything(table)
    made = restore(table, snapshot_id)
    assert (made.id, made.commit_kind) == (7, CommitKind.OVERWRITE)
    assert rows_of(table) == before[f"main/{snapshot_id}"]
    assert {root: rows for root, rows in everything(table).items() if root in before} == before
    assert checked(table).findings == ()


def test_the_plan_tells_what_leaves_and_what_comes_back() -> None:
    plan = plan_restore(keyed(), 2, now_millis=0)
    (change,) = plan.change.partitions
    assert (change.leaving.count, change.returning.count) == (4, 2)
    assert (plan.makes_tag, plan.blockers) == (True, ())


def test_what_came_back_outlives_the_snapshots_that_had_it() -> None:
    table = keyed()
    restore(table, 2)
    expected = rows_of(table)
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=1)
    apply_expire_snapshots(table, plan)
    assert (table.snapshots.ids(), rows_of(table)) == ([7], expected)
    table.tags.delete(table.tags.names()[0])
    put(table, (9, "more"))
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    assert checked(table).findings == ()


def test_a_tag_of_a_snapshot_that_is_gone_can_be_restored() -> None:
    table = keyed()
    tag(table, "v2", 2)
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    restore(table, tag="v2")
    assert rows_of(table) == rows_of(table, tag="v2")
    assert table.tags.names() == ["v2"]
    assert is_clean(checked(table))


def test_no_manifest_says_that_what_came_back_was_deleted() -> None:
    table, rows = keyed(), rows_of(keyed(), snapshot_id=2)
    restore(table, 2)
    assert deleted_yet_live(table) == set()
    put(table, (9, "since"))
    assert (deleted_yet_live(table), rows_of(table)) == (set(), sorted([*rows, (9, "since")], key=repr))


def test_the_latest_needs_no_restoring() -> None:
    table = keyed()
    assert plan_restore(table, 6, now_millis=0).changes_nothing
    assert restore(table, 6).id == 6
    assert table.tags.names() == []


def test_files_that_are_lost_forbid_it() -> None:
    table = keyed()
    for path in data_paths(table):
        table.io.delete(path)
    plan = plan_restore(table, 2, now_millis=0)
    assert [(n.code, n.fields["files"]) for n in plan.blockers] == [("missing-files", 2)]
    with pytest.raises(InvalidRequestError, match="missing-files"):
        apply_restore(table, plan, "restorer")


def test_a_plan_is_stale_once_the_table_has_moved() -> None:
    table = keyed()
    plan = plan_restore(table, 2, now_millis=0)
    put(table, (9, "late"))
    with pytest.raises(CommitConflictError, match="moved"):
        apply_restore(table, plan, "restorer")
    assert table.tags.names() == []


def test_a_rollback_goes_to_the_last_snapshot_up_to_a_time() -> None:
    table = keyed()
    fourth, fifth = table.snapshots.get(4), table.snapshots.get(5)
    plan = plan_rollback(table, timestamp_millis=fourth.time_millis)
    assert plan.target.id == (4 if fifth.time_millis > fourth.time_millis else plan.target.id)
    assert plan.target.time_millis <= fourth.time_millis
    apply_rollback(table, plan)
    assert table.snapshots.latest_id() == plan.target.id


def test_a_rollback_to_before_everything_is_refused() -> None:
    table = keyed()
    for how in ({"timestamp_millis": 5}, {"watermark": 5}):
        with pytest.raises(NotFoundError, match="later"):
            plan_rollback(table, **how)


@pytest.mark.parametrize("name", ["append_dv", "pk_dv"])
def test_deletion_vectors_come_back_with_their_files(name: str) -> None:
    table = corpus(f"java09/dv.db/{name}")
    before = everything(table)
    for snapshot_id in table.snapshots.ids():
        restore(table, snapshot_id)
        assert rows_of(table) == before[f"main/{snapshot_id}"], snapshot_id
    assert checked(table).findings == ()


@pytest.mark.parametrize("keys", [["id"], []])
def test_a_state_of_before_a_rescale_comes_back_with_its_buckets(keys: list[str]) -> None:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, keys, bucket="2", bucket_key="id")
    put(table, *[(i, f"a{i}") for i in range(20)])
    put(table, *[(i, f"b{i}") for i in range(20, 40)])
    expected = rows_of(table)
    apply_rescale(table, plan_rescale(table, 3), "scaler")
    restore(table.refreshed(), 2)
    assert rows_of(table.refreshed()) == expected
    assert checked(table).findings == ()
    with pytest.raises(InvalidRequestError, match="another number of buckets"):
        put(table.refreshed(), (99, "c"))


KEYED, APPEND = {"id": "INT NOT NULL", "v": "INT"}, {"id": "INT", "v": "INT"}
ENGINES: tuple[tuple[str, dict[str, str]], ...] = (
    ("deduplicate", {}),
    ("partial-update", {}),
    ("aggregation", {"fields__v__aggregate_function": "sum"}),
    ("first-row", {"write_only": "false"}),  # whose rows are read once they are compacted
)
# Of a table whose keys lie across its partitions, `v` is the partition: a row that changes it moves.
MODES: dict[str, dict[str, Any]] = {
    "fixed": {"bucket": "2"},
    "dynamic": {"bucket": "-1"},
    "cross-partition": {"bucket": "-1", "partition": ["v"]},
    "postpone": {"bucket": "-2"},
}
EVERY_KIND = [
    pytest.param(KEYED, ["id"], {"merge_engine": engine, **more, **mode}, id=f"{engine} {name}")
    for name, mode in MODES.items()
    for engine, more in ENGINES
]
APPENDS = [
    pytest.param(APPEND, [], {"bucket": "-1"}, id="append unaware"),
    pytest.param(APPEND, [], {"bucket": "2", "bucket_key": "id"}, id="append fixed"),
]


def add(table: Table, *rows: tuple[Any, ...]) -> None:
    """One commit; to a table of postponed buckets, which we do not write, as Java Paimon leaves them.

    Its rows are in real buckets, and once more in a file that waits for the next compaction.
    """
    if table.schema.options["bucket"] != "-2":
        put(table, *rows)
        return
    fixed = copy(table)
    path = table.paths.schema_file(0)
    fixed.io.write(path, fixed.io.read(path).replace(b'"-2"', b'"2"'))
    settled, late = prepare(fixed, rows), prepare(fixed, rows)
    waiting = [replace(m, bucket=-2, total_buckets=-2, compact_before=(), compact_after=()) for m in late]
    for message in settled:
        _bring(fixed, table, message, message.bucket)
    for message, moved in zip(late, waiting, strict=True):
        _bring(fixed, table, message, moved.bucket)
    TableCommit(table, "java").commit([*settled, *waiting])


def _bring(source: Table, table: Table, message: CommitMessage, bucket: int) -> None:
    for file in (*message.new_files, *message.compact_after):
        content = source.io.read(source.paths.data_file("", message.bucket, file))
        table.io.write(table.paths.data_file("", bucket, file), content)


def live(table: Table) -> set[tuple[int, str]]:
    entries = table.manifests.live_entries(table.snapshots.latest()).entries()
    return {(entry.bucket, entry.file.file_name) for entry in entries}


@pytest.mark.parametrize(("columns", "key", "options"), [*EVERY_KIND, *APPENDS])
@pytest.mark.parametrize("later_commits", [0, 2])
def test_a_guarded_rollback_is_undone_from_its_branch(
    columns: dict[str, str], key: list[str], options: dict[str, Any], later_commits: int
) -> None:
    table = new_table(columns, key, **options)
    add(table, (1, 1), (2, 1))
    add(table, (2, 5), (3, 5))
    add(table, (1, 7), (4, 7))
    before, files = rows_of(table), live(table)
    assert {row[0] for row in before} == {1, 2, 3, 4}
    apply_rollback(table, plan_rollback(table, 1), guard=Guard("guard-j-1"))
    for value in range(later_commits):
        add(table, (5 + value, 1), (1, value))
    rolled = table.snapshots.latest_id()
    plan = plan_restore(table, branch="guard-j-1", now_millis=0)
    made = apply_restore(table, plan, "restorer")
    assert (made.id - 1, rows_of(table), live(table)) == (rolled, before, files)
    table.branches.delete("guard-j-1")
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    assert rows_of(table) == before


def test_a_branch_that_moved_since_the_plan_is_not_restored() -> None:
    table = keyed()
    apply_rollback(table, plan_rollback(table, 3), guard=Guard("g"))
    plan = plan_restore(table, branch="g", now_millis=0)
    put(table.with_branch("g"), (9, "on the branch"))
    with pytest.raises(CommitConflictError, match="branch has moved"):
        apply_restore(table, plan, "restorer")
    assert "restore" not in str(table.tags.names())


def test_a_target_is_told_in_one_way() -> None:
    with pytest.raises(InvalidRequestError, match="exactly one"):
        plan_restore(keyed(), 1, branch="g", now_millis=0)
