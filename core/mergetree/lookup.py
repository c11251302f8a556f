"""Which version of a key was the one before those that a compaction brings in. Spec: 06, 9.3 and 9.4.

Over the rows of a window, each with the level of its file. Two rules:

    look up       what stands on the lowest level above 0 is the whole truth about a key up to then; it is
                  merged with the rows of level 0, whether it is among the inputs or above the output
    against top   all runs are merged; what stood on the top level is what a changelog has told so far

An input is on the output level or below, so a row of a higher level was only looked up: it is not
written again, and where rows are marked as deleted its place is what has to be marked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.mergetree.key_order import sort_keys
from core.mergetree.keys import KeyArray
from core.mergetree.sort_merge import Positions, Window

LEVEL = pa.field("_LEVEL", pa.int8(), nullable=False)  # of the file that a row of a window is in

Flags = npt.NDArray[np.bool_]
_NO_LEVEL = 127


@dataclass(frozen=True, slots=True)
class Found:
    """What a window says of its keys. Positions and flags are of its rows; keys stand in order."""

    merged: Flags  # the rows that are merged into what is stored
    before: Positions  # of keys that change and had a row: that row
    looked_up: Positions  # those of `before` that are no inputs
    changed: KeyArray  # the keys that a changelog speaks of


@dataclass(frozen=True, slots=True)
class _ByKey:
    rows: Positions  # of the window, key by key
    starts: Positions
    levels: npt.NDArray[np.int8]  # of `rows`
    keys: KeyArray  # of each group

    @staticmethod
    def of(window: Window) -> _ByKey:
        found = sort_keys(window.keys)
        rows, ordered = found.positions, found.keys
        starts = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])
        levels = window.column(LEVEL.name).to_numpy()[rows]
        return _ByKey(rows, starts, levels, ordered[starts])

    @property
    def group(self) -> Positions:
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.rows)))

    def any(self, flags: Flags) -> Flags:
        """Whether any row of each key has the flag."""
        found: Flags = np.logical_or.reduceat(flags, self.starts)
        return found

    def in_window(self, flags: Flags) -> Flags:
        """Flags of `rows` as flags of the window's rows."""
        placed = np.zeros(len(self.rows), dtype=np.bool_)
        placed[self.rows[flags]] = True
        return placed


def look_up(window: Window, output_level: int, *, keeps_first: bool, positions_only: bool) -> Found:
    """The versions above level 0 that rows of level 0 meet.

    Args:
        window: rows of the inputs, and of the runs above the output.
        output_level: of the compaction.
        keeps_first: a key that is there already takes no new row, and does not change.
        positions_only: what was looked up is only marked, not merged.
    """
    by_key = _ByKey.of(window)
    levels, group = by_key.levels, by_key.group
    upper = levels > 0
    lowest = np.minimum.reduceat(np.where(upper, levels, np.int8(_NO_LEVEL)), by_key.starts)
    newest = upper & (levels == lowest[group])
    comes_in, has_input = by_key.any(~upper), by_key.any(levels <= output_level)
    outside = newest & (levels > output_level)
    merged = has_input[group] & (~upper | newest)
    changed = comes_in
    if keeps_first:
        merged &= ~by_key.any(outside)[group]
        changed = comes_in & ~by_key.any(newest)
    elif positions_only:
        merged &= ~outside
    met = newest & comes_in[group]
    before = met & changed[group]
    return Found(
        by_key.in_window(merged),
        by_key.rows[before],
        by_key.rows[met & outside],
        by_key.keys[changed],
    )


def lowest_levels(window: Window) -> Window:
    """The window without rows above level 0 that a lower level has taken in: what a read merges."""
    return rows_where(window, look_up(window, _NO_LEVEL, keeps_first=False, positions_only=False).merged)


def against_top(window: Window, max_level: int) -> Found:
    """What a full compaction changes of what was on the top level."""
    by_key = _ByKey.of(window)
    on_top = by_key.levels == max_level
    changed = by_key.any(~on_top)
    return Found(
        np.ones(len(window.keys), dtype=np.bool_),
        by_key.rows[on_top & changed[by_key.group]],
        np.zeros(0, dtype=np.intp),
        by_key.keys[changed],
    )


def with_level(rows: pa.RecordBatch, level: int) -> pa.RecordBatch:
    """Rows of a file with its level."""
    return rows.append_column(LEVEL, pa.array(np.full(rows.num_rows, level, np.int8)))


def rows_where(window: Window, flags: Flags) -> Window:
    """The window without the rows whose flag is not set."""
    if flags.all():
        return window
    tables, start = [], 0
    for table in window.tables:
        mask = flags[start : start + len(table)]
        start += len(table)
        if mask.any():
            tables.append(table if mask.all() else table.filter(pa.array(mask)))
    return Window(tuple(tables), window.keys[flags])
