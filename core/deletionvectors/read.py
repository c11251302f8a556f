"""Deletion vectors out of their index files, as few bytes of them as are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.deletionvectors.index_file import check_version, decode_vector_at
from core.deletionvectors.vector import CRC_BYTES, SIZE_BYTES, DeletionVector
from core.errors import FormatError
from core.io import FileIO
from core.io.decoding import errors_naming
from core.manifest import DeletionVectorRange


def read_vectors(io: FileIO, path: str, ranges: Sequence[DeletionVectorRange]) -> dict[str, DeletionVector]:
    """The vectors at `ranges` of one index file, by data file, each one verified.

    Raises:
        NotFoundError, FormatError: the file is not there, or is damaged.
        UnsupportedError: a version that we do not know.
    """
    with errors_naming(path):
        version, *sizes = io.read_ranges(path, [(0, 1), *((r.offset, SIZE_BYTES) for r in ranges)])
        check_version(version)
        wanted = [(r.offset, _block_bytes(size, r)) for r, size in zip(ranges, sizes, strict=True)]
        blocks: Iterable[bytes] = io.read_ranges(path, wanted)
        return {r.data_file: decode_vector_at(b, r, at=0) for r, b in zip(ranges, blocks, strict=True)}


def _block_bytes(size: bytes, where: DeletionVectorRange) -> int:
    """Bytes of a block, from its size field, which must be what the range says of it. Spec: 05, 2.2."""
    block = SIZE_BYTES + int.from_bytes(size, "big") + CRC_BYTES
    if where.length not in (block, block - SIZE_BYTES - CRC_BYTES):
        raise FormatError(
            "deletion vector has another length than the index manifest says",
            file=where.data_file,
            offset=where.offset,
            expected=where.length,
            found=block,
        )
    return block
