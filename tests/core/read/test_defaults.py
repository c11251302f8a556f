"""`fields.<column>.default-value`, which Paimon before 1.0 put in place of null on reading. Spec: 06, 8."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import FormatError
from core.read.support import unread_features
from core.schema import TableSchema
from tests.core.read.bucket import Bucket, schema


def filled(keys: tuple[str, ...] = (), text: str = "7", **options: str) -> TableSchema:
    return schema({"k": "INT", "v": "INT"}, keys, **{"fields__v__default_value": text, **options})


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path, filled())


def test_null_is_shown_as_the_default(bucket: Bucket) -> None:
    bucket.write([(1, None), (2, 5)])
    assert bucket.read() == [(1, 7), (2, 5)]


def test_a_filter_looks_at_what_is_shown(bucket: Bucket) -> None:
    bucket.write([(1, None), (2, 5)])
    assert bucket.read(["k"], "v = 7") == [(1,)]
    assert bucket.read(["k"], "v IS NULL") == []


def test_the_default_is_put_in_after_merging(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, filled(("k",), merge_engine="partial-update"))
    bucket.write([(1, 4), (2, None)], sequences=[1, 2])
    bucket.write([(1, None), (2, None)], sequences=[3, 4])
    assert bucket.read() == [(1, 4), (2, 7)]


def test_a_default_that_is_no_value_is_told(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, filled(text="seven"))
    bucket.write([(1, None)])
    with pytest.raises(FormatError, match="cannot be cast"):
        bucket.read()


def test_a_default_of_a_nested_column_is_refused_by_name() -> None:
    options: dict[str, Any] = {"fields__v__default_value": "[1]"}
    (feature,) = unread_features(schema({"v": "ARRAY<INT>"}, **options))
    assert feature == "fields.v.default-value of a column ARRAY<INT>"
