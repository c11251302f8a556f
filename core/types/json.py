"""Data types and fields <-> the JSON values of schema files. Spec: 01, 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from core.errors import FormatError, InvalidRequestError
from core.types.data_types import (
    ArrayType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)
from core.types.parse import checked_vector, parse_type
from core.types.sql import type_to_text

JsonValue = Any  # what json.loads gives

_MAX_DEPTH = 64


def type_to_json(data_type: DataType) -> JsonValue:
    """SQL text for atomic types, an object for constructed ones."""
    suffix = "" if data_type.nullable else " NOT NULL"
    match data_type:
        case ArrayType():
            return {"type": "ARRAY" + suffix, "element": type_to_json(data_type.element)}
        case MultisetType():
            return {"type": "MULTISET" + suffix, "element": type_to_json(data_type.element)}
        case MapType():
            key, value = type_to_json(data_type.key), type_to_json(data_type.value)
            return {"type": "MAP" + suffix, "key": key, "value": value}
        case VectorType():
            element = type_to_json(data_type.element)
            return {"type": "VECTOR" + suffix, "element": element, "length": data_type.length}
        case RowType():
            return {"type": "ROW" + suffix, "fields": [field_to_json(f) for f in data_type.fields]}
        case _:
            return type_to_text(data_type)


def field_to_json(field: DataField) -> dict[str, JsonValue]:
    """Keys in the order Paimon writes them; absent members are left out."""
    value: dict[str, JsonValue] = {"id": field.id, "name": field.name, "type": type_to_json(field.type)}
    if field.description is not None:
        value["description"] = field.description
    if field.default_value is not None:
        value["defaultValue"] = field.default_value
    return value


def type_from_json(value: JsonValue) -> DataType:
    """The type of a schema file's `type` member.

    Raises:
        FormatError: not a type. UnsupportedError: a type we do not know.
    """
    return _Reader(_has_ids(value)).type(value, 0)


def field_from_json(value: JsonValue) -> DataField:
    """One field with its nested ids as written."""
    return fields_from_json([value])[0]


def fields_from_json(values: Sequence[JsonValue]) -> tuple[DataField, ...]:
    """Fields of a schema or ROW; where not one id is written they are numbered depth first.

    Raises:
        FormatError: not fields, or ids on some fields only.
    """
    return _Reader(_has_ids({"fields": values})).fields(values, 0)


class _Reader:
    def __init__(self, has_ids: bool) -> None:
        self._fresh: Iterator[int] | None = None if has_ids else count()

    def type(self, value: JsonValue, depth: int) -> DataType:
        if depth > _MAX_DEPTH:
            raise FormatError("data types are nested too deeply", limit=_MAX_DEPTH)
        if isinstance(value, str):
            try:
                return parse_type(value)
            except InvalidRequestError as error:
                raise FormatError(error.what, **error.fields) from error
        if not isinstance(value, dict):
            raise FormatError("not a data type", found=repr(value), expected="text or object")
        name = str(_member(value, "type")).upper()
        return self._constructed(name, value, depth + 1).with_nullability("NOT NULL" not in name)

    def _constructed(self, name: str, value: dict[str, JsonValue], depth: int) -> DataType:
        if name.startswith("ROW"):
            return RowType(self.fields(_member(value, "fields"), depth))
        if name.startswith("MAP"):
            key = self.type(_member(value, "key"), depth)
            return MapType(key, self.type(_member(value, "value"), depth))
        if not name.startswith(("ARRAY", "MULTISET", "VECTOR")):
            raise FormatError("unknown constructed type", found=name)
        element = self.type(_member(value, "element"), depth)
        if name.startswith("VECTOR"):
            return _vector(element, _member(value, "length"))
        return ArrayType(element) if name.startswith("ARRAY") else MultisetType(element)

    def fields(self, values: JsonValue, depth: int) -> tuple[DataField, ...]:
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise FormatError("fields are not a list", found=repr(values))
        return tuple(self._field(v, depth) for v in values)

    def _field(self, value: JsonValue, depth: int) -> DataField:
        if not isinstance(value, dict):
            raise FormatError("a field is not an object", found=repr(value))
        number = _member(value, "id") if self._fresh is None else next(self._fresh)
        name = _member(value, "name")
        if not isinstance(number, int) or not isinstance(name, str):
            raise FormatError("a field has no number as id or no text as name", found=repr(value))
        return DataField(
            number,
            name,
            self.type(_member(value, "type"), depth),
            value.get("description"),
            value.get("defaultValue"),
        )


def _vector(element: DataType, length: JsonValue) -> DataType:
    if not isinstance(length, int):
        raise FormatError("the length of a VECTOR is not a number", found=repr(length))
    try:
        return checked_vector(element, length)
    except InvalidRequestError as error:
        raise FormatError(error.what, **error.fields) from error


def _member(value: dict[str, JsonValue], name: str) -> JsonValue:
    if name not in value:
        raise FormatError(f"a data type or field lacks {name!r}", found=repr(value))
    return value[name]


def _has_ids(value: JsonValue) -> bool:
    """Whether any field below `value` has an id: then all must have one."""
    if isinstance(value, dict):
        return "id" in value or any(_has_ids(v) for v in value.values())
    return isinstance(value, (list, tuple)) and any(_has_ids(v) for v in value)
