"""`verify`: look for what is missing or damaged.

References, listings and sizes are the driver's. Where there are many files the executors look at their
ends, and with depth `rows` they read every live file whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core import Table
from core.compact.plan import Bucket
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.errors import FormatError, PaimonError
from core.io import FileIO
from core.jobs import Depth
from core.maintenance.check import CheckReport, Severity, check_table, edge_problems
from core.manifest import EntryColumns, ManifestEntry
from core.read.file_reader import FileReader
from core.snapshot import Snapshot
from core.write.task_reader import split_of_bucket
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts

_BATCH_BYTES, _BATCH_FILES = 512 << 20, 100  # that one task reads
_ENDS = 2_000  # files at whose ends one task looks; the driver does as many by itself


@dataclass(frozen=True, slots=True)
class VerifyPlan:
    """What would be looked at."""

    base: Snapshot | None  # the latest
    depth: str
    snapshots: int
    tags: int
    branches: tuple[str, ...]
    files: int  # live in the latest snapshot
    size: int  # bytes of them: so much is read at depth `rows`


@dataclass(frozen=True, slots=True)
class _ReadFiles:
    """Reads files in an executor from the first row to the last; what is wrong with some of them."""

    table: Table

    def __call__(self, entries: EntryColumns) -> tuple[int, list[tuple[str, str]]]:
        rows, found = 0, []
        for entry in entries.entries():
            try:
                count = self._rows_of(entry)
                if count != entry.file.row_count:
                    expected = f"{entry.file.row_count} rows are told by the manifest, {count} are there"
                    found.append((entry.file.file_name, expected))
                rows += count
            except PaimonError as error:
                found.append((entry.file.file_name, str(error)))
        return rows, found

    def _rows_of(self, entry: ManifestEntry) -> int:
        table, file = self.table, entry.file
        bucket = Bucket(entry.partition, entry.bucket, entry.total_buckets, (file,))
        own = table.schema if file.schema_id == table.schema.id else table.schemas.get(file.schema_id)
        fields = [f for f in own.fields if file.write_cols is None or f.name in file.write_cols]
        fields += [SEQUENCE_NUMBER, VALUE_KIND] if own.primary_keys else []
        reader = FileReader.of(table, own, split_of_bucket(table, bucket))
        return sum(rows.num_rows for _, rows in reader.iter_numbered(file, fields))


@dataclass(frozen=True, slots=True)
class _LookAtEnds:
    """Looks at the first and last bytes of files in an executor; what is wrong with some of them."""

    io: FileIO

    def __call__(self, files: pa.Table) -> list[tuple[int, str]]:
        return edge_problems(self.io, files)


def _plan(run: Run) -> VerifyPlan:
    table = run.table
    base = table.snapshots.latest()
    live = table.manifests.live_entries(base) if base else None
    return VerifyPlan(
        base=base,
        depth=run.work.depth.value,
        snapshots=len(table.snapshots.ids()),
        tags=len(table.tags.names()),
        branches=tuple(table.branches.names()),
        files=0 if live is None else len(live),
        size=0 if live is None else int(live.numpy("file_size").sum()),
    )


def _apply(run: Run, plan: VerifyPlan) -> Outcome:
    depth: Depth = run.work.depth

    def look_at_ends(io: FileIO, files: pa.Table) -> list[tuple[int, str]]:
        if len(files) <= _ENDS:
            return edge_problems(io, files)
        starts = range(0, len(files), _ENDS)
        parts = [files.slice(start, _ENDS).combine_chunks() for start in starts]
        answers = run.executors.map(_LookAtEnds(io), parts, "look", "batches of files")
        return [
            (start + number, problem)
            for start, found in zip(starts, answers, strict=True)
            for number, problem in found
        ]

    report = check_table(run.table, read_files=depth is not Depth.METADATA, look_at_edges=look_at_ends)
    for finding in report.findings:
        run.reporter.log(str(finding), finding.severity.value)
    rows, damaged = (0, []) if depth is not Depth.ROWS or plan.base is None else _read(run, plan.base)
    for name, problem in damaged:
        run.reporter.log(f"data file {name}: {problem}", "error")
    errors = _errors(report, damaged)
    return Outcome(
        metrics={
            "errors": len(errors),
            "warnings": sum(f.severity is Severity.WARNING for f in report.findings),
            "orphans": len(report.orphans),
            "rows_read": rows,
        },
        details={"checked": dict(report.checked), "errors": errors[:100]},
    )


def _read(run: Run, base: Snapshot) -> tuple[int, list[tuple[str, str]]]:
    """How many rows the live files hold, and what is wrong with some."""
    live = run.table.manifests.live_entries(base).complete()
    answers = run.executors.map(_ReadFiles(run.table), batches_of(live), "read", "batches of files")
    return sum(rows for rows, _ in answers), [one for _, found in answers for one in found]


def batches_of(entries: EntryColumns) -> list[EntryColumns]:
    """Files in batches of about equal work, the largest first."""
    sizes = entries.numpy("file_size")
    order = np.argsort(-sizes, kind="stable")
    starts: list[int] = []
    size = 0
    for place, number in enumerate(order.tolist()):
        size += int(sizes[number])
        if not starts or size > _BATCH_BYTES or place - starts[-1] == _BATCH_FILES:
            starts.append(place)
            size = int(sizes[number])
    ends = [*starts[1:], len(order)]
    return [entries.take(order[start:end]) for start, end in zip(starts, ends, strict=False)]


def _errors(report: CheckReport, damaged: Sequence[tuple[str, str]]) -> list[Mapping[str, str]]:
    found: list[Mapping[str, Any]] = [
        {"path": finding.path, "problem": str(finding)}
        for finding in report.findings
        if finding.severity is Severity.ERROR
    ]
    return [*found, *({"path": name, "problem": problem} for name, problem in damaged)]


def _verify(run: Run, plan: VerifyPlan, outcome: Outcome) -> Facts:
    """Nothing is missing or damaged, or the job has failed.

    Raises:
        FormatError: names the first fault.
    """
    errors = outcome.details["errors"]
    if errors:
        raise FormatError(
            f"the table is damaged: {errors[0]['problem']}",
            path=errors[0]["path"],
            errors=outcome.metrics["errors"],
        )
    return {"depth": plan.depth, "errors": 0, **outcome.details["checked"]}


VERIFY = Job(plan=_plan, apply=_apply, verify=_verify, commits=False)
