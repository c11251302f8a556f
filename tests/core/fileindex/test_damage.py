"""Damaged indexes give errors of ours, or answers; never anything else. Spec: 05, 4 to 8."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError, UnsupportedError
from core.fileindex import IndexSlot, ask_indexes, decode_file_index, describe_index, encode_file_index
from core.predicate import Comparison, In, IsNull, Operator, bind
from core.types import DataField, parse_type
from tests.core.fileindex.columns import TYPES, encode

INT = parse_type("INT")
COLUMN = [1, 2, None, 2, 9, -4, 2, 7, None, 300]
ASKED = [
    bind(leaf, [DataField(0, "c", INT)])
    for leaf in (
        Comparison("c", Operator.LESS, 7),
        Comparison("c", Operator.NOT_EQUAL, 2),
        In("c", (2, 9)),
        IsNull("c"),
    )
]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with some of them changed, cut or repeated."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(changed) - 1))
        changed[at] = draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]) | st.integers(0, 255))
    end = draw(st.just(len(changed)) | st.integers(0, len(changed)))
    return bytes(changed[:end])


@pytest.mark.parametrize("index", TYPES)
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_a_damaged_payload_is_an_error_or_an_answer(index: str, data: st.DataObject) -> None:
    payload = data.draw(damaged(encode(index, COLUMN, INT)))
    slot = IndexSlot("c", index.partition(" ")[0], 0, len(payload))
    for predicate in ASKED:
        try:
            ask_indexes([predicate], [slot], lambda _: payload, {"c": INT})
            describe_index(slot.index_type, payload, INT)
        except (FormatError, UnsupportedError):
            continue


CONTAINER = encode_file_index({"a": {"bitmap": b"12345", "bsi": None}, "中[k]": {"bloom-filter": b"678"}})


@settings(max_examples=settings().max_examples // 2)
@given(damaged(CONTAINER))
def test_a_damaged_container_is_an_error_or_whole(data: bytes) -> None:
    try:
        index = decode_file_index(data)
    except (FormatError, UnsupportedError):
        return
    assert all(len(index.payload(slot)) == (0 if slot.is_empty else slot.length) for slot in index.slots)
