"""Schemas and their differences."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from console.api.damage import Damage, damage_of
from console.api.errors import Problem
from console.api.fields import from_millis
from console.inspector.cache import loaded
from console.inspector.live import live_files
from console.inspector.merging import Merging, merging_of
from console.inspector.old_files import reads_of
from console.inspector.opening import OpenTable
from console.inspector.remembering import content_key
from console.inspector.snapshots import committed_at
from core.errors import NotFoundError, PaimonError
from core.inspect.field_tree import flatten
from core.inspect.schema_diff import (
    ChangeKind,
    FieldChange,
    FieldDiff,
    FieldSide,
    diff_options,
    diff_schemas,
    mask_option,
)
from core.schema import TableSchema


def summaries(opened: OpenTable) -> tuple[list[dict[str, Any]], list[Damage]]:
    """Every schema with the live bytes written with it; and those that are damaged, or used and not there."""
    schemas, damages = readable(opened)
    live = live_by_schema(opened)
    before: dict[int, TableSchema] = {later.id: earlier for earlier, later in pairwise(schemas)}
    gone = sorted((live or {}).keys() - {s.id for s in schemas} - {int(d.name) for d in damages})
    damages += [Damage("missing", "schema", str(i), opened.paths.schema_file(i)) for i in gone]
    rows = [_summary(schema, before.get(schema.id), live, schema is schemas[-1]) for schema in schemas]
    return rows, damages


def readable(opened: OpenTable) -> tuple[list[TableSchema], list[Damage]]:
    """The schemas that can be read, oldest first, and those that are damaged."""
    found: list[TableSchema] = []
    damages: list[Damage] = []
    for schema_id in opened.table.schemas.ids():
        try:
            found.append(opened.table.schemas.get(schema_id))
        except PaimonError as error:
            damages.append(damage_of(error, kind="schema", name=str(schema_id)))
    return found, damages


def _summary(
    schema: TableSchema, before: TableSchema | None, live: dict[int, tuple[int, int]] | None, is_latest: bool
) -> dict[str, Any]:
    files, size = (None, None) if live is None else live.get(schema.id, (0, 0))
    return {
        "id": schema.id,
        "created_at": from_millis(schema.time_millis),
        "field_count": len(schema.fields),
        "primary_keys": schema.primary_keys,
        "partition_keys": schema.partition_keys,
        "options_changed": [c.key for c in diff_options(before.options, schema.options)] if before else [],
        "live_files": files,
        "live_bytes": size,
        "comment": schema.comment,
        "is_latest": is_latest,
    }


def live_by_schema(opened: OpenTable) -> dict[int, tuple[int, int]] | None:
    """Live files and bytes by the schema they were written with; None where they cannot be read."""
    try:
        table = live_files(opened, opened.table.snapshots.latest()).table
    except PaimonError:
        return None
    sums = table.group_by("schema_id").aggregate([("bytes", "count"), ("bytes", "sum")]).to_pylist()
    return {row["schema_id"]: (row["bytes_count"], row["bytes_sum"]) for row in sums}


def find_schema(opened: OpenTable, schema_id: int) -> TableSchema:
    """The schema of that id.

    Raises:
        Problem: `not-found`.
    """
    try:
        return opened.table.schemas.get(schema_id)
    except NotFoundError as error:
        raise Problem("not-found", kind="schema", name=schema_id) from error


def detail(opened: OpenTable, schema_id: int) -> dict[str, Any]:
    """One schema with all its fields, nested ones after their parent."""
    schema = find_schema(opened, schema_id)
    merging = merging_of(schema)
    return {
        "id": schema.id,
        "created_at": from_millis(schema.time_millis),
        "highest_field_id": schema.highest_field_id,
        "field_rows": [_field(schema, node, merging) for node in flatten(schema)],
        "primary_keys": schema.primary_keys,
        "partition_keys": schema.partition_keys,
        "bucket_keys": schema.bucket_keys,
        "options": {key: mask_option(key, value) for key, value in sorted(schema.options.items())},
        "comment": schema.comment,
        "raw": _raw(opened, schema),
    }


def _field(schema: TableSchema, node: Any, merging: Mapping[str, Merging]) -> dict[str, Any]:
    top = node.depth == 0
    return {
        "id": node.id,
        "name": node.field.name,
        "path": node.path,
        "depth": node.depth,
        "position": node.position,
        "type": node.type_text,
        "nullable": node.field.type.nullable,
        "comment": node.field.description,
        "default": node.field.default_value,
        "key": top and node.field.name in schema.primary_keys,
        "partition": top and node.field.name in schema.partition_keys,
        "merging": merging.get(node.field.name) if top else None,
    }


def history(opened: OpenTable, field_id: int) -> dict[str, Any]:
    """One field across all schemas that can be read, and the first kept snapshot of each.

    Raises:
        Problem: `not-found`, if no schema has the field.
    """
    schemas, damages = readable(opened)
    used = _first_uses(opened)
    items, before = [], None
    for schema in schemas:
        row = next((r for r in diff_schemas(before or schema, schema).fields if r.id == field_id), None)
        shown = _diff_row(row) if row is not None else {"to": None, "changes": []}
        if before is None and shown["to"] is not None:
            shown["changes"] = [{"kind": "added", "detail": None}]
        created = from_millis(schema.time_millis)
        items.append(
            {"schema_id": schema.id, "created_at": created, "field": shown["to"], "changes": shown["changes"],
             "first_used": used.get(schema.id)}
        )  # fmt: skip
        before = schema
    if all(item["field"] is None for item in items):
        raise Problem("not-found", kind="field", name=field_id)
    return {"id": field_id, "items": items, "damages": [damage.shown() for damage in damages]}


def _first_uses(opened: OpenTable) -> dict[int, dict[str, Any]]:
    """The first kept snapshot that was committed with each schema."""
    found: dict[int, dict[str, Any]] = {}
    for snapshot in opened.table.snapshots.iter_all():
        if snapshot.schema_id not in found:
            found[snapshot.schema_id] = {
                "id": snapshot.id,
                "ref": snapshot.reference,
                "kind": snapshot.commit_kind.value.lower(),
                "committed_at": committed_at(snapshot),
            }
    return found


def _raw(opened: OpenTable, schema: TableSchema) -> str | None:
    """The schema file's text; withheld where an option in it is masked."""
    if any(mask_option(key, value) != value for key, value in schema.options.items()):
        return None
    return opened.table.io.read(opened.paths.schema_file(schema.id)).decode("utf-8", "replace")


