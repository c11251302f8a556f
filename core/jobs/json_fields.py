"""Reading JSON with the name of the field at hand, so that each refusal names it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from core.errors import InvalidRequestError

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Reader = Callable[[object, str], T]  # a JSON value and the name of its field -> what it stands for


@dataclass(slots=True)
class Fields:
    """A JSON object whose members are taken one by one; what is left in the end is unknown."""

    values: dict[str, object]
    path: str

    @staticmethod
    def of(value: object, path: str) -> Fields:
        if not isinstance(value, dict):
            raise wrong(path or "the job spec", "an object", value)
        return Fields(dict(value), path)

    def name(self, field_name: str) -> str:
        return f"{self.path}.{field_name}" if self.path else field_name

    def take(self, field_name: str, read: Reader[T]) -> T:
        """A member that must be there."""
        value = self.optional(field_name, read)
        if value is None:
            raise InvalidRequestError("the job spec lacks a field", field=self.name(field_name))
        return value

    def optional(self, field_name: str, read: Reader[T]) -> T | None:
        """A member, or None if it is absent or null."""
        value = self.values.pop(field_name, None)
        return None if value is None else read(value, self.name(field_name))

    def done(self) -> None:
        """Refuse members that nobody took; a null one counts as absent."""
        left = [name for name, value in self.values.items() if value is not None]
        if left:
            raise InvalidRequestError(
                "the job spec has a field that is not known here", field=self.name(min(left))
            )


def wrong(path: str, expected: str, found: object) -> InvalidRequestError:
    return InvalidRequestError(
        "the job spec has a wrong value", field=path, expected=expected, found=repr(found)[:100]
    )


def integer(value: object, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(path, "an integer", value)
    return value


def bucket_number(value: object, path: str) -> int:
    number = integer(value, path)
    if not 0 <= number < 2**31:
        raise wrong(path, "the number of a bucket", value)
    return number


def boolean(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(path, "true or false", value)
    return value


def text(value: object, path: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise wrong(path, "a text", value)
    return value


def text_or_null(value: object, path: str) -> str | None:
    return None if value is None else string(value, path)


def string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise wrong(path, "a text", value)
    return value


def list_of(read: Reader[T]) -> Reader[tuple[T, ...]]:
    def read_list(value: object, path: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise wrong(path, "a list", value)
        return tuple(read(v, f"{path}[{i}]") for i, v in enumerate(value))

    return read_list


def map_of(read: Reader[T]) -> Reader[Mapping[str, T]]:
    def read_map(value: object, path: str) -> Mapping[str, T]:
        if not isinstance(value, dict):
            raise wrong(path, "an object", value)
        return {name: read(v, f"{path}.{name}") for name, v in value.items()}

    return read_map


text_map = map_of(string)
partition_spec = map_of(text_or_null)  # {key: value}, null for the null partition


def one_of(choices: tuple[str, ...]) -> Reader[str]:
    def read(value: object, path: str) -> str:
        if value not in choices:
            raise wrong(path, " or ".join(choices), value)
        return str(value)

    return read


def enum_of(choices: type[E]) -> Reader[E]:
    read_text = one_of(tuple(choices))
    return lambda value, path: choices(read_text(value, path))


def matching(pattern: re.Pattern[str], expected: str) -> Reader[str]:
    def read(value: object, path: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise wrong(path, expected, value)
        return value

    return read
