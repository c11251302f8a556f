"""Buckets of dynamic-bucket partitions, against the rule read key by key. Spec: 05, 3.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.binary import EMPTY_ROW, hash_row, hash_rows
from core.errors import InvalidRequestError
from core.options import TableOptions
from core.tableindex import AssignmentRule, PartitionBuckets
from core.types import IntType

HASHES = st.lists(st.integers(-12, 12) | st.integers(-(2**31), 2**31 - 1), max_size=60)
BATCHES = st.lists(HASHES, max_size=5)


class OneByOne:
    """The rule of the spec, one hash at a time, for as many assigner tasks as there are."""

    def __init__(self, rule: AssignmentRule, partition_hash: int) -> None:
        self.rule, self.partition_hash = rule, partition_hash
        self.bucket_of: dict[int, int] = {}
        self.counts: dict[int, int] = {}

    def assign(self, key_hash: int) -> int | None:
        """The bucket; None where Paimon draws one by lot."""
        if key_hash not in self.bucket_of:
            bucket = self._new(key_hash)
            if bucket is None:
                return None
            self.bucket_of[key_hash] = bucket
        return self.bucket_of[key_hash]

    def _new(self, key_hash: int) -> int | None:
        rule = self.rule
        task = (abs(self.partition_hash) % rule.channels + abs(key_hash) % rule.assigners) % rule.channels
        own = [b for b in range(64) if b % rule.assigners == task % rule.assigners]
        for bucket in [b for b in own if b in self.counts]:
            if self.counts[bucket] < rule.target_rows:
                self.counts[bucket] += 1
                return bucket
        for bucket in own:
            if bucket not in self.counts and (rule.max_buckets == -1 or bucket < rule.max_buckets):
                self.counts[bucket] = 1
                return bucket
        return None


@st.composite
def rules(draw: st.DrawFn) -> AssignmentRule:
    channels = draw(st.integers(1, 4))
    return AssignmentRule(
        draw(st.integers(5, 40)), draw(st.sampled_from([-1, 3, 40])), channels, draw(st.integers(1, channels))
    )


@given(rules(), st.integers(-(2**31), 2**31 - 1), BATCHES)
def test_every_hash_gets_the_bucket_of_the_plain_rule(
    rule: AssignmentRule, partition_hash: int, batches: Sequence[list[int]]
) -> None:
    buckets, plain = PartitionBuckets(rule, partition_hash), OneByOne(rule, partition_hash)
    drawn: dict[int, int] = {}
    for batch in batches:
        found = buckets.assign(np.array(batch, np.int32)).tolist()
        for key_hash, bucket in zip(batch, found, strict=True):
            expected = plain.assign(key_hash)
            if expected is None:  # any bucket will do, always the same one
                assert 0 <= bucket < rule.max_buckets
                expected = drawn.setdefault(key_hash, bucket)
            assert bucket == expected


@given(BATCHES, st.integers(1, 9))
def test_a_writer_that_goes_on_from_the_index_gives_out_the_same_buckets(
    batches: Sequence[list[int]], target: int
) -> None:
    rule = AssignmentRule(target)
    at_once = PartitionBuckets(rule, 7)
    index: dict[int, Any] = {}
    for batch in batches:
        again = PartitionBuckets(rule, 7, index)
        hashes = np.array(batch, np.int32)
        assert again.assign(hashes).tolist() == at_once.assign(hashes).tolist()
        index |= {bucket: again.hashes_of(bucket) for bucket in again.changed}


@given(HASHES, HASHES)
def test_only_buckets_with_new_hashes_count_as_changed(first: list[int], second: list[int]) -> None:
    buckets = PartitionBuckets(AssignmentRule(3), 0)
    placed = dict(zip(first, buckets.assign(np.array(first, np.int32)).tolist(), strict=True))
    buckets.changed.clear()
    more = zip(second, buckets.assign(np.array(second, np.int32)).tolist(), strict=True)
    assert buckets.changed == {bucket for key_hash, bucket in more if key_hash not in placed}


def test_keys_1_to_5_with_two_rows_a_bucket_as_java_placed_them() -> None:
    hashes = hash_rows([IntType()], [pa.array([1, 2, 3, 4, 5], pa.int32())])
    assigned = PartitionBuckets(AssignmentRule(2), hash_row(EMPTY_ROW)).assign(hashes)
    assert assigned.tolist() == [0, 0, 1, 1, 2]


def test_the_last_bucket_that_the_format_has_is_the_last_to_be_filled() -> None:
    buckets = PartitionBuckets(AssignmentRule(1), 0)
    assert buckets.assign(np.arange(32767, dtype=np.int32)).tolist() == list(range(32767))
    with pytest.raises(InvalidRequestError, match=r"target-row-num"):
        buckets.assign(np.array([-1], np.int32))


def test_many_hashes_are_found_again_after_they_were_merged() -> None:
    buckets = PartitionBuckets(AssignmentRule(70_000), 0)
    hashes = np.arange(200_000, dtype=np.int32)[::-1].copy()
    first = np.concatenate([buckets.assign(part) for part in np.array_split(hashes, 9)])
    assert np.array_equal(buckets.assign(hashes), first)
    assert sorted(np.concatenate([buckets.hashes_of(b) for b in range(3)]).tolist()) == list(range(200_000))


@pytest.mark.parametrize(
    "options",
    [
        {"dynamic-bucket.target-row-num": "0"},
        {"dynamic-bucket.max-buckets": "0"},
        {"dynamic-bucket.assigner-parallelism": "-3"},
        {"dynamic-bucket.initial-buckets": "-1"},
    ],
)
def test_numbers_that_give_no_bucket_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(InvalidRequestError, match="no buckets"):
        AssignmentRule.of(TableOptions(options))


def test_initial_buckets_are_no_more_than_the_assigners() -> None:
    options = {"dynamic-bucket.initial-buckets": "9", "dynamic-bucket.assigner-parallelism": "4"}
    assert AssignmentRule.of(TableOptions(options)).assigners == 4
