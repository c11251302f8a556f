"""What callers give, held against what is taken: annotations bind nobody who works at a prompt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import UnionType
from typing import TypeVar

from core.errors import InvalidRequestError

T = TypeVar("T")


def check_argument(taken: bool, what: str, given: object, **fields: object) -> None:
    """Raises `InvalidRequestError` with what was given, unless it is taken."""
    if not taken:
        raise InvalidRequestError(what, found=repr(given), **fields)


def is_a(given: object, kind: type | UnionType) -> bool:
    """It is of a kind, whatever its annotation says."""
    return isinstance(given, kind)


def is_whole_number(given: object) -> bool:
    """A number without a fraction; True and False are none."""
    return isinstance(given, int) and not isinstance(given, bool)


def is_list(given: object, kind: type | UnionType) -> bool:
    """Items in order, all of a kind; a text is no list of texts."""
    is_text = isinstance(given, str | bytes)
    return isinstance(given, Sequence) and not is_text and all(isinstance(item, kind) for item in given)


def items_of(given: Iterable[T], kind: type[T], what: str) -> list[T]:
    """All items, gone through once. Raises `InvalidRequestError`: there are none to go through, or others."""
    check_argument(is_a(given, Iterable), what, given)
    items = list(given)
    check_argument(is_list(items, kind), what, items)
    return items


def is_texts(given: object) -> bool:
    """A mapping of texts to texts."""
    return isinstance(given, Mapping) and all(isinstance(t, str) for item in given.items() for t in item)


def column_names(names: Collection[str]) -> Collection[str]:
    """The names of columns as callers give them, in any collection. Raises `InvalidRequestError`: no such."""
    check_argument(_are_names(names), "give a list of columns", names)
    return names


def _are_names(given: object) -> bool:
    is_text = isinstance(given, str | bytes)
    return isinstance(given, Collection) and not is_text and all(isinstance(name, str) for name in given)
