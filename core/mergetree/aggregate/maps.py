"""`merge_map`: the entries of all maps. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.mergetree.aggregate.elements import Elements, codes, collected, last_of_each, pairs
from core.mergetree.aggregate.events import Column, Events, Folded
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
