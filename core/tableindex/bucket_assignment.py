"""Which bucket the keys of a dynamic-bucket partition go to. Spec: 05, 3.1. Pure.

A key stays in the bucket that its hash was first given. A new hash goes to the lowest used
bucket that holds fewer than the target number of hashes, else to the lowest unused one; once
the number of buckets is bounded and all are full, to one of the used ones.

A job of several assigner tasks sends each new hash to one of them, and a task only gives out
buckets of its own remainder. One process can play all of them, and then leaves the buckets that
such a job would have left, save that no two of its tasks count the rows of a bucket apart.

Memory: 6 bytes for each key of the partition (its hash, its bucket), twice that while new ones
are merged in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from core.errors import InvalidRequestError
from core.options import (
    DYNAMIC_BUCKET_ASSIGNERS,
    DYNAMIC_BUCKET_INITIAL,
    DYNAMIC_BUCKET_MAX,
    DYNAMIC_BUCKET_TARGET_ROWS,
    TableOptions,
)

Hashes = npt.NDArray[np.int32]
Buckets = npt.NDArray[np.int16]

_MOST_BUCKETS = 32767  # ids are shorts
_FEW = 64 * 1024  # new hashes that wait before they are merged into the many


@dataclass(frozen=True, slots=True)
class AssignmentRule:
    """How full buckets get, and how many assigner tasks share their ids."""

    target_rows: int = 2_000_000  # hashes of a bucket
    max_buckets: int = -1  # of a partition; -1: no bound but that of the format
    channels: int = 1  # tasks
    assigners: int = 1  # of them that serve one partition, each with bucket ids of one remainder

    @staticmethod
    def of(options: TableOptions) -> AssignmentRule:
        """Raises `InvalidRequestError` where a number makes no sense."""
        channels = options.get(DYNAMIC_BUCKET_ASSIGNERS) or 1
        assigners = min(options.get(DYNAMIC_BUCKET_INITIAL) or channels, channels)
        rule = AssignmentRule(
            options.get(DYNAMIC_BUCKET_TARGET_ROWS), options.get(DYNAMIC_BUCKET_MAX), channels, assigners
        )
        if min(rule.target_rows, channels, assigners) < 1 or rule.max_buckets < -1 or not rule.max_buckets:
            raise InvalidRequestError(
                "no buckets can be given out by these options",
                target_rows=rule.target_rows,
                max_buckets=rule.max_buckets,
                channels=channels,
                initial_buckets=assigners,
            )
        return rule

    def remainders(self, partition_hash: int, hashes: Hashes) -> npt.NDArray[np.int64]:
        """The remainder, by the number of assigners, of the bucket ids that each new hash may get."""
        start = abs(partition_hash) % self.channels
        spread = np.abs(hashes.astype(np.int64)) % self.assigners
        return (start + spread) % self.channels % self.assigners

    def usable(self, remainder: int, used: Mapping[int, int]) -> Iterator[int]:
        """The buckets of a remainder in the order in which they are filled: used ones come first."""
        own = [bucket for bucket in sorted(used) if bucket % self.assigners == remainder]
        limit = _MOST_BUCKETS if self.max_buckets == -1 else self.max_buckets
        unused = (bucket for bucket in range(remainder, limit, self.assigners) if bucket not in used)
        return chain(own, unused)


def fill_buckets(rule: AssignmentRule, remainder: int, counts: dict[int, int], needed: int) -> Buckets:
    """Buckets for so many new keys, or for as many as there is room for; `counts` grow with them."""
    parts: list[Buckets] = []
    for bucket in rule.usable(remainder, counts):
        if not needed:
            break
        taken = min(max(rule.target_rows - counts.get(bucket, 0), 0), needed)
        if taken:
            counts[bucket] = counts.get(bucket, 0) + taken
            parts.append(np.full(taken, bucket, np.int16))
            needed -= taken
    return np.concatenate(parts) if parts else np.empty(0, np.int16)


class PartitionBuckets:
    """The buckets of the keys of one partition, as they are given out."""

    def __init__(
        self, rule: AssignmentRule, partition_hash: int, known: Mapping[int, Hashes] | None = None
    ) -> None:
        """`known` holds the hashes of each bucket that there is."""
        known = known or {}
        self._rule = rule
        self._partition_hash = partition_hash
        self._counts = {bucket: len(hashes) for bucket, hashes in known.items()}
        self._many = _Lookup.of(known)
        self._few = _Lookup.of({})
        self.changed: set[int] = set()  # buckets with hashes that they were not made with

    def assign(self, hashes: Hashes) -> Buckets:
        """The bucket of each key hash, which is its own from now on.

        Raises:
            InvalidRequestError: all bucket ids that the format has are full.
        """
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        buckets = self._many.find(distinct)
        missing = np.flatnonzero(buckets < 0)
        buckets[missing] = self._few.find(distinct[missing])
        new = missing[buckets[missing] < 0]
        if len(new):
            arrival = new[np.argsort(first[new])]
            buckets[arrival] = self._place(distinct[arrival])
            self._remember(distinct[new], buckets[new])
        return buckets[inverse]

    def hashes_of(self, bucket: int) -> Hashes:
        """All hashes of a bucket."""
        return np.concatenate([lookup.hashes[lookup.buckets == bucket] for lookup in (self._many, self._few)])

    def _place(self, hashes: Hashes) -> Buckets:
        """Buckets of new hashes, which are distinct and in the order of their arrival."""
        placed = np.empty(len(hashes), np.int16)
        remainders = self._rule.remainders(self._partition_hash, hashes)
        for remainder in np.unique(remainders).tolist():
            mine = np.flatnonzero(remainders == remainder)
            filled = fill_buckets(self._rule, remainder, self._counts, len(mine))
            placed[mine[: len(filled)]] = filled
            rest = mine[len(filled) :]
            if len(rest):
                placed[rest] = self._overflow(remainder, hashes[rest])
        self.changed |= set(np.unique(placed).tolist())
        return placed

    def _overflow(self, remainder: int, hashes: Hashes) -> Buckets:
        """Spread over the used buckets. Paimon draws by lot; here a hash always gives the same."""
        rule = self._rule
        if rule.max_buckets == -1:
            raise InvalidRequestError(
                "a partition has as many buckets as there can be: give each of them more rows",
                option=DYNAMIC_BUCKET_TARGET_ROWS.key,
                target_rows=rule.target_rows,
                buckets=_MOST_BUCKETS,
            )
        used = sorted(self._counts)
        own = [bucket for bucket in used if bucket % rule.assigners == remainder] or used or [0]
        picked: Buckets = np.array(own, np.int16)[np.abs(hashes.astype(np.int64)) % len(own)]
        for bucket in np.unique(picked).tolist():
            self._counts.setdefault(bucket, rule.target_rows)
        return picked

    def _remember(self, hashes: Hashes, buckets: Buckets) -> None:
        self._few = self._few.merged(hashes, buckets)
        if len(self._few.hashes) > max(_FEW, len(self._many.hashes) // 4):
            self._many = self._many.merged(self._few.hashes, self._few.buckets)
            self._few = _Lookup.of({})


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Hashes, ascending and distinct, each with its bucket."""

    hashes: Hashes
    buckets: Buckets

    @staticmethod
    def of(known: Mapping[int, Hashes]) -> _Lookup:
        none = (np.empty(0, np.int32), np.empty(0, np.int16))
        hashes = np.concatenate([none[0], *known.values()])
        buckets = np.concatenate([none[1], *(np.full(len(h), b, np.int16) for b, h in known.items())])
        distinct, first = np.unique(hashes, return_index=True)
        return _Lookup(distinct, buckets[first])

    def find(self, wanted: Hashes) -> Buckets:
        """The bucket of each of some ascending hashes, -1 where there is none."""
        if not len(self.hashes):
            return np.full(len(wanted), -1, np.int16)
        place = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        found: Buckets = np.where(self.hashes[place] == wanted, self.buckets[place], np.int16(-1))
        return found

    def merged(self, hashes: Hashes, buckets: Buckets) -> _Lookup:
        """With more hashes, ascending and none of them here."""
        place = np.searchsorted(self.hashes, hashes)
        return _Lookup(np.insert(self.hashes, place, hashes), np.insert(self.buckets, place, buckets))
