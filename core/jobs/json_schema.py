"""The JSON Schema (draft 2020-12) of what dataclasses declare. See `declared`.

What is legal by the schema is read, but for rules between members, which are told in words alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from core.jobs.declared import (
    AtLeast,
    Blank,
    NotEmpty,
    Pattern,
    base_of,
    choices,
    meaning_of,
    members,
    notes_of,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_TYPES: Mapping[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_NOT_BLANK = r"\S"


def object_schema(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of a declared object, which is put among the definitions."""
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # taken, should it hold itself
        known = members(kind)
        definitions[kind.__name__] = {
            "type": "object",
            "description": meaning_of(kind),
            "properties": {member.name: _member_schema(member, definitions) for member in known},
            "required": [member.name for member in known if member.required],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _member_schema(member: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    schema = value_schema(member.type, definitions)
    if member.meaning:
        schema = {"description": member.meaning, **schema}
    if not member.required and member.default is not None:
        schema["default"] = _plain(member.default)
    return schema


def value_schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a declared type."""
    kind, notes = base_of(hint), notes_of(hint)
    rules = tuple(note for note in notes if not isinstance(note, str))
    alternatives = choices(kind)
    may_be_null = NoneType in get_args(kind) and alternatives != (kind,)
    if len(alternatives) > 1 or may_be_null:
        noted = [Annotated[(one, *rules)] if rules else one for one in alternatives]
        schemas = [value_schema(one, definitions) for one in noted]
        return {"anyOf": [*schemas, {"type": "null"}] if may_be_null else schemas}
    return _plain_schema(kind, rules, definitions)


def _plain_schema(kind: Any, rules: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return object_schema(kind, definitions)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [choice.value for choice in kind]}
    if origin is tuple:
        items = {"type": "array", "items": value_schema(get_args(kind)[0], definitions)}
        return {**items, "minItems": 1} if NotEmpty() in rules else items
    if origin is not None and issubclass(origin, Mapping):
        key_type, value_type = get_args(kind)
        schema: dict[str, Any] = {"type": "object"}
        schema["additionalProperties"] = value_schema(value_type, definitions)
        if NotEmpty() in rules:
            schema["minProperties"] = 1
        names = value_schema(key_type, definitions)
        return schema if names == {"type": "string"} else {**schema, "propertyNames": names}
    return _scalar_schema(kind, rules)


def _scalar_schema(kind: Any, rules: tuple[Any, ...]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": _TYPES[kind]}
    if kind is str and Blank() not in rules:
        schema["pattern"] = _NOT_BLANK
    for rule in rules:
        if isinstance(rule, AtLeast):
            schema |= {"minimum": rule.least, "maximum": rule.most}
        if isinstance(rule, Pattern):
            schema["pattern"] = f"^(?:{rule.expression})$"
    return schema


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, StrEnum):
        return value.value
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
