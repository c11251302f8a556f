"""`$ro`: the rows that need no merging, which are those of the top level. Spec: 04, B; 09, 10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from core.predicate import Predicate
from core.read import RowKinds, read_plan
from core.scan import Plan
from core.scan.levels import top_level
from core.scan.selection import FileSelection
from core.schema import TableSchema
from core.system.row_table import RowTable
from core.types import DataField


class ReadOptimized(RowTable):
    """A primary-key table as its last full compaction left it; an append table as it is."""

    kind_name = "ro"

    @staticmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        return schema.fields

    def plan_of(self, columns: Sequence[str], filter: Predicate | None, **at: Any) -> Plan:
        schema = self.table.schema
        selection = FileSelection(only_level=top_level(schema)) if schema.primary_keys else None
        return self.table.plan(columns, filter, selection=selection, **at)

    def told(
        self, plan: Plan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        return read_plan(self.table, plan, threads=threads)
