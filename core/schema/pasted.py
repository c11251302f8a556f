"""A schema as people have it at hand: the text of a schema file, Spark's JSON, or columns as in SQL.

Which of them it is, the text itself tells. Spark's types become what a Spark job of ours makes of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import count
from types import MappingProxyType
from typing import Any

from core.errors import FormatError, InvalidRequestError
from core.types import (
    STRING,
    ArrayType,
    BigIntType,
    DataField,
    DataType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RowType,
    SmallIntType,
    TimestampType,
    TinyIntType,
    fields_from_json,
    parse_type,
)

MAX_LENGTH = 500_000
_MAX_DEPTH = 64


class PastedForm(StrEnum):
    PAIMON = "paimon"  # a file of the folder `schema`, or the list of its fields
    SPARK = "spark"  # what `DataFrame.schema.json()` gives
    SQL = "sql"  # `id BIGINT NOT NULL, name STRING`, or CREATE TABLE around it


def parse_pasted(text: str) -> tuple[tuple[DataField, ...], PastedForm]:
    """The columns that the text describes, and in which form it does; their ids mean nothing.

    Raises:
        InvalidRequestError: in none of these forms, or without a column. UnsupportedError: a type we do not
            know.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidRequestError("the schema is too long", limit=MAX_LENGTH, found=len(text))
    fields, form = _parsed(text.strip())
    if not fields:
        raise InvalidRequestError("the schema has no column")
    return fields, form


def _parsed(text: str) -> tuple[tuple[DataField, ...], PastedForm]:
    if not text.startswith(("{", "[")):
        return _sql_columns(text), PastedForm.SQL
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the schema is not JSON", cause=str(error)) from error
    if isinstance(value, dict) and value.get("type") == "struct":
        return _Spark().members(value, 0), PastedForm.SPARK
    fields = value.get("fields") if isinstance(value, dict) else value
    if not isinstance(fields, list):
        raise InvalidRequestError("the schema has no list `fields`", found=sorted(value)[:20])
    try:
        return fields_from_json(fields), PastedForm.PAIMON
    except (FormatError, RecursionError) as error:
        raise InvalidRequestError("the schema has fields that are none", cause=str(error)) from error


# --- SQL ----------------------------------------------------------------------------------------------

_CREATE = re.compile(r"\s*CREATE\s+TABLE\b[^(]*\(", re.I)
_PRIMARY_KEY = re.compile(
    r",\s*(CONSTRAINT\s+\w+\s+)?PRIMARY\s+KEY\s*\([^)]*\)(\s*NOT\s+ENFORCED)?\s*(?=,|$)", re.I
)
_QUOTED = r"('(?:[^']|'')*'|`(?:[^`]|``)*`)"
_SPARK_WORDS = re.compile(rf"{_QUOTED}|\bCOMMENT\b|\bSTRUCT\b|:", re.I)
_PARENTHESES = re.compile(rf"{_QUOTED}|[()]")
_IN_TYPES = MappingProxyType({"COMMENT": "", "STRUCT": "ROW", ":": " "})


def _sql_columns(text: str) -> tuple[DataField, ...]:
    created = _CREATE.match(text)
    columns = _up_to_closing(text[created.end() :]) if created else text.rstrip(";")
    columns = _PRIMARY_KEY.sub("", columns)
    parsed = parse_type(f"ROW<{_SPARK_WORDS.sub(_in_types, columns)}>")
    return parsed.fields if isinstance(parsed, RowType) else ()


def _in_types(found: re.Match[str]) -> str:
    return found[0] if found[1] else _IN_TYPES[found[0].upper()]


def _up_to_closing(text: str) -> str:
    """The text before the parenthesis that closes one opened before it."""
    depth = 1
    for found in _PARENTHESES.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return text[: found.start()]
    raise InvalidRequestError("CREATE TABLE has no closing parenthesis")


# --- Spark --------------------------------------------------------------------------------------------

_SPARK: Mapping[str, DataType] = MappingProxyType(
    {
        "string": STRING,
        "byte": TinyIntType(),
        "short": SmallIntType(),
        "integer": IntType(),
        "long": BigIntType(),
        "timestamp": LocalZonedTimestampType(6),
        "timestamp_ntz": TimestampType(6),
    }
)
"""Whose names are others than ours."""

_SIZED_TEXT = "__CHAR_VARCHAR_TYPE_STRING"  # metadata in which Spark keeps that a string is a VARCHAR(n)


class _Spark:
    def __init__(self) -> None:
        self._ids: Iterator[int] = count()

    def members(self, value: Any, depth: int) -> tuple[DataField, ...]:
        fields = _member(value, "fields", list)
        return tuple(self._field(member, depth) for member in fields)

    def _field(self, value: Any, depth: int) -> DataField:
        number, name = next(self._ids), _member(value, "name", str)
        metadata = value.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        found = metadata.get(_SIZED_TEXT) or value.get("type")
        data_type = self._type(found, depth).with_nullability(value.get("nullable") is not False)
        comment = metadata.get("comment")
        return DataField(number, name, data_type, comment if isinstance(comment, str) else None)

    def _type(self, value: Any, depth: int) -> DataType:
        if depth > _MAX_DEPTH:
            raise InvalidRequestError("the schema is nested too deeply", limit=_MAX_DEPTH)
        if isinstance(value, str):
            return _SPARK[value] if value in _SPARK else parse_type(value)
        kind = _member(value, "type", str)
        if kind not in _CONSTRUCTED:
            raise InvalidRequestError("no type of Spark", found=kind, expected=" or ".join(_CONSTRUCTED))
        return _CONSTRUCTED[kind](self, value, depth + 1)

    def row(self, value: Any, depth: int) -> DataType:
        return RowType(self.members(value, depth))

    def array(self, value: Any, depth: int) -> DataType:
        element = self._type(value.get("elementType"), depth)
        return ArrayType(element.with_nullability(value.get("containsNull") is not False))

    def map(self, value: Any, depth: int) -> DataType:
        key = self._type(value.get("keyType"), depth).with_nullability(False)
        element = self._type(value.get("valueType"), depth)
        return MapType(key, element.with_nullability(value.get("valueContainsNull") is not False))


_CONSTRUCTED: Mapping[str, Callable[[_Spark, Any, int], DataType]] = MappingProxyType(
    {"struct": _Spark.row, "array": _Spark.array, "map": _Spark.map}
)


def _member(value: Any, name: str, kind: type[Any]) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind):
        raise InvalidRequestError(f"the schema lacks {name!r} where one has to be", found=repr(value)[:200])
    return found
