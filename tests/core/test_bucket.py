"""Buckets of keys. Spec: 01, 13; 03, 4."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import bucket
from core.arrow import from_python
from core.binary import encode_row, hash_row
from core.bucket import BucketMode, assign_buckets, bucket_mode, hive_hashes
from core.errors import InvalidRequestError, UnsupportedError
from core.options import BucketFunction
from core.types import parse_type
from tests.strategies import typed_rows


def buckets(
    types: str, row: tuple[Any, ...], n: int, function: BucketFunction = BucketFunction.DEFAULT
) -> int:
    kinds = [parse_type(t) for t in types.split()]
    columns = [from_python([v], t) for v, t in zip(row, kinds, strict=True)]
    return int(assign_buckets(kinds, columns, n, function)[0])


# Spec: 03, 4, the worked buckets.
WORKED = [
    ("INT", (0,), [1, 3, 4, 1, 9, 11]),
    ("INT", (1,), [0, 2, 3, 5, 8, 14]),
    ("INT", (2,), [0, 0, 4, 4, 4, 0]),
    ("INT", (3,), [1, 1, 0, 6, 5, 9]),
    ("INT", (5,), [0, 0, 1, 2, 6, 4]),
    ("INT", (42,), [1, 1, 2, 1, 7, 5]),
    ("INT", (100,), [1, 1, 3, 1, 3, 5]),
    ("INT", (-1,), [1, 3, 2, 6, 7, 3]),
    ("BIGINT", (-1,), [0, 0, 2, 0, 2, 0]),
    ("STRING", ("a",), [0, 2, 1, 5, 6, 14]),
    ("STRING", ("20240514",), [0, 2, 4, 5, 4, 2]),
    ("STRING", (None,), [0, 0, 4, 3, 4, 0]),
    ("INT STRING BIGINT", (7, "Apache Paimon", -2), [0, 0, 3, 0, 8, 4]),
    ("STRING INT", ("order-000001", 7), [1, 1, 4, 1, 9, 5]),
]


@pytest.mark.parametrize(("types", "row", "expected"), WORKED)
def test_worked_buckets(types: str, row: tuple[Any, ...], expected: list[int]) -> None:
    assert [buckets(types, row, n) for n in (2, 4, 5, 7, 10, 16)] == expected


@given(typed_rows(), st.integers(1, 1000))
def test_the_default_bucket_is_the_absolute_hash_modulo_the_count(typed: Any, n: int) -> None:
    types, rows = typed
    columns = [from_python([row[i] for row in rows], t) for i, t in enumerate(types)]
    expected = [abs(hash_row(encode_row(types, row))) % n for row in rows]
    assert assign_buckets(types, columns, n).tolist() == expected


@pytest.mark.parametrize("count", [1, 3, 4, 2**31 - 1])
def test_the_least_hash_has_an_absolute_value(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = np.array([-(2**31), -(2**31) + 1, 2**31 - 1, -1, 0], np.int32)
    monkeypatch.setattr(bucket, "hash_rows", lambda types, arrays: hashes)
    expected = [abs(number) % count for number in hashes.tolist()]
    assert assign_buckets([], [], count).tolist() == expected


def test_mod_is_never_negative_and_reads_null_as_zero() -> None:
    assert buckets("INT", (-7,), 5, BucketFunction.MOD) == 3
    assert buckets("BIGINT", (None,), 5, BucketFunction.MOD) == 0


@pytest.mark.parametrize("types", ["STRING", "SMALLINT"])
def test_mod_refuses_other_keys(types: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"found={types}"):
        buckets(types, ("1" if types == "STRING" else 1,), 5, BucketFunction.MOD)


@pytest.mark.parametrize(
    ("types", "row", "n", "expected"),
    [
        ("INT", (7,), 5, 2),
        ("INT", (-7,), 5, 1),
        ("STRING", ("abc",), 8, 2),
        ("BIGINT", (1234567890123,), 8, 4),
        ("INT STRING", (7, "abc"), 8, 3),
    ],
)
def test_hive_buckets(types: str, row: tuple[Any, ...], n: int, expected: int) -> None:
    assert buckets(types, row, n, BucketFunction.HIVE) == expected


@pytest.mark.parametrize(
    ("type_text", "value", "expected"),
    [
        ("STRING", "abc", 96354),
        ("BYTES", b"\xff", -1),
        ("BOOLEAN", True, 1),
        ("INT", None, 0),
        ("FLOAT", -0.0, 0),
        ("DOUBLE", 1.0, 1072693248),
        ("DECIMAL(10, 2)", Decimal("0.00"), 0),
        ("DECIMAL(10, 2)", Decimal("1.50"), 31 * 15 + 1),
        ("DECIMAL(10, 2)", Decimal("-1.50"), -31 * 15 + 1),
        ("DECIMAL(10, 0)", Decimal("100"), 3100),
        ("DECIMAL(38, 0)", Decimal(1 << 32), 31 * 31),
    ],
)
def test_hive_hashes(type_text: str, value: Any, expected: int) -> None:
    data_type = parse_type(type_text)
    assert hive_hashes(data_type, from_python([value], data_type)).tolist() == [expected]


def test_hive_refuses_timestamps() -> None:
    data_type = parse_type("TIMESTAMP(3)")
    with pytest.raises(UnsupportedError, match=r"TIMESTAMP\(3\)"):
        hive_hashes(data_type, from_python([None], data_type))


@pytest.mark.parametrize(
    ("primary", "partition", "bucket", "mode"),
    [
        (["k"], [], 4, BucketMode.HASH_FIXED),
        (["k", "p"], ["p"], -1, BucketMode.HASH_DYNAMIC),
        (["k"], ["p"], -1, BucketMode.KEY_DYNAMIC),
        (["k"], [], -2, BucketMode.POSTPONE_MODE),
        ([], [], -1, BucketMode.BUCKET_UNAWARE),
        ([], ["p"], 3, BucketMode.HASH_FIXED),
    ],
)
def test_bucket_modes(primary: list[str], partition: list[str], bucket: int, mode: BucketMode) -> None:
    assert bucket_mode(primary, partition, bucket) is mode


@pytest.mark.parametrize("bucket", [0, -2, -3])
def test_append_tables_refuse_other_numbers(bucket: int) -> None:
    with pytest.raises(InvalidRequestError, match=f"bucket={bucket}"):
        bucket_mode([], [], bucket)
