"""How files of older schemas are read with a newer one, field by field. Design: 6.10, effect on reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.inspect.schema_diff import ChangeKind, FieldDiff, diff_schemas
from core.schema import TableSchema
from core.schema.defaults import defaulted_columns

HOW = ("null", "default", "cast", "unread")


def reads_of(
    schema: TableSchema, written: Iterable[TableSchema], live: Mapping[int, tuple[int, int]]
) -> list[dict[str, Any]]:
    """What a reader of `schema` gets of each field that files of other schemas hold otherwise.

    `live` are the files and bytes of each schema. Fields are in the order of their ids; bytes are of whole
    files, not of the column.
    """
    found: dict[tuple[int, str, str | None], dict[str, Any]] = {}
    for old in written:
        if old.id == schema.id:
            continue
        files, size = live[old.id]
        for row, how, detail in _differing(old, schema):
            shown = row.after or row.before
            entry = found.setdefault(
                (row.id, how, detail),
                {"id": row.id, "path": shown.path if shown else "", "how": how, "detail": detail,
                 "schema_ids": [], "live_files": 0, "live_bytes": 0},
            )  # fmt: skip
            entry["schema_ids"].append(old.id)
            entry["live_files"] += files
            entry["live_bytes"] += size
    return [found[key] for key in sorted(found, key=lambda key: (key[0], key[1], key[2] or ""))]


def _differing(old: TableSchema, schema: TableSchema) -> Iterable[tuple[FieldDiff, str, str | None]]:
    """Fields that old files lack, hold in another type, or hold in vain; not what is inside such a one."""
    defaults, told = defaulted_columns(schema), set[int]()
    for row in diff_schemas(old, schema).fields:
        if row.parent_id in told:
            told.add(row.id)
        elif row.before is None and row.after is not None:
            told.add(row.id)
            filled = row.depth == 0 and row.after.name in defaults
            yield row, "default" if filled else "null", _default(schema, row) if filled else None
        elif row.after is None:
            told.add(row.id)
            yield row, "unread", None
        elif any(change.kind is ChangeKind.RETYPED for change in row.changes) and row.before is not None:
            yield row, "cast", f"{row.before.type} → {row.after.type}"


def _default(schema: TableSchema, row: FieldDiff) -> str | None:
    return schema.options.get(f"fields.{row.after.name}.default-value") if row.after else None
