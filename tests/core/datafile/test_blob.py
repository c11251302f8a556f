"""Blob files, from the bytes of the spec on. Spec: 04, A6."""

from __future__ import annotations

import zlib
from contextlib import suppress
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.datafile.blob import check_inline, decode_lengths, iter_blobs
from core.datafile.blob_writer import BlobFileWriter
from core.errors import FormatError, UnsupportedError
from core.io import MemoryFileIO

BLOCK_OF_ROW_1 = bytes.fromhex("cf114e58626c6f622d311600000000000000e21720c8")


def block(value: bytes) -> bytes:
    framed = bytes.fromhex("cf114e58") + value + (len(value) + 16).to_bytes(8, "little")
    return framed + zlib.crc32(framed).to_bytes(4, "little")


def varint(number: int) -> bytes:
    raw, out = (number << 1) ^ (number >> 63), b""
    while raw > 0x7F:
        out, raw = out + bytes([raw & 0x7F | 0x80]), raw >> 7
    return out + bytes([raw])


def blob_file(*values: bytes | None, version: int = 1) -> bytes:
    lengths = [-1 if v is None else len(v) + 16 for v in values]
    listed = b"".join(varint(b - a) for a, b in zip([0, *lengths], lengths, strict=False))
    blocks = b"".join(block(v) for v in values if v is not None)
    return blocks + listed + len(listed).to_bytes(4, "little") + bytes([version])


def read(data: bytes, max_rows: int = 100, max_bytes: int = 1 << 20) -> list[bytes | None]:
    batches = iter_blobs(BytesIO(data), "b", max_rows=max_rows, max_bytes=max_bytes)
    return [value for _, batch in batches for value in batch.column("b").to_pylist()]


def test_the_worked_example_is_read() -> None:
    data = blob_file(None, b"blob-1", b"blob-2blob-2", b"blob-3blob-3blob-3")
    assert data.startswith(BLOCK_OF_ROW_1)
    assert data.endswith(bytes.fromhex("012e0c0c0400000001"))
    assert read(data) == [None, b"blob-1", b"blob-2blob-2", b"blob-3blob-3blob-3"]


def test_a_file_without_rows_has_none() -> None:
    assert read(blob_file()) == []


def test_a_batch_ends_before_it_is_too_large_but_holds_one_value_at_least() -> None:
    data = blob_file(b"a" * 10, b"b" * 10, b"c" * 500, None, b"d")
    batches = iter_blobs(BytesIO(data), "b", max_rows=2, max_bytes=60)
    assert [(start, batch.num_rows) for start, batch in batches] == [(0, 2), (2, 1), (3, 2)]


@given(st.lists(st.none() | st.binary(max_size=40), max_size=20), st.integers(1, 5))
def test_what_is_written_is_read_in_batches_of_any_size(values: list[bytes | None], rows: int) -> None:
    assert read(blob_file(*values), max_rows=rows, max_bytes=64) == values


@given(st.binary(max_size=60))
def test_any_bytes_are_a_list_of_lengths_or_refused(data: bytes) -> None:
    with suppress(FormatError):
        assert len(decode_lengths(data)) == np.count_nonzero(np.frombuffer(data, np.uint8) < 0x80)


@given(st.integers(0, 70), st.integers(1, 255))
def test_a_changed_byte_is_noticed(place: int, change: int) -> None:
    data = bytearray(blob_file(b"blob-1", None, b"blob-2blob-2"))
    place %= len(data)
    data[place] ^= change
    with pytest.raises((FormatError, UnsupportedError)):
        read(bytes(data))


@pytest.mark.parametrize("end", range(len(blob_file(b"x"))))
def test_a_cut_file_is_refused(end: int) -> None:
    with pytest.raises((FormatError, UnsupportedError)):
        read(blob_file(b"x")[:end])


def test_another_version_is_refused_by_its_number() -> None:
    with pytest.raises(UnsupportedError, match="blob file version 2"):
        read(blob_file(b"x", version=2))


def test_a_placeholder_is_refused_by_name() -> None:
    listed = varint(-2)
    with pytest.raises(UnsupportedError, match="blob placeholders"):
        read(listed + len(listed).to_bytes(4, "little") + b"\1")


def test_a_descriptor_among_the_values_of_another_format_is_refused_by_name() -> None:
    check_inline(pa.array([b"plain bytes", None, b"\2BLOB"], pa.binary()))
    descriptor = bytes([2]) + (0x424C4F4244455343).to_bytes(8, "little") + bytes(20)
    with pytest.raises(UnsupportedError, match="blob descriptors"):
        check_inline(pa.array([b"", descriptor], pa.binary()))


def written(*groups: list[bytes | None]) -> bytes:
    io = MemoryFileIO()
    writer = BlobFileWriter(io, "memory://b/f.blob", "b")
    for group in groups:
        writer.write_group(pa.table({"b": pa.array(group, pa.binary())}))
    assert writer.close() == io.status("memory://b/f.blob").size
    return io.read("memory://b/f.blob")


def test_the_worked_example_is_written() -> None:
    values = [None, b"blob-1", b"blob-2blob-2", b"blob-3blob-3blob-3"]
    assert written(values) == blob_file(*values)
    assert written(values[:3], [], values[3:]) == blob_file(*values)


@given(st.lists(st.none() | st.binary(max_size=200), max_size=8))
def test_what_is_written_is_read(values: list[bytes | None]) -> None:
    data = written(values, values)
    assert data == blob_file(*values, *values)
    assert read(data) == values * 2


def test_a_discarded_file_does_not_appear() -> None:
    io = MemoryFileIO()
    writer = BlobFileWriter(io, "memory://b/f.blob", "b")
    writer.write_group(pa.table({"b": pa.array([b"x"], pa.binary())}))
    writer.discard()
    assert not io.exists("memory://b/f.blob")
