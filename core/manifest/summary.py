"""What a manifest list says of one manifest's entries. Spec: 02, 2 and 5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow.compute as _pc

from core.binary import BinaryRow, decode_row, encode_row
from core.manifest.columns import EntryColumns
from core.manifest.manifest_list import ManifestFileMeta
from core.stats.simple_stats import SimpleStats
from core.types.data_types import DataType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def summarized(
    entries: EntryColumns, *, file_name: str, file_size: int, partition_types: Sequence[DataType]
) -> ManifestFileMeta:
    """The list record of a manifest that holds `entries`, of which there is at least one."""
    deletes = int(entries.numpy("kind").sum())
    min_row_id, max_row_id = _row_ids(entries)
    return ManifestFileMeta(
        file_name=file_name,
        file_size=file_size,
        num_added_files=len(entries) - deletes,
        num_deleted_files=deletes,
        partition_stats=_partition_stats(entries, partition_types),
        schema_id=int(entries.numpy("schema_id").max()),
        min_bucket=int(entries.numpy("bucket").min()),
        max_bucket=int(entries.numpy("bucket").max()),
        min_level=int(entries.numpy("level").min()),
        max_level=int(entries.numpy("level").max()),
        min_row_id=min_row_id,
        max_row_id=max_row_id,
    )


def _row_ids(entries: EntryColumns) -> tuple[int | None, int | None]:
    """Range of row ids, both ends included; unknown unless every entry has one."""
    if entries.column("first_row_id").null_count:
        return None, None
    first = entries.numpy("first_row_id")
    return int(first.min()), int((first + entries.numpy("row_count") - 1).max())


def _partition_stats(entries: EntryColumns, types: Sequence[DataType]) -> SimpleStats:
    """Over the few distinct partitions, each counted as often as it occurs."""
    counted = pc.value_counts(entries.column("partition")).to_pylist()
    rows = [(decode_row(types, BinaryRow.from_bytes(c["values"])), int(c["counts"])) for c in counted]
    lows, highs, nulls = [], [], []
    for i in range(len(types)):
        present = [values[i] for values, _ in rows if values[i] is not None]
        lows.append(min(present, key=java_order, default=None))
        highs.append(max(present, key=java_order, default=None))
        nulls.append(sum(count for values, count in rows if values[i] is None))
    return SimpleStats(encode_row(types, lows), encode_row(types, highs), tuple(nulls))


def java_order(value: Any) -> Any:
    """Java's order of a partition value: NaN above all other floats."""
    return (math.isnan(value), value) if isinstance(value, float) else value
