"""Blocks decoded by fastavro a row at a time: the faster way for few blocks, the oracle of `lanes.py`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

import fastavro
import pyarrow as pa
from fastavro.schema import SchemaParseException, UnknownType

from core.arrow import Column
from core.avro.container import Block
from core.avro.schema import AvroType, Nullable, Plain, Record, Repeated
from core.binary.decode import decimal_value
from core.errors import FormatError

_pa: Any = pa  # its stubs have no overloads for types that are found at run time


class RowReader:
    """Reads rows of one writer schema, logical types left as numbers and bytes."""

    def __init__(self, schema: Any) -> None:
        try:
            self._schema = fastavro.parse_schema(_without_logical_types(schema))
        except (SchemaParseException, UnknownType) as error:
            raise FormatError(f"not an Avro schema: {error}") from error

    def read(self, block: Block, offset: int = 0, count: int | None = None) -> list[Any]:
        """`count` (else all) rows of a block from `offset` on, which must then be used up.

        Raises:
            FormatError: the bytes are no such rows, or too many or too few.
        """
        stream = BytesIO(block.data)
        stream.seek(offset)
        try:
            rows = [
                fastavro.schemaless_reader(stream, self._schema)
                for _ in range(block.count if count is None else count)
            ]
        except (EOFError, IndexError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error
        if stream.tell() != len(block.data):
            raise FormatError(
                "an Avro block is longer than its rows", expected=stream.tell(), found=len(block.data)
            )
        return rows


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(s) for s in schema]
    if isinstance(schema, dict):
        return {
            k: _without_logical_types(v) for k, v in schema.items() if k not in ("logicalType", "default")
        }
    return schema


def column_of(values: Sequence[Any], kind: AvroType) -> Column:
    """Values that fastavro gave as an Arrow column."""
    match kind:
        case Nullable():
            return column_of(values, kind.inner)
        case Record():
            return _struct(values, kind)
        case Repeated():
            return _repeated(values, kind)
        case Plain():
            return _plain(values, kind)


def _plain(values: Sequence[Any], kind: Plain) -> Column:
    if isinstance(kind.arrow, pa.Decimal128Type):
        scale = kind.arrow.scale
        return pa.array([None if v is None else _decimal(v, scale) for v in values], kind.arrow)
    if kind.is_varint:
        return pa.array(values, pa.int32() if kind.kind == "int" else pa.int64()).cast(kind.arrow)
    return pa.array(values, kind.arrow)


def _decimal(data: bytes, scale: int) -> Decimal:
    return decimal_value(int.from_bytes(data, "big", signed=True), scale)


def _struct(values: Sequence[Any], kind: Record) -> Column:
    fields = [pa.field(name, child.arrow) for name, child in kind.fields]
    if not fields:
        return pa.array([None if v is None else {} for v in values], pa.struct(fields))
    children = [
        column_of([None if v is None else v[name] for v in values], child) for name, child in kind.fields
    ]
    mask = pa.array([v is None for v in values], pa.bool_())
    structs: Column = _pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    return structs


def _repeated(values: Sequence[Any], kind: Repeated) -> Column:
    lists = [v if v is None or not kind.keys_are_text else _entries(v) for v in values]
    offsets = [0]
    for v in lists:
        offsets.append(offsets[-1] + (len(v) if v is not None else 0))
    items = column_of([item for v in lists if v is not None for item in v], kind.items)
    mask = pa.array([v is None for v in lists], pa.bool_())
    return list_array(pa.array(offsets, pa.int32()), items, kind, mask)


def _entries(mapping: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": k, "value": v} for k, v in mapping.items()]


def list_array(offsets: Column, items: Any, kind: Repeated, mask: Any) -> Column:
    """A list or map column over its items."""
    if kind.is_map:
        maps: Column = _pa.MapArray.from_arrays(
            offsets, items.field(0), items.field(1), kind.arrow, mask=mask
        )
        return maps
    lists: Column = _pa.ListArray.from_arrays(offsets, items, kind.arrow, mask=mask)
    return lists
