"""The index file that holds the deletion vectors of a bucket, or of a part of a partition. Spec: 05, 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.deletionvectors.vector import (
    CRC_BYTES,
    SIZE_BYTES,
    DeletionVector,
    decode_vector,
    encode_vector,
)
from core.errors import FormatError, UnsupportedError
from core.manifest import DeletionVectorRange

VERSION = 1


def encode_index_file(vectors: Mapping[str, DeletionVector]) -> tuple[bytes, tuple[DeletionVectorRange, ...]]:
    """The file that holds the vectors by data file, and where each one lies in it.

    The length of a range is the size field of a 32-bit vector, but the whole block of a
    64-bit one.
    """
    parts, ranges, offset = [bytes([VERSION])], [], 1
    for name, vector in vectors.items():
        block = encode_vector(vector)
        length = len(block) if vector.is_64_bit else len(block) - SIZE_BYTES - CRC_BYTES
        ranges.append(DeletionVectorRange(name, offset, length, len(vector)))
        parts.append(block)
        offset += len(block)
    return b"".join(parts), tuple(ranges)


def decode_index_file(data: bytes, ranges: Sequence[DeletionVectorRange]) -> dict[str, DeletionVector]:
    """The vectors by data file, each one verified against its range.

    Raises:
        FormatError: a vector is damaged, or does not have the length or the number of
            rows that its range says.
        UnsupportedError: a version that we do not know.
    """
    check_version(data)
    return {r.data_file: decode_vector_at(data, r) for r in ranges}


def check_version(data: bytes) -> None:
    """Looks at the first byte of an index file."""
    if not data:
        raise FormatError("deletion vector file is empty", expected=f"version {VERSION}")
    if data[0] != VERSION:
        raise UnsupportedError(
            "unknown version of the deletion vector file", feature=f"deletion vector file version {data[0]}"
        )


def decode_vector_at(data: bytes, where: DeletionVectorRange, at: int | None = None) -> DeletionVector:
    """The vector of one range of an index file.

    Args:
        data: the index file, or a part of it.
        where: the range.
        at: where the block starts in `data`; as the range says if not given.
    """
    start = where.offset if at is None else at
    size = int.from_bytes(data[start : start + SIZE_BYTES], "big")
    try:
        vector = decode_vector(data[start : start + SIZE_BYTES + size + CRC_BYTES])
    except FormatError as error:
        raise FormatError(
            error.what, **{**error.fields, "offset": where.offset}, file=where.data_file
        ) from error
    length = size + SIZE_BYTES + CRC_BYTES if vector.is_64_bit else size
    if length != where.length:
        raise FormatError(
            "deletion vector has another length than the index manifest says",
            file=where.data_file,
            offset=where.offset,
            expected=where.length,
            found=length,
        )
    if where.cardinality is not None and len(vector) != where.cardinality:
        raise FormatError(
            "deletion vector deletes another number of rows than the index manifest says",
            file=where.data_file,
            expected=where.cardinality,
            found=len(vector),
        )
    return vector
