"""`$options`: options of the table's schema, or of the snapshot's that is asked for. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING

FIELDS = fields_of(key=required(STRING), value=required(STRING))


def _read(table: Table, at: Snapshot | None) -> Columns:
    schema = table.schema if at is None else table.schemas.get(at.schema_id)
    return columns_of_rows(FIELDS, schema.options.items())


OPTIONS = SystemTableKind("options", FIELDS, _read, shows=Shows.SCHEMA)
