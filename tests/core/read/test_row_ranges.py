"""Rows whose columns lie in several files. Spec: 04, A6."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.deletionvectors import DeletionVector
from core.errors import FormatError
from core.schema import TableSchema
from tests.core.read.bucket import Bucket, schema

NAMES = ("a", "b", "c")


def evolving(**columns: str) -> TableSchema:
    columns = columns or dict.fromkeys(NAMES, "INT")
    return schema(columns, row_tracking__enabled="true", data_evolution__enabled="true")


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path, evolving())


def test_a_column_comes_from_the_newest_file_that_holds_it(bucket: Bucket) -> None:
    bucket.write_part(NAMES, [(i, 10 + i, 20 + i) for i in range(3)], first_row_id=0)
    bucket.write_part(["b"], [(70 + i,) for i in range(3)], first_row_id=0, sequence=2)
    assert bucket.read() == [(0, 70, 20), (1, 71, 21), (2, 72, 22)]


def test_a_column_that_no_file_holds_is_null(bucket: Bucket) -> None:
    bucket.write_part(["a"], [(1,), (2,)], first_row_id=0)
    bucket.write_part(["c"], [(3,), (4,)], first_row_id=0)
    assert bucket.read() == [(1, None, 3), (2, None, 4)]


def test_files_of_a_part_of_the_rows_take_turns(bucket: Bucket) -> None:
    bucket.write_part(["a", "b"], [(i, i) for i in range(10)], first_row_id=5)
    bucket.write_part(["c"], [(i,) for i in range(4)], first_row_id=5)
    bucket.write_part(["c"], [(i,) for i in range(4, 10)], first_row_id=9)
    assert bucket.read(["a", "c", "_ROW_ID"]) == [(i, i, 5 + i) for i in range(10)]


def test_sequence_numbers_of_columns_decide_where_the_manifest_has_them(bucket: Bucket) -> None:
    bucket.write_part(["a", "b"], [(1, 1)], first_row_id=0, sequence=5, write_cols_sequences=(1, 5))
    bucket.write_part(["a", "b"], [(2, 2)], first_row_id=0, sequence=3)
    assert bucket.read(["a", "b"]) == [(2, 1)]


def test_a_deletion_vector_of_one_file_deletes_rows_of_all(bucket: Bucket) -> None:
    base = bucket.write_part(["a"], [(i,) for i in range(4)], first_row_id=10)
    part = bucket.write_part(["b"], [(i,) for i in range(2)], first_row_id=12)
    bucket.delete({base.file_name: DeletionVector.of([0]), part.file_name: DeletionVector.of([1])})
    assert bucket.read(["a", "b", "_ROW_ID"]) == [(1, None, 11), (2, 0, 12)]


def test_a_row_has_the_largest_sequence_number_of_its_files(bucket: Bucket) -> None:
    bucket.write_part(["a"], [(1,), (2,)], first_row_id=0, sequence=4)
    bucket.write_part(["b", "_SEQUENCE_NUMBER"], [(1, 9), (2, 3)], first_row_id=0, sequence=9)
    assert bucket.read(["_SEQUENCE_NUMBER"]) == [(9,), (4,)]


def test_a_filter_looks_at_the_joined_row(bucket: Bucket) -> None:
    bucket.write_part(NAMES, [(i, i, i) for i in range(3)], first_row_id=0)
    bucket.write_part(["b"], [(9,), (0,), (9,)], first_row_id=0, sequence=2)
    assert bucket.read(["a"], "b = 9 AND _ROW_ID > 0") == [(2,)]


def test_a_file_with_fewer_rows_than_its_manifest_says_is_refused(bucket: Bucket) -> None:
    bucket.write_part(["a"], [(1,), (2,)], first_row_id=0)
    bucket.write_part(["b"], [(1,)], first_row_id=0)
    bucket.files[1] = replace(bucket.files[1], row_count=2)
    with pytest.raises(FormatError, match="fewer rows"):
        bucket.read()


Part = tuple[list[str], int, int]  # columns, first row id, rows


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.integers(0, 6), st.integers(1, 6)
        ),
        min_size=1,
        max_size=6,
    ),
    st.sets(st.integers(0, 11), max_size=3),
)
@settings(max_examples=40)
def test_columns_are_joined_as_row_by_row(parts: list[Part], deleted: set[int]) -> None:
    """The oracle: each row and column by itself, the file with the largest number wins."""
    expected: dict[int, dict[str, int]] = {}
    with TemporaryDirectory() as root:
        bucket = Bucket(Path(root), evolving())
        vectors = {}
        for sequence, (columns, first, rows) in enumerate(parts):
            values = [tuple(1000 * sequence + row for _ in columns) for row in range(rows)]
            meta = bucket.write_part(columns, values, first_row_id=first, sequence=sequence)
            for row in range(rows):
                expected.setdefault(first + row, {}).update(dict.fromkeys(columns, 1000 * sequence + row))
            positions = {row - first for row in deleted if first <= row < first + rows}
            if positions:
                vectors[meta.file_name] = DeletionVector.of(positions)
        bucket.delete(vectors)
        wanted = [(*map(row.get, NAMES), i) for i, row in sorted(expected.items()) if i not in deleted]
        assert bucket.read([*NAMES, "_ROW_ID"]) == wanted
