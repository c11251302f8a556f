"""`$aggregation_fields`: the options of each column that decide how its values combine. Spec: 04, B."""

from __future__ import annotations

from collections.abc import Mapping

from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING, DataField, type_to_text

FIELDS = fields_of(
    field_name=required(STRING),
    field_type=required(STRING),
    function=STRING,
    function_options=STRING,
    comment=STRING,
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    schema = table.schema if at is None else table.schemas.get(at.schema_id)
    return columns_of_rows(FIELDS, (_row(field, schema.options) for field in schema.fields))


def _row(field: DataField, options: Mapping[str, str]) -> tuple[object, ...]:
    # As Paimon does, by dots: a column with a dot in its name has no options here.
    mine = {key: value for key, value in options.items() if key.split(".")[:2] == ["fields", field.name]}
    mine = {key: value for key, value in mine.items() if key.count(".") >= 2}
    return (
        field.name,
        type_to_text(field.type),
        f"[{', '.join(mine.values())}]",
        f"[{', '.join(mine)}]",
        field.description,
    )


AGGREGATION_FIELDS = SystemTableKind("aggregation_fields", FIELDS, _read, shows=Shows.SCHEMA)
