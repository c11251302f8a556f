"""Records -> an Avro object container. Spec: 02, 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

import fastavro

from core.errors import InvalidRequestError

_BLOCK_BYTES = 64_000  # unpacked, as Java's writer: fewer and better packed blocks than fastavro's 16,000

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
