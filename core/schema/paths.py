"""Columns by path: find one among its siblings and put another in its place. Spec: 09, 1.

Each function takes the fields of a table or ROW and gives them back changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from core.errors import InvalidRequestError
from core.schema.changes import Path
from core.types.data_types import ArrayType, DataField, DataType, MapType, RowType

Fields: TypeAlias = tuple[DataField, ...]


def update_siblings(fields: Fields, path: Path, update: Callable[[Fields, str], Fields]) -> Fields:
    """`update` is given the fields beside (and with) the last name of the path, and that name.

    Raises:
        InvalidRequestError: a step of the path leads nowhere.
    """
    return _in_fields(fields, path, path, update)


def update_field(fields: Fields, path: Path, update: Callable[[DataField], DataField]) -> Fields:
    """`update` is given the field that the path names."""

    def update_one(siblings: Fields, name: str) -> Fields:
        require(siblings, name, path)
        return tuple(update(f) if f.name == name else f for f in siblings)

    return update_siblings(fields, path, update_one)


def update_type(fields: Fields, path: Path, update: Callable[[DataType], DataType]) -> Fields:
    """`update` is given the type that the path names: of a field, an element or a value."""
    if _ends_inside(fields, path):
        owner = path[:-1]
        return update_type(fields, owner, lambda outer: _with_inner(outer, update))
    return update_field(fields, path, lambda f: replace(f, type=update(f.type)))


def is_field(fields: Fields, path: Path) -> bool:
    """Whether the path names a field, rather than an element or a value."""
    return not _ends_inside(fields, path)


def require(fields: Fields, name: str, path: Path) -> None:
    """`InvalidRequestError` unless one of the fields has the name."""
    if all(f.name != name for f in fields):
        raise InvalidRequestError("no such column", column=shown(path))


def shown(path: Path) -> str:
    """The path as people write it."""
    return ".".join(path)


def type_at(fields: Fields, path: Path) -> DataType | None:
    """The type that the path names; None if it leads nowhere."""
    found = next((f.type for f in fields if f.name == path[0]), None) if path else None
    for step in path[1:]:
        match found:
            case RowType():
                member = found.field(step)
                found = None if member is None else member.type
            case ArrayType() if step == "element":
                found = found.element
            case MapType() if step == "value":
                found = found.value
            case _:
                return None
    return found


def _ends_inside(fields: Fields, path: Path) -> bool:
    """Whether the last step leads into an ARRAY or a MAP."""
    owner = type_at(fields, path[:-1])
    return (isinstance(owner, ArrayType) and path[-1] == "element") or (
        isinstance(owner, MapType) and path[-1] == "value"
    )


def _with_inner(outer: DataType, update: Callable[[DataType], DataType]) -> DataType:
    if isinstance(outer, ArrayType):
        return replace(outer, element=update(outer.element))
    assert isinstance(outer, MapType)
    return replace(outer, value=update(outer.value))


def _in_fields(fields: Fields, rest: Path, path: Path, update: Callable[[Fields, str], Fields]) -> Fields:
    if len(rest) == 1:
        return update(fields, rest[0])
    require(fields, rest[0], path)
    return tuple(
        replace(f, type=_in_type(f.type, rest[1:], path, update)) if f.name == rest[0] else f for f in fields
    )


def _in_type(
    data_type: DataType, rest: Path, path: Path, update: Callable[[Fields, str], Fields]
) -> DataType:
    match data_type:
        case RowType():
            return replace(data_type, fields=_in_fields(data_type.fields, rest, path, update))
        case ArrayType() if rest[0] == "element" and len(rest) > 1:
            return replace(data_type, element=_in_type(data_type.element, rest[1:], path, update))
        case MapType() if rest[0] == "value" and len(rest) > 1:
            return replace(data_type, value=_in_type(data_type.value, rest[1:], path, update))
    raise InvalidRequestError("no such column", column=shown(path))
