"""Reads the rows of a table once, and notes what they are like in a snapshot of kind ANALYZE. Spec: 08, 14.

Safe beside writers: the statistics say of which snapshot they are, and later commits carry them on for as
long as the schema stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import pyarrow as pa

from core.commit import TableCommit
from core.errors import CommitConflictError, CommitUnknownError, InvalidRequestError
from core.maintenance.analyze.columns import ColumnSummary, is_analyzed
from core.maintenance.reach import Progress, no_progress
from core.read import plan_read, read_plan
from core.scan import Plan
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.stats.table_statistics import TableStatistics, encode_table_statistics
from core.table import Table
from core.types import DataField


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzePlan:
    base: Snapshot | None  # whose rows are read; None: the table has none
    schema_id: int  # as which they are read
    columns: tuple[str, ...]  # that get statistics
    left_out: tuple[str, ...]  # whose type has none
    files: int  # that are read
    size: int  # bytes of them
    rows: int  # that they hold, before merging

    @property
    def changes_nothing(self) -> bool:
        return self.base is None


def plan_analyze(table: Table, columns: Sequence[str] | None = None) -> AnalyzePlan:
    """What would be read.

    Args:
        table: the table, or one of its branches.
        columns: names; None for all that can have statistics, none to count rows alone.

    Raises:
        InvalidRequestError: an unknown column, or one whose type has no statistics.
        UnsupportedError: the table cannot be read by this version.
    """
    fields = {field.name: field for field in table.schema.fields}
    unknown = [name for name in columns or () if name not in fields]
    if unknown:
        raise InvalidRequestError("no such column", column=unknown[0], columns=", ".join(fields))
    left_out = [
        name for name in (fields if columns is None else columns) if not is_analyzed(fields[name].type)
    ]
    if columns is not None and left_out:
        raise InvalidRequestError(
            "columns of this type have no statistics", column=left_out[0], type=fields[left_out[0]].type
        )
    wanted = tuple(name for name in fields if name not in left_out and (columns is None or name in columns))
    read = _plan_of(table, table.snapshots.latest(), wanted)
    return AnalyzePlan(
        base=read.snapshot,
        schema_id=table.schema.id,
        columns=wanted,
        left_out=tuple(left_out),
        files=len(read.entries),
        size=read.size,
        rows=read.row_count,
    )


def apply_analyze(
    table: Table,
    plan: AnalyzePlan,
    user: str,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
    *,
    progress: Progress = no_progress,
) -> Snapshot | None:
    """The ANALYZE snapshot; None for a table without snapshots.

    Args:
        table: the table that the plan is of.
        plan: the rows of its snapshot are read, whatever was committed since.
        user: whose snapshot it is to be.
        identifier: see `TableCommit.commit`.
        progress: told how many of the rows in files have been read, after each batch.

    Raises:
        CommitConflictError: the schema has changed since the plan, or other commits were faster each time.
        CommitUnknownError: the snapshot may or may not be there.
        NotFoundError: the snapshot has expired meanwhile.
    """
    if plan.base is None:
        return None
    _check_schema(table, plan)
    return commit_analyzed(table, plan, gather(table, plan, progress), user, identifier)


def gather(table: Table, plan: AnalyzePlan, progress: Progress = no_progress) -> TableStatistics:
    """What the rows of the plan's snapshot are like; nothing is written."""
    read = plan_of_rows(table, plan)
    summary = RowsSummary.of(read.fields)
    for batch in read_plan(table, read):
        summary.add(batch)
        progress(min(summary.rows, plan.rows), plan.rows)
    return summary.statistics(plan)


@dataclass(slots=True)
class RowsSummary:
    """What some rows are like. Summaries of different rows are merged, in any order."""

    columns: dict[str, ColumnSummary]
    rows: int = 0

    @staticmethod
    def of(fields: Sequence[DataField]) -> RowsSummary:
        """Of no row yet."""
        return RowsSummary({field.name: ColumnSummary(field) for field in fields})

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in some rows."""
        self.rows += batch.num_rows
        for name, summary in self.columns.items():
            summary.add(batch.column(name))

    def merge(self, other: RowsSummary) -> None:
        """Take in what another knows of other rows."""
        self.rows += other.rows
        for name, summary in self.columns.items():
            summary.merge(other.columns[name])

    def statistics(self, plan: AnalyzePlan) -> TableStatistics:
        """Of all rows of the plan's snapshot."""
        assert plan.base is not None
        return TableStatistics(
            snapshot_id=plan.base.id,
            schema_id=plan.schema_id,
            merged_record_count=self.rows,
            merged_record_size=plan.size * self.rows // max(plan.rows, 1),
            columns={name: column.statistics() for name, column in self.columns.items()},
        )


def plan_of_rows(table: Table, plan: AnalyzePlan) -> Plan:
    """The rows of the plan's snapshot, whose splits may be read apart."""
    return _plan_of(table, plan.base, plan.columns)


def commit_analyzed(
    table: Table,
    plan: AnalyzePlan,
    found: TableStatistics,
    user: str,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Snapshot:
    """The ANALYZE snapshot of what was found of the plan's rows. Raises as `apply_analyze`."""
    _check_schema(table, plan)
    name = f"stat-{uuid4()}-0"
    path = table.paths.statistics_file(name)
    table.io.write(path, encode_table_statistics(found))
    try:
        return TableCommit(table, user).commit_statistics(name, identifier)
    except CommitUnknownError:
        raise
    except Exception:
        table.io.delete(path)
        raise


def _check_schema(table: Table, plan: AnalyzePlan) -> None:
    """Commits carry statistics on as long as the schema stays: they have to speak of the latest one."""
    for found in (table.schema.id, table.schemas.latest().id):
        if found != plan.schema_id:
            raise CommitConflictError(
                "the schema has changed since the plan", base=plan.schema_id, winner=found
            )


def _plan_of(table: Table, snapshot: Snapshot | None, columns: Sequence[str]) -> Plan:
    """The state of a snapshot, whatever the table's options say of where a read starts."""
    return plan_read(table, table.schema, snapshot, columns)
