"""Old snapshots go with the files that only they need. Spec: 08, 6 and 7."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.io import LocalFileIO
from core.maintenance.expire import ExpirePlan, apply_expire_snapshots, kept_from, plan_expire_snapshots
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import Consumer
from core.table import Table
from tests.core.maintenance.tables import (
    checked,
    corpus,
    everything,
    files,
    is_clean,
    keyed,
    later,
    tag,
)
from tests.crashes import seen_through
from tests.faults import RacingFileIO
from tests.tables import compact, new_table, put, rows_of


def plan(table: Table, **how: int) -> ExpirePlan:
    return plan_expire_snapshots(table, **{"now_millis": later(table), "retain_min": 1, **how})


def test_the_plan_names_what_goes_and_touches_nothing() -> None:
    table = keyed()
    before = files(table)
    found = plan(table)
    assert ([s.id for s in found.expired], found.first_kept) == ([1, 2, 3, 4, 5], 6)
    assert {total.role.value: total.count for total in found.files.totals}["data"] == 2
    assert (files(table), table.snapshots.ids()) == (before, [1, 2, 3, 4, 5, 6])


def test_what_the_rules_keep_is_what_a_plan_without_a_limit_keeps() -> None:
    table = keyed(snapshot__num_retained__min="1", snapshot__expire__limit="2")
    now, times = later(table), {i: table.snapshots.get(i).time_millis for i in table.snapshots.ids()}
    assert plan_expire_snapshots(table, now_millis=now).first_kept == 3
    assert kept_from(table, now_millis=now, time_of=times.get) == (6, None)
    table.consumers.put(Consumer("c", 4))
    assert kept_from(table, now_millis=now, time_of=times.get) == (4, 4)
    assert kept_from(table, now_millis=now - 3 * 3_600_000, time_of=times.get) == (1, 4)


def test_what_is_left_is_whole_and_nothing_is_left_over() -> None:
    table = keyed()
    rows, planned = rows_of(table), plan(table)
    gone = apply_expire_snapshots(table, planned)
    assert gone.names.to_pylist() == planned.files.names.to_pylist()
    assert table.snapshots.ids() == [6]
    assert table.io.read(f"{table.paths.snapshot_dir}/EARLIEST") == b"6"
    assert rows_of(table) == rows
    assert is_clean(checked(table))


def test_a_file_that_was_only_moved_to_another_level_stays() -> None:
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    put(table, (1,))
    before = {path for path in files(table) if "bucket-" in path}
    compact(table)
    apply_expire_snapshots(table, plan(table))
    assert {path for path in files(table) if "bucket-" in path} == before
    assert rows_of(table) == [(1,)]


def test_a_tag_keeps_its_files() -> None:
    table = keyed()
    tag(table, "v2", 2)
    before = rows_of(table, tag="v2")
    apply_expire_snapshots(table, plan(table))
    assert rows_of(table, tag="v2") == before
    assert is_clean(checked(table))


def test_a_branch_keeps_its_files_even_without_the_tag_that_it_came_from() -> None:
    table = keyed()
    tag(table, "v2", 2)
    table.branches.create("dev", from_tag="v2")
    table.tags.delete("v2")
    before = rows_of(table.with_branch("dev"))
    apply_expire_snapshots(table, plan(table))
    assert rows_of(table.with_branch("dev")) == before
    assert is_clean(checked(table))


def test_the_snapshots_of_a_branch_expire_by_themselves() -> None:
    table = keyed()
    tag(table, "v2", 2)
    table.branches.create("dev", from_tag="v2")
    branch = table.with_branch("dev")
    put(branch, (7, "b"))
    before = everything(table)
    apply_expire_snapshots(branch, plan(branch))
    assert branch.snapshots.ids() == [3]
    assert everything(table) == {name: rows for name, rows in before.items() if name != "dev/2"}
    assert is_clean(checked(table))


def test_a_consumer_holds_what_it_still_reads_and_is_named() -> None:
    table = keyed()
    table.consumers.put(Consumer("slow", 3))
    found = plan(table)
    assert [s.id for s in found.expired] == [1, 2]
    assert [(n.code, dict(n.fields)) for n in found.warnings] == [
        ("consumer-holds", {"consumer": "slow", "next_snapshot": 3})
    ]


def test_a_consumer_that_comes_after_the_plan_is_not_robbed() -> None:
    table = keyed()
    found = plan(table)
    table.consumers.put(Consumer("new", 1))
    with pytest.raises(CommitConflictError, match="consumer"):
        apply_expire_snapshots(table, found)
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]


def test_a_tag_made_after_the_plan_keeps_its_files() -> None:
    table = keyed()
    found = plan(table)
    tag(table, "v2", 2)
    before = rows_of(table, tag="v2")
    apply_expire_snapshots(table, found)
    assert rows_of(table, tag="v2") == before
    assert is_clean(checked(table))


def test_what_the_limit_leaves_is_told() -> None:
    found = plan(keyed(), max_deletes=2)
    assert [s.id for s in found.expired] == [1, 2]
    assert [(n.code, dict(n.fields)) for n in found.warnings] == [("limit-reached", {"limit": 2, "left": 3})]


def test_options_of_the_table_decide_where_nothing_else_is_said() -> None:
    table = keyed(snapshot__num_retained__min="4", snapshot__time_retained="1 h")
    assert plan_expire_snapshots(table, now_millis=later(table)).first_kept == 3
    assert plan_expire_snapshots(table, now_millis=later(table, 0)).changes_nothing


def test_nothing_to_expire_still_writes_the_hint() -> None:
    table = keyed()
    apply_expire_snapshots(table, plan(table, retain_min=6))
    assert table.io.read(f"{table.paths.snapshot_dir}/EARLIEST") == b"1"
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]


def test_an_empty_table_has_nothing_to_expire() -> None:
    table = new_table({"id": "INT"}, bucket="-1")
    found = plan_expire_snapshots(table, now_millis=0)
    assert found.changes_nothing
    assert len(apply_expire_snapshots(table, found)) == 0


def test_a_rollback_makes_the_plan_stale() -> None:
    table = keyed()
    found = plan(table)
    apply_rollback(table, plan_rollback(table, 2))
    with pytest.raises(CommitConflictError, match="rolled back"):
        apply_expire_snapshots(table, found)


def test_a_plan_carried_out_twice_does_no_harm() -> None:
    """So one that was interrupted is finished by applying it again."""
    table = keyed()
    found = plan(table)
    apply_expire_snapshots(table, found)
    apply_expire_snapshots(table, found)
    assert is_clean(checked(table))


def test_what_stays_and_cannot_be_read_blocks_it_by_name() -> None:
    table = keyed()
    lost = table.paths.manifest_file(table.snapshots.latest().base_manifest_list)
    table.io.delete(lost)
    found = plan(table)
    assert [(n.code, n.fields["path"]) for n in found.blockers] == [("unreadable-reference", lost)]
    with pytest.raises(InvalidRequestError, match="unreadable-reference"):
        apply_expire_snapshots(table, found)
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]


def test_a_damaged_tag_blocks_it() -> None:
    table = keyed()
    table.io.write(table.paths.tag_file("bad"), b"{")
    assert [n.code for n in plan(table).blockers] == ["unreadable-reference"]


def test_what_goes_and_cannot_be_read_is_a_warning() -> None:
    table = keyed()
    damaged = table.paths.manifest_file(table.snapshots.get(2).delta_manifest_list)
    table.io.write(damaged, b"no list")
    found = plan(table)
    assert ("unreadable-metadata", damaged) in [(n.code, n.fields["path"]) for n in found.warnings]
    apply_expire_snapshots(table, found)
    assert checked(table).findings == ()


def test_empty_directories_go_where_the_table_wants_it(tmp_path: Path) -> None:
    columns = {"p": "STRING", "v": "INT"}
    table = new_table(
        columns,
        partition=["p"],
        io=LocalFileIO(),
        warehouse=str(tmp_path),
        bucket="-1",
        snapshot__clean_empty_directories="true",
    )
    put(table, ("a", 1), ("b", 2))
    TableCommit(table, "tester").overwrite([], {"p": "a"})
    apply_expire_snapshots(table, plan(table))
    assert sorted(path.name for path in (tmp_path / "db.db" / "t").glob("p=*")) == ["p=b"]


def test_changelog_files_go_with_their_snapshot() -> None:
    table = corpus("java09/changelog.db/input")
    before = [path for path in files(table) if "/changelog-" in path]
    apply_expire_snapshots(table, plan(table))
    after = [path for path in files(table) if "/changelog-" in path]
    assert len(after) < len(before)
    assert is_clean(checked(table))


def test_changelogs_that_live_longer_are_kept_with_their_files() -> None:
    longer = {"changelog.num-retained.max": "1000", "changelog.num-retained.min": "1000"}
    table = corpus("java09/changelog.db/input").with_options(longer)
    changes = [path for path in files(table) if "/changelog-" in path]
    found = plan(table)
    assert found.becomes_changelog
    apply_expire_snapshots(table, found)
    assert table.changelogs.ids() == [s.id for s in found.expired]
    assert [path for path in files(table) if "/changelog-" in path] == changes
    assert table.changelogs.hint_report().is_sound
    assert is_clean(checked(table))


def test_without_a_producer_the_added_files_are_the_changelog() -> None:
    table = keyed(changelog__num_retained__min="100", changelog__num_retained__max="100")
    deltas = [table.manifests.delta_entries(table.snapshots.get(i)) for i in (1, 2, 4)]
    added = {entry.file.file_name for delta in deltas for entry in delta.entries()}
    apply_expire_snapshots(table, plan(table))
    assert table.changelogs.ids() == [1, 2, 3, 4, 5]
    assert {name.rpartition("/")[2] for name in files(table)} >= added
    assert is_clean(checked(table))


def test_deletion_vectors_go_with_the_last_snapshot_that_has_them() -> None:
    table = corpus("java09/dv.db/append_dv")
    rows, before = rows_of(table), len(files(table))
    apply_expire_snapshots(table, plan(table))
    assert (rows_of(table), len(files(table)) < before) == (rows, True)
    assert is_clean(checked(table))


@pytest.mark.parametrize("at", ["snapshot-1", "snapshot-3", "EARLIEST"])
def test_a_rollback_meanwhile_ends_an_expiration_before_a_file_goes(at: str) -> None:
    table = keyed()
    planned, data = plan(table), {path for path in files(table) if "/bucket-" in path}

    def rewind() -> None:
        for snapshot_id in (6, 5):
            table.snapshots.delete(snapshot_id)

    operation = "write" if at == "EARLIEST" else "delete"
    io = RacingFileIO(table.io, operation, at, rewind)
    with pytest.raises(CommitConflictError, match="rolled back"):
        apply_expire_snapshots(seen_through(table, io), planned)
    assert {path for path in files(table) if "/bucket-" in path} == data
