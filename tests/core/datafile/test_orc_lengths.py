"""Lengths that cannot be are told before Arrow's decoder, which believes them, sees the stripe."""

from __future__ import annotations

from io import BytesIO

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import orc

from core.datafile.orc import iter_orc
from core.datafile.orc_lengths import check_lengths
from core.datafile.orc_tail import LENGTH, read_streams, read_tail
from core.errors import FormatError
from core.types import DataField, parse_type

CODECS = ["uncompressed", "zlib", "snappy", "lz4", "zstd"]
FIELDS = [DataField(0, "s", parse_type("STRING")), DataField(1, "l", parse_type("ARRAY<INT>"))]


def file_of(texts: list[str], compression: str = "uncompressed") -> bytes:
    lists = pa.array([[len(text)] * (len(text) % 3) for text in texts], pa.list_(pa.int32()))
    sink = BytesIO()
    orc.write_table(pa.table({"s": pa.array(texts, pa.string()), "l": lists}), sink, compression=compression)
    return sink.getvalue()


def with_first_lengths(data: bytes, run: bytes) -> bytes:
    """The file with other bytes where the lengths of its first column begin."""
    source = BytesIO(data)
    tail = read_tail(source)
    assert tail is not None
    streams, _ = read_streams(source, tail, tail.stripes[0])
    (place,) = [s.offset for s in streams if s.kind == LENGTH and s.column == 1]
    return data[:place] + run + data[place + len(run) :]


@given(
    st.lists(st.integers(0, 9) | st.integers(0, 3000), max_size=900),
    st.sampled_from(CODECS),
)
def test_lengths_that_are_pass(lengths: list[int], compression: str) -> None:
    rows = list(iter_orc(BytesIO(file_of(["x" * n for n in lengths], compression)), FIELDS, max_rows=9999))
    assert sum(batch.num_rows for _, batch in rows) == len(lengths)


@pytest.mark.parametrize("step", [1, -1])
def test_lengths_that_grow_or_shrink_evenly_pass(step: int) -> None:
    texts = ["x" * n for n in list(range(600))[::step]]
    ((_, batch),) = iter_orc(BytesIO(file_of(texts)), FIELDS, max_rows=9999)
    assert batch.column("s").to_pylist() == texts


@pytest.mark.parametrize(
    ("run", "least"),
    [
        (bytes([0b11000000, 9, 5, 0x03]), 5 - 2 * 9),  # delta: ten values from 5, each 2 below the one before
        (bytes([0b11000010, 3, 5, 0x01, 0b11110000]), 5 - 1 - 3 - 3),  # steps of two bits, downwards
        (bytes([0b10000010, 3, 0b00000000, 0, 0x85]), -5),  # patched base: the base has a sign
    ],
)
def test_a_length_below_zero_is_told(run: bytes, least: int) -> None:
    data = with_first_lengths(file_of([f"{n:0{n * 7 % 11}}" for n in range(10)]), run)
    with pytest.raises(FormatError, match=f"least={least}"):
        list(iter_orc(BytesIO(data), FIELDS, max_rows=99))


def test_a_width_that_no_length_needs_is_told() -> None:
    data = with_first_lengths(file_of(["a", "bb"] * 5), bytes([0b01111110, 0]))  # direct, 64 bits
    with pytest.raises(FormatError, match="cannot be"):
        list(iter_orc(BytesIO(data), FIELDS, max_rows=99))


def test_columns_that_are_not_read_are_not_looked_at() -> None:
    data = with_first_lengths(
        file_of([f"{n:0{n * 7 % 11}}" for n in range(10)]), bytes([0b11000000, 9, 5, 3])
    )
    source = BytesIO(data)
    tail = read_tail(source)
    assert tail is not None
    check_lengths(source, tail, 0, ["l"])
    with pytest.raises(FormatError):
        check_lengths(source, tail, 0, ["s"])


def test_a_decimal_of_too_many_digits_is_told() -> None:
    sink = BytesIO()
    orc.write_table(pa.table({"d": pa.array([None], pa.decimal128(37, 2))}), sink, compression="uncompressed")
    data = sink.getvalue().replace(bytes([0x28, 37, 0x30, 2]), bytes([0x28, 39, 0x30, 2]))
    with pytest.raises(FormatError, match="precision=39"):
        list(iter_orc(BytesIO(data), [DataField(0, "d", parse_type("DECIMAL(37, 2)"))], max_rows=9))
