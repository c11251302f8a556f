"""Carries out a planned DELETE, UPDATE or MERGE: new files, and what they replace, as commit messages.

A primary-key table gets -D and +U rows for what its merged rows say, where its merge engine takes
them (`core.dml.limits`); a table with data evolution gets files of the columns that change
(`core.dml.columns`); any other change is made in the files that hold the rows (`core.dml.files`).
Memory is that of a read and of a `TableWrite`, a bitmap of positions for each file that changes, and
a merge's source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.arguments import check_argument, is_a
from core.binary import BinaryRow
from core.datafile.system_fields import evolves_data
from core.dml.changes import Chosen
from core.dml.columns import ColumnChanges
from core.dml.expressions import assigned
from core.dml.files import FileChanges
from core.dml.plan import ChangePlan
from core.dml.seen import Seen
from core.dml.whole_rows import check_shown, partial_update_of
from core.manifest import DataFileMeta, IndexManifestEntry
from core.options import ROWKIND_FIELD
from core.read import read_plan
from core.types import RowKind
from core.write.message import CommitMessage
from core.write.table_write import TableWrite
from core.write.target import WriteTarget


def apply_changes(table: WriteTarget, plan: ChangePlan) -> list[CommitMessage]:
    """The change as messages to commit or to abort; nobody sees it before. Empty where no row changes.

    Raises:
        InvalidRequestError: a value does not fit its column, several rows of the source would
            change one of the table, or the merge engine would not show what was asked for.
        FormatError, NotFoundError: a file of the table is damaged or gone.
    """
    check_argument(is_a(plan, ChangePlan), "give a plan of plan_delete, plan_update or plan_merge", plan)
    if len(plan.dropped):
        return list(_dropped(plan))
    seen = Seen()
    with TableWrite(table, compacts=plan.by_row) as writer:
        if plan.by_row:
            _write_rows(table, plan, writer, seen)
            _write_all(writer, _inserted(plan, seen))
            return writer.prepare_commit()
        made_in = ColumnChanges if evolves_data(table.schema) else FileChanges
        with made_in(table, plan, writer, seen) as files:
            files.read()
            _write_all(writer, _inserted(plan, seen))
            return files.finish()


def _dropped(plan: ChangePlan) -> Iterator[CommitMessage]:
    """The files of whole partitions and their indexes, bucket by bucket."""
    files: dict[tuple[BinaryRow, int], list[DataFileMeta]] = {}
    totals: dict[tuple[BinaryRow, int], int] = {}
    for entry in plan.dropped.entries():
        files.setdefault((entry.partition, entry.bucket), []).append(entry.file)
        totals[entry.partition, entry.bucket] = entry.total_buckets
    indexes: dict[tuple[BinaryRow, int], list[IndexManifestEntry]] = {}
    for index in plan.dropped_indexes:
        indexes.setdefault((index.partition, index.bucket), []).append(index)
    for key in {**files, **indexes}:
        yield CommitMessage(
            partition=key[0],
            bucket=key[1],
            total_buckets=totals.get(key, -1),
            made_after=plan.snapshot.reference if plan.snapshot else "",
            deleted_files=tuple(files.get(key, ())),
            deleted_index_files=tuple(indexes.get(key, ())),
        )


def _inserted(plan: ChangePlan, seen: Seen) -> Iterator[pa.Table]:
    """What the source's rows that joined none become; the first clause that holds for a row counts."""
    source = plan.changes.source
    if source is None or not plan.inserts:
        return
    for start, batch in source.batches():
        rows = batch.filter(pa.array(~seen.within(start, batch.num_rows)))
        for clause in plan.inserts:
            holds = clause.holds(rows)
            taken = rows.filter(pa.array(holds))
            if taken.num_rows and clause.assignments is not None:
                yield assigned(taken, clause.assignments, plan.changes.fields)
            rows = rows.filter(pa.array(~holds))


def _write_all(writer: TableWrite, rows: Iterable[pa.Table]) -> None:
    for some in rows:
        writer.write(some)


def _write_rows(table: WriteTarget, plan: ChangePlan, writer: TableWrite, seen: Seen) -> None:
    """Rows on top of what a primary-key table shows."""
    if plan.scan is None:
        return
    rows = _RowsOnTop(table, plan, writer)
    for batch in read_plan(table, plan.scan):
        chosen = plan.changes.choose(batch)
        seen.note(chosen.partners)
        rows.update(chosen)
        rows.write(plan.changes.deleted(chosen), RowKind.DELETE)


@dataclass(frozen=True, slots=True)
class _RowsOnTop:
    table: WriteTarget
    plan: ChangePlan
    writer: TableWrite

    def update(self, chosen: Chosen) -> None:
        changes = self.plan.changes
        rows = changes.updated(chosen)
        engine = partial_update_of(self.table.schema, self.table.options) if len(rows) else None
        if engine is not None:
            before = pa.Table.from_batches([chosen.rows.filter(pa.array(changes.is_updated(chosen)))])
            clauses = chosen.clause[changes.is_updated(chosen)]
            for number in np.unique(clauses).tolist():
                mine = pa.array(clauses == number)
                columns = changes.clauses[number].assignments or {}
                check_shown(engine, columns, before.filter(mine), rows.filter(mine))
        self.write(rows, RowKind.UPDATE_AFTER)

    def write(self, rows: pa.Table, kind: RowKind) -> None:
        if not len(rows):
            return
        column = self.table.options.get(ROWKIND_FIELD)
        if column:  # it says of what kind a row is, whatever a writer is told
            place = rows.schema.get_field_index(column)
            rows = rows.set_column(place, rows.schema.field(place), _texts(kind, len(rows)))
        self.writer.write(rows, pa.array(np.full(len(rows), int(kind), np.int8)))


def _texts(kind: RowKind, count: int) -> Any:
    repeat: Any = pa.repeat  # its stubs want the type spelled out
    return repeat(pa.scalar(kind.short), count)
