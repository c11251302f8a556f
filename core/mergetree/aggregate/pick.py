"""Functions whose result is one of the values: first, last, smallest, largest. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.mergetree.aggregate.events import NULL, Column, Events, Flags, Folded, validity
from core.mergetree.aggregate.function import Accumulator, Value
from core.mergetree.aggregate.turns import Turns, extreme, newest_valid, oldest_valid, taken
from core.mergetree.keys import comparable_keys


@dataclass(frozen=True, slots=True)
class LastValue:
    """`last_value`: the newest, null or not; null once a value is taken back."""

    retracts: bool = True
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _LastValue()

    def fold(self, column: Column, events: Events) -> Folded:
        live = events.live()
        return _unless_retracted(live)

    def fold_adds(self, column: Column, turns: Turns) -> Column:
        return taken(column, turns.last)


class _LastValue(Accumulator):
    def agg(self, accumulator: Value, value: Value) -> Value:
        return value

    def retract(self, accumulator: Value, value: Value) -> Value:
        return None


@dataclass(frozen=True, slots=True)
class LastNonNullValue:
    """`last_non_null_value`: the newest that is not null; null once one that is not null is taken back."""

    retracts: bool = True
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _LastNonNullValue()

    def fold(self, column: Column, events: Events) -> Folded:
        live = events.live()
        if not live.retract.any():
            return Folded(live.last_valid(column))
        valid = live.valid(column)
        # What is taken back takes all with it that came before, but not what is older and comes later.
        taken_back = np.full(events.keys, NULL, dtype=np.intp)
        np.maximum.at(taken_back, valid.key[valid.retract], valid.turn[valid.retract])
        left = valid.where(valid.turn > taken_back[valid.key])
        return Folded(left.rows_at(left.last()))

    def fold_adds(self, column: Column, turns: Turns) -> Column:
        return taken(column, newest_valid(column, turns))


class _LastNonNullValue(Accumulator):
    def agg(self, accumulator: Value, value: Value) -> Value:
        return accumulator if value is None else value

    def retract(self, accumulator: Value, value: Value) -> Value:
        return accumulator if value is None else None


@dataclass(frozen=True, slots=True)
class FirstValue:
    """`first_value`, `first_non_null_value`: the oldest added; null if a delete has emptied the row since."""

    skips_null: bool
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _FirstValue(self.skips_null)

    def fold(self, column: Column, events: Events) -> Folded:
        if events.late.any():
            return Folded(_walked(events, self._counted(column)))
        start = events.live().where(events.live().initial)
        at = start.rows_at(start.last())
        added = events.where(~events.initial)
        added = added.valid(column) if self.skips_null else added
        first = added.first()
        there = first != NULL
        emptied = np.zeros(events.keys, dtype=np.bool_)
        emptied[there] = added.dropped[first[there]]
        return Folded(np.where(there & ~emptied, added.rows_at(first), at))

    def fold_adds(self, column: Column, turns: Turns) -> Column:
        return taken(column, oldest_valid(column, turns) if self.skips_null else turns.first)

    def _counted(self, column: Column) -> Flags:
        """Which rows of a column may be the first; behind them, for NULL, whether nothing may be."""
        if self.skips_null:
            return np.append(validity(column), False)
        return np.ones(len(column) + 1, dtype=np.bool_)


def _walked(events: Events, counted: Flags) -> npt.NDArray[np.intp]:
    """The row that each key ends with, as its events happened: a late one is folded in its place, not last.

    Paimon exchanges the two arguments for it, so it is taken as it is once there has been a first value;
    and what is there before becomes the first.
    """
    happened = events.take(np.lexsort((events.turn, events.key)))
    at = np.full(events.keys, NULL, dtype=np.intp)
    settled = np.zeros(events.keys, dtype=np.bool_)
    index, ends = happened.starts, happened.ends
    while len(index):
        key, row = happened.key[index], happened.row[index]
        initial, late, done = happened.initial[index], happened.late[index], settled[key]
        becomes_first = ~initial & ~done & counted[np.where(late, at[key], row)]
        replaced = initial | (late & ~becomes_first) | (~late & becomes_first)
        at[key[replaced]] = row[replaced]
        settled[key[becomes_first]] = True
        more = index < ends
        index, ends = index[more] + 1, ends[more]
    return at


@dataclass(slots=True)
class _FirstValue(Accumulator):
    skips_null: bool
    taken: bool = field(default=False, init=False)

    def agg(self, accumulator: Value, value: Value) -> Value:
        if self.taken or (self.skips_null and value is None):
            return accumulator
        self.taken = True
        return value


@dataclass(frozen=True, slots=True)
class Extreme:
    """`min` (also `bool_and`) and `max` (also `bool_or`) of the values that are not null."""

    largest: bool
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _Extreme(self.largest)

    def fold(self, column: Column, events: Events) -> Folded:
        valid = events.live().valid(column)
        if len(valid) == 0:
            return Folded(np.full(events.keys, NULL, dtype=np.intp))
        values = comparable_keys([column.take(pa.array(valid.row))], signed_zeros=True)
        order = np.lexsort((values, valid.key))  # keys stay where they are, each with its values in order
        edge = valid.last() if self.largest else valid.first()
        return Folded(valid.rows_at(np.where(edge == NULL, NULL, order[edge])))

    def fold_adds(self, column: Column, turns: Turns) -> Column:
        codes = comparable_keys([column], signed_zeros=True)
        return taken(column, extreme(codes, validity(column), turns, largest=self.largest))


@dataclass(frozen=True, slots=True)
class _Extreme(Accumulator):
    largest: bool

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        # NaN is above all numbers, and 0.0 above -0.0.
        return max(accumulator, value, key=_order) if self.largest else min(accumulator, value, key=_order)


def _order(value: Value) -> tuple[object, ...]:
    if isinstance(value, float):
        return value != value, 0.0 if value != value else value, str(value) != "-0.0"
    return (value,)


def _unless_retracted(events: Events) -> Folded:
    """The last event's row, if the event adds."""
    last = events.last()
    at = events.rows_at(last)
    there = last != NULL
    at[there] = np.where(events.retract[last[there]], NULL, at[there])
    return Folded(at)
