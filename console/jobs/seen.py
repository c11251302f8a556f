"""What a table shows of a job that has ended, however it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import NotFoundError
from core.jobs import JobReport, Result
from core.snapshot import Snapshot
from core.table import Table

LOOKED_THROUGH = 10_000  # snapshots


@dataclass(frozen=True, slots=True)
class Seen:
    """What the table shows of a job."""

    committed: bool
    complete: bool  # all of the job's effect is there
    snapshots: tuple[str, ...] = ()  # that the job made, oldest first
    latest: str | None = None
    detail: dict[str, Any] | None = None  # a notice

    def result(self, report: JobReport | None) -> dict[str, Any]:
        """The result as the Job row keeps it."""
        metrics = dict(report.metrics) if isinstance(report, Result) else {}
        return {
            "snapshots": list(self.snapshots),
            "latest": self.latest,
            "detail": self.detail,
            "metrics": metrics,
        }


def newest_first(table: Table, first: int) -> list[Snapshot]:
    """The snapshots from an id on, the newest first."""
    found = []
    for snapshot_id in reversed(table.snapshots.ids()[-LOOKED_THROUGH:]):
        if snapshot_id < first:
            break
        try:
            found.append(table.snapshots.get(snapshot_id))
        except NotFoundError:
            continue  # expired since the listing
    return found
