"""A JSON object whose members are checked as they are taken out.

Metadata files are JSON written by many versions of many writers: a missing member, a null
and a wrong type must each give a `FormatError` that names the member, never a KeyError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.errors import FormatError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class JsonObject:
    """Typed access to the members of one object; null and absent are the same."""

    members: Mapping[str, object]

    @staticmethod
    def parse(data: bytes) -> JsonObject:
        """The object that `data` holds; `FormatError` if it is no JSON object."""
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "not valid JSON", offset=getattr(error, "pos", None), found=_head(data)
            ) from error
        return JsonObject.of(value)

    @staticmethod
    def of(value: object) -> JsonObject:
        if not isinstance(value, dict):
            raise FormatError("a JSON value has the wrong type", expected="object", found=_shown(value))
        return JsonObject(value)

    def integer(self, name: str) -> int:
        return _present(name, self.integer_or_none(name), "integer")

    def integer_or_none(self, name: str) -> int | None:
        value = self.members.get(name)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63:
            return value
        raise _wrong(name, "integer of 64 bits", value)

    def text(self, name: str) -> str:
        return _present(name, self.text_or_none(name), "string")

    def text_or_none(self, name: str) -> str | None:
        value = self.members.get(name)
        if value is None or isinstance(value, str):
            return value
        raise _wrong(name, "string", value)

    def array(self, name: str) -> list[object]:
        value = self.members.get(name)
        if isinstance(value, list):
            return value
        raise _wrong(name, "array", value)

    def texts(self, name: str) -> tuple[str, ...]:
        """An array of strings; absent is empty."""
        values = self.array(name) if self.members.get(name) is not None else []
        if all(isinstance(v, str) for v in values):
            return tuple(str(v) for v in values)
        raise _wrong(name, "array of strings", values)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false; absent is the default."""
        value = self.members.get(name)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        raise _wrong(name, "true or false", value)

    def nested(self, name: str) -> JsonObject:
        return _present(name, self.nested_or_none(name), "object")

    def nested_or_none(self, name: str) -> JsonObject | None:
        value = self.members.get(name)
        if value is None or isinstance(value, dict):
            return None if value is None else JsonObject(value)
        raise _wrong(name, "object", value)

    def nested_list(self, name: str) -> tuple[JsonObject, ...]:
        """An array of objects; absent is empty."""
        values = self.array(name) if self.members.get(name) is not None else []
        if all(isinstance(v, dict) for v in values):
            return tuple(map(JsonObject.of, values))
        raise _wrong(name, "array of objects", values)

    def text_map(self, name: str) -> dict[str, str]:
        """An object of strings; absent is empty."""
        value = self.members.get(name)
        if value is None:
            return {}
        if isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
            return dict(value)
        raise _wrong(name, "object of strings", value)


def _present(name: str, value: _T | None, expected: str) -> _T:
    if value is None:
        raise FormatError("a JSON member is missing", member=name, expected=expected)
    return value


def _wrong(name: str, expected: str, value: object) -> FormatError:
    return FormatError(
        "a JSON member has the wrong type", member=name, expected=expected, found=_shown(value)
    )


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _head(data: bytes) -> str:
    return repr(data[:24]) if data else "an empty file"
