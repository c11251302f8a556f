"""What a commit did, summed for each partition or each bucket that it touched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.columns import page_of_columns
from console.api.listing import Listing, ListQuery, Page
from console.inspector.changes import changelog, delta, describe
from console.inspector.opening import OpenTable
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_WORDS = ("added", "deleted", "moved")
_WEIGHTS = ("files", "bytes", "rows")


def page(
    opened: OpenTable, snapshot: Snapshot, which: str, by: str, listing: Listing, query: ListQuery
) -> Page:
    """A page of the partitions, or of the buckets, that the delta or changelog list of a commit touches."""
    entries = delta(opened, snapshot) if which == "delta" else changelog(opened, snapshot)
    groups = sums(describe(opened, entries, join_moves=True), by)
    rows, found = page_of_columns(groups, listing, query, snapshot.reference)
    return replace(found, rows=rows.to_pylist())


def sums(changes: pa.Table, by: str) -> pa.Table:
    """Files, bytes and rows that came, went, or only moved to another level, one row a group.

    `by` is `partition` or `bucket`; of a partition as a whole `bucket` is null.
    """
    keys = ["partition"] if by == "partition" else ["partition", "bucket"]
    weighed = changes.select(keys)
    ones = pa.repeat(pa.scalar(1, pa.int64()), len(changes))
    weights = {"files": ones, "bytes": changes.column("bytes"), "rows": changes.column("rows")}
    for word in _WORDS:
        applies = pc.equal(changes.column("change"), word)
        for name in _WEIGHTS:
            weighed = weighed.append_column(f"{name}_{word}", pc.if_else(applies, weights[name], 0))
    names = [f"{name}_{word}" for word in _WORDS for name in _WEIGHTS]
    found = weighed.group_by(keys).aggregate([(name, "sum") for name in names])
    found = found.rename_columns([*keys, *names])
    if by == "partition":
        found = found.append_column("bucket", pa.nulls(len(found), pa.int32()))
    digits = pc.utf8_lpad(pc.fill_null(pc.cast(found.column("bucket"), pa.string()), ""), 10, "0")
    return found.append_column("id", pc.binary_join_element_wise(found.column("partition"), digits, "/"))
