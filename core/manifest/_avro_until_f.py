"""Stands in for core.avro until that module is there; deleted then."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import fastavro
import pyarrow as pa

from core.errors import FormatError


def decode_columns(sources: Sequence[bytes]) -> pa.Table:
    tables = []
    for data in sources:
        try:
            reader = fastavro.reader(io.BytesIO(data))
            records = list(reader)
        except Exception as error:
            raise FormatError("not a readable Avro file", cause=str(error)[:100]) from error
        schema: Any = reader.writer_schema
        if isinstance(schema, list):
            schema = next(s for s in schema if s != "null")
        arrow = pa.schema([(f["name"], _arrow(f["type"])) for f in schema["fields"]])
        tables.append(pa.Table.from_pylist(records, schema=arrow))
    return pa.concat_tables(tables)


def _arrow(t: Any) -> pa.DataType:
    if isinstance(t, list):
        return _arrow(next(x for x in t if x != "null"))
    if isinstance(t, dict):
        if t["type"] == "record":
            return pa.struct([(f["name"], _arrow(f["type"])) for f in t["fields"]])
        if t["type"] == "array":
            return pa.list_(_arrow(t["items"]))
        if t.get("logicalType") == "timestamp-millis":
            return pa.timestamp("ms", "UTC")
        return _arrow(t["type"])
    return {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "bytes": pa.binary()}[t]


def encode_container(schema: Any, records: Iterable[Any], codec: str = "zstandard", level: int = 1) -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), records, codec=codec, codec_compression_level=level)
    return out.getvalue()


def read_schema(data: bytes) -> Any:
    return fastavro.reader(io.BytesIO(data)).writer_schema
