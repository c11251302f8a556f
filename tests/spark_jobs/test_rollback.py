"""The rollback job; it needs no Spark."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.errors import CommitConflictError
from core.io import LocalFileIO
from core.jobs import JobSpec, Progress, RollbackJob
from core.maintenance import plan_rollback
from core.snapshot import Consumer
from core.table import Table
from spark_jobs.jobs import rollback
from tests.faults import Died, FaultyFileIO
from tests.spark_jobs.conftest import Recorded
from tests.tables import new_table, put, rows_of


def make_table(folder: Path) -> Table:
    table = new_table({"id": "INT NOT NULL"}, ["id"], io=LocalFileIO(), warehouse=str(folder))
    for i in range(4):
        put(table, (i,))
    return table


def run(folder: Path, work: RollbackJob, reporter: Recorded):
    return rollback.run(JobSpec("j-9", {"warehouse": str(folder)}, "db.t", work), reporter)


def test_the_table_stands_at_the_target_and_the_head_in_a_branch(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    result = run(tmp_path, RollbackJob(snapshot=2), reporter)
    assert rows_of(table) == [(0,), (1,)]
    assert result.latest == table.snapshots.latest().reference
    assert result.metrics["snapshots_removed"] == 2
    assert rows_of(table.with_branch(result.details["guard_branch"])) == [(0,), (1,), (2,), (3,)]
    removed = [(p.done, p.total) for p in reporter.lines if isinstance(p, Progress) and p.phase == "rollback"]
    assert removed == [(1, 2), (2, 2)]


def test_a_damaged_head_is_named_in_the_log_and_rolled_back(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    lost = table.paths.manifest_file(table.snapshots.latest().delta_manifest_list)
    table.io.delete(lost)
    result = run(tmp_path, RollbackJob(snapshot=3), reporter)
    assert rows_of(table) == [(0,), (1,), (2,)]
    assert result.metrics == {"snapshots_removed": 1, "tags_removed": 0}
    assert any(lost in str(line) for line in reporter.lines)


def test_commits_that_were_not_confirmed_are_not_removed(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    history = plan_rollback(table, 2).history
    put(table, (9,))
    with pytest.raises(CommitConflictError, match="moved"):
        run(tmp_path, RollbackJob(snapshot=2, history=history), reporter)
    assert table.snapshots.latest_id() == 5


def test_a_retry_finishes_what_was_cut_short(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    plan = plan_rollback(table, 1)
    dying = FaultyFileIO(table.io, 2, done=True)  # LATEST, then one snapshot, then another
    with pytest.raises(Died):
        rollback.apply_rollback(Table(dying, table.location, table.identifier), plan)
    assert table.snapshots.latest_id() == 2
    result = run(tmp_path, RollbackJob(snapshot=1, history=plan.history), reporter)
    assert rows_of(table) == [(0,)]
    assert result.metrics["snapshots_removed"] == 1


def test_consumers_are_moved_by_a_run_that_goes_on_with_one_that_died_before(
    tmp_path: Path, reporter: Recorded
) -> None:
    table = make_table(tmp_path)
    table.consumers.put(Consumer("ahead", 5))
    rollback.apply_rollback(table, plan_rollback(table, 2))
    result = run(tmp_path, RollbackJob(snapshot=2, guard=False, reset_consumers=True), reporter)
    assert result.metrics["consumers_reset"] == 1
    assert table.consumers.get("ahead").next_snapshot == 3


def test_what_comes_after_a_finished_rollback_stays_when_it_is_run_again(
    tmp_path: Path, reporter: Recorded
) -> None:
    table = make_table(tmp_path)
    run(tmp_path, RollbackJob(snapshot=2), reporter)
    assert run(tmp_path, RollbackJob(snapshot=2), reporter).metrics["snapshots_removed"] == 0
    time.sleep(0.002)
    put(table, (9,))
    with pytest.raises(CommitConflictError, match="since the job rolled it back"):
        run(tmp_path, RollbackJob(snapshot=2), reporter)
    assert rows_of(table) == [(0,), (1,), (9,)]


def test_a_guarded_run_that_was_cut_short_is_gone_on_with(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    plan = plan_rollback(table, 1)
    rollback.apply_rollback(table, plan, guard=rollback.Guard("guard-j-9"))
    for snapshot in plan.removed_snapshots[:2]:  # as if one alone had gone
        table.snapshots.create(snapshot)
    table.snapshots.write_hint(3)
    result = run(tmp_path, RollbackJob(snapshot=1), reporter)
    assert (rows_of(table), result.metrics["snapshots_removed"]) == ([(0,)], 2)
