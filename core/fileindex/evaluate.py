"""A filter asked of the indexes of one data file. Spec: 05, 9."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyroaring import BitMap

from core.fileindex.bitmap import decode_bitmap_index
from core.fileindex.bloom_filter import BloomFilterIndex, decode_bloom_filter
from core.fileindex.bsi import decode_bsi
from core.fileindex.column_index import ColumnIndex, EmptyIndex, Rows, rows_of, union
from core.fileindex.container import IndexSlot
from core.fileindex.keys import key_form
from core.fileindex.range_bitmap import decode_range_bitmap
from core.predicate import And, Leaf, Or, Predicate, positive, references
from core.types import DataType

_DECODERS: Mapping[str, Callable[[bytes, DataType], ColumnIndex]] = {
    "bloom-filter": lambda payload, kind: BloomFilterIndex(decode_bloom_filter(payload), kind),
    "bitmap": lambda payload, kind: decode_bitmap_index(payload, key_form(kind)),
    "bsi": lambda payload, kind: decode_bsi(payload, key_form(kind)),
    "range-bitmap": lambda payload, kind: decode_range_bitmap(payload, key_form(kind)),
}


def is_known_index(index_type: str) -> bool:
    """Whether we can ask an index of this type; others are carried unchanged and named."""
    return index_type in _DECODERS


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """What the indexes of a file say about a filter."""

    rows: Rows  # all rows that may satisfy it; None where nothing is known, empty where none can
    asked: tuple[str, ...]  # the indexes that were asked, as `bitmap(c)`


def useful_slots(
    slots: Sequence[IndexSlot], conjuncts: Sequence[Predicate], types: Mapping[str, DataType]
) -> tuple[IndexSlot, ...]:
    """The known indexes on columns that the filter names; `types` has the columns of the file.

    An index on a key of a map (`m[k]`) is none of them: a filter cannot name it.
    """
    named = {column for conjunct in conjuncts for column in references(conjunct)}
    return tuple(
        slot
        for slot in slots
        if slot.column in named and is_known_index(slot.index_type) and not _is_map_key(slot.column, types)
    )


def _is_map_key(column: str, types: Collection[str]) -> bool:
    return column.endswith("]") and column.partition("[")[0] in types


def ask_indexes(
    conjuncts: Sequence[Predicate],
    slots: Sequence[IndexSlot],
    payload_of: Callable[[IndexSlot], bytes],
    types: Mapping[str, DataType],
) -> IndexAnswer:
    """The rows of a file that may satisfy all of the bound `conjuncts`.

    Args:
        conjuncts: over columns of the file, in their types there.
        slots: the indexes to ask, as `useful_slots` gives them.
        payload_of: the bytes of one of them.
        types: of the columns.

    Raises:
        FormatError: an index is damaged. UnsupportedError: its version is not known.
    """
    indexes: dict[str, list[ColumnIndex]] = {}
    for slot in slots:
        index = (
            EmptyIndex()
            if slot.is_empty
            else _DECODERS[slot.index_type](payload_of(slot), types[slot.column])
        )
        indexes.setdefault(slot.column, []).append(index)
    rows = _all([_rows(positive(conjunct), indexes) for conjunct in conjuncts])
    return IndexAnswer(rows, tuple(f"{slot.index_type}({slot.column})" for slot in slots))


def _rows(predicate: Predicate, indexes: Mapping[str, Sequence[ColumnIndex]]) -> Rows:
    match predicate:
        case And():
            return _all([_rows(child, indexes) for child in predicate.children])
        case Or():
            parts = [_rows(child, indexes) for child in predicate.children]
            known = [part for part in parts if part is not None]
            return union(known) if len(known) == len(parts) else None
        case Leaf():
            return _all([rows_of(index, predicate) for index in indexes.get(predicate.column, ())])
        case _:
            raise TypeError(f"cannot evaluate {predicate!r}")


def _all(parts: Sequence[Rows]) -> Rows:
    known: list[BitMap] = [part for part in parts if part is not None]
    return reduce(lambda a, b: a & b, known) if known else None
