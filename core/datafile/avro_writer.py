"""One Avro data file, written column by column. Spec: 04, A3 and A4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from core.avro import RowWriter
from core.datafile.avro_schema import avro_schema
from core.datafile.compression import Compression
from core.datafile.format_writer import FormatWriter
from core.io.file_io import FileIO
from core.types.data_types import DataField


class AvroFileWriter(FormatWriter):
    """Each call of `write_group` reaches the store before it returns."""

    def __init__(self, io: FileIO, path: str, fields: Sequence[DataField], compression: Compression) -> None:
        """Raises `UnsupportedError` for a type that Avro files do not hold, before there is a file."""
        schema = avro_schema(fields)
        super().__init__(io, path)
        codec = "null" if compression.codec == "none" else compression.codec
        sink: Any = self._sink
        with self._or_given_up():
            self._rows = RowWriter(sink, schema, codec, compression.zstd_level)

    def _write(self, rows: pa.Table) -> None:
        self._rows.write(rows)

    def _finish(self) -> None:
        pass  # nothing stands behind the last block

    def _silence(self) -> None:
        pass
