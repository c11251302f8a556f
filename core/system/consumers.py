"""`$consumers`: one row a consumer, by id. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.system.columns import Columns, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING, BigIntType

FIELDS = fields_of(consumer_id=required(STRING), next_snapshot_id=required(BigIntType()))


def _read(table: Table, at: Snapshot | None) -> Columns:
    return columns_of_rows(FIELDS, ((c.id, c.next_snapshot) for c in table.consumers.list()))


CONSUMERS = SystemTableKind("consumers", FIELDS, _read)
