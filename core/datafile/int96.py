"""INT96, the timestamps of old Parquet: who has them, and whether nanoseconds hold them. Spec: 04, A3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.errors import UnsupportedError

_NANOS_REACH = 2**63 // 1_000_000  # milliseconds from 1970 that 64 bits of nanoseconds cover


def int96_columns(file: pq.ParquetFile) -> set[str]:
    """Top-level columns with an INT96 in them."""
    leaves = (file.schema.column(i) for i in range(len(file.schema)))
    return {leaf.path.partition(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}


def check_nanoseconds_fit(millis: pa.RecordBatch) -> None:
    """INT96 holds any date, but Arrow's decoder wraps around without a word outside 1677 to 2262.

    Java Paimon gives instants before 1970 a negative time of day, which Arrow takes as unsigned:
    in milliseconds they look 2^64 nanoseconds too late, and are right in nanoseconds. So dates
    from 2262 to 2846 cannot be told from them.
    """
    for name, column in zip(millis.schema.names, millis.columns, strict=True):
        for leaf in _leaves(column):
            bounds: Any = pc.min_max(leaf.cast(pa.int64())).as_py()
            if bounds["min"] is None:
                continue
            if bounds["min"] < -_NANOS_REACH or bounds["max"] - 2 * _NANOS_REACH > _NANOS_REACH:
                raise UnsupportedError(
                    "a timestamp is outside of what nanoseconds since 1970 can hold",
                    feature="TIMESTAMP(9) before 1677 or after 2262",
                    column=name,
                )


def _leaves(column: Any) -> Iterator[Any]:
    """The timestamp arrays in a column."""
    if pa.types.is_timestamp(column.type):
        yield column
    elif pa.types.is_struct(column.type):
        for child in column.flatten():
            yield from _leaves(child)
    elif pa.types.is_map(column.type):
        yield from _leaves(column.keys)
        yield from _leaves(column.items)
    elif pa.types.is_list(column.type):
        yield from _leaves(column.values)
