"""The payload of a file index as input: filters are asked of it, and it is described."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.fileindex import IndexSlot, ask_indexes
from core.fileindex.describe import describe_index
from core.predicate import bind, parse_predicate
from core.types import DataField, parse_type
from tests.core.fileindex.columns import encode

_NUMBERS = [5, None, 7, -3, 5, 1 << 40]
_TEXTS = ["a", None, "b", "ab", "a", "z" * 40]
_FILTERS = ("c = {0}", "c <> {0}", "c > {0} OR c IS NULL", "c BETWEEN {1} AND {0}", "NOT c IN ({0}, {1})")
_WRITTEN = {"bitmap": ("bitmap v1", "bitmap v2")}  # an index type of several forms


def ask(index_type: str, type_text: str) -> Callable[[bytes], object]:
    """The target of an index on a column of a type."""
    kind = parse_type(type_text)
    literals = ("5", "-3") if type_text == "BIGINT" else ("'b'", "'a'")
    filters = [parse_predicate(text.format(*literals)) for text in _FILTERS]
    bound = [bind(predicate, [DataField(0, "c", kind)]) for predicate in filters]

    def target(data: bytes) -> object:
        slot = IndexSlot("c", index_type, 0, len(data))
        for predicate in bound:
            ask_indexes([predicate], [slot], lambda _: data, {"c": kind})
        return describe_index(index_type, data, kind)

    return target


def payloads(index_type: str, type_text: str) -> Callable[[], Iterator[bytes]]:
    """Indexes of the type to start from, whole and in small blocks."""
    column: list[Any] = _NUMBERS if type_text == "BIGINT" else _TEXTS

    def samples() -> Iterator[bytes]:
        for form in _WRITTEN.get(index_type, (index_type,)):
            for small in (False, True):
                yield encode(form, column, parse_type(type_text), small)

    return samples
