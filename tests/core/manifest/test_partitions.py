from __future__ import annotations

import pytest

from core.manifest import partitions_by_stats
from core.types import IntType
from tests.builders import manifest, row, stats

MAY_CONTAIN = partitions_by_stats([IntType(), IntType()])
META = manifest(partition_stats=stats([1, 10], [5, 20], [0, 2]))


@pytest.mark.parametrize(
    ("partition", "expected"),
    [
        ((1, 10), True),
        ((5, 20), True),
        ((3, 15), True),
        ((0, 15), False),
        ((3, 21), False),
        ((3, None), True),
        ((None, 15), False),
    ],
)
def test_a_partition_outside_the_bounds_is_ruled_out(
    partition: tuple[int | None, ...], expected: bool
) -> None:
    assert MAY_CONTAIN(META, [row(*partition).to_bytes()]) is expected


def test_one_of_several_partitions_is_enough() -> None:
    assert MAY_CONTAIN(META, [row(0, 0).to_bytes(), row(3, 15).to_bytes()])
    assert not MAY_CONTAIN(META, [row(0, 0).to_bytes(), row(9, 9).to_bytes()])
    assert not MAY_CONTAIN(META, [])


def test_without_statistics_nothing_is_ruled_out() -> None:
    assert MAY_CONTAIN(manifest(), [row(0, 0).to_bytes()])


def test_without_null_counts_a_null_is_not_ruled_out() -> None:
    uncounted = manifest(partition_stats=stats([1, None], [5, None], []))
    assert MAY_CONTAIN(uncounted, [row(None, 3).to_bytes()])


def test_a_column_of_nulls_holds_no_value() -> None:
    nulls = manifest(partition_stats=stats([1, None], [5, None], [0, 4]))
    assert MAY_CONTAIN(nulls, [row(2, None).to_bytes()])
    assert not MAY_CONTAIN(nulls, [row(2, 3).to_bytes()])


def test_every_manifest_of_an_unpartitioned_table_may_hold_anything() -> None:
    assert partitions_by_stats([])(manifest(), [row().to_bytes()])
