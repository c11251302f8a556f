"""`collect`: the elements of all arrays. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.mergetree.aggregate.elements import Elements, codes, collected, first_of_each, pairs
from core.mergetree.aggregate.events import Column, Events, Flags, Folded, Positions
from core.mergetree.aggregate.function import Accumulator, Value


@dataclass(frozen=True, slots=True)
class Collect:
    """Arrays appended to one another; each element once if `distinct`."""

    distinct: bool = False
    retracts: bool = True
    appends_older: bool = True

    def accumulator(self) -> Accumulator:
        return _Collect(self.distinct)

    def fold(self, column: Column, events: Events) -> Folded:
        elements = Elements.of(column, events)
        pair = pairs(elements.key, codes(elements.values))
        left = _left_of_set(elements, pair) if self.distinct else _left_of_bag(elements, pair)
        return collected(column, elements, np.flatnonzero(left))


def _left_of_set(elements: Elements, pair: Positions) -> Flags:
    """The first add of each element behind its last removal."""
    standing = np.flatnonzero(elements.standing(pair))
    left = np.zeros(len(pair), dtype=np.bool_)
    left[standing[first_of_each(pair[standing])]] = True
    return left


def _left_of_bag(elements: Elements, pair: Positions) -> Flags:
    """Of equal elements the last n added, n being what is left when each removal takes one that is there."""
    if not elements.retract.any():
        return np.ones(len(pair), dtype=np.bool_)
    order = np.argsort(pair, kind="stable")
    sorted_pair = pair[order]
    change = np.where(elements.retract[order], -1, 1)
    starts = np.flatnonzero(np.diff(sorted_pair, prepend=-1))
    sizes = np.diff(starts, append=len(order))
    total = np.cumsum(change)
    walk = total - np.repeat(total[starts] - change[starts], sizes)
    lowest = np.minimum(np.minimum.reduceat(walk, starts), 0) if len(starts) else walk
    left = walk[starts + sizes - 1] - lowest
    is_add = change > 0
    adds = np.cumsum(is_add)
    behind: Positions = np.repeat(adds[starts + sizes - 1], sizes) - adds  # adds that follow
    kept = np.zeros(len(pair), dtype=np.bool_)
    kept[order[is_add & (behind < np.repeat(left, sizes))]] = True
    return kept


@dataclass(frozen=True, slots=True)
class _Collect(Accumulator):
    distinct: bool

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None and value is None:
            return None
        together = [*(accumulator or ()), *(value or ())]
        if not self.distinct:
            return together
        return [v for i, v in enumerate(together) if v not in together[:i]]

    def agg_reversed(self, accumulator: Value, value: Value) -> Value:
        return self.agg(accumulator, value)

    def retract(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or not value:
            return accumulator
        left = list(accumulator)
        for element in value:
            if element in left:
                left.remove(element)
        return left
