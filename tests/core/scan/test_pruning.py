"""What a filter rules out before a data file is opened. Spec: 09, 8; 03, 5.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.binary import encode_row, hash_row
from core.manifest import EntryColumns, FileKind, ManifestEntry
from core.predicate import bind, parse_predicate
from core.scan.pruning import Pruner
from core.schema import TableSchema
from core.stats.simple_stats import SimpleStats
from core.types import DataField, parse_type
from tests.builders import add, delete, manifest, row, schema, stats

COLUMNS = {"p": "INT", "k": "INT", "v": "INT"}
APPEND = schema(COLUMNS, partition_keys=["p"])
KEYED = schema({"k": "INT", "v": "INT"}, primary_keys=["k"], options={"bucket": "4"})


class Schemas:
    """The schemas of a table, by id."""

    def __init__(self, *known: TableSchema) -> None:
        self._known = {s.id: s for s in known}

    def get(self, schema_id: int) -> TableSchema:
        return self._known[schema_id]


def pruner(table: TableSchema, where: str | None, *older: TableSchema) -> Pruner:
    predicate = None if where is None else bind(parse_predicate(where), table.fields)
    return Pruner(Schemas(table, *older), table, predicate)  # type: ignore[arg-type]


def names(entries: EntryColumns) -> str:
    return "".join(entries.column("file_name").to_pylist())


def value_range(
    name: str, low: int | None, high: int | None, nulls: int | None = 0, **changes: Any
) -> ManifestEntry:
    """A file of an append table whose column `v` lies in a range."""
    return add(name, value_stats=stats((1, 1, low), (1, 1, high), (0, 0, nulls)), **changes)


def kept(table: TableSchema, where: str, *entries: ManifestEntry, older: Sequence[TableSchema] = ()) -> str:
    """The files that the stage of statistics keeps."""
    return names(pruner(table, where, *older).statistics(EntryColumns.of(entries)))


def test_manifests_whose_partitions_cannot_match_are_not_opened() -> None:
    def of(name: str, low: int | None, high: int | None, nulls: int = 0) -> Any:
        return manifest(name, partition_stats=stats((low,), (high,), (nulls,)))

    manifests = [of("a", 1, 3), of("b", 4, 9), of("c", None, None, 1), of("d", None, None)]
    found = pruner(APPEND, "p = 5 AND v > 1").manifests(manifests)
    assert [m.file_name for m in found] == ["b", "d"]


def test_partitions_are_filtered_exactly_and_nulls_do_not_match() -> None:
    entries = [add(str(p), partition=row(p)) for p in (1, 2, 3, None)]
    assert names(pruner(APPEND, "p <> 2").partitions(EntryColumns.of(entries))) == "13"


def test_partition_null_is_found() -> None:
    entries = [add("a", partition=row(None)), add("b", partition=row(1))]
    assert names(pruner(APPEND, "p IS NULL").partitions(EntryColumns.of(entries))) == "a"


@pytest.mark.parametrize(
    ("where", "expected"),
    [("v = 5", "ad"), ("v > 9", "bd"), ("v IS NULL", "bcd"), ("v = 5 OR p = 1", "abcd"), ("v <> 0", "abd")],
)
def test_files_of_an_append_table_are_judged_by_their_value_ranges(where: str, expected: str) -> None:
    files = [
        value_range("a", 1, 9),
        value_range("b", 10, 19, nulls=3),
        value_range("c", None, None, nulls=10),  # all 10 rows are null
        value_range("d", None, None, nulls=None),  # nothing is known
    ]
    assert kept(APPEND, where, *files) == expected


@pytest.mark.parametrize(
    ("where", "expected"),
    [("v = 'b'", "a"), ("v < 'b '", "ab"), ("v = 'a'", "b"), ("v IN ('', 'b')", "a"), ("v > 'c'", "")],
)
def test_a_range_of_chars_that_are_filled_up_holds_for_them_as_they_are_read(
    where: str, expected: str
) -> None:
    """As other ORC writers bound them: `a` holds b, and b alone; `b` holds a and a tab, and a."""
    text = parse_type("CHAR(2)")

    def bounds(low: str, high: str) -> SimpleStats:
        return SimpleStats(encode_row([text], [low]), encode_row([text], [high]), (0,))

    table = schema({"v": "CHAR(2)"})
    files = [add("a", value_stats=bounds("b ", "b ")), add("b", value_stats=bounds("a\t", "a "))]
    assert kept(table, where, *files) == expected


def test_files_without_statistics_are_kept() -> None:
    assert kept(APPEND, "v = 5", add("a"), value_range("b", 6, 7)) == "a"


def test_dense_statistics_are_found_by_the_names_they_list() -> None:
    listed = stats((1,), (9,), (0,))
    files = [
        add("a", value_stats=listed, value_stats_cols=("v",)),
        add("b", value_stats=listed, value_stats_cols=("k",)),
        add("c", value_stats_cols=()),
    ]
    assert kept(APPEND, "v = 50", *files) == "bc"


def test_a_column_added_later_is_all_null_in_older_files() -> None:
    newer = replace(APPEND, id=1, fields=(*APPEND.fields, DataField(9, "w", parse_type("INT"))))
    old, new = value_range("old", 1, 2), add("new", schema_id=1)
    assert kept(newer, "w = 3", old, new, older=[APPEND]) == "new"
    assert kept(newer, "w IS NULL", old, new, older=[APPEND]) == "oldnew"


def test_a_renamed_and_widened_column_keeps_its_ranges() -> None:
    wider = replace(APPEND, id=1, fields=(*APPEND.fields[:2], DataField(2, "w", parse_type("BIGINT"))))
    files = [value_range("a", 1, 9), value_range("b", 10, 19)]
    assert kept(wider, "w = 12", *files, older=[APPEND]) == "b"


def test_ranges_of_a_column_of_another_type_say_nothing() -> None:
    text = replace(APPEND, id=1, fields=(*APPEND.fields[:2], DataField(2, "v", parse_type("STRING"))))
    assert kept(text, "v = '5'", value_range("a", 1, 2), older=[APPEND]) == "a"


def keyed(name: str, keys: tuple[int, int], values: tuple[int, int], **changes: Any) -> ManifestEntry:
    (low, high), (least, most) = keys, values
    return add(
        name,
        min_key=row(low),
        max_key=row(high),
        key_stats=stats((low,), (high,), (0,)),
        value_stats=stats((low, least), (high, most), (0, 0)),
        total_buckets=4,
        **changes,
    )


def test_a_primary_key_file_goes_by_its_key_and_never_by_its_values() -> None:
    files = [keyed("a", (1, 5), (1, 1)), keyed("b", (4, 9), (2, 2)), keyed("c", (6, 9), (1, 1))]
    assert kept(KEYED, "k = 4 AND v = 2", *files) == "ab"


def whole_buckets(where: str, *entries: ManifestEntry) -> str:
    return names(pruner(KEYED, where).whole_buckets(EntryColumns.of(entries)))


def test_a_bucket_goes_only_if_none_of_its_files_can_match() -> None:
    files = [
        keyed("a", (1, 5), (1, 1), bucket=0),
        keyed("b", (4, 9), (2, 2), bucket=0),
        keyed("c", (1, 9), (3, 3), bucket=1),
    ]
    assert whole_buckets("v = 2", *files) == "ab"


def test_files_of_one_upper_level_go_one_by_one() -> None:
    files = [keyed("a", (1, 2), (1, 1), level=5), keyed("b", (3, 4), (2, 2), level=5)]
    assert whole_buckets("v = 2", *files) == "b"


def test_a_level_zero_file_beside_an_upper_level_keeps_the_bucket_whole() -> None:
    files = [keyed("a", (1, 2), (1, 1), level=0), keyed("b", (3, 4), (2, 2), level=5)]
    assert whole_buckets("v = 2", *files) == "ab"


def bucket_of(key: int, count: int) -> int:
    return abs(hash_row(encode_row([parse_type("INT")], [key]))) % count


@pytest.mark.parametrize("where", ["k = 7", "k IN (7) AND v > 0"])
def test_a_key_is_looked_for_in_its_bucket_by_each_files_own_number_of_buckets(where: str) -> None:
    files = [add(f"{b}/{n} ", bucket=b, total_buckets=n) for n in (3, 4) for b in range(n)]
    expected = "".join(f"{bucket_of(7, n)}/{n} " for n in (3, 4))
    assert names(pruner(KEYED, where).buckets(EntryColumns.of(files))) == expected


@pytest.mark.parametrize("where", ["k > 7", "v = 7", "k = 7 OR v = 1", "NOT k = 7"])
def test_other_conditions_leave_all_buckets(where: str) -> None:
    files = [add(str(b), bucket=b, total_buckets=4) for b in range(4)]
    assert names(pruner(KEYED, where).buckets(EntryColumns.of(files))) == "0123"


def test_each_stage_says_what_it_kept_and_why() -> None:
    stages = pruner(APPEND, "p = 1")
    stages.partitions(
        EntryColumns.of([add("a", partition=row(1)), delete("b", partition=row(2), file_size=7)])
    )
    assert [stage.line for stage in stages.stages] == ["partitions: kept 1 of 2 files: p = 1"]
    assert stages.stages[0].dropped_size == 7


def test_a_filter_never_drops_the_delete_of_a_file_it_keeps() -> None:
    both = [add("a", partition=row(1)), delete("a", partition=row(1))]
    left = pruner(APPEND, "p = 1 AND v = 5").partitions(EntryColumns.of(both))
    assert left.numpy("kind").tolist() == [FileKind.ADD, FileKind.DELETE]
