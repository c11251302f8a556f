"""The merge tree of real buckets, and laws that hold for every one of them."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.compact.plan import Moment
from core.errors import InvalidRequestError, NotFoundError
from core.inspect import BucketLevels, list_pressure, read_levels
from core.inspect.levels import key_places
from core.table import Table

CORPORA = Path(__file__).parents[2] / "corpora"
NOW = Moment(millis=1_795_234_500_000, hour=4)
KEYED = [
    "pk.lsm_levels",
    "pk.fixed_parquet",
    "pk.fixed_orc_part",
    "pk.composite_key",
    "pk.cross_partition",
    "pk.dyn_hash_part",
    "pk.levels_mixed_format",
    "dv.pk_dv_part_orc",
    "evo.pk_evolved",
    "merge.first_row_l0",
]


def table(name: str) -> Table:
    return open_catalog(str(CORPORA / "java09")).get_table(name)


def all_levels(name: str) -> list[BucketLevels]:
    opened = table(name)
    return [read_levels(opened, p.partition, p.bucket, moment=NOW) for p in list_pressure(opened)]


def levels(name: str = "pk.lsm_levels") -> BucketLevels:
    return read_levels(table(name), "", 0, moment=NOW)


def test_keys_are_the_distinct_ends_of_files_in_order() -> None:
    assert levels().keys == ("0", "1", "2", "250", "297", "499")


def test_keys_have_places_by_their_value() -> None:
    assert levels().places == (0, round(1 / 499, 6), round(2 / 499, 6), 0.501002, 0.595190, 1)


@pytest.mark.parametrize(
    ("values", "places"),
    [
        (pa.array([-(2**63), 0, 2**63 - 1]), (0, 0.5, 1)),
        (pa.array([1, 2, 5], pa.int8()), (0, 0.25, 1)),
        (pa.array([-1.5, 0.5, 2.5]), (0, 0.5, 1)),
        (pa.array([Decimal("1.00"), Decimal("2.00"), Decimal("3.00")]), (0, 0.5, 1)),
        (pa.array([date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 5)]), (0, 0.25, 1)),
        (pa.array([0, 1, 4], pa.timestamp("us")), (0, 0.25, 1)),
        (pa.array(["a", "b"]), None),
        (pa.array([7]), None),
        (pa.array([0.0, float("inf")]), None),
    ],
)
def test_numbers_and_times_lie_on_a_scale_and_texts_do_not(
    values: pa.Array, places: tuple[float, ...] | None
) -> None:
    assert key_places(values) == places


def test_files_stand_newest_first_then_by_level() -> None:
    shown = [(f.level, f.lane, f.lo, f.hi) for f in levels().files]
    assert shown == [(0, 0, 2, 2), (0, 1, 1, 2), (1, 0, 0, 3), (2, 0, 0, 4), (3, 0, 0, 4), (4, 0, 0, 5)]


def test_depth_counts_the_files_over_each_key() -> None:
    shown = levels()
    assert shown.depth == ((0, 4), (1, 5), (2, 6), (3, 4), (4, 3), (5, 1))
    assert shown.max_depth == 6
    assert shown.mean_depth == pytest.approx(23 / 6)


def test_runs_and_rules_are_measured() -> None:
    shown = levels()
    assert (shown.runs, shown.trigger, shown.stop) == (6, 5, 8)
    assert [(rule.name, rule.is_met) for rule in shown.rules] == [
        ("size amplification percent", False),
        ("size ratio percent", False),
        ("sorted runs", True),
    ]


def test_the_next_compaction_is_the_pick_of_the_tables_rules() -> None:
    shown = levels()
    assert shown.next_compaction is not None
    assert (shown.next_compaction.reason, shown.next_compaction.output_level) == ("file number", 3)
    assert {f.level for f in shown.files if f.is_picked} == {0, 1, 2, 3}


def test_a_composite_key_is_shown_column_by_column() -> None:
    shown = levels("pk.composite_key")
    assert shown.key_columns == ("kd", "kt", "ks", "kb", "kdt")
    assert all(key.endswith(("01-04", "01-05", "01-06")) or ", " in key for key in shown.keys)


def test_a_file_with_a_deletion_vector_is_marked() -> None:
    files = [f for shown in all_levels("dv.pk_dv_part_orc") for f in shown.files]
    assert any(f.has_deletion_vector for f in files)
    assert not all(f.has_deletion_vector for f in files)


def test_an_append_table_has_no_levels() -> None:
    with pytest.raises(InvalidRequestError, match="primary key"):
        read_levels(table("append.logs_unaware"), "", 0, moment=NOW)
    assert list_pressure(table("append.logs_unaware")) == ()


def test_an_empty_bucket_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="no live file"):
        read_levels(table("pk.lsm_levels"), "", 7, moment=NOW)


def test_the_row_form_of_a_partition_is_understood_too() -> None:
    opened = table("pk.fixed_orc_part")
    assert read_levels(opened, "{d1}", 0, moment=NOW) == read_levels(opened, "dt=d1", 0, moment=NOW)


def test_older_snapshots_have_their_own_levels() -> None:
    opened = table("pk.lsm_levels")
    first = read_levels(opened, "", 0, moment=NOW, snapshot=opened.snapshots.get(1))
    assert len(first.files) == 1


@pytest.mark.parametrize("name", KEYED)
def test_a_level_above_0_is_one_run_without_overlap(name: str) -> None:
    for shown in all_levels(name):
        for level in shown.levels[1:]:
            spans = sorted((f.lo, f.hi) for f in shown.files if f.level == level.level)
            assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))


@pytest.mark.parametrize("name", KEYED)
def test_every_key_is_an_end_of_some_file(name: str) -> None:
    for shown in all_levels(name):
        assert {f.lo for f in shown.files} | {f.hi for f in shown.files} == set(range(len(shown.keys)))
        assert all(f.lo <= f.hi for f in shown.files)


@pytest.mark.parametrize("name", KEYED)
def test_sums_by_level_are_those_of_the_files(name: str) -> None:
    for shown in all_levels(name):
        assert sum(level.files for level in shown.levels) == len(shown.files)
        assert sum(level.size for level in shown.levels) == sum(f.size for f in shown.files)
        assert sum(level.runs for level in shown.levels) == shown.runs


@pytest.mark.parametrize("name", KEYED)
def test_pressure_counts_the_same_runs_most_pressed_first(name: str) -> None:
    pressures = list_pressure(table(name))
    assert [p.runs for p in pressures] == [shown.runs for shown in all_levels(name)]
    assert [p.runs for p in pressures] == sorted((p.runs for p in pressures), reverse=True)
