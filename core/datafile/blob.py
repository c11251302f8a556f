"""Blob files: the values of one BLOB column, one after the other. Spec: 04, A6.

    a value   magic cf114e58 | bytes | length of the block, 8 bytes | CRC-32 of all before it
    at last   length of each row's block (zig-zag varints of differences) | byte length of that list | version

Numbers are little endian. A null has no block, its length is -1. Values are read by ranges, as
many as make a batch, so memory holds one batch and a length a row.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from core.avro.varint import numbers_and_ends
from core.binary.pieces import Buffer
from core.errors import FormatError, UnsupportedError

pc: Any = pyarrow.compute  # its stubs have no overloads for columns whose type is known when it runs

VERSION = 1
MAGIC = (1481511375).to_bytes(4, "little")
NULL = -1
LENGTH_BYTES, CRC_BYTES = 8, 4
FRAME_BYTES = len(MAGIC) + LENGTH_BYTES + CRC_BYTES
_TAIL_BYTES = 5  # length of the list, version
_DESCRIPTOR = bytes([2]) + b"BLOBDESC"[::-1]  # version and magic of a pointer to a blob elsewhere


def iter_blobs(
    source: IO[bytes], column: str, *, max_rows: int, max_bytes: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of the one column, each beside the position of its first row.

    A batch has about `max_bytes` at most, or one value that is larger.

    Raises:
        FormatError: no blob file, or a damaged one. UnsupportedError: another version of it, or a
            value that lies elsewhere.
    """
    lengths = _read_lengths(source)
    ends = np.cumsum(np.maximum(lengths, 0))
    start = 0
    while start < len(lengths):
        before = int(ends[start - 1]) if start else 0
        fitting = int(np.searchsorted(ends, before + max_bytes, side="right"))
        end = min(max(fitting, start + 1), start + max_rows)
        source.seek(before)
        data = source.read(int(ends[end - 1]) - before)
        values = decode_values(data, lengths[start:end], before)
        yield start, pa.RecordBatch.from_arrays([values], [column])
        start = end


def decode_values(data: bytes, lengths: npt.NDArray[np.int64], offset: int = 0) -> pa.BinaryArray:
    """The values of neighbouring blocks; `offset` is where `data` stands in its file."""
    values: list[bytes | None] = []
    at = 0
    for length in lengths.tolist():
        values.append(None if length == NULL else _decode_block(data[at : at + length], length, offset + at))
        at += max(length, 0)
    return pa.array(values, pa.binary())


def _decode_block(block: bytes, length: int, offset: int) -> bytes:
    if len(block) != length or block[:4] != MAGIC:
        raise FormatError(
            "no blob stands here", offset=offset, expected=MAGIC.hex(), found=block[:4].hex() or "nothing"
        )
    framed, stored_crc = block[:-CRC_BYTES], int.from_bytes(block[-CRC_BYTES:], "little")
    stored_length = int.from_bytes(framed[-LENGTH_BYTES:], "little")
    if stored_length != length or stored_crc != zlib.crc32(framed):
        raise FormatError("a blob has the wrong length or checksum", offset=offset, expected=length)
    return framed[len(MAGIC) : -LENGTH_BYTES]


def _read_lengths(source: IO[bytes]) -> npt.NDArray[np.int64]:
    size = source.seek(0, 2)
    source.seek(max(size - _TAIL_BYTES, 0))
    tail = source.read(_TAIL_BYTES)
    if len(tail) < _TAIL_BYTES:
        raise FormatError("a blob file ends before its tail", size=size, expected=_TAIL_BYTES)
    if tail[4] != VERSION:
        raise UnsupportedError(
            "a blob file of another version", feature=f"blob file version {tail[4]}", expected=VERSION
        )
    listed = int.from_bytes(tail[:4], "little", signed=True)
    start = size - _TAIL_BYTES - listed
    if listed < 0 or start < 0:
        raise FormatError("the list of blob lengths does not fit into the file", size=size, found=listed)
    source.seek(start)
    return _checked(decode_lengths(source.read(listed)), start)


def decode_lengths(data: bytes) -> npt.NDArray[np.int64]:
    """The length of each row's block, out of the list before the tail; `FormatError` if it is cut."""
    last = np.flatnonzero(np.frombuffer(data, np.uint8) < 0x80)  # the last byte of each number
    if len(data) and (not len(last) or last[-1] != len(data) - 1):
        raise FormatError("the list of blob lengths ends within a number", size=len(data))
    starts = np.append(0, last[:-1] + 1)[: len(last)]
    steps = numbers_and_ends(Buffer(data), starts)[0] if len(starts) else np.zeros(0, np.int64)
    return np.cumsum(steps)


def _checked(lengths: npt.NDArray[np.int64], data_size: int) -> npt.NDArray[np.int64]:
    """Lengths that can be: null, or at least a frame, and all of them as long as the file's blocks."""
    odd = lengths[(lengths < FRAME_BYTES) & (lengths != NULL)]
    if len(odd) and odd[0] == -2:
        raise UnsupportedError("a blob's value lies in another file", feature="blob placeholders")
    total = int(np.maximum(lengths, 0).sum())
    if len(odd) or total != data_size:
        raise FormatError("the lengths of a file's blobs do not add up", expected=data_size, found=total)
    return lengths


def check_inline(column: pa.Array[Any]) -> None:
    """`UnsupportedError` if a value of a BLOB column of another format only says where the blob lies."""
    if pc.any(pc.starts_with(column, _DESCRIPTOR)).as_py():
        raise UnsupportedError("a blob lies elsewhere", feature="blob descriptors")
