"""Rows that a deletion vector marks are not read. Spec: 05, 2; 09, 9."""

from __future__ import annotations

import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.deletionvectors import DeletionVector
from core.errors import FormatError, NotFoundError
from core.schema import TableSchema
from tests.core.read.bucket import Bucket, schema

COLUMNS = {"k": "INT", "v": "STRING"}
ROWS = [(i, f"v{i}") for i in range(23)]  # six row groups


def append_schema(**options: str) -> TableSchema:
    return schema(COLUMNS, deletion_vectors__enabled="true", **options)


def keyed_schema(**options: str) -> TableSchema:
    return schema(COLUMNS, ["k"], deletion_vectors__enabled="true", **options)


@given(
    deleted=st.frozensets(st.integers(0, len(ROWS) - 1)),
    is_64_bit=st.booleans(),
    extension=st.sampled_from(["parquet", "orc"]),
    bound=st.integers(-1, len(ROWS) + 1),
)
def test_positions_hold_whatever_row_groups_are_skipped(
    deleted: frozenset[int], is_64_bit: bool, extension: str, bound: int
) -> None:
    with TemporaryDirectory() as root:
        bucket = Bucket(Path(root), append_schema())
        file = bucket.write(ROWS, extension=extension)
        bucket.delete({file.file_name: DeletionVector.of(deleted, is_64_bit=is_64_bit)})
        left = [row for i, row in enumerate(ROWS) if i not in deleted and row[0] >= bound]
        assert bucket.read(filter=f"k >= {bound}") == left


def test_rows_are_counted_where_no_column_of_the_file_is_wanted(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, append_schema())
    file = bucket.write(ROWS)
    bucket.delete({file.file_name: DeletionVector.of([0, 22])})
    later = schema({**COLUMNS, "added": "INT"}, deletion_vectors__enabled="true")
    assert bucket.read(["added"], as_schema=later) == [(None,)] * 21


def test_files_of_a_split_without_a_vector_keep_all_rows(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, append_schema())
    first, _ = bucket.write(ROWS[:3]), bucket.write(ROWS[3:6])
    bucket.delete({first.file_name: DeletionVector.of([1])})
    assert bucket.read(["k"]) == [(0,), (2,), (3,), (4,), (5,)]


def test_levels_that_overlap_are_concatenated_as_old_versions_are_marked(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, keyed_schema(), raw_convertible=True)
    old = bucket.write([(1, "a"), (2, "b"), (3, "c")], sequences=[0, 1, 2], level=5)
    bucket.write([(2, "B")], sequences=[3], level=4)
    bucket.delete({old.file_name: DeletionVector.of([1])})
    assert sorted(bucket.read()) == [(1, "a"), (2, "B"), (3, "c")]


def test_a_merge_sees_only_rows_that_are_not_marked(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, keyed_schema(deletion_vectors__merge_on_read="true"))
    upper = bucket.write([(1, "a"), (2, "b"), (3, "c")], sequences=[0, 1, 2], level=5)
    bucket.write([(3, "C"), (4, "d")], sequences=[3, 4], level=0)
    bucket.delete({upper.file_name: DeletionVector.of([0])})
    assert sorted(bucket.read()) == [(2, "b"), (3, "C"), (4, "d")]


def test_retracts_above_level_zero_are_left_out_of_a_raw_read(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, keyed_schema(), raw_convertible=True)
    bucket.write([(1, "a"), (2, "b")], sequences=[0, 1], kinds=[0, 3], level=5)
    assert bucket.read() == [(1, "a")]


def test_a_split_takes_its_vectors_along(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, append_schema())
    bucket.delete({bucket.write(ROWS).file_name: DeletionVector.of([5])})
    assert pickle.loads(pickle.dumps(bucket.split)) == bucket.split


def test_a_damaged_vector_is_told_with_its_file(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, append_schema())
    bucket.delete({bucket.write(ROWS).file_name: DeletionVector.of([5])})
    path = tmp_path / "index/index-0"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    with pytest.raises(FormatError, match="checksum") as error:
        bucket.read()
    assert error.value.fields["path"] == str(path)


def test_a_missing_index_file_does_not_bring_deleted_rows_back(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, append_schema())
    bucket.delete({bucket.write(ROWS).file_name: DeletionVector.of([5])})
    (tmp_path / "index/index-0").unlink()
    with pytest.raises(NotFoundError, match="index-0"):
        bucket.read()
