"""`$audit_log`: the rows of a table with their kinds, deletes too. Spec: 04, B; 09, 10.

A read of a state shows the merged rows as they are stored, also the deletes that no compaction
has dropped yet; a read of changes shows every change. A filter on the kind is asked of the rows
that come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from core.datafile.system_fields import ROW_KIND, hidden_fields, tracks_rows
from core.predicate import Predicate
from core.read import RowKinds, read_plan
from core.read.row_kinds import with_row_kind
from core.scan import Plan
from core.schema import TableSchema
from core.stream import SYSTEM_CLOCK, Clock, TableStream
from core.system.row_table import RowTable
from core.types import DataField


class AuditLog(RowTable):
    """Rows with the column `rowkind` before the table's own."""

    kind_name = "audit_log"

    @staticmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        return (ROW_KIND, *leading_fields(schema), *schema.fields)

    def plan_of(self, columns: Sequence[str], filter: Predicate | None, **at: Any) -> Plan:
        shown = [*(field.name for field in leading_fields(self.table.schema)), *columns]
        return self.table.plan(shown, filter, **at)

    def told(
        self, plan: Plan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        rows = read_plan(self.table, plan, kinds=kinds, threads=threads)
        return (with_row_kind(batch) for batch in rows)

    def stream(self, *, from_: int | str | None = None, clock: Clock = SYSTEM_CLOCK) -> TableStream:
        """The rows as they come, told as this table tells them; see `Table.stream`."""
        schema = self.table.schema
        columns = [*(field.name for field in leading_fields(schema)), *schema.field_names]
        return self.table.stream(columns, from_=from_, clock=clock, rows=self.told)


def leading_fields(schema: TableSchema) -> tuple[DataField, ...]:
    """What stands between `rowkind` and the table's columns: `_SEQUENCE_NUMBER`, where that is asked for."""
    return () if tracks_rows(schema) else hidden_fields(schema)
