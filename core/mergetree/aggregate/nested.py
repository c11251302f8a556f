"""`nested_update` and `nested_partial_update`: tables inside a column, ARRAY<ROW>. Spec: 06, 4.2."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from core.errors import UnsupportedError
from core.mergetree.aggregate.elements import (
    Elements,
    codes,
    collected,
    collection,
    first_of_each,
    last_of_each,
    pairs,
)
from core.mergetree.aggregate.events import Column, Events, Folded, Positions, validity
from core.mergetree.aggregate.function import Accumulator, Value
from core.mergetree.keys import comparable_keys
from core.types import RowType

NO_LIMIT = 2**31 - 1


class NullKeys(StrEnum):
    """What becomes of rows with a null in their nested key."""

    MERGE = "merge"  # null is a value like any other
    IGNORE = "ignore"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class NestedKey:
    """The columns of the nested rows that identify one."""

    row: RowType
    columns: tuple[str, ...]
    nulls: NullKeys = NullKeys.MERGE

    @property
    def indexes(self) -> tuple[int, ...]:
        return self.places(self.columns)

    def places(self, columns: tuple[str, ...]) -> tuple[int, ...]:
        """Where columns stand in a nested row."""
        names = [field.name for field in self.row.fields]
        return tuple(names.index(column) for column in columns)

    def known(self, elements: Elements) -> Elements:
        """The rows that count: null rows never do, and of those with a null key as `nulls` says."""
        there = validity(elements.values)
        if self.nulls is not NullKeys.MERGE:
            nulls = ~np.logical_and.reduce([validity(elements.values.field(i)) for i in self.indexes])
            if self.nulls is NullKeys.ERROR and np.any(nulls & there):
                raise _null_key(self.columns)
            there &= ~nulls
        return elements.where(there)

    def pairs(self, elements: Elements) -> Positions:
        """A number for each row's key in its table."""
        members = [elements.values.field(i) for i in self.indexes]
        keys = pa.StructArray.from_arrays(members, names=[str(i) for i in self.indexes])
        return pairs(elements.key, codes(keys))

    def of(self, row: Value) -> Value:
        """The key of a row in the clear form, None for one that does not count."""
        key = tuple(row[i] for i in self.indexes)
        if None in key and self.nulls is NullKeys.ERROR:
            raise _null_key(self.columns)
        return None if None in key and self.nulls is NullKeys.IGNORE else key


@dataclass(frozen=True, slots=True)
class NestedUpdate:
    """Rows appended, or upserted by their nested key; at most `limit` of them."""

    key: NestedKey
    limit: int = NO_LIMIT
    sequence: tuple[str, ...] = ()  # columns of the nested rows; a row with a smaller one does not replace
    retracts: bool = True
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _NestedUpdate(self.key, self.limit, self.key.places(self.sequence))

    def fold(self, column: Column, events: Events) -> Folded:
        elements = self.key.known(Elements.of(column, events))
        if self.limit < NO_LIMIT and events.retract.any():
            feature = "retracting from nested_update with count-limit"
            raise UnsupportedError("rows cannot be aggregated", feature=feature)
        chosen = self._newest(elements) if self.key.columns else self._appended(elements)
        return collected(column, elements, chosen)

    def _appended(self, elements: Elements) -> Positions:
        """Rows behind the last removal of an equal one, the first `limit` of them."""
        pair = pairs(elements.key, codes(elements.values))
        left = np.flatnonzero(elements.standing(pair))
        return left[_rank_in(elements.key[left]) < self.limit]

    def _newest(self, elements: Elements) -> Positions:
        """The newest row of each of the first `limit` nested keys."""
        pair, key = self.key.pairs(elements), elements.key
        first = np.flatnonzero(first_of_each(pair))
        admitted = pair[first[_rank_in(key[first]) < self.limit]]
        standing = np.flatnonzero(elements.standing(pair) & np.isin(pair, admitted))
        if self.sequence and len(standing):
            columns = [elements.values.field(i) for i in self.key.places(self.sequence)]
            standing = standing[np.argsort(comparable_keys(columns)[standing], kind="stable")]
        return np.sort(standing[last_of_each(pair[standing])])


@dataclass(frozen=True, slots=True)
class NestedPartialUpdate:
    """Rows upserted by their nested key, each column by its newest value that is not null."""

    key: NestedKey
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _NestedPartialUpdate(self.key)

    def fold(self, column: Column, events: Events) -> Folded:
        elements = self.key.known(Elements.of(column, events))
        pair = self.key.pairs(elements)
        first = np.flatnonzero(first_of_each(pair))
        first = first[np.argsort(elements.key[first], kind="stable")]
        members = [
            _newest_valid(elements.values.field(i), pair, pair[first])
            for i in range(len(self.key.row.fields))
        ]
        kind: Any = elements.values.type
        rows = pa.StructArray.from_arrays(members, fields=[kind.field(i) for i in range(kind.num_fields)])
        counts = np.bincount(elements.key[first], minlength=events.keys)
        return collection(column, elements.events, counts, rows)


def _newest_valid(member: Column, pair: Positions, wanted: Positions) -> Column:
    """The last value of each wanted pair that is not null."""
    last = np.full(int(pair.max(initial=-1)) + 1, -1, dtype=np.intp)
    there = np.flatnonzero(validity(member))
    last[pair[there]] = there
    at = last[wanted]
    return member.take(pa.array(at, mask=at < 0))


def _rank_in(key: Positions) -> Positions:
    """The number of each item among those of its key, counted from 0; keys ascend."""
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    return np.arange(len(key)) - np.repeat(starts, np.diff(starts, append=len(key)))


def _null_key(columns: tuple[str, ...]) -> UnsupportedError:
    return UnsupportedError(
        "a nested row has no key", feature=f"null in nested-key {', '.join(columns)} with strategy error"
    )


@dataclass(frozen=True, slots=True)
class _NestedUpdate(Accumulator):
    key: NestedKey
    limit: int
    sequence: tuple[int, ...] = ()

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None and value is None:
            return None
        rows: list[Value] = []
        for row in (row for row in [*(accumulator or ()), *(value or ())] if row is not None):
            self._put(rows, row)
        return rows

    def _put(self, rows: list[Value], row: Value) -> None:
        key = self.key.of(row) if self.key.columns else None
        if self.key.columns and key is None:
            return
        same = [i for i, known in enumerate(rows) if self.key.columns and self.key.of(known) == key]
        if same:
            if self._sequence_of(row) >= self._sequence_of(rows[same[0]]):
                rows[same[0]] = row
        elif len(rows) < self.limit:
            rows.append(row)

    def _sequence_of(self, row: Value) -> list[tuple[bool, Value]]:
        return [(row[i] is not None, row[i] or 0) for i in self.sequence]  # null is smallest

    def retract(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return accumulator
        gone = [self.key.of(row) if self.key.columns else row for row in value if row is not None]
        return [row for row in accumulator if (self.key.of(row) if self.key.columns else row) not in gone]


@dataclass(frozen=True, slots=True)
class _NestedPartialUpdate(Accumulator):
    key: NestedKey

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None and value is None:
            return None
        rows: dict[Value, list[Value]] = {}
        for row in (row for row in [*(accumulator or ()), *(value or ())] if row is not None):
            key = self.key.of(row)
            if key is not None:
                known = rows.setdefault(key, [None] * len(row))
                rows[key] = [old if new is None else new for old, new in zip(known, row, strict=True)]
        return [tuple(row) for row in rows.values()]
