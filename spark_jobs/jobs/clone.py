"""`clone`: copy a table as of one snapshot into a new table, batches of files a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core import open_catalog
from core.catalog import FileSystemCatalog
from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.io import FileIO
from core.maintenance.check import Severity, check_table
from core.maintenance.clone import ClonePlan, FileCopy, copy_file, finish_clone, plan_clone
from core.maintenance.rollback_plan import target_of
from core.table import Table
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, Layout, not_true

_BATCH_BYTES, _BATCH_FILES = 256 << 20, 200  # of one task


@dataclass(frozen=True, slots=True)
class _CopyBatch:
    """Copies some files in an executor. A file that is there whole is passed over: tasks may run twice."""

    source: FileIO
    target: FileIO
    source_root: str
    target_root: str

    def __call__(self, batch: Sequence[FileCopy]) -> int:
        return sum(
            copy_file(
                self.source, self.target, f"{self.source_root}/{file.path}", f"{self.target_root}/{file.path}"
            )
            for file in batch
        )


def _plan(run: Run) -> ClonePlan:
    table, work, target = run.table, run.work, _target(run)
    if target.location == table.location:
        raise InvalidRequestError(
            "a table is not cloned over itself", field="clone.target", found=work.target
        )
    if work.snapshot is None and work.tag is None:
        snapshot = table.snapshots.latest()
    else:
        snapshot, _ = target_of(table, work.snapshot, work.tag)
    return plan_clone(table, target, snapshot)


def _target(run: Run) -> Table:
    """The table at the place of the copy, whether there is one or not."""
    catalog = _catalog(run)
    identifier = Identifier.parse(run.work.target)
    return Table(catalog.io, catalog.location(identifier), identifier)


def _catalog(run: Run) -> FileSystemCatalog:
    catalog = open_catalog(run.work.target_catalog or run.spec.catalog)
    if not isinstance(catalog, FileSystemCatalog):
        raise UnsupportedError("a table is cloned into a warehouse of files", feature=type(catalog).__name__)
    return catalog


def _apply(run: Run, plan: ClonePlan) -> Outcome:
    if plan.is_done:
        run.reporter.log("the copy is there already")
        return Outcome(metrics={"files": len(plan.named), "bytes_copied": 0})
    _catalog(run).create_database(plan.target.identifier.database, ignore_if_exists=True)
    copy = _CopyBatch(plan.source.io, plan.target.io, plan.source.location, plan.target.location)
    copied = run.executors.map(copy, list(_batches(plan.named)), "copy", "batches of files")
    snapshot = finish_clone(plan)
    run.reporter.log(f"{plan.target.identifier} is {plan.source.identifier} at {snapshot.reference}")
    return Outcome(metrics={"files": len(plan.named), "bytes_copied": sum(copied)})


def _batches(files: Sequence[FileCopy]) -> Iterator[list[FileCopy]]:
    batch: list[FileCopy] = []
    size = 0
    for file in sorted(files, key=lambda file: -(file.size or 0)):
        if batch and (size + (file.size or 0) > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size or 0
    if batch:
        yield batch


def _verify(run: Run, plan: ClonePlan, outcome: Outcome) -> Facts:
    """The copy holds the same files and rows as the source's snapshot, and none of it is missing."""
    target = _target(run)
    theirs = Layout.of(target, target.snapshots.get(plan.snapshot.id))
    ours = Layout.of(plan.source, plan.snapshot)
    if not theirs.has_files_of(ours) or theirs.rows != ours.rows:
        not_true("the copy has other files or rows", expected=ours.rows, found=theirs.rows)
    found = check_table(target, read_files=False).findings
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if errors:
        not_true(str(errors[0]), path=errors[0].path)
    return {
        "copy": str(target.identifier),
        "snapshot": plan.snapshot.reference,
        "files": len(theirs.names),
        "rows_in_files": theirs.rows,
        "missing_or_damaged": 0,
    }


CLONE = Job(plan=_plan, apply=_apply, verify=_verify, commits=False)
