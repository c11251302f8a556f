"""Ids of rows: given out by the commit, kept by every change after. Spec: 02, 3.1; 08, 3, check 7."""

from __future__ import annotations

from typing import Any

import pytest

from core.commit.delta import Delta
from core.commit.row_id_conflicts import check_index_ranges, check_row_ids
from core.commit.row_ids import assign_row_ids, stamp_entries
from core.errors import CommitConflictError, FormatError, UnsupportedError
from core.manifest import FileSource, GlobalIndexMeta, ManifestEntry
from core.manifest.columns import EntryColumns
from core.options import TableOptions
from tests.builders import add, delete, index_file, row

TRACKED = TableOptions({"row-tracking.enabled": "true"})


def first_ids(entries: list[ManifestEntry], start: int = 0) -> tuple[list[int | None], int]:
    numbered, following = assign_row_ids(EntryColumns.of(entries), start)
    return [entry.file.first_row_id for entry in numbered.entries()], following


def stamped(*entries: ManifestEntry, options: TableOptions = TRACKED, compaction: bool = False) -> Delta:
    delta = Delta(EntryColumns.of(entries))
    return stamp_entries(delta, options, snapshot_id=7, next_row_id=100, is_compaction=compaction)


def sequences(delta: Delta) -> list[tuple[int, int]]:
    return [(e.file.min_sequence_number, e.file.max_sequence_number) for e in delta.entries.entries()]


def held(name: str, first: int, rows: int, **changes: Any) -> ManifestEntry:
    return add(name, first_row_id=first, row_count=rows, **changes)


def gone(name: str, first: int, rows: int) -> ManifestEntry:
    return delete(name, first_row_id=first, row_count=rows)


def test_new_rows_are_numbered_file_after_file() -> None:
    assert first_ids([add("a", row_count=3), add("b", row_count=4)], 10) == ([10, 13], 17)


@pytest.mark.parametrize(
    "other",
    [
        delete("o"),
        add("o", file_source=FileSource.COMPACT),
        add("o", file_source=None),
        add("o", write_cols=("k", "_ROW_ID")),
    ],
)
def test_rows_that_are_not_new_get_no_number(other: ManifestEntry) -> None:
    assert first_ids([other, add("b", row_count=4)]) == ([None, 0], 4)


def test_a_number_once_given_stays() -> None:
    assert first_ids([held("a", 2, 3), add("b", row_count=4)], 10) == ([2, 10], 14)


def test_files_of_vectors_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="files of their own"):
        first_ids([add("data-1.vector.lance")])


def blobs(name: str, rows: int, column: str = "b") -> ManifestEntry:
    return add(f"{name}.blob", row_count=rows, write_cols=(column,))


def test_blobs_are_numbered_with_the_file_before_them_column_by_column() -> None:
    entries = [
        add("a", row_count=5),
        *(blobs("1", 3), blobs("2", 2), blobs("3", 5, "c")),
        add("b", row_count=4),
        blobs("4", 4, "c"),
    ]
    assert first_ids(entries, 10) == ([10, 10, 13, 10, 15, 15], 19)


@pytest.mark.parametrize(
    "entries",
    [
        [blobs("1", 3), add("a", row_count=5)],
        [add("a", row_count=5), blobs("1", 6)],
        [add("a", row_count=5), blobs("1", 3), blobs("2", 3)],
        [add("a", row_count=5, file_source=FileSource.COMPACT), blobs("1", 3)],
    ],
)
def test_blobs_of_no_rows_are_refused(entries: list[ManifestEntry]) -> None:
    with pytest.raises(FormatError, match="in no file before them"):
        first_ids(entries)


def test_rows_of_a_partition_are_numbered_together() -> None:
    entries = [add("a", partition=row(1)), add("b", partition=row(2)), add("c", partition=row(1))]
    found = {e.file.file_name: e.file.first_row_id for e in stamped(*entries).entries.entries()}
    assert found == {"a": 100, "c": 110, "b": 120}


