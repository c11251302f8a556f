"""Index files of a bucket, written and changed. Spec: 05, 2.3."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.binary import EMPTY_ROW
from core.deletionvectors import (
    DeletionVector,
    VectorChange,
    VectorPlace,
    change_vectors,
    read_vectors,
    write_index_file,
    write_index_files,
)
from core.errors import InvalidRequestError
from core.io import MemoryFileIO
from core.io.paths import TablePaths
from core.manifest import IndexManifestEntry
from core.options import TableOptions

BUCKET = VectorPlace(partition=EMPTY_ROW, bucket=3, directory="memory://t/index")
UNAWARE = dataclasses.replace(BUCKET, bucket=0, target_size=2 * 1024 * 1024)
TINY = dataclasses.replace(UNAWARE, target_size=1)

VECTORS = st.dictionaries(
    st.sampled_from("abcdef"), st.sets(st.integers(0, 99), min_size=1).map(DeletionVector.of)
)


def rows(io: MemoryFileIO, entries: tuple[IndexManifestEntry, ...]) -> dict[str, DeletionVector]:
    found: dict[str, DeletionVector] = {}
    for entry in entries:
        found |= read_vectors(io, f"memory://t/index/{entry.file_name}", entry.deletion_vector_ranges or ())
    return found


def test_the_entry_of_an_index_file_tells_all_of_it() -> None:
    io = MemoryFileIO()
    entry = write_index_file(io, BUCKET, {"a": DeletionVector.of([1, 2, 5])})
    assert (entry.bucket, entry.index_type, entry.row_count) == (3, "DELETION_VECTORS", 1)
    assert entry.file_size == io.status(f"memory://t/index/{entry.file_name}").size == 35


@given(VECTORS, st.integers(1, 200))
def test_vectors_are_read_back_however_files_are_rolled(
    vectors: dict[str, DeletionVector], target: int
) -> None:
    io = MemoryFileIO()
    entries = write_index_files(io, dataclasses.replace(UNAWARE, target_size=target), vectors)
    assert rows(io, entries) == vectors
    assert all(e.file_size > target for e in entries[:-1])


def test_a_bucket_has_one_file_even_without_vectors() -> None:
    (entry,) = write_index_files(MemoryFileIO(), BUCKET, {})
    assert (entry.file_size, entry.row_count, entry.deletion_vector_ranges) == (1, 0, ())
    assert write_index_files(MemoryFileIO(), UNAWARE, {}) == ()


def test_a_change_rewrites_the_file_of_a_bucket() -> None:
    io = MemoryFileIO()
    old = write_index_files(io, BUCKET, {"a": DeletionVector.of([1]), "b": DeletionVector.of([7])})
    change = change_vectors(io, BUCKET, old, {"a": DeletionVector.of([4])}, removed_files=["b"])
    assert change.deleted == old
    assert rows(io, change.new) == {"a": DeletionVector.of([1, 4])}


def test_a_table_without_buckets_keeps_the_files_that_do_not_change() -> None:
    io = MemoryFileIO()
    old = write_index_files(io, TINY, {"a": DeletionVector.of([1]), "b": DeletionVector.of([7])})
    change = change_vectors(io, UNAWARE, old, {"c": DeletionVector.of([4])}, removed_files=["b"])
    assert change.deleted == old[1:]
    assert rows(io, change.new) == {"c": DeletionVector.of([4])}


def test_the_last_vector_of_a_bucket_leaves_an_empty_file() -> None:
    io = MemoryFileIO()
    old = write_index_files(io, BUCKET, {"a": DeletionVector.of([1])})
    change = change_vectors(io, BUCKET, old, {}, removed_files=["a"])
    assert [e.file_size for e in change.new] == [1]


@pytest.mark.parametrize("place", [BUCKET, UNAWARE])
def test_nothing_is_written_where_nothing_changes(place: VectorPlace) -> None:
    io = MemoryFileIO()
    old = write_index_files(io, place, {"a": DeletionVector.of([1])})
    change = change_vectors(io, place, old, {"z": DeletionVector.of([])}, removed_files=["other"])
    assert change == VectorChange()


def test_a_vector_of_the_narrow_kind_is_widened_when_the_table_is() -> None:
    io = MemoryFileIO()
    old = write_index_files(io, BUCKET, {"a": DeletionVector.of([1])})
    change = change_vectors(
        io, dataclasses.replace(BUCKET, is_64_bit=True), old, {"a": DeletionVector.of([2])}
    )
    assert rows(io, change.new) == {"a": DeletionVector.of([1, 2], is_64_bit=True)}


def test_rows_of_a_file_that_goes_are_not_deleted() -> None:
    with pytest.raises(InvalidRequestError, match="removed"):
        change_vectors(MemoryFileIO(), BUCKET, (), {"a": DeletionVector.of([1])}, removed_files=["a"])


def test_the_place_follows_the_options() -> None:
    paths = TablePaths("/t")
    beside = TableOptions({"index-file-in-data-file-dir": "true", "bucket": "2"})
    assert VectorPlace.of(paths, beside, EMPTY_ROW, 1, "/t/bucket-1").directory == "/t/bucket-1"
    unaware = TableOptions({"bucket": "-1", "deletion-vector.index-file.target-size": "1 kb"})
    place = VectorPlace.of(paths, unaware, EMPTY_ROW, 0, "/t/bucket-0")
    assert (place.directory, place.target_size, place.is_64_bit) == ("/t/index", 1024, False)
