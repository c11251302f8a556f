"""`$audit_log`: the rows of a table with their kinds, deletes too. Spec: 04, B; 09, 10.

A read of a state shows the merged rows as they are stored, also the deletes that no compaction
has dropped yet; a read of changes shows every change. A filter on the kind is asked of the rows
that come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.datafile.system_fields import ROW_KIND, VALUE_KIND, hidden_fields, tracks_rows
from core.predicate import Predicate
from core.read import RowKinds, read_plan
from core.scan import Plan
from core.schema import TableSchema
from core.system.row_table import RowTable
from core.types import DataField, RowKind

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

KIND_TEXTS = pa.array([kind.short for kind in RowKind], pa.string())


class AuditLog(RowTable):
    """Rows with the column `rowkind` before the table's own."""

    kind_name = "audit_log"

    @staticmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        return (ROW_KIND, *leading_fields(schema), *schema.fields)

    def plan_of(self, columns: Sequence[str], filter: Predicate | None, **at: Any) -> Plan:
        shown = [*(field.name for field in leading_fields(self.table.schema)), *columns]
        return self.table.plan(shown, filter, **at)

    def told(self, plan: Plan) -> Iterator[pa.RecordBatch]:
        return (with_row_kind(batch) for batch in read_plan(self.table, plan, kinds=RowKinds.ALL))


def leading_fields(schema: TableSchema) -> tuple[DataField, ...]:
    """What stands between `rowkind` and the table's columns: `_SEQUENCE_NUMBER`, where that is asked for."""
    return () if tracks_rows(schema) else hidden_fields(schema)


def with_row_kind(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with the text of their kind before their columns, instead of its code behind them."""
    place = batch.schema.get_field_index(VALUE_KIND.name)
    kinds = pc.take(KIND_TEXTS, batch.column(place))
    columns = [column for i, column in enumerate(batch.columns) if i != place]
    names = [name for name in batch.schema.names if name != VALUE_KIND.name]
    fields = [pa.field(ROW_KIND.name, pa.string()), *(batch.schema.field(name) for name in names)]
    return pa.RecordBatch.from_arrays([kinds, *columns], schema=pa.schema(fields))
