"""Splits of files that hold columns of the same rows, in tables with data evolution. Spec: 04, A6.

Files of a bucket whose row ids overlap are read side by side, so they share a split, and as the
statistics of one say nothing of columns that another has newer, none of them goes without the others.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from core.manifest import EntryColumns
from core.manifest.row_ranges import UNNUMBERED, range_starts
from core.scan.splits import Flags, Layout, Numbers, Packing, bucket_groups, pack


def shares_rows(entries: EntryColumns) -> Flags:
    """Whether a file of the bucket has rows in common with another."""
    order, starts, _ = _ordered(entries)
    number = np.cumsum(starts) - 1
    shared = np.empty(len(order), dtype=np.bool_)
    shared[order] = np.bincount(number)[number] > 1 if len(order) else False
    return shared


def row_range_layout(entries: EntryColumns, packing: Packing) -> Layout:
    """Splits in the order of row ids; files with rows in common are never apart.

    A split is raw where each of its rows lies in one file.
    """
    order, starts, group = _ordered(entries)
    number = np.cumsum(starts) - 1
    weights = np.bincount(number, weights=entries.numpy("file_size")[order]).astype(np.int64)
    first = np.flatnonzero(starts)
    range_ends = pack(np.maximum(weights, packing.open_file_cost), group[first], packing.target_size)
    ends = np.append(first, len(order))[range_ends]
    return Layout(order, ends, np.diff(ends, prepend=0) == np.diff(range_ends, prepend=0))


def _ordered(entries: EntryColumns) -> tuple[Numbers, Flags, Numbers]:
    """Files by bucket and row id; which of them shares no row with those before it; their buckets."""
    group = bucket_groups(entries)
    stored: Any = entries.column("first_row_id")
    firsts = np.asarray(stored.fill_null(UNNUMBERED).to_numpy(), dtype=np.int64).copy()
    counts = entries.numpy("row_count").astype(np.int64)
    unnumbered = np.flatnonzero(firsts == UNNUMBERED)
    firsts[unnumbered] += np.arange(len(unnumbered))
    counts = np.where(firsts < 0, 1, counts)
    order = np.lexsort((firsts, group))
    starts = np.zeros(len(order), dtype=np.bool_)
    group = group[order]
    bounds = [*np.flatnonzero(np.diff(group, prepend=-1)).tolist(), len(order)]
    for begin, end in pairwise(bounds):
        rows = order[begin:end]
        starts[begin:end] = range_starts(firsts[rows], firsts[rows] + counts[rows])
    return order, starts, group
