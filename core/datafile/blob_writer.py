"""One file of a BLOB column: values in blocks, then the length of each row's block. Spec: 04, A6."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from core.avro.encode import encode_numbers
from core.datafile.blob import CRC_BYTES, FRAME_BYTES, LENGTH_BYTES, MAGIC, NULL, VERSION
from core.datafile.format_writer import FormatWriter
from core.io.file_io import FileIO


class BlobFileWriter(FormatWriter):
    """Each value reaches the store before the next; what stays in memory is a length a row."""

    def __init__(self, io: FileIO, path: str, column: str) -> None:
        super().__init__(io, path)
        self._column = column
        self._lengths: list[np.ndarray[Any, np.dtype[np.int64]]] = []

    def _write(self, rows: pa.Table) -> None:
        for values in rows.column(self._column).chunks:
            lengths = np.full(len(values), NULL, np.int64)
            for i, value in enumerate(values):
                if value.is_valid:
                    lengths[i] = self._write_block(memoryview(value.as_buffer()))
            self._lengths.append(lengths)

    def _write_block(self, value: memoryview) -> int:
        """The bytes that the block takes; a value is not copied, large as it may be."""
        length = len(value) + FRAME_BYTES
        end = length.to_bytes(LENGTH_BYTES, "little")
        crc = 0
        for piece in (MAGIC, value, end):
            crc = zlib.crc32(piece, crc)
            self._sink.write(piece)
        self._sink.write(crc.to_bytes(CRC_BYTES, "little"))
        return length

    def _finish(self) -> None:
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        listed = encode_numbers(np.diff(lengths)).data.tobytes()
        self._sink.write(listed + len(listed).to_bytes(4, "little") + bytes([VERSION]))

    def _silence(self) -> None:
        pass  # nothing is written that was not asked for
