"""Files with rows in common stay together. Spec: 04, A6."""

from __future__ import annotations

from core.binary import encode_row
from core.manifest import EntryColumns
from core.manifest.row_ranges import group_by_row_range
from core.predicate import bind, parse_predicate
from core.scan.pruning import Pruner
from core.scan.row_ranges import row_range_layout, shares_rows
from core.scan.splits import Packing
from core.schema import TableSchema
from core.stats.simple_stats import SimpleStats
from core.types import parse_type
from tests.builders import data_file, entry, schema

SMALL = Packing(target_size=100, open_file_cost=1)


def entries(*ranges: tuple[int | None, int], size: int = 60, bucket: int = 0) -> EntryColumns:
    return EntryColumns.of(
        entry(f"data-{i}.parquet", bucket=bucket, first_row_id=first, row_count=rows, file_size=size)
        for i, (first, rows) in enumerate(ranges)
    )


def test_a_file_inside_of_the_rows_of_another_shares_them() -> None:
    flags = shares_rows(entries((0, 10), (10, 5), (3, 2), (15, 1)))
    assert flags.tolist() == [True, False, True, False]


def test_files_without_row_ids_share_none() -> None:
    assert shares_rows(entries((None, 10), (None, 10), (0, 10))).tolist() == [False, False, False]


def test_files_of_two_buckets_share_none() -> None:
    both = EntryColumns.concat([entries((0, 10)), entries((0, 10), bucket=1)])
    assert not shares_rows(both).any()


def test_a_split_is_cut_between_ranges_only_and_raw_where_files_stand_alone() -> None:
    layout = row_range_layout(entries((20, 5), (0, 10), (0, 10), (10, 10)), SMALL)
    assert layout.order.tolist() == [1, 2, 3, 0]
    assert layout.ends.tolist() == [2, 3, 4]
    assert layout.raw.tolist() == [False, True, True]


def test_nothing_has_no_splits() -> None:
    assert len(row_range_layout(EntryColumns.empty(), SMALL).ends) == 0
    assert group_by_row_range([]) == []


def test_files_are_grouped_in_the_order_of_their_rows() -> None:
    ranges = {"c": (7, 3), "a": (0, 5), "b": (4, 3), "x": (None, 9)}
    files = [data_file(name, first_row_id=first, row_count=rows) for name, (first, rows) in ranges.items()]
    assert [[f.file_name for f in group] for group in group_by_row_range(files)] == [["x"], ["a", "b"], ["c"]]


class _Schemas:
    def get(self, schema_id: int) -> TableSchema:
        return EVOLVING


EVOLVING = schema({"a": "INT", "b": "INT"}, options={"data-evolution.enabled": "true"})


def stats(*bounds: tuple[int, int]) -> SimpleStats:
    types = [parse_type("INT")] * len(bounds)
    low, high = (encode_row(types, [pair[i] for pair in bounds]) for i in (0, 1))
    return SimpleStats(low, high, tuple(0 for _ in bounds))


def test_statistics_drop_no_file_whose_columns_another_has_newer() -> None:
    files = [
        entry("base", first_row_id=0, row_count=4, value_stats=stats((0, 3), (0, 3))),
        entry("update", first_row_id=0, row_count=4, write_cols=("b",), value_stats=stats((9, 9))),
        entry("alone", first_row_id=4, row_count=4, value_stats=stats((0, 3), (0, 3))),
    ]
    predicate = bind(parse_predicate("b = 9"), EVOLVING.fields)
    kept = Pruner(_Schemas(), EVOLVING, predicate).statistics(EntryColumns.of(files))  # type: ignore[arg-type]
    assert kept.column("file_name").to_pylist() == ["base", "update"]
