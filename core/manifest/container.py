"""The container of a metadata file, told by its first bytes. Spec: 02, 1."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa
from pyarrow import orc, parquet

from core.errors import FormatError
from core.manifest._avro_until_f import decode_columns, read_schema

_AVRO = b"Obj\x01"
_ORC = b"ORC"
_PARQUET = b"PAR1"


def decode_records(data: bytes) -> list[dict[str, Any]]:
    """One dict a record, for the small files: lists and index manifests."""
    return decode_tables([data])[0].to_pylist()


def decode_tables(sources: Sequence[bytes]) -> list[pa.Table]:
    """The records of files as columns, in order; neighbours of one schema share a table.

    Avro is what every version but a few before 1.3 writes; names do not tell it apart.
    """
    tables = []
    for kind, group in groupby(sources, key=_shape):
        members = list(group)
        if kind[0] == _AVRO:
            tables.append(decode_columns(members))
        else:
            tables += [_read_orc(m) if kind[0] == _ORC else _read_parquet(m) for m in members]
    return tables


def _shape(data: bytes) -> tuple[bytes, str]:
    """Equal for files that decode into one table."""
    magic = next((m for m in (_AVRO, _ORC, _PARQUET) if data.startswith(m)), None)
    if magic is None:
        raise FormatError("not an Avro, ORC or Parquet file", expected="Obj\\x01", found=repr(data[:8]))
    return magic, repr(read_schema(data)) if magic == _AVRO else ""


def _read_orc(data: bytes) -> pa.Table:
    try:
        return orc.ORCFile(io.BytesIO(data)).read()
    except pa.ArrowException as error:
        raise FormatError("not a readable ORC file", cause=error) from error


def _read_parquet(data: bytes) -> pa.Table:
    try:
        return parquet.read_table(io.BytesIO(data))
    except pa.ArrowException as error:
        raise FormatError("not a readable Parquet file", cause=error) from error
