"""Dataclasses that say what JSON may hold: read strictly, and told as JSON Schema (`json_schema`).

A part of a job spec is declared once, as a frozen dataclass. Its field names are the members, its types
and defaults say what they may be, and an annotation says what they mean:

    buckets: Annotated[int | None, AtLeast(1), "how many there are to be"] = None

Known types: bool, int, float, str, texts of an enum, other dataclasses, tuples and mappings of these, and
unions. Of several dataclasses the one is meant whose first field is there. A text is not blank, unless
its annotation says `Blank`. A null stands for a member that is absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from core.errors import InvalidRequestError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A number that is not below this one, and fits into so many bits."""

    least: int
    bits: int = 63

    @property
    def most(self) -> int:
        return (1 << self.bits) - 1


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text that matches as a whole."""

    expression: str
    expected: str  # in words


@dataclass(frozen=True, slots=True)
class Blank:
    """A text that may be blank."""


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """A list or an object that has a member."""


@dataclass(frozen=True, slots=True)
class Check:
    """What else a value has to be; the function raises `InvalidRequestError` for what is not."""

    check: Callable[[Any], object]
    expected: str  # in words


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, as its dataclass declares it."""

    name: str
    type: Any  # as annotated
    meaning: str
    required: bool
    default: Any


@cache
def members(kind: type) -> tuple[Member, ...]:
    """The members of a declared object, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_member(field, hints[field.name]) for field in fields(kind))


def _member(field: Field[Any], hint: Any) -> Member:
    meaning = next((note for note in _notes(hint) if isinstance(note, str)), "")
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return Member(field.name, hint, meaning, default is MISSING, None if default is MISSING else default)


def meaning_of(kind: type) -> str:
    """The first paragraph of the docstring, on one line."""
    return " ".join((kind.__doc__ or "").split("\n\n", 1)[0].split())


def read_object(kind: type[T], value: object, path: str) -> T:
    """The object that JSON tells; `path` names it, and is empty for the whole.

    Raises:
        InvalidRequestError: a member is missing, unknown or wrong; `field` names it by its path.
    """
    if not isinstance(value, dict):
        raise wrong(path or "the job spec", "an object", value)
    given = {name: member for name, member in value.items() if member is not None}
    known = members(kind)  # type: ignore[arg-type]  # a type is hashable, whatever it is generic in
    read: dict[str, Any] = {}
    for member in known:
        if member.name in given:
            read[member.name] = read_value(member.type, given[member.name], _named(path, member.name))
        elif member.required:
            raise InvalidRequestError("the job spec lacks a field", field=_named(path, member.name))
    refuse_unknown(given.keys() - {member.name for member in known}, path)
    try:
        return kind(**read)
    except InvalidRequestError as error:  # of rules between members, which know no path
        name = str(error.fields.get("field", ""))
        raise InvalidRequestError(error.what, **{**error.fields, "field": _named(path, name)}) from error


def refuse_unknown(names: Set[str], path: str) -> None:
    """`InvalidRequestError` if members are there that nobody knows."""
    if names:
        raise InvalidRequestError(
            "the job spec has a field that is not known here", field=_named(path, min(names))
        )


def read_value(hint: Any, value: object, path: str) -> Any:
    """What a JSON value stands for, by its declared type; raises as `read_object`."""
    kind, notes = hint, _notes(hint)
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        return _read_union(kind, notes, value, path)
    read = _read_plain(kind, notes, value, path)
    for note in notes:
        _check(note, read, path)
    return read


def choices(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union but null, one for what is none."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) not in (Union, UnionType):
        return (kind,)
    return tuple(alternative for alternative in get_args(kind) if alternative is not NoneType)


def base_of(kind: Any) -> Any:
    """The type without what is noted of it."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return kind


def _read_union(kind: Any, notes: tuple[Any, ...], value: object, path: str) -> Any:
    alternatives = choices(kind)
    if value is None:
        if NoneType in get_args(kind):
            return None
        raise wrong(path, " or ".join(map(_words, alternatives)), value)
    noted = [Annotated[(alternative, *notes)] if notes else alternative for alternative in alternatives]
    if len(alternatives) == 1:
        return read_value(noted[0], value, path)
    if all(is_dataclass(base_of(alternative)) for alternative in alternatives):
        return read_value(_marked(alternatives, value, path), value, path)
    for alternative in noted:
        if type(value) in _JSON_TYPES.get(base_of(alternative), ()):
            return read_value(alternative, value, path)
    raise wrong(path, " or ".join(map(_words, alternatives)), value)


def _marked(alternatives: tuple[Any, ...], value: object, path: str) -> Any:
    """The one of several objects whose first member is given."""
    if not isinstance(value, dict):
        raise wrong(path, "an object", value)
    marks = {members(alternative)[0].name: alternative for alternative in alternatives}
    found = [name for name in marks if value.get(name) is not None]
    if len(found) != 1:
        raise InvalidRequestError(f"give exactly one of {' and '.join(marks)}", field=path)
    return marks[found[0]]


_JSON_TYPES: Mapping[Any, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}
_WORDS = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}


def _words(kind: Any) -> str:
    return next(
        (note.expected for note in _notes(kind) if isinstance(note, Pattern | Check)),
        _WORDS.get(base_of(kind), "another value"),
    )


def _read_plain(kind: Any, notes: tuple[Any, ...], value: object, path: str) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return read_object(kind, value, path)
    if origin is tuple:
        if not isinstance(value, list):
            raise wrong(path, "a list", value)
        return tuple(read_value(get_args(kind)[0], one, f"{path}[{i}]") for i, one in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        return _read_mapping(kind, value, path)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if value not in tuple(kind):
            raise wrong(path, " or ".join(kind), value)
        return kind(str(value))
    if type(value) not in _JSON_TYPES[kind]:
        raise wrong(path, _WORDS[kind], value)
    if isinstance(value, str) and not value.strip() and not any(isinstance(n, Blank) for n in notes):
        raise wrong(path, "a text that is not blank", value)
    return value


def _read_mapping(kind: Any, value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise wrong(path, "an object", value)
    key_type, value_type = get_args(kind)
    return {
        read_value(key_type, name, f"{path}.{name}"): read_value(value_type, member, f"{path}.{name}")
        for name, member in value.items()
    }


def _check(note: Any, value: Any, path: str) -> None:
    match note:
        case AtLeast():
            if not note.least <= value <= note.most:
                raise wrong(path, f"a number from {note.least} to {note.most}", value)
        case Pattern():
            if not re.fullmatch(note.expression, value):
                raise wrong(path, note.expected, value)
        case NotEmpty():
            if not value:
                raise wrong(path, "at least one member", value)
        case Check():
            try:
                note.check(value)
            except InvalidRequestError as error:
                raise wrong(path, note.expected, value) from error


def _notes(hint: Any) -> tuple[Any, ...]:
    notes: tuple[Any, ...] = ()
    while get_origin(hint) is Annotated:
        notes = (*hint.__metadata__, *notes)
        hint = get_args(hint)[0]
    return notes


notes_of = _notes


def _named(path: str, name: str) -> str:
    return ".".join(filter(None, (path, name)))


def wrong(path: str, expected: str, found: object) -> InvalidRequestError:
    """The refusal of a value."""
    return InvalidRequestError(
        "the job spec has a wrong value", field=path, expected=expected, found=repr(found)[:100]
    )
