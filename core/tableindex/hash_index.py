"""The HASH index of one dynamic bucket: the hashes of all its keys. Spec: 05, 3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError

HASH_BYTES = 4


def decode_hash_index(data: bytes) -> NDArray[np.int32]:
    """The key hashes, in the file's order, which means nothing.

    Raises:
        FormatError: the size is no multiple of 4.
    """
    if len(data) % HASH_BYTES:
        raise FormatError("HASH index is cut", expected=f"a multiple of {HASH_BYTES} bytes", found=len(data))
    return np.frombuffer(data, dtype=">i4").astype(np.int32)


def encode_hash_index(hashes: NDArray[np.int32]) -> bytes:
    """The file of a bucket; each hash is written once."""
    return np.unique(hashes).astype(">i4").tobytes()
