"""The oracle of lock-step decoding: rows as fastavro reads them, put into Arrow one by one."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from core.arrow import Column
from core.avro.container import open_container
from core.avro.rows import RowReader
from core.avro.schema import AvroType, Nullable, Plain, Record, Repeated, parse_root, record_of
from core.binary.decode import decimal_value
from core.errors import FormatError

_pa: Any = pa  # its stubs have no overloads for types that are found at run time


def row_by_row(data: bytes) -> pa.Table:
    """What `decode_columns([data])` has to give."""
    opened = open_container(io.BytesIO(data))
    fields = record_of(parse_root(opened.schema)).fields
    reader = RowReader(opened.schema)
    rows = [row for block in opened.blocks for _, row in reader.rows(block, 0, block.count)]
    if any(row is None for row in rows):
        raise FormatError("an Avro row is null")
    columns = [column_of([row[name] for row in rows], kind) for name, kind in fields]
    return pa.Table.from_arrays(columns, schema=pa.schema([(name, kind.arrow) for name, kind in fields]))


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
