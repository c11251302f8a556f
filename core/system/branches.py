"""`$branches`: one row a branch, by name. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.system.columns import Columns, SystemTableKind, columns_of_rows, fields_of, required, wall_clock
from core.table import Table
from core.types import STRING, TimestampType

FIELDS = fields_of(branch_name=required(STRING), create_time=required(TimestampType(3)))


def _read(table: Table, at: Snapshot | None) -> Columns:
    # Paimon shows the folder's time; an object store has none, so it is that of the first schema file.
    rows = ((branch.name, wall_clock(branch.created_millis)) for branch in table.branches.list())
    return columns_of_rows(FIELDS, rows)


BRANCHES = SystemTableKind("branches", FIELDS, _read)
