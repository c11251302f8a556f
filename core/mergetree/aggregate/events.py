"""What an aggregate function sees: of each key, values that are added or retracted, in order.

    key 0:  +a  +b  -a          a fold turns each key's events into one value, for all keys at once:
    key 1:  +c                  as the position of a row that has the value, or as a new value
    key 2:  (none)              null

Most functions only *pick* a row; their result costs no more than positions. The others
compute values, which are appended to the column behind its rows and picked from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
Positions: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

NULL = -1


@dataclass(frozen=True, slots=True)
class Events:
    """Events of some keys, key by key, each key's in the order in which they are folded."""

    keys: int  # how many; some may have no event
    key: Positions  # of each event, ascending
    row: Positions  # that holds its value
    retract: Flags
    initial: Flags  # the value is what a key starts from, not the first one added to it
    dropped: Flags  # came before a delete that emptied the row
    late: Flags  # the value is older than what the key had when it came
    turn: Positions  # grows with the order in which a key's events happen
    # Worked out once for all columns that see the same events.
    _edge: dict[str, Positions] = field(default_factory=dict, init=False, repr=False, compare=False)
    _turns: list[tuple[Positions, Positions, Flags]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @staticmethod
    def of(keys: int, key: Positions, row: Positions, retract: Flags) -> Events:
        none = np.zeros(len(row), dtype=np.bool_)
        return Events(keys, key, row, retract, none, none, none, np.arange(len(row)))

    def __len__(self) -> int:
        return len(self.row)

    def where(self, keep: Flags) -> Events:
        return self if keep.all() else self.take(keep)

    def take(self, chosen: Positions | Flags) -> Events:
        """Some events, or all in another order."""
        index: Positions = (
            np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.intp, copy=False)
        )
        return Events(
            self.keys,
            self.key.take(index),
            self.row.take(index),
            _taken(self.retract, index),
            _taken(self.initial, index),
            _taken(self.dropped, index),
            _taken(self.late, index),
            self.turn.take(index),
        )

    def live(self) -> Events:
        return self.where(~self.dropped) if self.dropped.any() else self

    def adds(self) -> Events:
        return self.where(~self.retract) if self.retract.any() else self

    def valid(self, column: Column) -> Events:
        """Those whose value is not null."""
        return self if column.null_count == 0 else self.where(validity(column)[self.row])

    def first(self) -> Positions:
        """The index of each key's first event, NULL for a key without any."""
        return self._edges(self.starts)

    def last(self) -> Positions:
        """The index of each key's last event, NULL for a key without any."""
        return self._edges(self.ends)

    def counts(self) -> Positions:
        return np.bincount(self.key, minlength=self.keys)

    @property
    def starts(self) -> Positions:
        """Where the events of each key that has some begin."""
        if "starts" not in self._edge:
            self._edge["starts"] = np.flatnonzero(np.diff(self.key, prepend=NULL))
        return self._edge["starts"]

    @property
    def ends(self) -> Positions:
        """Where the events of each key that has some end: its last one."""
        if "ends" not in self._edge:
            self._edge["ends"] = np.append(self.starts[1:], len(self))[: len(self.starts)] - 1
        return self._edge["ends"]

    @property
    def most(self) -> int:
        """How many events the key with most of them has."""
        return int((self.ends - self.starts).max(initial=-1)) + 1

    def turns(self) -> list[tuple[Positions, Positions, Flags]]:
        """Key, row and kind of the first event of each key, then of the second of those that have one, ..."""
        if not self._turns:
            index, left = self.starts, self.ends - self.starts
            while len(index):
                self._turns.append((self.key.take(index), self.row.take(index), self.retract.take(index)))
                more = np.flatnonzero(left > 0)
                index, left = index.take(more) + 1, left.take(more) - 1
        return self._turns

    def last_valid(self, column: Column) -> Positions:
        """The row of each key's last event whose value is not null, NULL for a key without any."""
        if column.null_count == 0 or len(self) == 0:
            return self.rows_at(self.last())
        valid = np.where(validity(column).take(self.row), np.arange(len(self)), NULL)
        reached = np.maximum.accumulate(valid).take(self.ends)  # perhaps of a key before
        reached[reached < self.starts] = NULL
        rows = self.rows_at(reached)
        if len(rows) == self.keys:
            return rows
        found = np.full(self.keys, NULL, dtype=np.intp)
        found[self.key.take(self.starts)] = rows
        return found

    def sums(self, values: Any) -> Any:
        """The sum of each key's values, one an event; whole numbers, and none for a key without events."""
        reached = np.cumsum(values, dtype=np.int64)  # may wrap around, and is right again in the difference
        starts = self.starts
        return reached.take(self.ends) - reached.take(starts) + values.take(starts)

    def rows_at(self, events: Positions) -> Positions:
        """The rows of events, NULL where the event is."""
        if len(self) == 0:
            return np.full(len(events), NULL, dtype=np.intp)
        rows = self.row.take(events, mode="clip")
        rows[events == NULL] = NULL
        return rows

    def _edges(self, index: Positions) -> Positions:
        """Indexes of one event a key, by key."""
        found = np.full(self.keys, NULL, dtype=np.intp)
        found[self.key[index]] = index
        return found


@dataclass(frozen=True, slots=True)
class Folded:
    """One value a key: a row of the column, or one of the `computed` that follow its rows; NULL is null."""

    at: Positions
    computed: Column | None = None


def computed(column: Column, values: Column) -> Folded:
    """A value of its own for each key."""
    return Folded(np.arange(len(column), len(column) + len(values)), values)


def picked(column: Column, folded: Folded, at: Positions) -> Column:
    """The values at positions of a column that is followed by what was computed."""
    source = column if folded.computed is None else pa.concat_arrays([column, folded.computed])
    null = at == NULL
    return source.take(pa.array(at, mask=null) if null.any() else pa.array(at))


def validity(column: Column) -> Flags:
    """Whether each value is not null."""
    bitmap = column.buffers()[0]
    if bitmap is None:
        return np.full(len(column), column.null_count == 0)
    head = column.offset % 8
    stored = np.frombuffer(bitmap, dtype=np.uint8, offset=column.offset // 8)
    return np.unpackbits(stored, count=head + len(column), bitorder="little")[head:].view(np.bool_)


def _taken(flags: Flags, index: Positions) -> Flags:
    """Some of the flags, which mostly are all unset."""
    return flags.take(index) if flags.any() else np.zeros(len(index), dtype=np.bool_)
