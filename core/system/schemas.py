"""`$schemas`: one row a schema, ascending id, with its members as compact JSON. Spec: 04, B."""

from __future__ import annotations

import json

from core.schema import TableSchema
from core.snapshot import Snapshot
from core.system.columns import Columns, SystemTableKind, columns_of_rows, fields_of, required, wall_clock
from core.table import Table
from core.types import STRING, BigIntType, TimestampType, field_to_json

FIELDS = fields_of(
    schema_id=required(BigIntType()),
    fields=required(STRING),
    partition_keys=required(STRING),
    primary_keys=required(STRING),
    options=required(STRING),
    comment=STRING,
    update_time=required(TimestampType(3)),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    return columns_of_rows(FIELDS, map(_row, table.schemas.all()))


def _row(schema: TableSchema) -> tuple[object, ...]:
    return (
        schema.id,
        _compact([field_to_json(field) for field in schema.fields]),
        _compact(schema.partition_keys),
        _compact(schema.primary_keys),
        _compact(dict(schema.options)),
        schema.comment,
        wall_clock(schema.time_millis),
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


SCHEMAS = SystemTableKind("schemas", FIELDS, _read)
