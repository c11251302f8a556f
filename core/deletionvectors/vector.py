"""One deletion vector: its positions, and its block of bytes in an index file. Spec: 05, 2.1.

    v1 (32 bit)   size BE | magic 5e43f2d0 | bitmap                              | CRC-32 BE
    v2 (64 bit)   size BE | magic d1d33964 | count LE, then (key LE, bitmap)...  | CRC-32 BE

`size` counts the magic and what follows up to the checksum, which covers the same bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap, BitMap64

from core.errors import FormatError, InvalidRequestError
from core.fileindex.roaring import bitmap_size, decode_bitmap, encode_bitmap

MAGIC_V1 = (1581511376).to_bytes(4, "big")
MAGIC_V2 = (1681511377).to_bytes(4, "little")
_MAX_V1 = 2**31 - 1
_EMPTY_BITMAP = encode_bitmap(BitMap())
SIZE_BYTES = CRC_BYTES = MAGIC_BYTES = 4


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """The deleted positions of one data file, counted from 0."""

    positions: BitMap | BitMap64
    is_64_bit: bool = False

    @staticmethod
    def of(positions: Iterable[int], *, is_64_bit: bool = False) -> DeletionVector:
        """Raises `InvalidRequestError` for a position that the 32-bit form cannot hold."""
        bitmap = BitMap64(positions)
        if is_64_bit:
            return DeletionVector(bitmap, is_64_bit=True)
        if bitmap and bitmap.max() > _MAX_V1:
            raise InvalidRequestError(
                "position is too large for a 32-bit deletion vector", position=bitmap.max()
            )
        return DeletionVector(BitMap(bitmap))

    def __len__(self) -> int:
        return len(self.positions)

    def __contains__(self, position: int) -> bool:
        return position in self.positions

    def within(self, start: int, count: int) -> npt.NDArray[np.int64]:
        """The deleted ones of `count` rows from position `start` on, counted from `start`."""
        rows = range(start, start + count)
        inside: Any = self.positions & type(self.positions)(rows)  # type: ignore[operator]  # of one type
        return np.array(inside.to_array(), dtype=np.int64) - start

    def by_part(self, rows: int, parts: int) -> list[int]:
        """How many rows it deletes in each of up to `parts` equal parts of a file of `rows` rows."""
        edges = sorted({rows * part // parts for part in range(parts + 1)})
        below = [self.positions.rank(edge - 1) if edge else 0 for edge in edges]
        return [high - low for low, high in pairwise(below)]

    def left_of(self, rows: BitMap) -> BitMap:
        """Those of some positions that are not deleted."""
        if self.is_64_bit:
            return BitMap(BitMap64(rows) - BitMap64(self.positions))
        return rows - BitMap(self.positions)

    def widened(self) -> DeletionVector:
        """The same rows in the 64-bit form."""
        return self if self.is_64_bit else DeletionVector(BitMap64(self.positions), is_64_bit=True)

    def merge(self, other: DeletionVector) -> DeletionVector:
        """The rows deleted by either; both must be of one kind (spec 05, 2.3)."""
        if self.is_64_bit != other.is_64_bit:
            raise InvalidRequestError("a 32-bit and a 64-bit deletion vector cannot be merged")
        if self.is_64_bit:
            return DeletionVector(BitMap64(self.positions) | BitMap64(other.positions), is_64_bit=True)
        return DeletionVector(BitMap(self.positions) | BitMap(other.positions))


def encode_vector(vector: DeletionVector) -> bytes:
    """The block as Java writes it."""
    body = MAGIC_V2 + _encode_64(vector) if vector.is_64_bit else MAGIC_V1 + _encode_32(vector)
    return len(body).to_bytes(SIZE_BYTES, "big") + body + zlib.crc32(body).to_bytes(CRC_BYTES, "big")


def decode_vector(block: bytes) -> DeletionVector:
    """The vector of a whole block, checksum verified (Java does not look at it).

    Raises:
        FormatError: the size, the magic, the checksum or the bitmap is wrong.
    """
    size = int.from_bytes(block[:SIZE_BYTES], "big")
    if len(block) < SIZE_BYTES + MAGIC_BYTES or len(block) != SIZE_BYTES + size + CRC_BYTES:
        raise FormatError(
            "deletion vector has the wrong size", expected=size, found=len(block) - SIZE_BYTES - CRC_BYTES
        )
    body = block[SIZE_BYTES : SIZE_BYTES + size]
    magic = body[:MAGIC_BYTES]
    if magic not in (MAGIC_V1, MAGIC_V2):
        raise FormatError(
            "deletion vector has the wrong magic",
            expected=f"{MAGIC_V1.hex()} or {MAGIC_V2.hex()}",
            found=magic.hex(),
        )
    stored, actual = int.from_bytes(block[-CRC_BYTES:], "big"), zlib.crc32(body)
    if stored != actual:
        raise FormatError(
            "deletion vector has the wrong checksum", expected=f"{stored:08x}", found=f"{actual:08x}"
        )
    payload = body[MAGIC_BYTES:]
    if magic == MAGIC_V1:
        return DeletionVector(decode_bitmap(payload))
    return DeletionVector(_decode_64(payload), is_64_bit=True)


def _encode_32(vector: DeletionVector) -> bytes:
    return encode_bitmap(BitMap(vector.positions))


def _encode_64(vector: DeletionVector) -> bytes:
    # pyroaring leaves keys without positions out; Java writes every key up to the highest.
    optimized = BitMap64(vector.positions)
    optimized.run_optimize()
    present = dict(_iter_keys(bytes(optimized.serialize())))
    count = max(present, default=-1) + 1
    bitmaps = (present.get(key, _EMPTY_BITMAP) for key in range(count))
    keyed = (key.to_bytes(4, "little") + bitmap for key, bitmap in enumerate(bitmaps))
    return count.to_bytes(8, "little") + b"".join(keyed)


def _decode_64(payload: bytes) -> BitMap64:
    for _ in _iter_keys(payload):
        pass  # sizes and order of the keys are checked on the way
    try:
        return BitMap64.deserialize(payload)
    except (ValueError, IndexError) as error:
        raise FormatError("not a 64-bit roaring bitmap", found=payload[:16].hex() or "nothing") from error


def _iter_keys(payload: bytes) -> Iterator[tuple[int, bytes]]:
    """Each key (the high 32 bits) with the bytes of its bitmap."""
    count, offset, previous = int.from_bytes(payload[:8], "little"), 8, -1
    for _ in range(count):
        key = int.from_bytes(payload[offset : offset + 4], "little")
        if key <= previous:
            raise FormatError("keys of a deletion vector do not ascend", offset=offset, found=key)
        end = offset + 4 + bitmap_size(payload, offset + 4)
        yield key, payload[offset + 4 : end]
        offset, previous = end, key
    if offset != len(payload):
        raise FormatError("bytes behind a deletion vector", offset=offset, found=len(payload) - offset)
