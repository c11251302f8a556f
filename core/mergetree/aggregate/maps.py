"""`merge_map` and `merge_map_with_keytime`: the entries of all maps. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from core.mergetree.aggregate.elements import Elements, codes, collected, last_of_each, pairs
from core.mergetree.aggregate.events import Column, Events, Folded, Positions, validity
from core.mergetree.aggregate.function import Accumulator, Value


@dataclass(frozen=True, slots=True)
class MergeMap:
    """Of equal keys the newest entry; keys that are taken back are gone."""

    retracts: bool = True
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _MergeMap()

    def fold(self, column: Column, events: Events) -> Folded:
        elements = Elements.of(column, events)
        pair = pairs(elements.key, codes(elements.values.field(0)))
        standing = np.flatnonzero(elements.standing(pair))
        return collected(column, elements, standing[last_of_each(pair[standing])])


class _MergeMap(Accumulator):
    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        newer = [key for key, _ in value]
        return [*((k, v) for k, v in accumulator if k not in newer), *value]

    def retract(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return accumulator
        gone = [key for key, _ in value]
        return [(k, v) for k, v in accumulator if k not in gone]


@dataclass(frozen=True, slots=True)
class MergeMapWithKeyTime:
    """Of equal keys the entry with the latest time, which is a text among the members of its value.

    The first map is taken as it is. Of later ones an entry without a value removes its key, and
    one without a time does not count; of equal times the older entry stays.
    """

    time: int  # which member of the value is the time
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _MergeMapWithKeyTime(self.time)

    def fold(self, column: Column, events: Events) -> Folded:
        elements = Elements.of(column, events)
        value = elements.values.field(1)
        there = validity(value)
        times = value.field(self.time)
        timed = there & validity(times)
        from_first = elements.event == elements.events.first()[elements.key]
        pair = pairs(elements.key, codes(elements.values.field(0)))
        place = np.arange(len(pair))
        removed = np.full(int(pair.max(initial=-1)) + 1, -1, dtype=np.intp)
        np.maximum.at(removed, pair[~there & ~from_first], place[~there & ~from_first])
        candidates = np.flatnonzero((from_first | timed) & (place > removed[pair]))
        rank = np.where(timed, _ranks(times), 0)[candidates]
        order = candidates[np.lexsort((-candidates, rank, pair[candidates]))]
        return collected(column, elements, np.sort(order[last_of_each(pair[order])]))


def _ranks(times: Column) -> Positions:
    """Numbers from 1 on that order as the texts do, by code points."""
    return np.asarray(pc.rank(times, tiebreaker="dense")).astype(np.intp)


@dataclass(frozen=True, slots=True)
class _MergeMapWithKeyTime(Accumulator):
    time: int

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        merged = list(accumulator)
        for key, row in value:
            known = [i for i, (other, _) in enumerate(merged) if other == key]
            newer = row is not None and row[self.time] is not None
            if known and (row is None or (newer and self._is_older(merged[known[0]][1], row))):
                del merged[known[0]]
                known = []
            if newer and not known:
                merged.append((key, row))
        return merged

    def _is_older(self, row: Value, than: Value) -> bool:
        return row is None or row[self.time] is None or bool(row[self.time] < than[self.time])
