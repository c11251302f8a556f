"""Rows whose bytes and hashes were produced by Java Paimon 0.9.0. Spec: 03, 2."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from core.arrow import from_python, to_python
from core.binary import (
    EMPTY_ROW,
    BinaryRow,
    decode_row,
    decode_rows,
    encode_row,
    encode_rows,
    hash_row,
    hash_rows,
)
from core.types import RowKind, Timestamp, parse_type

# number, types, values, serialized row, hash
EXAMPLES: list[tuple[int, list[str], list[Any], str, int]] = [
    (1, ["INT"], [1], "00000001 0000000000000000 0100000000000000", 1465514398),
    (2, ["INT"], [-1], "00000001 0000000000000000 ffffffff00000000", 1133687267),
    (3, ["BIGINT"], [-1], "00000001 0000000000000000 ffffffffffffffff", -821098432),
    (4, ["BIGINT"], [1234567890123], "00000001 0000000000000000 cb04fb711f010000", -1873221036),
    (5, ["STRING"], [""], "00000001 0000000000000000 0000000000000080", 302122119),
    (6, ["STRING"], ["abc"], "00000001 0000000000000000 6162630000000083", -101922419),
    (7, ["STRING"], ["1234567"], "00000001 0000000000000000 3132333435363787", 199144172),
    (8, ["STRING"], ["12345678"], "00000001 0000000000000000 0800000010000000 3132333435363738", -391021801),
    (
        9,
        ["STRING"],
        ["hello world"],
        "00000001 0000000000000000 0b00000010000000 68656c6c6f20776f 726c640000000000",
        161593394,
    ),
    (10, ["STRING"], [None], "00000001 0001000000000000 0000000000000000", -1748325344),
    (
        11,
        ["INT", "STRING", "BIGINT"],
        [7, "Apache Paimon", -2],
        "00000003 0000000000000000 0700000000000000 0d00000020000000 feffffffffffffff "
        "4170616368652050 61696d6f6e000000",
        -238905828,
    ),
    (
        12,
        ["INT", "BIGINT", "STRING"],
        [1, None, "ab"],
        "00000003 0002000000000000 0100000000000000 0000000000000000 6162000000000082",
        -865538903,
    ),
    (
        13,
        ["BOOLEAN", "TINYINT", "SMALLINT", "FLOAT", "DOUBLE", "DATE", "TIME(3)"],
        [True, -1, 300, 1.5, -2.25, 19857, 3723004],
        "00000007 0000000000000000 0100000000000000 ff00000000000000 2c01000000000000 0000c03f00000000 "
        "00000000000002c0 914d000000000000 fcce380000000000",
        258733921,
    ),
    (14, ["DECIMAL(10, 2)"], [Decimal("123.45")], "00000001 0000000000000000 3930000000000000", 767607022),
    (
        15,
        ["DECIMAL(20, 2)"],
        [Decimal("123.45")],
        "00000001 0000000000000000 0200000010000000 3039000000000000 0000000000000000",
        -118192725,
    ),
    (
        16,
        ["DECIMAL(38, 4)"],
        [Decimal("-12345678901234567890.1234")],
        "00000001 0000000000000000 0a00000010000000 e5db64e0ef5f9369 500e000000000000",
        2013574592,
    ),
    (
        17,
        ["DECIMAL(20, 2)"],
        [None],
        "00000001 0001000000000000 0000000010000000 0000000000000000 0000000000000000",
        -1380280760,
    ),
    (
        18,
        ["TIMESTAMP(3)"],
        [Timestamp(1700000000123)],
        "00000001 0000000000000000 7b68e5cf8b010000",
        -1285420957,
    ),
    (
        19,
        ["TIMESTAMP(6)"],
        [Timestamp(1700000000123, 456000)],
        "00000001 0000000000000000 40f5060010000000 7b68e5cf8b010000",
        1196670069,
    ),
    (
        20,
        ["TIMESTAMP(9)"],
        [Timestamp(-1, 999999)],
        "00000001 0000000000000000 3f420f0010000000 ffffffffffffffff",
        61627685,
    ),
    (
        21,
        ["TIMESTAMP(6)"],
        [None],
        "00000001 0001000000000000 0000000010000000 0000000000000000",
        -340882661,
    ),
    (
        22,
        ["BYTES"],
        [bytes(range(1, 10))],
        "00000001 0000000000000000 0900000010000000 0102030405060708 0900000000000000",
        -171399545,
    ),
    (
        23,
        ["ARRAY<INT>"],
        [[1, None, 3]],
        "00000001 0000000000000000 1800000010000000 03000000 02000000 01000000 00000000 03000000 00000000",
        1830759751,
    ),
    (
        24,
        ["ARRAY<STRING>"],
        [["x", "longer-than-7"]],
        "00000001 0000000000000000 2800000010000000 02000000 00000000 7800000000000081 0d00000018000000 "
        "6c6f6e6765722d74 68616e2d37000000",
        562106627,
    ),
    (
        25,
        ["MAP<STRING, INT>"],
        [[("k", 1), ("kk", None)]],
        "00000001 0000000000000000 2c00000010000000 18000000 02000000 00000000 6b00000000000081 "
        "6b6b000000000082 02000000 02000000 01000000 00000000 00000000",
        -276819474,
    ),
    (
        26,
        ["ROW<`a` INT, `b` STRING>"],
        [(5, "in")],
        "00000001 0000000000000000 1800000010000000 0000000000000000 0500000000000000 696e000000000082",
        -1755204178,
    ),
    (
        30,
        ["INT", "TIMESTAMP(6)", "STRING"],
        [1, None, "abcdefghij"],
        "00000003 0002000000000000 0100000000000000 0000000020000000 0a00000028000000 0000000000000000 "
        "6162636465666768 696a000000000000",
        -1116451024,
    ),
]

worked = pytest.mark.parametrize(
    ("types", "values", "serialized", "expected_hash"),
    [e[1:] for e in EXAMPLES],
    ids=[str(e[0]) for e in EXAMPLES],
)


@worked
class TestWorkedExample:
    def test_encodes(self, types: list[str], values: list[Any], serialized: str, expected_hash: int) -> None:
        row = encode_row([parse_type(t) for t in types], values)
        assert row.to_bytes().hex() == serialized.replace(" ", "")
        assert hash_row(row) == expected_hash

    def test_decodes(self, types: list[str], values: list[Any], serialized: str, expected_hash: int) -> None:
        row = BinaryRow.from_bytes(bytes.fromhex(serialized))
        assert decode_row([parse_type(t) for t in types], row) == tuple(values)

    def test_encodes_in_columns(
        self, types: list[str], values: list[Any], serialized: str, expected_hash: int
    ) -> None:
        kinds = [parse_type(t) for t in types]
        columns = [from_python([v, v], t) for v, t in zip(values, kinds, strict=True)]
        assert encode_rows(kinds, columns).to_pylist() == [bytes.fromhex(serialized)] * 2
        assert hash_rows(kinds, columns).tolist() == [expected_hash] * 2

    def test_decodes_in_columns(
        self, types: list[str], values: list[Any], serialized: str, expected_hash: int
    ) -> None:
        kinds = [parse_type(t) for t in types]
        columns = decode_rows(kinds, pa.array([bytes.fromhex(serialized)], pa.binary()))
        assert [to_python(c, t)[0] for c, t in zip(columns, kinds, strict=True)] == values


def test_the_empty_row_is_twelve_zero_bytes() -> None:
    assert encode_row([], []) == EMPTY_ROW
    assert EMPTY_ROW.to_bytes() == bytes(12)
    assert hash_row(EMPTY_ROW) == -1670924195


def test_the_kind_is_the_first_byte() -> None:
    row = encode_row([parse_type("INT")], [1], RowKind.DELETE)
    assert row.to_bytes().hex() == "0000000103000000000000000100000000000000"
    assert hash_row(row) == 1383588838


def test_beyond_56_fields_the_header_takes_16_bytes() -> None:
    values = [None if i % 10 == 9 else i for i in range(57)]
    row = encode_row([parse_type("INT")] * 57, values)
    assert row.to_bytes().hex().startswith("000000390000020820800002000000000000000000000000")
    assert len(row.data) == 472
    assert hash_row(row) == 435092963
    assert decode_row([parse_type("INT")] * 57, row) == tuple(values)
