"""Heads of each index type, from the verified examples of spec 05, 5 to 8."""

import pytest
from pyroaring import BitMap

from core.errors import FormatError, UnsupportedError
from core.fileindex import bit_shares, describe_index, is_known_index
from core.fileindex.roaring import bitmap_size, encode_bitmap
from core.types.data_types import DecimalType, IntType, MapType, VarCharType

INT, STRING = IntType(), VarCharType(2147483647)


def bitmap(*rows: int) -> bytes:
    return encode_bitmap(BitMap(rows))


def test_bloom_filter_tells_its_size_and_fill() -> None:
    facts = describe_index("bloom-filter", bytes.fromhex("00000004c86005"), INT)
    assert facts["hash_functions"] == 4
    assert facts["bits"] == 24
    assert facts["bits_set"] == 7
    assert facts["estimated_items"] == 2  # it holds 1 and 2


def test_a_filter_has_its_bits_by_bytes_where_it_is_small() -> None:
    (found,) = bit_shares("bloom-filter", bytes.fromhex("00000004c86005"), INT)
    assert (found.of, found.shares) == ("filter", (3 / 8, 2 / 8, 2 / 8))
    (large,) = bit_shares("bloom-filter", bytes.fromhex("00000004") + b"\x0f" * 1000, INT)
    assert large.shares == (0.5,) * 64
    assert bit_shares("bitmap", b"", INT) == ()


def test_bitmap_v1_with_one_null_inline() -> None:
    payload = bytes.fromhex("01 00000004 00000002 01 fffffffe 00000005 00000000 00000007 fffffffd") + bitmap(
        0, 3
    )
    facts = describe_index("bitmap", payload, INT)
    assert facts == {"version": 1, "row_count": 4, "distinct_count": 2, "null_count": 1}


def test_bitmap_v1_of_text_with_a_stored_null_bitmap() -> None:
    head = bytes.fromhex("01 00000006 00000002 01 00000000 00000001 61 00000014 00000001 62 fffffffd")
    facts = describe_index("bitmap", head + bitmap(1, 4) + bitmap(0, 3, 5), STRING)
    assert facts["null_count"] == 2


def test_bitmap_v2_with_a_stored_null_bitmap() -> None:
    nulls = bitmap(1, 2, 4)
    head = bytes.fromhex("02 00000005 00000001 01 00000000") + len(nulls).to_bytes(4, "big")
    blocks = bytes.fromhex("00000001 00000005 00000000 00000010") + bytes(16)
    assert describe_index("bitmap", head + blocks + nulls, INT)["null_count"] == 3


def test_bsi_tells_ranges_of_both_signs_and_nulls() -> None:
    positive = bytes.fromhex("01 0000000000000000 0000000000000002") + bitmap(0, 3) + (2).to_bytes(4, "big")
    negative = bytes.fromhex("01 0000000000000000 0000000000000003") + bitmap(2) + (2).to_bytes(4, "big")
    payload = b"\1" + (4).to_bytes(4, "big") + b"\1" + positive + bitmap(0) + bitmap(3)
    facts = describe_index("bsi", payload + b"\1" + negative + bitmap(2) + bitmap(2), INT)
    assert facts["null_count"] == 1
    assert (facts["positive_max"], facts["negative_max"], facts["negative_slices"]) == (2, 3, 2)
    shares = bit_shares("bsi", payload + b"\1" + negative + bitmap(2) + bitmap(2), INT)
    assert [(side.of, side.shares) for side in shares] == [("positive", (0.5, 0.5)), ("negative", (1.0, 1.0))]


def test_range_bitmap_tells_its_keys() -> None:
    existing, low, high = bitmap(0, 2, 3, 4), bitmap(3), bitmap(2)
    payload = (
        bytes.fromhex("00000015 01 00000005 00000003 0000000a 0000001e 00000036")
        + bytes.fromhex("0000000d 01 00000001 00000004 00000019 00000000")
        + bytes.fromhex("01 0000000a 00000000 00000000 00000002 00000008 00000004 00000014 0000001e")
        + bytes.fromhex("0000001a 01 02 00000018 00000010 00000000 00000012 00000012 00000012")
    )
    facts = describe_index("range-bitmap", payload + existing + low + high, INT)
    assert facts["distinct_count"] == 3
    assert (facts["min_key"], facts["max_key"], facts["null_count"], facts["slices"]) == ("10", "30", 1, 2)


def test_an_index_of_a_map_key_holds_the_maps_values() -> None:
    payload = bytes.fromhex("01 00000001 00000001 00 00000005 ffffffff")
    assert describe_index("bitmap", payload, MapType(STRING, INT))["distinct_count"] == 1


def test_an_unknown_type_is_named_and_not_read() -> None:
    assert not is_known_index("lumina")
    assert describe_index("lumina", b"anything", INT) == {}


def test_a_cut_payload_is_an_error() -> None:
    with pytest.raises(FormatError):
        describe_index("bitmap", b"\1\0\0", INT)


def test_a_type_without_index_form_is_refused() -> None:
    payload = bytes.fromhex("01 00000001 00000001 01 00000000")
    with pytest.raises(UnsupportedError, match="DecimalType"):
        describe_index("bitmap", payload, DecimalType(30, 2))


@pytest.mark.parametrize(
    "rows", [(), (1, 2, 5), range(1000), range(0, 200_000, 2), [*range(70_000), 400_000]]
)
def test_the_size_of_a_bitmap_is_found_without_a_length(rows: range) -> None:
    raw = encode_bitmap(BitMap(rows))
    assert bitmap_size(raw + b"more") == len(raw)
