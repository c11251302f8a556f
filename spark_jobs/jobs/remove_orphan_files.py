"""`remove-orphan-files`: delete files that nothing reaches, by the driver or in batches by the executors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core import Table
from core.cli.targets import epoch_millis
from core.jobs import Where
from core.maintenance.reach import Progress, delete_files
from core.maintenance.remove_orphans import OrphanPlan, apply_remove_orphans, plan_remove_orphans
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, nothing_lost

_BATCH = 1000  # files that a task deletes


@dataclass(frozen=True, slots=True)
class _Delete:
    """Deletes a batch of files in an executor; those that are gone already are passed over."""

    table: Table

    def __call__(self, paths: Sequence[str]) -> int:
        delete_files(self.table, paths)
        return len(paths)


def _plan(run: Run) -> OrphanPlan:
    return plan_remove_orphans(
        run.table,
        now_millis=run.now_millis,
        older_than_millis=epoch_millis(run.work.older_than),
        external_paths=run.work.external_paths,
    )


def _apply(run: Run, plan: OrphanPlan) -> Outcome:
    def by_executors(table: Table, paths: Sequence[str], progress: Progress) -> None:
        batches = [paths[start : start + _BATCH] for start in range(0, len(paths), _BATCH)]
        run.executors.map(_Delete(table), batches, "delete", "batches of files")

    delete = by_executors if run.work.mode is Where.DISTRIBUTED else delete_files
    gone = apply_remove_orphans(run.table, plan, progress=run.told("delete", "files"), delete=delete)
    return Outcome(metrics={"files_deleted": len(gone), "bytes_deleted": gone.size}, deleted=gone)


def _verify(run: Run, plan: OrphanPlan, outcome: Outcome) -> Facts:
    """No reader of anything that is there comes across a file that was deleted."""
    return nothing_lost(run.table_now(), outcome.deleted)


REMOVE_ORPHAN_FILES = Job(plan=_plan, apply=_apply, verify=_verify, commits=False)
