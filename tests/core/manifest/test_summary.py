from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from core.binary import decode_row, encode_row
from core.manifest import EntryColumns, ManifestEntry, ManifestFileMeta
from core.manifest.summary import java_order, summarized
from core.stats.simple_stats import EMPTY_STATS
from core.types import DoubleType, IntType, parse_type
from tests.builders import add, delete, row, stats


def summary(*entries: ManifestEntry, keys: int = 0) -> ManifestFileMeta:
    columns = EntryColumns.of(entries)
    return summarized(columns, file_name="m", file_size=9, partition_types=[IntType()] * keys)


def test_adds_and_deletes_are_counted_apart() -> None:
    meta = summary(add("a"), delete("b"), add("c"))
    assert (meta.num_added_files, meta.num_deleted_files) == (2, 1)
    assert (meta.file_name, meta.file_size) == ("m", 9)


def test_ranges_cover_deletes_too() -> None:
    meta = summary(add(bucket=3, level=0, schema_id=1), delete(bucket=-2, level=5, schema_id=7))
    assert (meta.min_bucket, meta.max_bucket) == (-2, 3)
    assert (meta.min_level, meta.max_level) == (0, 5)
    assert meta.schema_id == 7


def test_the_range_of_row_ids_ends_with_the_last_row() -> None:
    meta = summary(add(first_row_id=10, row_count=5), add(first_row_id=0, row_count=10))
    assert (meta.min_row_id, meta.max_row_id) == (0, 14)


def test_one_file_without_row_ids_makes_the_range_unknown() -> None:
    meta = summary(add(first_row_id=10), add(first_row_id=None))
    assert (meta.min_row_id, meta.max_row_id) == (None, None)


def test_an_unpartitioned_table_has_empty_partition_statistics() -> None:
    assert summary(add(), add()).partition_stats == EMPTY_STATS


def test_null_partitions_count_and_do_not_bound() -> None:
    entries = [add(partition=row(5, None)), add(partition=row(2, None)), add(partition=row(2, None))]
    assert summary(*entries, keys=2).partition_stats == stats([2, None], [5, None], [0, 3])


@given(st.lists(st.tuples(st.none() | st.text(max_size=4)), min_size=1, max_size=8))
def test_bounds_enclose_every_partition(partitions: list[tuple[str | None]]) -> None:
    types = [parse_type("STRING")]
    columns = EntryColumns.of([add(partition=encode_row(types, p)) for p in partitions])
    found = summarized(columns, file_name="m", file_size=0, partition_types=types).partition_stats
    present = sorted(p for (p,) in partitions if p is not None)
    assert decode_row(types, found.min_values) == (present[0] if present else None,)
    assert decode_row(types, found.max_values) == (present[-1] if present else None,)
    assert found.null_counts == (len(partitions) - len(present),)


def test_nan_is_the_largest_float() -> None:
    types = [DoubleType()]
    columns = EntryColumns.of([add(partition=encode_row(types, [v])) for v in (1.0, math.nan, math.inf)])
    found = summarized(columns, file_name="m", file_size=0, partition_types=types).partition_stats
    assert decode_row(types, found.min_values) == (1.0,)
    assert math.isnan(decode_row(types, found.max_values)[0])
    assert java_order(math.nan) > java_order(math.inf)
