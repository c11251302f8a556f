"""`remove-orphan-files`: delete files that nothing reaches, by the driver or in batches by the executors.

The executors list folders of buckets, some hundreds a task, and delete what the driver has found that
nothing reaches. The driver holds the names of a million files at once, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core import Table
from core.cli.targets import epoch_millis
from core.jobs import Where
from core.maintenance.orphan_places import OrphanFolder, old_files, split_by_bucket
from core.maintenance.reach import NamedFiles, Progress, delete_files
from core.maintenance.remove_orphans import OrphanPlan, apply_remove_orphans, plan_remove_orphans
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, nothing_lost

T = TypeVar("T")

_BATCH = 1000  # files that a task deletes
_FOLDERS = 50  # that a task lists
_TASKS = 200  # of a listing at once: their answers are held together


@dataclass(frozen=True, slots=True)
class _Delete:
    """Deletes a batch of files in an executor; those that are gone already are passed over."""

    table: Table

    def __call__(self, paths: Sequence[str]) -> int:
        delete_files(self.table, paths)
        return len(paths)


@dataclass(frozen=True, slots=True)
class _List:
    """Lists folders in an executor; only the old files come back."""

    table: Table
    limit_millis: int

    def __call__(self, folders: Sequence[OrphanFolder]) -> NamedFiles:
        return NamedFiles.joined(old_files(self.table, folders, self.limit_millis))


def _plan(run: Run) -> OrphanPlan:
    def by_executors(table: Table, roots: Sequence[OrphanFolder], limit_millis: int) -> Iterator[NamedFiles]:
        batches = _batches(split_by_bucket(table, roots), _FOLDERS)
        for some in _batches(batches, _TASKS):
            yield from run.executors.map(_List(table, limit_millis), some, "list", "batches of folders")

    return plan_remove_orphans(
        run.table,
        now_millis=run.now_millis,
        older_than_millis=epoch_millis(run.work.older_than),
        external_paths=run.work.external_paths,
        listed=by_executors if run.work.mode is Where.DISTRIBUTED else old_files,
    )


def _batches(parts: Sequence[T], size: int) -> list[Sequence[T]]:
    return [parts[start : start + size] for start in range(0, len(parts), size)]


def _apply(run: Run, plan: OrphanPlan) -> Outcome:
    def by_executors(table: Table, paths: Sequence[str], progress: Progress) -> None:
        run.executors.map(_Delete(table), _batches(paths, _BATCH), "delete", "batches of files")

    delete = by_executors if run.work.mode is Where.DISTRIBUTED else delete_files
    gone = apply_remove_orphans(run.table, plan, progress=run.told("delete", "files"), delete=delete)
    return Outcome(metrics={"files_deleted": len(gone), "bytes_deleted": gone.size}, deleted=gone)


def _verify(run: Run, plan: OrphanPlan, outcome: Outcome) -> Facts:
    """No reader of anything that is there comes across a file that was deleted."""
    return nothing_lost(run.table_now(), outcome.deleted)


REMOVE_ORPHAN_FILES = Job(plan=_plan, apply=_apply, verify=_verify, commits=False)
