"""A schema as a tree of fields, flattened: what a diff compares. Design: 6.10.

Only fields have ids: columns, and the members of a ROW wherever it stands. The element of
an array or map has none; it is a step of the path (`items.element.city`), and its type
belongs to the field around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.schema import TableSchema
from core.types import (
    ArrayType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    type_to_text,
)


@dataclass(frozen=True, slots=True)
class FieldNode:
    """One field of a schema, with its place in it."""

    field: DataField
    path: str  # names from the top, with dots
    depth: int  # 0 for a column
    parent_id: int | None
    position: int  # among its siblings, from 0

    @property
    def id(self) -> int:
        return self.field.id

    @property
    def outline(self) -> DataType:
        """The type without what is a node of its own: members of rows, and the field's nullability."""
        return outline_of(self.field.type).with_nullability(True)

    @property
    def type_text(self) -> str:
        """`INT`, `ROW`, `ARRAY<ROW>`: the outline as SQL text."""
        return type_to_text(self.outline).replace("ROW<>", "ROW")


def flatten(schema: TableSchema) -> tuple[FieldNode, ...]:
    """All fields of the schema, parents before their members, siblings in order."""
    return tuple(_nodes(schema.fields, "", 0, None))


def outline_of(data_type: DataType) -> DataType:
    """The same type, each ROW in it without members."""
    match data_type:
        case RowType():
            return replace(data_type, fields=())
        case ArrayType() | VectorType() | MultisetType():
            return replace(data_type, element=outline_of(data_type.element))
        case MapType():
            return replace(data_type, key=outline_of(data_type.key), value=outline_of(data_type.value))
        case _:
            return data_type


def _nodes(fields: Sequence[DataField], prefix: str, depth: int, parent: int | None) -> Iterator[FieldNode]:
    for position, field in enumerate(fields):
        path = f"{prefix}{field.name}"
        yield FieldNode(field, path, depth, parent, position)
        for step, members in _rows_in(field.type, path):
            yield from _nodes(members, f"{step}.", depth + 1, field.id)


def _rows_in(data_type: DataType, path: str) -> Iterator[tuple[str, Sequence[DataField]]]:
    """The members of each ROW that is reached without passing another one."""
    match data_type:
        case RowType():
            yield path, data_type.fields
        case ArrayType() | VectorType() | MultisetType():
            yield from _rows_in(data_type.element, f"{path}.element")
        case MapType():
            yield from _rows_in(data_type.key, f"{path}.key")
            yield from _rows_in(data_type.value, f"{path}.value")
