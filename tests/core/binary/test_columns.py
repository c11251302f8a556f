"""The columnar codec against the scalar one. Spec: 03, 1 and 3."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

from core.arrow import arrow_type, from_python, to_python
from core.binary import (
    BinaryRow,
    decode_field,
    decode_row,
    decode_rows,
    encode_row,
    encode_rows,
    hash_row,
    hash_rows,
    murmur,
)
from core.errors import FormatError, InvalidRequestError
from core.types import DataType, parse_type
from tests.strategies import atomic_types, data_types, typed_rows

Typed = tuple[list[DataType], list[tuple[Any, ...]]]


def columns(types: list[DataType], rows: list[tuple[Any, ...]]) -> list[Any]:
    return [from_python([row[i] for row in rows], t) for i, t in enumerate(types)]


class TestRowsInColumns:
    @given(typed_rows(data_types()))
    def test_decode_row_reverses_encode_row(self, typed: Typed) -> None:
        types, rows = typed
        for row in rows:
            encoded = encode_row(types, row)
            assert decode_row(types, encoded) == row
            assert tuple(decode_field(types, encoded, i) for i in range(len(types))) == row

    @given(typed_rows(atomic_types() | data_types()))
    def test_encode_rows_gives_the_bytes_of_encode_row(self, typed: Typed) -> None:
        types, rows = typed
        assert encode_rows(types, columns(types, rows)).to_pylist() == [
            encode_row(types, row).to_bytes() for row in rows
        ]

    @given(typed_rows(atomic_types() | data_types()))
    def test_decode_rows_gives_the_values_of_decode_row(self, typed: Typed) -> None:
        types, rows = typed
        serialized = pa.array([encode_row(types, row).to_bytes() for row in rows], pa.binary())
        decoded = decode_rows(types, serialized)
        assert [c.type for c in decoded] == [arrow_type(t) for t in types]
        assert [to_python(c, t) for c, t in zip(decoded, types, strict=True)] == [
            [row[i] for row in rows] for i in range(len(types))
        ]

    @given(typed_rows())
    def test_hash_rows_gives_the_hashes_of_hash_row(self, typed: Typed) -> None:
        types, rows = typed
        expected = [hash_row(encode_row(types, row)) for row in rows]
        assert hash_rows(types, columns(types, rows)).tolist() == expected

    @given(typed_rows(max_rows=6))
    def test_slices_of_columns_encode_and_decode_like_columns(self, typed: Typed) -> None:
        types, rows = typed
        whole = columns(types, rows)
        part = encode_rows(types, [c.slice(1, 3) for c in whole])
        assert part.equals(encode_rows(types, whole).slice(1, 3))
        decoded = decode_rows(types, encode_rows(types, whole).slice(1, 3))
        assert all(d.equals(w.slice(1, 3)) for d, w in zip(decoded, whole, strict=True))


INT_TEXT = [parse_type("INT"), parse_type("STRING")]


def test_a_null_row_is_null_in_every_column() -> None:
    rows = pa.array([encode_row(INT_TEXT, [1, "a"]).to_bytes(), None], pa.binary())
    assert [c.to_pylist() for c in decode_rows(INT_TEXT, rows)] == [[1, None], ["a", None]]


def test_chunked_columns_are_taken_as_one() -> None:
    numbers = pa.chunked_array([pa.array([1], pa.int32()), pa.array([2], pa.int32())])
    assert hash_rows([INT_TEXT[0]], [numbers]).tolist() == [1465514398, 1340390384]


def test_rows_are_hashed_a_block_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(murmur, "_BLOCK_ROWS", 2)
    numbers = pa.array([7, 7, 7, 8, None, None, 9], pa.int32())
    types = [parse_type("INT"), parse_type("INT")]
    expected = [hash_row(encode_row(types, [n, n])) for n in numbers.to_pylist()]
    assert hash_rows(types, [numbers, numbers]).tolist() == expected


@pytest.mark.parametrize("slot", ["ffffff7f18000000", "11000000ffffff7f", "610000000000008f"])
def test_a_slot_that_points_outside_its_row_is_a_format_error(slot: str) -> None:
    good = encode_row(INT_TEXT, [1, "longer than seven"]).to_bytes()
    bad = good[:20] + bytes.fromhex(slot) + good[28:]
    with pytest.raises(FormatError):
        decode_row(INT_TEXT, BinaryRow.from_bytes(bad))
    with pytest.raises(FormatError):
        decode_rows(INT_TEXT, pa.array([bad], pa.binary()))


@pytest.mark.parametrize("cut", [4, 11, 12, 20, 28, 36])
def test_a_cut_row_is_a_format_error(cut: int) -> None:
    row = encode_row(INT_TEXT, [1, "longer than seven"]).to_bytes()[:cut]
    with pytest.raises(FormatError):
        decode_row(INT_TEXT, BinaryRow.from_bytes(row))
    with pytest.raises(FormatError):
        decode_rows(INT_TEXT, pa.array([row], pa.binary()))


def test_rows_of_another_arity_are_a_format_error() -> None:
    row = encode_row(INT_TEXT[:1], [1]).to_bytes()
    with pytest.raises(FormatError, match="expected=2, found=1"):
        decode_row(INT_TEXT, BinaryRow.from_bytes(row))
    with pytest.raises(FormatError, match="arity"):
        decode_rows(INT_TEXT, pa.array([row + bytes(8)], pa.binary()))


def test_a_value_that_does_not_fit_names_its_type() -> None:
    with pytest.raises(InvalidRequestError, match="does not fit"):
        encode_row(INT_TEXT, [1 << 31, "a"])
