"""Versions that all add, side by side: the oldest of each key, then the second of those that have one, ...

    key 0:  a  b  c             first:  a d e
    key 1:  d                   later:  b f (of keys 0, 2), c (of key 0)
    key 2:  e  f

Mostly nothing is taken back in a window. Then functions that give a lone value as it is fold the
n-th versions of all keys at once, lone ones among them, in three passes over a column; `Events`,
which know of retracts too, need some ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.mergetree.aggregate.events import Column, Flags, Positions, validity

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Turns:
    """The versions of some keys, as rows of a column."""

    first: Positions  # of each key
    last: Positions  # of each key
    later: tuple[tuple[Positions, Positions], ...]  # keys that have an n-th version, and the row of that

    @staticmethod
    def of(rows: Positions, starts: Positions, sizes: Positions) -> Turns:
        """Of `rows` key by key, each key's from oldest to newest, from `starts` on."""
        later = tuple(_later(rows, starts, sizes))
        return Turns(rows.take(starts), rows.take(starts + sizes - 1), later)

    @property
    def most(self) -> int:
        """How many versions the key with most of them has."""
        return len(self.later) + 1


@runtime_checkable
class FoldsAdds(Protocol):
    """An aggregate function that knows a shorter way where every version adds."""

    def fold_adds(self, column: Column, turns: Turns) -> Column | None:
        """The value of each key; None for a column that needs the long way."""
        ...


def _later(rows: Positions, starts: Positions, sizes: Positions) -> Iterator[tuple[Positions, Positions]]:
    age, keys = 1, np.flatnonzero(sizes > 1)
    while len(keys):
        yield keys, rows.take(starts.take(keys) + age)
        age += 1
        keys = keys.take(np.flatnonzero(sizes.take(keys) > age))


def newest_valid(column: Column, turns: Turns) -> Positions:
    """The row of each key's newest value that is not null; any of its rows where all are null."""
    if column.null_count == 0:
        return turns.last
    valid, found = validity(column), turns.first.copy()
    for keys, rows in turns.later:
        there = np.flatnonzero(valid.take(rows))
        found[keys.take(there)] = rows.take(there)
    return found


def oldest_valid(column: Column, turns: Turns) -> Positions:
    """The row of each key's oldest value that is not null; any of its rows where all are null."""
    if column.null_count == 0:
        return turns.first
    valid, found = validity(column), turns.first.copy()
    for keys, rows in turns.later:
        missing = np.flatnonzero(~valid.take(found.take(keys)))
        found[keys.take(missing)] = rows.take(missing)
    return found


def extreme(codes: Array, valid: Flags, turns: Turns, *, largest: bool) -> Positions:
    """The row of each key's smallest or largest code that is valid; any of its rows where none is."""
    found = turns.first.copy()
    for keys, rows in turns.later:
        before = found.take(keys)
        beyond = codes.take(rows) > codes.take(before)
        if not largest:
            beyond = codes.take(rows) < codes.take(before)
        better = np.flatnonzero(valid.take(rows) & (beyond | ~valid.take(before)))
        found[keys.take(better)] = rows.take(better)
    return found


def sums(column: Column, turns: Turns, nothing: int | float) -> Column:
    """The sum of each key's numbers, oldest first; `nothing` is what a null adds, which changes no number."""
    values = fixed_width(column)
    if column.null_count == 0:
        return pa.array(_added(values, turns), column.type)
    valid = validity(column)
    total = _added(np.where(valid, values, values.dtype.type(nothing)), turns)
    there = valid.take(turns.first)
    for keys, rows in turns.later:
        there[keys] |= valid.take(rows)
    return pa.array(total, column.type, mask=~there)


def _added(values: Array, turns: Turns) -> Array:
    total = values.take(turns.first)
    with np.errstate(all="ignore"):
        for keys, rows in turns.later:
            total[keys] = total.take(keys) + values.take(rows)
    return total


def taken(column: Column, rows: Positions) -> Column:
    """The values at some rows, which all are there.

    numpy takes values of a fixed width three times as fast as Arrow takes them with their nulls.
    """
    kind = column.type
    if not pa.types.is_primitive(kind) or pa.types.is_boolean(kind) or len(column) == 0:
        return column.take(pa.array(rows))
    values: Any = fixed_width(column).take(rows)
    nulls: Any = np.packbits(validity(column).take(rows), bitorder="little") if column.null_count else None
    buffers = [pa.py_buffer(part) if part is not None else None for part in (nulls, values)]
    return pa.Array.from_buffers(kind, len(rows), buffers)


def fixed_width(column: Column) -> Array:
    """The values of a column of numbers, dates or times, whatever stands for null; no copy."""
    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    dtype = np.dtype(kind.to_pandas_dtype()) if plain else np.dtype(f"i{kind.bit_width // 8}")
    buffer = column.buffers()[1]
    if buffer is None:
        return np.zeros(len(column), dtype=dtype)
    return np.frombuffer(buffer, dtype=dtype, count=len(column), offset=column.offset * dtype.itemsize)
