"""A commit below a gap closes it and is in no later snapshot: `check_table` tells the two histories apart."""

from __future__ import annotations

from core.maintenance.check import FindingKind, check_table
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.table import Table
from tests.tables import data_paths, new_table, put


def of_two_histories() -> tuple[Table, str]:
    """Snapshot 3 was lost and another commit took its id; and a data file that only 4 and 5 hold."""
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    put(table, (1,))
    put(table, (2,))
    before = data_paths(table)
    put(table, (3,))
    [only_of_the_old] = data_paths(table) - before
    put(table, (4,))
    put(table, (5,))
    table.snapshots.delete(3)
    table.snapshots.write_hint(2)
    assert [snapshot.id for snapshot in put(table, (6,), (7,))] == [3]
    table.snapshots.write_hint(5)  # as the next commit would leave it
    return table, only_of_the_old


def test_the_snapshot_that_does_not_continue_the_one_before_is_named() -> None:
    table, _ = of_two_histories()
    assert table.snapshots.hint_report().is_sound
    [finding] = check_table(table).findings
    assert (finding.kind, finding.path) == (FindingKind.WRONG_CONTENT, "snapshot/snapshot-4")
    assert "does not continue snapshot 3" in finding.problem
    assert (finding.expected, finding.found) == ("5 rows in files", "4")


def test_files_that_only_the_other_history_holds_are_looked_at_too() -> None:
    table, only_of_the_old = of_two_histories()
    table.io.delete(only_of_the_old)
    missing = [f for f in check_table(table).findings if f.kind is FindingKind.MISSING]
    assert [only_of_the_old.endswith(finding.path) for finding in missing] == [True]


def test_ids_used_again_after_a_rollback_are_one_history() -> None:
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    for i in range(4):
        put(table, (i,))
    apply_rollback(table, plan_rollback(table, 2))
    put(table, (8,), (9,))
    assert check_table(table).findings == ()
