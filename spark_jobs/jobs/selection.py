"""Which buckets a job is about: by numbers and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import Table
from core.errors import InvalidRequestError
from core.options import BUCKET


def chosen_buckets(table: Table, buckets: Sequence[int | str] | None) -> list[int] | None:
    """The numbers, and those of live buckets that lie in one of the ranges; None for all.

    Raises:
        InvalidRequestError: a bucket that a table with a fixed number of them cannot have.
    """
    if buckets is None:
        return None
    count = table.options.get(BUCKET)
    ranges = [_ends(bucket) for bucket in buckets]
    for number, (_, last) in enumerate(ranges):
        if count > 0 and last >= count:
            raise InvalidRequestError(
                "the table has no such bucket", field=f"buckets[{number}]", found=last, buckets=count
            )
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return []
    live: list[Any] = table.manifests.live_entries(snapshot).column("bucket").unique().to_pylist()
    return sorted(b for b in live if any(first <= b <= last for first, last in ranges))


def _ends(bucket: int | str) -> tuple[int, int]:
    if isinstance(bucket, int):
        return bucket, bucket
    first, _, last = bucket.partition("-")
    return int(first), int(last)
