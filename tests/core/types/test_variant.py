"""VARIANT's binary form. Spec: 04, A6, and the Variant encoding of the Parquet format."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError, UnsupportedError
from core.types.variant import variant_to_json, variant_value

NO_NAMES = bytes.fromhex("010000")
A_AND_B = bytes.fromhex("01020001026162")


def primitive(kind: int, layout: str, *values: Any) -> bytes:
    return bytes([kind << 2]) + struct.pack(f"<{layout}", *values)


def test_the_examples_of_the_spec_are_read() -> None:
    assert variant_to_json(bytes.fromhex("1174657874"), NO_NAMES) == '"text"'
    assert variant_to_json(bytes.fromhex("1c0000000000002940"), NO_NAMES) == "12.5"
    value = bytes.fromhex("0202000100020c0c0103030001020404000578")
    assert json.loads(variant_to_json(value, A_AND_B)) == {"a": 1, "b": [True, None, "x"]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (primitive(0, ""), "null"),
        (primitive(10, "B", 2) + (10**35 + 7).to_bytes(16, "little"), f"1{'0' * 33}.07"),
        (primitive(1, ""), "true"),
        (primitive(2, ""), "false"),
        (primitive(3, "b", -5), "-5"),
        (primitive(6, "q", -(2**63)), "-9223372036854775808"),
        (primitive(7, "d", float("nan")), '"nan"'),
        (primitive(8, "Bi", 2, 12345), "123.45"),
        (primitive(9, "Bq", 0, 7), "7"),
        (primitive(10, "BqQ", 30, 1, 1), "0.000000000018446744073709551617"),
        (primitive(11, "i", 19857), '"2024-05-14"'),
        (primitive(12, "q", 1_700_000_000_123_456), '"2023-11-14 22:13:20.123456+00:00"'),
        (primitive(13, "q", -1), '"1969-12-31 23:59:59.999999"'),
        (primitive(14, "f", 1.5), "1.5"),
        (primitive(15, "I", 3) + b"abc", '"YWJj"'),
        (primitive(16, "I", 2) + "ä".encode(), '"ä"'),
        (primitive(17, "q", 3_600_000_000), '"01:00:00"'),
        (primitive(19, "q", 1), '"1970-01-01 00:00:00.000000001"'),
        (primitive(20, "QQ", 0, 0), '"00000000-0000-0000-0000-000000000000"'),
    ],
)
def test_each_primitive_has_a_text(value: bytes, text: str) -> None:
    assert variant_to_json(value, NO_NAMES) == text


def test_large_arrays_and_wide_offsets_are_read() -> None:
    head = bytes([(1 | 1 << 2) << 2 | 3])  # two-byte offsets, four-byte count
    elements = b"".join(primitive(3, "b", i % 100) for i in range(300))
    offsets = b"".join((2 * i).to_bytes(2, "little") for i in range(301))
    value = head + (300).to_bytes(4, "little") + offsets + elements
    assert variant_value(value, NO_NAMES) == [i % 100 for i in range(300)]


def test_another_version_and_an_unknown_type_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="variant version 2"):
        variant_value(b"\0", b"\2\0\0")
    with pytest.raises(UnsupportedError, match="variant type 40"):
        variant_value(bytes([40 << 2]), NO_NAMES)


def test_elements_that_share_their_bytes_cannot_make_more_values_than_there_are_bytes() -> None:
    array = bytes([3, 8]) + bytes(9)  # eight elements, each at offset 0
    bomb = array * 40 + b"\0"
    with pytest.raises(FormatError, match="nested"):
        variant_value(bomb, NO_NAMES)


@given(st.binary(max_size=80), st.sampled_from([NO_NAMES, A_AND_B]) | st.binary(max_size=20))
def test_any_bytes_are_a_value_or_refused(value: bytes, metadata: bytes) -> None:
    with suppress(FormatError, UnsupportedError):
        json.loads(variant_to_json(value, metadata))
