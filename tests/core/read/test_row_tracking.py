"""The hidden columns of append tables that track rows. Spec: 04, A6; 04, B row_tracking."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.deletionvectors import DeletionVector
from core.errors import FormatError, InvalidRequestError
from tests.core.read.bucket import Bucket, schema

HIDDEN = ["_ROW_ID", "_SEQUENCE_NUMBER"]


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path, schema({"a": "INT"}, row_tracking__enabled="true"))


def test_hidden_columns_are_read_when_they_are_named(bucket: Bucket) -> None:
    bucket.write_part(["a"], [(1,), (2,)], first_row_id=40, sequence=7)
    assert bucket.read() == [(1,), (2,)]
    assert bucket.read([*HIDDEN, "a"]) == [(40, 7, 1), (41, 7, 2)]


def test_row_ids_do_not_move_up_where_rows_are_deleted(bucket: Bucket) -> None:
    file = bucket.write_part(["a"], [(i,) for i in range(10)], first_row_id=0)
    bucket.delete({file.file_name: DeletionVector.of([0, 5])})
    assert bucket.read(["_ROW_ID"], "a > 3 AND a < 8") == [(4,), (6,), (7,)]


def test_row_ids_count_on_over_row_groups_that_are_skipped(bucket: Bucket) -> None:
    bucket.write_part(["a"], [(i,) for i in range(12)], first_row_id=100)  # four rows a group
    assert bucket.read(["_ROW_ID"], "a = 9") == [(109,)]


def test_what_a_rewritten_file_stores_stays(bucket: Bucket) -> None:
    bucket.write_part(["a", *HIDDEN], [(1, 8, 2), (2, 3, 1)], first_row_id=0, sequence=9)
    assert bucket.read(["a", *HIDDEN]) == [(1, 8, 2), (2, 3, 1)]


def test_a_file_without_row_ids_is_refused_when_they_are_wanted(bucket: Bucket) -> None:
    bucket.write([(1,)])
    assert bucket.read() == [(1,)]
    with pytest.raises(FormatError, match="no row ids"):
        bucket.read(["_ROW_ID"])


def test_other_tables_have_no_hidden_columns(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, schema({"a": "INT"}))
    bucket.write([(1,)])
    with pytest.raises(InvalidRequestError, match="no such column"):
        bucket.read(["_ROW_ID"])