def diff(opened: OpenTable, from_id: int, to_id: int) -> dict[str, Any]:
    """What leads from one schema to another, and what that means for old files."""
    before, after = find_schema(opened, from_id), find_schema(opened, to_id)
    contents = [content_key(opened.table, opened.paths.schema_file(i)) for i in (from_id, to_id)]
    if None in contents:
        return compared(opened, before, after)
    found = loaded(
        ("diff", *contents),
        lambda: _differences(before, after),
        size=lambda made: _ROW_SIZE * len(made["rows"]),
    )
    return found | _consequences(opened, after)


def compared(opened: OpenTable, before: TableSchema, after: TableSchema) -> dict[str, Any]:
    """As `diff`, of schemas that need not be the table's yet."""
    return _differences(before, after) | _consequences(opened, after)


def _differences(before: TableSchema, after: TableSchema) -> dict[str, Any]:
    """What the two schemas alone decide."""
    found = diff_schemas(before, after)
    return {
        "from": before.id,
        "to": after.id,
        "summary": {kind: found.counts.get(ChangeKind(kind), 0) for kind in _SUMMED},
        "rows": [_diff_row(row) for row in found.fields],
        "keys": {
            "primary": {"from": before.primary_keys, "to": after.primary_keys},
            "partition": {"from": before.partition_keys, "to": after.partition_keys},
            "bucket": {"from": before.bucket_keys, "to": after.bucket_keys},
        },
        "options": [{"key": c.key, "from": c.before, "to": c.after} for c in found.options],
        "comment": {"from": before.comment, "to": after.comment},
    }


def _consequences(opened: OpenTable, after: TableSchema) -> dict[str, Any]:
    """How the live files are read by the schema."""
    live = live_by_schema(opened) or {}
    return {"effects": _effects(live), "reads": reads_of(after, _written(opened, live), live)}


_ROW_SIZE = 1_500  # bytes, about, of a field in a difference
_SUMMED = ("added", "dropped", "renamed", "retyped", "moved", "recreated")


def _diff_row(row: FieldDiff) -> dict[str, Any]:
    return {
        "id": row.id,
        "depth": row.depth,
        "from": _side(row.before),
        "to": _side(row.after),
        "changes": [{"kind": change.kind.value, "detail": _mark(change)} for change in row.changes],
    }


def _side(side: FieldSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    names = ("name", "path", "type", "nullable", "comment", "default", "position")
    return {name: getattr(side, name) for name in names} | {"key": side.is_primary_key}


def _mark(change: FieldChange) -> str | None:
    if change.type_change is not None:
        return change.type_change.value
    if change.other_id is not None:
        return str(change.other_id)
    if change.kind in (ChangeKind.ADDED, ChangeKind.DROPPED):
        return None
    return f"{_word(change.before)} → {_word(change.after)}"


def _word(value: object) -> str:
    return "–" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _written(opened: OpenTable, live: Mapping[int, tuple[int, int]]) -> list[TableSchema]:
    """The schemas that live files were written with, as far as they can be read."""
    return [schema for schema in readable(opened)[0] if schema.id in live]


def _effects(live: Mapping[int, tuple[int, int]]) -> list[dict[str, Any]]:
    total = sum(size for _, size in live.values()) or 1
    return [
        {"schema_id": schema_id, "live_files": files, "live_bytes": size, "share": size / total}
        for schema_id, (files, size) in sorted(live.items())
    ]
