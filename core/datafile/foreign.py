"""The columns of a data file that another engine wrote, as a table would have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from core.arrow import fields_from_arrow
from core.avro import read_schema
from core.avro.schema import parse_root, record_of
from core.datafile.file_format import FileFormat
from core.datafile.read import decoding_errors
from core.errors import UnsupportedError
from core.io.file_io import FileIO
from core.types import DataField


def foreign_fields(io: FileIO, path: str, file_format: FileFormat) -> tuple[DataField, ...]:
    """The columns, each of which may be null: what one file has in every row another one may lack.

    Raises:
        NotFoundError: there is no such file. FormatError: it is damaged, or of another format.
        UnsupportedError: it has a type that Paimon has not.
    """
    with decoding_errors(path), io.open_input(path) as source:
        match file_format:
            case FileFormat.PARQUET:
                schema = pq.read_schema(source)
            case FileFormat.ORC:
                schema = orc.ORCFile(source).schema
            case FileFormat.AVRO:
                schema = _avro_columns(source)
            case _:
                raise UnsupportedError("files of this format are not taken over", feature=file_format.value)
    fields = fields_from_arrow(schema)
    return tuple(replace(field, type=field.type.with_nullability(True)) for field in fields)


def _avro_columns(source: IO[bytes]) -> pa.Schema:
    """As Avro has them: a timestamp is an instant, and a local one is none."""
    declared = read_schema(source)
    instants = set(_instants(declared))
    record = record_of(parse_root(declared))
    types: list[tuple[str, Any]] = [(name, kind.arrow) for name, kind in record.fields]
    return pa.schema(
        [(name, pa.timestamp(kind.unit, "UTC") if name in instants else kind) for name, kind in types]
    )


def _instants(declared: Any) -> Iterator[str]:
    """The columns of a record, or of its union with null, that Avro calls timestamps."""
    branches = declared if isinstance(declared, list) else [declared]
    for field in (f for b in branches if isinstance(b, dict) for f in b.get("fields", ())):
        kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
        told = [str(kind.get("logicalType")) for kind in kinds if isinstance(kind, dict)]
        if any(name.startswith("timestamp-") for name in told):
            yield str(field["name"])
