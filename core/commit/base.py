"""Which of the live entries matter to a change, found over columns before objects are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow, decode_row
from core.errors import NotFoundError
from core.manifest.columns import EntryColumns
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.manifest_list import ManifestFileMeta
from core.manifest.merge import MayContain
from core.manifest.store import ManifestStore
from core.manifest.summary import java_order
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import SnapshotStore
from core.types.data_types import DataType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_LITTLE = 1 << 20  # bytes of manifests
_FEW_SNAPSHOTS = 20  # more deltas than that are read no faster than the live entries


def entries_to_replace(
    live: EntryColumns, replaces: Callable[[BinaryRow], bool], *, with_postponed: bool
) -> EntryColumns:
    """The live files of the partitions that are replaced.

    Postponed buckets are left alone but in a table that has them (`with_postponed`). Spec: 08, 4.
    """
    partitions: list[Any] = live.column("partition").unique().to_pylist()
    chosen = [p for p in partitions if replaces(BinaryRow.from_bytes(p))]
    inside = pc.is_in(live.column("partition"), pa.array(chosen, pa.binary()))
    return live.filter(
        inside if with_postponed else pc.and_(inside, pc.greater_equal(live.column("bucket"), 0))
    )


def snapshots_since(snapshots: SnapshotStore, latest: Snapshot, reference: str) -> list[Snapshot] | None:
    """The snapshots after the one of a reference, up to `latest`; None if that cannot be told cheaply.

    That is so if there are many, or if the one of the reference has expired or was rewound.
    """
    first = int(reference.partition("~")[0] or 0)
    if not reference or not first <= latest.id <= first + _FEW_SNAPSHOTS:
        return None
    try:
        began, *since = [snapshots.get(i) for i in range(first, latest.id)] + [latest]
    except NotFoundError:
        return None
    return since if began.reference == reference else None


def names_in(delta: Sequence[ManifestEntry], *there: EntryColumns | None) -> set[str]:
    """Names of files that `delta` adds, and that one of `there` has added before."""
    deleted = {e.file.file_name for e in delta if e.kind is FileKind.DELETE}
    names = {e.file.file_name for e in delta} - deleted
    known: set[str] = set()
    for entries in there if names else ():
        if entries is not None:
            known |= live_names(entries.adds(), names)
    return known


def live_in(
    manifests: ManifestStore, chosen: Sequence[ManifestFileMeta], partitions: Iterable[BinaryRow]
) -> EntryColumns:
    """The live files of some partitions, of which few columns have been read yet."""
    entries = manifests.open_entries(chosen)
    wanted = pa.array(sorted(partition.to_bytes() for partition in partitions), pa.binary())
    return entries.filter(pc.is_in(entries.column("partition"), wanted)).live().adds()


def bucket_samples(
    manifests: ManifestStore, base: Sequence[ManifestFileMeta], partitions: Iterable[BinaryRow]
) -> list[ManifestEntry]:
    """A live file of each partition and number of buckets; of a partition written lately, of that alone.

    A partition has one number of buckets, so one file tells it, and most commits follow others to the
    same partitions: the newest manifests have such a file, as no older one can delete it.
    """
    partitions = set(partitions)
    newest = live_in(manifests, _newest(base), partitions)
    newest = newest.filter(pc.greater(newest.column("total_buckets"), 0))
    found: list[Any] = newest.column("partition").unique().to_pylist()
    rest = partitions.difference(map(BinaryRow.from_bytes, found))
    live = live_in(manifests, base, rest) if rest and len(_newest(base)) < len(base) else newest.slice(0, 0)
    names = ["partition", "total_buckets"]
    return [e for part in (newest, live) for e in part.take(_first_of_each(part, names)).entries()]


def _newest(base: Sequence[ManifestFileMeta]) -> Sequence[ManifestFileMeta]:
    """The manifests from the end of a list on that are read at next to no cost."""
    sizes = np.cumsum([meta.file_size for meta in reversed(base)])
    return base[len(base) - int(np.searchsorted(sizes, _LITTLE, side="right")) :]


def live_names(live: EntryColumns, names: Iterable[str]) -> set[str]:
    """Those of some names of files that are live."""
    column: Any = live.column("file_name")
    return set(column.filter(pc.is_in(column, pa.array(sorted(names), pa.string()))).to_pylist())


def entries_to_check(live: EntryColumns, delta: Sequence[ManifestEntry]) -> list[ManifestEntry]:
    """Those of the live entries of the partitions of `delta` that its conflict check has to see.

    They have a name of `delta`, lie above level 0 of its buckets, or are one that stays for each
    partition and number of buckets.
    """
    deleted = pa.array({e.file.file_name for e in delta if e.kind is FileKind.DELETE}, pa.string())
    named = pc.is_in(live.column("file_name"), pa.array({e.file.file_name for e in delta}, pa.string()))
    buckets = pc.is_in(live.column("bucket"), pa.array({e.bucket for e in delta}, pa.int32()))
    levelled = pc.and_(buckets, pc.greater(live.column("level"), 0))
    wanted = pc.or_(named, levelled).to_numpy(zero_copy_only=False)
    staying = np.flatnonzero(~pc.is_in(live.column("file_name"), deleted).to_numpy())
    wanted[staying[_first_of_each(live.take(staying), ["partition", "total_buckets"])]] = True
    return list(live.filter(wanted.astype(np.bool_)).entries())


def _first_of_each(live: EntryColumns, names: list[str]) -> npt.NDArray[np.int64]:
    """The position of the first entry of each combination of values."""
    columns: list[Any] = [live.column(name) for name in names]
    rows = pa.table([*columns, pa.array(np.arange(len(live)))], [*names, "row"])
    first = rows.group_by(names).aggregate([("row", "min")]).column("row_min")
    return np.asarray(first.to_numpy())


def partition_test(types: Sequence[DataType]) -> MayContain:
    """A test whether a manifest can hold entries of some partitions, by its partition statistics."""

    def may_contain(meta: ManifestFileMeta, partitions: Sequence[bytes]) -> bool:
        stats = meta.partition_stats
        if stats.min_values.arity != len(types) or len(stats.null_counts) != len(types):
            return True  # nothing is known
        low, high = decode_row(types, stats.min_values), decode_row(types, stats.max_values)
        rows = (decode_row(types, BinaryRow.from_bytes(p)) for p in partitions)
        return any(_within(row, low, high, stats.null_counts) for row in rows)

    return may_contain


def _within(row: Iterable[Any], low: Iterable[Any], high: Iterable[Any], nulls: Iterable[int | None]) -> bool:
    return all(
        n != 0 if value is None else _between(value, a, b)
        for value, a, b, n in zip(row, low, high, nulls, strict=True)
    )


def _between(value: Any, low: Any, high: Any) -> bool:
    """An unknown bound (or only nulls, which writers store alike) does not rule anything out."""
    if low is None or high is None:
        return True
    return bool(java_order(low) <= java_order(value) <= java_order(high))
