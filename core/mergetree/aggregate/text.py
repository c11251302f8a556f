"""`listagg`: texts one after another. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.mergetree.aggregate.elements import codes, first_of_each, pairs
from core.mergetree.aggregate.events import NULL, Column, Events, Folded, computed
from core.mergetree.aggregate.function import Accumulator, Value

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class ListAgg:
    """Texts that are not blank, `delimiter` between them; each part once if `distinct`."""

    delimiter: str = ","  # not empty if `distinct`
    distinct: bool = False
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _ListAgg(self.delimiter, self.distinct)

    def fold(self, column: Column, events: Events) -> Folded:
        live = events.live()
        valid = live.valid(column)
        texts = column.take(pa.array(valid.row))
        there = ~_blank(texts)
        valid, texts = valid.where(there), texts.filter(pa.array(there))
        key = valid.key
        if self.distinct:
            key, texts = self._distinct(valid, texts)
        counts = np.bincount(key, minlength=events.keys)
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        joined = pc.binary_join(pa.ListArray.from_arrays(offsets, texts), self.delimiter)
        return computed(column, pc.if_else(pa.array(counts > 0), joined, _started(column, live)))

    def _distinct(self, events: Events, texts: Column) -> tuple[Any, Column]:
        """The first text of each key as it is, then parts that have not been there."""
        parts = pc.split_pattern(texts, self.delimiter)
        flat, parent = parts.flatten(), np.asarray(pc.list_parent_indices(parts))
        key = events.key[parent]
        first = events.first()
        of_first = parent == first[key]
        new = first_of_each(pairs(key, codes(flat))) & ~_blank(flat) & ~of_first
        wholes = np.unique(first[first >= 0])
        order = np.argsort(np.concatenate([wholes, parent[new]]), kind="stable")
        chosen = pa.concat_arrays([texts.take(pa.array(wholes)), flat.filter(pa.array(new))])
        keys = np.concatenate([events.key[wholes], key[new]])
        return keys[order], chosen.take(pa.array(order))


def _started(column: Column, live: Events) -> Column:
    """What each key has without a text that is not blank: the last late one or else what it starts from."""
    kept = live.where(live.initial | live.late)  # the last to come late is folded in the first place
    rows = kept.rows_at(kept.first())
    return column.take(pa.array(rows, mask=rows == NULL))


def _blank(texts: Column) -> Any:
    return np.asarray(pc.equal(pc.utf8_trim_whitespace(texts), "").to_numpy(zero_copy_only=False))


@dataclass(frozen=True, slots=True)
class _ListAgg(Accumulator):
    delimiter: str
    distinct: bool

    def agg(self, accumulator: Value, value: Value) -> Value:
        if value is None or not value.strip():
            return accumulator
        if accumulator is None or not accumulator.strip():
            return value
        if not self.distinct:
            return f"{accumulator}{self.delimiter}{value}"
        parts, known = [accumulator], set(accumulator.split(self.delimiter))
        for part in value.split(self.delimiter):
            if part.strip() and part not in known:
                known.add(part)
                parts.append(part)
        return self.delimiter.join(parts)
