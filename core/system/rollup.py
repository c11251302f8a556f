"""Sums over the live files of partitions and buckets, shared by `$partitions` and `$buckets`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.manifest import EntryColumns
from core.system.placement import Partitions
from core.system.text import Column

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rollup:
    """One row a group, in the order of the groups' partition text and bucket.

    `table` has the columns partition (an index into `partitions`), bucket (if grouped by
    it), record_count, file_size_in_bytes, file_count, last_update_time (null if no file
    has a time), total_buckets.
    """

    partitions: Partitions
    table: pa.Table

    def column(self, name: str) -> Column:
        return self.table.column(name).combine_chunks()

    def spread(self, of_each: tuple[str, ...]) -> Column:
        """A text of each partition as a column of the groups."""
        return pa.array(of_each, pa.string()).take(self.column("partition"))


def roll_up(
    partitions: Partitions, entries: EntryColumns, *, by_bucket: bool, sort_by: tuple[str, ...]
) -> Rollup:
    """The sums of live files; `sort_by` holds the text of each partition that orders them."""
    keys = ["partition", "bucket"] if by_bucket else ["partition"]
    columns: dict[str, Any] = {
        "partition": pa.array(partitions.codes),
        "bucket": entries.column("bucket"),
        "rows": entries.column("row_count"),
        "size": entries.column("file_size"),
        "time": entries.column("creation_time"),
        "total": entries.column("total_buckets"),
    }
    sums = (
        pa.table(columns)
        .group_by(keys)
        .aggregate([("rows", "sum"), ("size", "sum"), ("size", "count"), ("time", "max"), ("total", "max")])
    )
    names = {
        "rows_sum": "record_count",
        "size_sum": "file_size_in_bytes",
        "size_count": "file_count",
        "time_max": "last_update_time",
        "total_max": "total_buckets",
    }
    renamed = sums.rename_columns([names.get(name, name) for name in sums.column_names])
    order = renamed.append_column(
        "text", pa.array(sort_by, pa.string()).take(renamed.column("partition").combine_chunks())
    )
    by: list[tuple[str, Literal["ascending", "descending"]]] = [(key, "ascending") for key in ("text", *keys)]
    return Rollup(partitions, order.sort_by(by).drop_columns("text"))
