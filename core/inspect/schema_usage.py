"""Which schemas the live files were written with, and how their fields are read now. Design: 6.10."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.inspect.field_tree import FieldNode, flatten
from core.inspect.selection import snapshot_or_latest
from core.schema import TableSchema
from core.snapshot import Snapshot
from core.table import Table


@dataclass(frozen=True, slots=True)
class SchemaUsage:
    """What was written with one schema and is live."""

    schema_id: int
    files: int
    size: int  # bytes
    rows: int


class Reading(StrEnum):
    """How a field is filled where a file was written with a schema that has it otherwise."""

    NULL = "null"
    DEFAULT = "default"
    CAST = "cast"


@dataclass(frozen=True, slots=True)
class ReadEffect:
    """How a field of a schema is read from files of others."""

    field_id: int
    path: str
    reading: Reading
    detail: str | None  # the default value, or `INT to BIGINT`
    schema_ids: tuple[int, ...]  # that have it so
    size: int  # bytes of the live files written with them


def measure_schema_usage(table: Table, snapshot: Snapshot | None = None) -> tuple[SchemaUsage, ...]:
    """Live files by the schema they were written with, ascending id."""
    entries = table.manifests.live_entries(snapshot_or_latest(table, snapshot))
    ids, group = np.unique(entries.numpy("schema_id"), return_inverse=True)
    files = np.bincount(group, minlength=len(ids))
    size = np.bincount(group, weights=entries.numpy("file_size"), minlength=len(ids))
    rows = np.bincount(group, weights=entries.numpy("row_count"), minlength=len(ids))
    return tuple(
        SchemaUsage(int(i), int(f), int(s), int(r)) for i, f, s, r in zip(ids, files, size, rows, strict=True)
    )


def effects_on_reads(
    table: Table, schema: TableSchema, usage: Sequence[SchemaUsage]
) -> tuple[ReadEffect, ...]:
    """Every field of `schema` that some live file has otherwise, in the schema's order."""
    sizes = {one.schema_id: one.size for one in usage}
    grouped: dict[tuple[int, Reading, str | None], list[int]] = defaultdict(list)
    nodes = {node.id: node for node in flatten(schema)}
    for one in usage:
        if one.schema_id != schema.id:
            written = {node.id: node for node in flatten(table.schemas.get(one.schema_id))}
            for effect in _effects(nodes.values(), written):
                grouped[effect].append(one.schema_id)
    order = {field_id: position for position, field_id in enumerate(nodes)}
    return tuple(
        ReadEffect(field_id, nodes[field_id].path, reading, detail, tuple(ids), sum(sizes[i] for i in ids))
        for (field_id, reading, detail), ids in sorted(grouped.items(), key=lambda item: order[item[0][0]])
    )


def _effects(
    nodes: Iterable[FieldNode], written: dict[int, FieldNode]
) -> Iterator[tuple[int, Reading, str | None]]:
    for node in nodes:
        old = written.get(node.id)
        if old is None:
            default = node.field.default_value
            yield node.id, Reading.NULL if default is None else Reading.DEFAULT, default
        elif old.outline != node.outline:
            yield node.id, Reading.CAST, f"{old.type_text} to {node.type_text}"
