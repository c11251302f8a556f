"""Payloads and hashes byte by byte, as the spec gives them after running Java. Spec: 05, 5 to 8."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pyroaring import BitMap

from core.errors import FormatError, UnsupportedError
from core.fileindex.bitmap import decode_bitmap_index
from core.fileindex.bloom_filter import build_bloom_filter
from core.fileindex.bsi import decode_bsi
from core.fileindex.column_index import EmptyIndex, rows_of
from core.fileindex.hashes import value_hashes
from core.fileindex.keys import key_form
from core.fileindex.range_bitmap import decode_range_bitmap
from core.fileindex.roaring import encode_bitmap
from core.predicate import Comparison, In, IsNull, Like, Operator
from core.types import Timestamp, parse_type
from tests.core.fileindex.columns import encode

INT, STRING = parse_type("INT"), parse_type("STRING")


def bitmap(rows: str) -> str:
    return encode_bitmap(BitMap([int(r) for r in rows.split(",")])).hex()


@pytest.mark.parametrize(
    ("type_text", "value", "expected"),
    [
        ("INT", 1, 6614235796240398542),
        ("INT", -1, 6614246905173314819),
        ("TINYINT", -5, -3822160321977914683),
        ("SMALLINT", 300, -7211549053130713518),
        ("BIGINT", 1234567890123, 2536013120387282886),
        ("FLOAT", 1.5, -5964487987920989368),
        ("DOUBLE", 1.5, 4457999897849084360),
        ("DATE", 19000, -6577793292922231711),
        ("TIMESTAMP(3)", Timestamp(1700000000123), -780439430849039776),
        ("TIMESTAMP(6)", Timestamp(1700000000123, 456000), 6804527640801269588),
        ("STRING", "", -1205034819632174695),
        ("STRING", "a", -3292477735350538661),
        ("STRING", "hello", 2794345569481354659),
        ("BYTES", b"\1\2\3", 8376154270085342629),
    ],
)
def test_a_value_hashes_as_in_java(type_text: str, value: Any, expected: int) -> None:
    assert value_hashes(parse_type(type_text), value) == (expected,)


def test_a_zero_is_looked_for_with_both_signs() -> None:
    assert len(set(value_hashes(parse_type("DOUBLE"), 0.0))) == 2


@pytest.mark.parametrize(
    ("items", "rate", "bits", "functions"),
    [
        (1_000_000, 0.1, 4_792_536, 3),
        (100, 0.01, 960, 7),
        (10, 0.01, 96, 7),
        (1, 0.01, 16, 11),
        (4, 0.1, 24, 4),
    ],
)
def test_a_bloom_filter_is_sized_as_in_java(items: int, rate: float, bits: int, functions: int) -> None:
    bloom = build_bloom_filter(np.zeros(0, np.int64), items, rate)
    assert (bloom.bits, bloom.hash_functions) == (bits, functions)


@pytest.mark.parametrize(
    ("type_text", "column", "data"), [("INT", [1, 2], "c86005"), ("STRING", ["a", "hello"], "7080a5")]
)
def test_a_bloom_filter_has_the_bits_of_java(type_text: str, column: list[Any], data: str) -> None:
    hashes = [value_hashes(parse_type(type_text), value)[0] for value in column]
    assert build_bloom_filter(np.array(hashes), 4, 0.1).data.hex() == data


V1 = "01 00000004 00000002 01 fffffffe 00000005 00000000 00000007 fffffffd" + bitmap("0,3")
V2 = (
    "02 00000004 00000002 01 fffffffe 00000012 00000001 00000005 00000000 0000001c"
    "00000002 00000005 00000000 00000014 00000007 fffffffd ffffffff" + bitmap("0,3")
)
V1_TEXT = (
    "01 00000006 00000002 01 00000000 00000001 61 00000014 00000001 62 fffffffd"
    + bitmap("1,4")
    + bitmap("0,3,5")
)
BSI = (
    "01 00000004 01 01 0000000000000000 0000000000000002"
    + bitmap("0,3")
    + "00000002"
    + bitmap("0")
    + bitmap("3")
    + "01 01 0000000000000000 0000000000000003"
    + bitmap("2")
    + "00000002"
    + bitmap("2")
    + bitmap("2")
)
RANGE = (
    "00000015 01 00000005 00000003 0000000a 0000001e 00000036"
    "0000000d 01 00000001 00000004 00000019 00000000"
    "01 0000000a 00000000 00000000 00000002 00000008 00000004 00000014 0000001e"
    "0000001a 01 02 00000018 00000010 00000000 00000012 00000012 00000012"
    + bitmap("0,2,3,4")
    + bitmap("3")
    + bitmap("2")
)


@pytest.mark.parametrize(
    ("index", "type_text", "column", "payload"),
    [
        ("bitmap v1", "INT", [5, None, 7, 5], V1),
        ("bitmap v2", "INT", [5, None, 7, 5], V2),
        ("bitmap v1", "STRING", ["a", None, "b", "a", None, "a"], V1_TEXT),
        ("bsi", "INT", [1, None, -3, 2], BSI),
        ("range-bitmap", "INT", [10, None, 30, 20, 10], RANGE),
    ],
)
def test_a_column_is_encoded_as_java_does(
    index: str, type_text: str, column: list[Any], payload: str
) -> None:
    assert encode(index, column, parse_type(type_text)).hex() == bytes.fromhex(payload).hex()


def test_a_range_bitmap_without_values_has_64_empty_slices() -> None:
    assert len(encode("range-bitmap", [None, None], INT)) == 1080


@pytest.mark.parametrize("decode", [decode_bitmap_index, decode_bsi, decode_range_bitmap])
@pytest.mark.parametrize("payload", [V1, V2, BSI, RANGE])
def test_a_cut_payload_is_an_error_whatever_it_is_taken_for(decode: Any, payload: str) -> None:
    data, form = bytes.fromhex(payload), key_form(INT)
    for length in range(0, len(data), 3):
        try:
            index = decode(data[:length], form)
            for leaf in (Comparison("c", Operator.LESS, 7), In("c", (5, 7)), IsNull("c")):
                rows_of(index, leaf)
        except (FormatError, UnsupportedError):
            continue
        assert length > 8


def test_an_index_that_saw_no_row_finds_nothing_but_may_be_wrong_about_what_is_missing() -> None:
    index = EmptyIndex()
    assert rows_of(index, Comparison("c", Operator.EQUAL, 1)) == BitMap()
    assert rows_of(index, IsNull("c", negated=True)) == BitMap()
    assert rows_of(index, IsNull("c")) is None
    assert rows_of(index, Like("c", "a%")) is None
