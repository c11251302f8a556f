"""`$row_tracking`: the rows with the ids that they keep. Spec: 04, B; 04, A6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from core.datafile.system_fields import ROW_ID, SEQUENCE_NUMBER, tracks_rows
from core.errors import InvalidRequestError
from core.predicate import Predicate
from core.read import RowKinds, read_plan
from core.scan import Plan
from core.schema import TableSchema
from core.system.row_table import RowTable
from core.types import DataField


class RowTracking(RowTable):
    """The table's columns, then `_ROW_ID` and `_SEQUENCE_NUMBER`."""

    kind_name = "row_tracking"

    @staticmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        if not tracks_rows(schema):
            raise InvalidRequestError("the rows of this table have no ids", option="row-tracking.enabled")
        return (*schema.fields, ROW_ID, SEQUENCE_NUMBER)

    def plan_of(self, columns: Sequence[str], filter: Predicate | None, **at: Any) -> Plan:
        return self.table.plan([*columns, ROW_ID.name, SEQUENCE_NUMBER.name], filter, **at)

    def told(
        self, plan: Plan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        return read_plan(self.table, plan, threads=threads)