def test_new_files_bear_the_number_of_their_snapshot() -> None:
    made = stamped(add("a", max_sequence_number=9), add("b", min_sequence_number=3, max_sequence_number=0))
    assert sequences(made) == [(7, 7), (3, 7)]


def test_ordering_by_snapshot_numbers_all_but_compactions() -> None:
    options = TableOptions({"sequence.snapshot-ordering": "true"})
    entry = add("a", min_sequence_number=3, max_sequence_number=5)
    assert sequences(stamped(entry, options=options)) == [(7, 7)]
    assert sequences(stamped(entry, options=options, compaction=True)) == [(3, 5)]


def test_tables_without_row_ids_are_left_alone() -> None:
    made = stamped(add("a", max_sequence_number=9), options=TableOptions({}))
    assert (sequences(made), made.next_row_id) == ([(0, 9)], 100)


FITTING: list[tuple[str, list[ManifestEntry], list[ManifestEntry], bool]] = [
    ("new rows", [held("a", 0, 5)], [add("b")], False),
    ("rows changed in place", [held("a", 0, 5)], [gone("a", 0, 5), held("b", 0, 5)], False),
    ("more columns of the same rows", [held("a", 0, 5)], [held("b", 0, 5)], False),
    ("blobs of some of the rows", [held("a", 0, 5)], [held("b.blob", 1, 2)], False),
    (
        "rows joined",
        [held("a", 0, 5), held("b", 5, 5)],
        [gone("a", 0, 5), gone("b", 5, 5), held("c", 0, 10)],
        True,
    ),
]
CLASHING: list[tuple[str, list[ManifestEntry], list[ManifestEntry], bool]] = [
    ("a file with other ids", [held("a", 5, 5)], [gone("a", 0, 5)], False),
    ("a file with more rows", [held("a", 0, 6)], [gone("a", 0, 5)], False),
    ("rows that are gone", [held("a", 5, 5)], [held("b", 0, 5)], False),
    ("rows of another bucket", [held("a", 0, 5)], [held("b", 0, 5, bucket=1)], False),
    ("blobs beyond their rows", [held("a", 0, 5)], [held("b.blob", 4, 2)], False),
    ("joined rows with a gap", [held("a", 0, 5), held("b", 6, 4)], [held("c", 0, 10)], True),
    ("rows joined twice", [held("a", 0, 5), held("b", 5, 5)], [gone("a", 0, 5), held("c", 0, 10)], True),
]


@pytest.mark.parametrize(("base", "delta", "joins"), [c[1:] for c in FITTING], ids=[c[0] for c in FITTING])
def test_rows_that_keep_their_ids_fit(
    base: list[ManifestEntry], delta: list[ManifestEntry], joins: bool
) -> None:
    check_row_ids(base, delta, 100, is_compaction=joins)


@pytest.mark.parametrize(("base", "delta", "joins"), [c[1:] for c in CLASHING], ids=[c[0] for c in CLASHING])
def test_rows_whose_ids_do_not_fit_are_a_conflict(
    base: list[ManifestEntry], delta: list[ManifestEntry], joins: bool
) -> None:
    with pytest.raises(CommitConflictError) as refused:
        check_row_ids(base, delta, 100, is_compaction=joins)
    assert refused.value.fields["check"] == "row ids"


@pytest.mark.parametrize(("end", "fits"), [(9, True), (10, False)])
def test_a_global_index_covers_rows_that_are_there(end: int, fits: bool) -> None:
    meta = GlobalIndexMeta(row_range_start=2, row_range_end=end, index_field_id=0)
    index, live = index_file(index_type="btree", global_index=meta), [held("a", 0, 5), held("b", 5, 5)]
    if fits:
        check_index_ranges([index], live)
    else:
        with pytest.raises(CommitConflictError, match="not in the table"):
            check_index_ranges([index], live)
