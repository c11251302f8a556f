"""Manifests become few, and the live files stay the same. Spec: 08, 16."""

from __future__ import annotations

from core.maintenance.compact_manifests import apply_compact_manifests, plan_compact_manifests
from core.snapshot import CommitKind
from core.table import Table
from tests.tables import compact, files_of, new_table, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}


def of_many_commits(**options: str) -> Table:
    table = new_table(ID_V, ["id"], **options)
    for i in range(5):
        put(table, (i % 3, str(i)))
    compact(table)
    return table


def test_a_plan_tells_what_would_be_rewritten_and_changes_nothing() -> None:
    table = of_many_commits()
    plan = plan_compact_manifests(table)
    assert (plan.manifests, len(plan.rewritten), plan.deleted_entries) == (6, 6, 5)
    assert plan.rewritten_bytes == plan.manifest_bytes > 0
    assert table.snapshots.latest_id() == 6


def test_the_live_files_and_rows_stay() -> None:
    table = of_many_commits()
    files, rows = files_of(table), rows_of(table)
    snapshot = apply_compact_manifests(table, plan_compact_manifests(table), "me")
    assert snapshot is not None
    assert (snapshot.commit_kind, snapshot.delta_record_count) == (CommitKind.COMPACT, 0)
    assert len(table.manifests.manifests(snapshot)) == 1
    assert (files_of(table), rows_of(table)) == (files, rows)


def test_what_is_compacted_is_left_alone() -> None:
    table = of_many_commits()
    apply_compact_manifests(table, plan_compact_manifests(table), "me")
    plan = plan_compact_manifests(table)
    assert plan.is_empty
    assert apply_compact_manifests(table, plan, "me") is None


def test_manifests_of_several_target_sizes_are_left_alone_too() -> None:
    table = of_many_commits(manifest__target_file_size="1 kb")
    for i in range(30):
        put(table, (i, "x"))
    apply_compact_manifests(table, plan_compact_manifests(table), "me")
    assert plan_compact_manifests(table).is_empty


def test_a_table_without_snapshots_has_nothing_to_do() -> None:
    table = new_table(ID_V, ["id"])
    plan = plan_compact_manifests(table)
    assert (plan.snapshot, plan.is_empty) == (None, True)
    assert apply_compact_manifests(table, plan, "me") is None


def test_a_commit_in_between_is_kept() -> None:
    table = of_many_commits()
    plan = plan_compact_manifests(table)
    put(table, (9, "between"))
    apply_compact_manifests(table, plan, "me")
    assert (9, "between") in rows_of(table)
