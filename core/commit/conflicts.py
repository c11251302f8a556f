"""Whether a change still fits the table it is to be applied to. Spec: 08, 3. Pure.

The checks take `base`, the live entries that the change could clash with, and `delta`,
the entries of the change, and raise at the first clash. A clash is final: whoever made
the change has to look at the table again. Plain appends need none of them, as new files
have new names and level 0 may overlap.

Checks 5 and 6 of the spec, of deletion vectors and index files, are in `indexes`, check 7 in
`row_id_conflicts`, check 9 in `strict_mode`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pyarrow as pa

from core.binary.row import BinaryRow
from core.errors import CommitConflictError
from core.manifest.entry import FileIdentifier, FileKind, ManifestEntry
from core.mergetree.sorted_run import rank_key_ranges
from core.types.data_types import DataType


def check_change(
    base: Iterable[ManifestEntry],
    delta: Sequence[ManifestEntry],
    key_types: Sequence[DataType],
    *,
    same_buckets: bool = True,
) -> None:
    """Refuse `delta` unless it can be applied to `base`.

    Args:
        base: live entries of the partitions that `delta` touches; others do no harm.
        delta: what is to be committed, in order.
        key_types: the trimmed primary key; empty for an append table.
        same_buckets: whether the number of buckets of a partition must stay (not for an overwrite).

    Raises:
        CommitConflictError: `check` names the rule, the other fields the first clash.
    """
    base = list(base)
    if same_buckets:
        check_bucket_counts(base, delta)
    live = apply_delta(base, delta)
    if key_types:
        touched = {(e.partition, e.bucket) for e in delta}
        check_levels([e for e in live if (e.partition, e.bucket) in touched], key_types)


def check_bucket_counts(base: Iterable[ManifestEntry], delta: Sequence[ManifestEntry]) -> None:
    """One number of buckets a partition, of the files that are there afterwards."""
    counts: dict[BinaryRow, int] = {}
    gone = {entry.identifier for entry in delta if entry.kind is FileKind.DELETE}
    for entry in (*(e for e in base if e.identifier not in gone), *delta):
        if entry.total_buckets <= 0 or entry.kind is FileKind.DELETE:
            continue
        known = counts.setdefault(entry.partition, entry.total_buckets)
        if known != entry.total_buckets:
            raise CommitConflictError(
                "the number of buckets of a partition changed without an overwrite",
                check="bucket counts",
                before=known,
                now=entry.total_buckets,
                file=entry.file.file_name,
            )


def apply_delta(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry]) -> list[ManifestEntry]:
    """The live entries after `delta`: nothing is added twice, and what is deleted was there."""
    live: dict[FileIdentifier, ManifestEntry] = {entry.identifier: entry for entry in base}
    for entry in delta:
        known = live.pop(entry.identifier, None)
        if entry.kind is FileKind.ADD:
            if known is not None:
                raise file_clash("a file is added that the table has already", entry)
            live[entry.identifier] = entry
        elif known is None:
            raise file_clash("a file to be replaced is no longer in the table", entry)
    return list(live.values())


def file_clash(what: str, entry: ManifestEntry) -> CommitConflictError:
    """The error of a change that does not fit the files that are there."""
    return CommitConflictError(
        what, check="files", file=entry.file.file_name, bucket=entry.bucket, level=entry.file.level
    )


def check_levels(live: Iterable[ManifestEntry], key_types: Sequence[DataType]) -> None:
    """Files of one bucket and one level above 0 do not overlap."""
    levels: dict[tuple[BinaryRow, int, int], list[ManifestEntry]] = defaultdict(list)
    for entry in live:
        if entry.file.level > 0:
            levels[entry.partition, entry.bucket, entry.file.level].append(entry)
    for entries in levels.values():
        if len(entries) > 1:
            _check_level(entries, key_types)


def _check_level(entries: Sequence[ManifestEntry], key_types: Sequence[DataType]) -> None:
    low, high = rank_key_ranges(
        key_types,
        pa.array([e.file.min_key.to_bytes() for e in entries], pa.binary()),
        pa.array([e.file.max_key.to_bytes() for e in entries], pa.binary()),
    )
    order = sorted(range(len(entries)), key=lambda i: (low[i], high[i]))
    for left, right in pairwise(order):
        if high[left] >= low[right]:
            raise CommitConflictError(
                "two files of one level hold the same keys",
                check="levels",
                bucket=entries[left].bucket,
                level=entries[left].file.level,
                file=entries[left].file.file_name,
                other_file=entries[right].file.file_name,
            )
