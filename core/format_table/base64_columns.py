"""Base64 of whole columns: how CSV and JSON hold bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_SIGNS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
_VALUES = np.zeros(256, np.uint32)
_VALUES[_SIGNS] = np.arange(64)
_PAD = ord("=")
PATTERN = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?$"


def encoded(column: Any) -> Any:
    """The texts of a column of bytes; nulls stay null."""
    column = pc.fill_null(column, b"").cast(pa.binary())
    lengths = pc.binary_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
    thirds = (lengths + 2) // 3
    starts = np.concatenate([[0], np.cumsum(thirds * 3)])
    padded = np.zeros(int(starts[-1]), np.uint8)
    source = _bytes_of(column)
    own = np.concatenate([[0], np.cumsum(lengths)])
    padded[np.arange(len(source)) + np.repeat(starts[:-1] - own[:-1], lengths)] = source
    groups = padded.reshape(-1, 3).astype(np.uint32)
    words = (groups[:, 0] << 16) | (groups[:, 1] << 8) | groups[:, 2]
    signs = _SIGNS[np.stack([(words >> shift) & 63 for shift in (18, 12, 6, 0)], axis=1)].reshape(-1)
    ends = np.cumsum(thirds * 4)
    missing = (thirds * 3 - lengths).astype(np.int64)
    signs[ends[missing >= 1] - 1] = _PAD
    signs[ends[missing == 2] - 2] = _PAD
    return _column(np.concatenate([[0], ends]), signs, pa.string())


def decoded(texts: Any) -> Any:
    """The bytes of texts that all match `PATTERN`; nulls have to be filled before."""
    bare = pc.utf8_rtrim(texts.cast(pa.string()), characters="=")
    lengths = pc.binary_length(bare).to_numpy(zero_copy_only=False).astype(np.int64)
    fours = (lengths + 3) // 4
    starts = np.concatenate([[0], np.cumsum(fours * 4)])
    padded = np.zeros(int(starts[-1]), np.uint32)
    own = np.concatenate([[0], np.cumsum(lengths)])
    source = _bytes_of(bare)
    padded[np.arange(len(source)) + np.repeat(starts[:-1] - own[:-1], lengths)] = _VALUES[source]
    groups = padded.reshape(-1, 4)
    words = (groups[:, 0] << 18) | (groups[:, 1] << 12) | (groups[:, 2] << 6) | groups[:, 3]
    data = np.stack([(words >> shift) & 255 for shift in (16, 8, 0)], axis=1).astype(np.uint8).reshape(-1)
    counts = lengths * 3 // 4
    ends = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(int(ends[-1])) + np.repeat(np.cumsum(fours * 3) - fours * 3 - ends[:-1], counts)
    return _column(ends, data[places], pa.binary())


def _bytes_of(column: Any) -> Any:
    """The bytes of all values, one behind the other."""
    _, offsets, data = column.buffers()
    if data is None:
        return np.zeros(0, np.uint8)
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]


def _column(ends: Any, data: Any, kind: Any) -> Any:
    buffers = [None, pa.py_buffer(ends.astype(np.int32).tobytes()), pa.py_buffer(data.tobytes())]
    return pa.Array.from_buffers(kind, len(ends) - 1, buffers)
