"""Elements of collections side by side, and numbers that stand for equal values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.mergetree.aggregate.events import Column, Events, Flags, Folded, Positions, computed


@dataclass(frozen=True, slots=True)
class Elements:
    """All elements of the collections that events hold, in the order of the events.

    Elements of a map are rows of key and value.
    """

    events: Events  # those whose collection is not null
    event: Positions  # of each element
    values: Column

    @staticmethod
    def of(column: Column, events: Events) -> Elements:
        valid = events.live().valid(column)
        taken = column.take(pa.array(valid.row))
        offsets = np.asarray(taken.offsets)
        event = np.repeat(np.arange(len(valid)), np.diff(offsets))
        return Elements(valid, event, _children(taken).slice(int(offsets[0]), len(event)))

    @property
    def key(self) -> Positions:
        return self.events.key[self.event]

    @property
    def retract(self) -> Flags:
        return self.events.retract[self.event]

    def standing(self, pair: Positions) -> Flags:
        """Adds that happened behind the last removal of the same pair; each removal takes all there are."""
        if not self.events.retract.any():
            return ~self.retract
        turn = self.events.turn[self.event]
        taken = np.full(int(pair.max(initial=-1)) + 1, -1, dtype=np.intp)
        np.maximum.at(taken, pair[self.retract], turn[self.retract])
        found: Flags = ~self.retract & (turn > taken[pair])
        return found

    def where(self, keep: Flags) -> Elements:
        return Elements(self.events, self.event[keep], self.values.filter(pa.array(keep)))


def _children(collections: Column) -> Column:
    if not pa.types.is_map(collections.type):
        return collections.values
    entries: Any = [collections.type.key_field, collections.type.item_field]
    return pa.StructArray.from_arrays([collections.keys, collections.items], fields=entries)


def collected(column: Column, elements: Elements, chosen: Positions) -> Folded:
    """A collection for each key: of the elements chosen, in that order for each key.

    A key to which no collection was ever added has null.
    """
    events = elements.events
    key = elements.key[chosen]
    order = np.argsort(key, kind="stable")
    children = elements.values.take(pa.array(chosen[order]))
    return collection(column, events, np.bincount(key, minlength=events.keys), children)


def collection(column: Column, events: Events, counts: Positions, children: Column) -> Folded:
    """A collection of `counts` of the `children` for each key that events added one to."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
    valid = pa.array(events.adds().counts() > 0)
    buffers = [valid.buffers()[1], offsets.buffers()[1]]
    return computed(column, pa.Array.from_buffers(column.type, events.keys, buffers, children=[children]))


def codes(values: Column) -> Positions:
    """A number for each value; equal values have equal numbers, null has one too."""
    kind = values.type
    if pa.types.is_struct(kind):
        members = [codes(values.field(i)) for i in range(kind.num_fields)]
        return _combined([np.asarray(values.is_valid()).astype(np.intp), *members])
    if pa.types.is_map(kind):
        return _codes_of_maps(values)
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return _codes_of_lists(values, codes(values.values))
    encoded = values.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices).astype(np.intp)


def _combined(columns: list[Positions]) -> Positions:
    total = columns[0]
    for column in columns[1:]:
        total = np.unique(total * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return np.asarray(total, dtype=np.intp)


def _codes_of_lists(values: Column, elements: Positions) -> Positions:
    """Lists are equal if their elements' numbers are: those become one binary value."""
    data = pa.py_buffer(np.ascontiguousarray(elements, dtype=np.int64).tobytes())
    offsets = pa.array(np.asarray(values.offsets).astype(np.int64) * 8, pa.int64())
    texts: Any = pa.Array.from_buffers(pa.large_binary(), len(values), [None, offsets.buffers()[1], data])
    return _combined([np.asarray(values.is_valid()).astype(np.intp), codes(texts)])


def _codes_of_maps(values: Column) -> Positions:
    offsets = np.asarray(values.offsets)
    entries = _combined([codes(values.keys), codes(values.items)])
    lengths = np.diff(offsets)
    inside = slice(int(offsets[0]), int(offsets[-1]))
    parent = np.repeat(np.arange(len(values)), lengths)
    entries[inside] = entries[inside][np.lexsort((entries[inside], parent))]
    return _codes_of_lists(values, entries)


def pairs(key: Positions, code: Positions) -> Positions:
    """A number for each pair of a key and a code."""
    numbers: Positions = _combined([key, code])
    return numbers


def first_of_each(numbers: Positions) -> Flags:
    """Whether no equal number stands before."""
    _, first = np.unique(numbers, return_index=True)
    found = np.zeros(len(numbers), dtype=np.bool_)
    found[first] = True
    return found


def last_of_each(numbers: Positions) -> Flags:
    """Whether no equal number stands behind."""
    found: Flags = first_of_each(numbers[::-1])[::-1]
    return found
