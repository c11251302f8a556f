"""Which partitions a manifest can hold, by the statistics of its list record. Spec: 02, 4.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.binary import BinaryRow, decode_row
from core.manifest.manifest_list import ManifestFileMeta
from core.manifest.merge import MayContain
from core.manifest.summary import java_order
from core.types.data_types import DataType


def partitions_by_stats(types: Sequence[DataType]) -> MayContain:
    """A test for `merge_manifests`; true wherever the statistics do not prove the opposite."""

    def may_contain(meta: ManifestFileMeta, partitions: Sequence[bytes]) -> bool:
        stats = meta.partition_stats
        if stats.min_values.arity != len(types) or stats.max_values.arity != len(types):
            return True  # a writer that keeps no statistics
        lows, highs = decode_row(types, stats.min_values), decode_row(types, stats.max_values)
        bounds = list(zip(lows, highs, _padded(stats.null_counts, len(types)), strict=True))
        rows = (decode_row(types, BinaryRow.from_bytes(partition)) for partition in partitions)
        return any(all(_within(v, *b) for v, b in zip(row, bounds, strict=True)) for row in rows)

    return may_contain


def _within(value: Any, low: Any, high: Any, nulls: int | None) -> bool:
    if value is None:
        return nulls != 0
    if low is None or high is None:
        return nulls is None  # no value at all, unless nothing was counted
    return bool(java_order(low) <= java_order(value) <= java_order(high))


def _padded(counts: tuple[int | None, ...], length: int) -> tuple[int | None, ...]:
    return counts if len(counts) == length else (None,) * length
