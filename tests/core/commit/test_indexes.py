"""Index files of two commits that began alike. Spec: 02, 6.1; 08, 3, checks 5 and 6."""

from __future__ import annotations

import pytest

from core.commit.indexes import IndexChange, check_vectors, combine_indexes
from core.errors import CommitConflictError
from core.manifest import GlobalIndexMeta, IndexManifestEntry
from tests.builders import index_file, row, vectors

OLD = index_file("old")
NEW = index_file("new")
GLOBAL = GlobalIndexMeta(row_range_start=0, row_range_end=9, index_field_id=3)


def combined(
    base: list[IndexManifestEntry],
    added: tuple[IndexManifestEntry, ...] = (),
    removed: tuple[IndexManifestEntry, ...] = (),
    *,
    by_bucket: bool = True,
) -> list[IndexManifestEntry]:
    return combine_indexes(base, IndexChange(added, removed), vectors_by_bucket=by_bucket)


def over(name: str, first: int, last: int, field: int = 3, **changes: object) -> IndexManifestEntry:
    meta = GlobalIndexMeta(row_range_start=first, row_range_end=last, index_field_id=field, **changes)
    return index_file(name, index_type="btree", global_index=meta)


def test_a_new_file_takes_the_place_of_the_one_that_it_names() -> None:
    other = index_file("other", bucket=1)
    assert combined([OLD, other], (NEW,), (OLD,)) == [other, NEW]


@pytest.mark.parametrize(
    "beside",
    [
        index_file("o", bucket=1),
        index_file("o", partition=row(1)),
        vectors("o", "a.parquet"),
        over("o", 0, 9),
    ],
)
def test_files_of_other_buckets_and_kinds_stay(beside: IndexManifestEntry) -> None:
    assert combined([beside], (NEW,)) == [beside, NEW]


CLASHES = [
    ("removed by another", [], (NEW,), (OLD,), True),
    ("written by another", [OLD], (NEW,), (), True),
    ("replaced by another", [index_file("other")], (NEW,), (OLD,), True),
    ("added twice", [OLD], (OLD,), (), True),
    ("two for one bucket", [], (NEW, OLD), (), True),
    ("two vector files for one bucket", [vectors("v1", "a")], (vectors("v2", "b"),), (), True),
    ("a vector for a file that has one", [vectors("v1", "a")], (vectors("v2", "a"),), (), False),
    ("a vector file added twice", [vectors("v1", "a")], (vectors("v1", "b"),), (), False),
    ("overlapping global indexes", [over("g1", 0, 9)], (over("g2", 9, 12),), (), True),
    ("other further columns", [over("g1", 0, 9)], (over("g2", 10, 12, extra_field_ids=(7,)),), (), True),
]


@pytest.mark.parametrize(
    ("base", "added", "removed", "by_bucket"), [c[1:] for c in CLASHES], ids=[c[0] for c in CLASHES]
)
def test_what_would_lose_an_index_is_a_conflict(base, added, removed, by_bucket) -> None:
    with pytest.raises(CommitConflictError) as refused:
        combined(base, added, removed, by_bucket=by_bucket)
    assert refused.value.fields["check"] == "indexes"


def test_without_buckets_there_are_many_vector_files() -> None:
    old, new = vectors("v1", "a"), vectors("v2", "b")
    assert combined([old], (new,), by_bucket=False) == [old, new]


def test_global_indexes_of_neighbouring_rows_and_other_columns_stand_side_by_side() -> None:
    found = [over("g1", 0, 9), over("g2", 10, 12), over("g3", 0, 9, field=4)]
    assert combined(found[:1], tuple(found[1:])) == found


def test_replaced_partitions_lose_their_files() -> None:
    change = IndexChange((index_file("new", partition=row(1)),), (index_file("old", partition=row(1)),))
    base = [index_file("older", partition=row(1)), index_file("kept", partition=row(2))]
    after = combine_indexes(base, change, vectors_by_bucket=True, replaces=lambda p: p == row(1))
    assert [entry.file_name for entry in after] == ["kept", "new"]


def test_a_vector_needs_its_data_file() -> None:
    check_vectors([], [vectors("v", "a")], live={"a"}, gone=())
    with pytest.raises(CommitConflictError, match="not in the table"):
        check_vectors([], [vectors("v", "a")], live={"b"}, gone=())


def test_a_data_file_does_not_go_without_its_vector() -> None:
    before = [vectors("v", "a", "b")]
    check_vectors(before, [vectors("w", "b")], live={"b"}, gone={"a"})
    with pytest.raises(CommitConflictError, match="got a deletion vector"):
        check_vectors(before, before, live={"b"}, gone={"a"})
