"""Records and Arrow rows -> Avro object containers. Spec: 02, 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from itertools import pairwise
from typing import IO, Any

import fastavro
import numpy as np
import pyarrow as pa

from core.avro.container import Block, ContainerWriter
from core.avro.encode import encode_rows
from core.avro.schema import parse_root, record_of
from core.errors import InvalidRequestError

_BLOCK_BYTES = 64_000  # unpacked, as Java's writer: fewer and better packed blocks than fastavro's 16,000

_BATCH_BYTES = 2 << 20  # of Arrow memory that is encoded together: what a core's cache holds

_CODECS = {"zstd": "zstandard", "none": "null", "gzip": "deflate"}


def encode_container(
    schema: Any, records: Iterable[Mapping[str, Any]], codec: str = "zstandard", level: int | None = 1
) -> bytes:
    """A whole file; `codec` is Avro's name or Paimon's (`zstd`), `level` only counts for zstandard.

    Raises:
        InvalidRequestError: a record that does not fit the schema, or an unknown codec.
    """
    target = BytesIO()
    name = _CODECS.get(codec.lower(), codec.lower())
    try:
        fastavro.writer(
            target,
            fastavro.parse_schema(schema),
            records,
            codec=name,
            sync_interval=_BLOCK_BYTES,
            codec_compression_level=level if name == "zstandard" else None,
            strict=True,
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise InvalidRequestError(f"records cannot be written as Avro: {error}", codec=name) from error
    return target.getvalue()


class RowWriter:
    """Writes Arrow rows into a container, column by column, in blocks of some 64 kB."""

    def __init__(self, file: IO[bytes], schema: Any, codec: str = "zstandard", level: int = 1) -> None:
        """`codec` is Avro's name or Paimon's; `level` only counts for zstandard.

        Raises:
            UnsupportedError: an unknown codec, or a schema of what Paimon never writes.
        """
        self._root = parse_root(schema)
        self._names = [name for name, _ in record_of(self._root).fields]
        self._container = ContainerWriter(file, schema, _CODECS.get(codec.lower(), codec.lower()), level)

    def write(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Write rows; columns are found by name, and have Arrow's form of their type.

        Raises:
            InvalidRequestError: a null where the schema takes none.
        """
        size = max(1, _BATCH_BYTES * rows.num_rows // max(rows.nbytes, 1))
        table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
        for batch in table.select(self._names).to_batches(max_chunksize=size):
            encoded = encode_rows(self._root, batch.columns)
            ends = np.cumsum(encoded.lengths)
            cuts = np.unique(np.searchsorted(ends, np.arange(_BLOCK_BYTES, ends[-1], _BLOCK_BYTES)) + 1)
            bounds = [0, *cuts[cuts < len(ends)].tolist(), len(ends)]
            for first, last in pairwise(bounds):
                begin = int(ends[first - 1]) if first else 0
                self._container.write(Block(last - first, encoded.data[begin : ends[last - 1]].tobytes()))
