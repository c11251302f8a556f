"""Columns as a file's decoder gives them -> the canonical Arrow form of their Paimon type.

Decoders differ: ORC keeps TIME as INT and every timestamp in nanoseconds, Avro has no
small integers, a list's element is called `item` here and `element` there. All of this is
a cast that loses nothing; but Paimon's Spark 2.0.0 leaves digits in ORC that the column does not keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_schema, arrow_type
from core.datafile.recast import recast
from core.errors import FormatError, UnsupportedError
from core.types import DataField, VariantType, type_to_text

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs

_VARIANT = arrow_type(VariantType())
_TYPED_PART = "typed_value"


def conform(
    batch: pa.RecordBatch, fields: Sequence[DataField], *, dictionaries: bool = False
) -> pa.RecordBatch:
    """The columns `fields` of a batch, by name and in canonical form.

    A column that the file lacks is null in every row. With `dictionaries`, a column that the file gives
    as a dictionary of canonical values stays one: of rows that are dropped nothing has to be made, and
    another call makes the rest canonical. Spec: 04, A1.

    Raises:
        FormatError: what the file holds is not the column's Paimon type.
        UnsupportedError: a shredded VARIANT.
    """
    columns = [_column(batch, field, dictionaries) for field in fields]
    schema = arrow_schema(fields)
    if dictionaries:
        schema = pa.schema([f.with_type(c.type) for f, c in zip(schema, columns, strict=True)])
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(batch: pa.RecordBatch, field: DataField, dictionaries: bool) -> Column:
    target: Any = arrow_type(field.type)
    index = batch.schema.get_field_index(field.name)
    if index < 0:
        return pa.nulls(batch.num_rows, target)
    column: Column = batch.column(index)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if column.type == target or (dictionaries and _is_dictionary_of(column.type, target)):
        return column
    if _is_shredded(column.type, target):
        raise UnsupportedError(
            "the parts of a VARIANT lie in columns of their own",
            feature="shredded VARIANT",
            column=field.name,
        )
    try:
        return recast(column, target, _cut)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowIndexError) as error:
        raise FormatError(
            f"a column does not hold its type: {error}",
            column=field.name,
            expected=type_to_text(field.type),
            found=column.type,
        ) from error


_UNITS = {"s": "second", "ms": "millisecond", "us": "microsecond"}


def _cut(column: Column, kind: Any) -> Column:
    """A cast that loses nothing, but digits of a time that are too fine for its type."""
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        if not (pa.types.is_timestamp(column.type) and pa.types.is_timestamp(kind)):
            raise
        return pc.floor_temporal(column, unit=_UNITS[kind.unit]).cast(kind)


def _is_dictionary_of(stored: Any, target: pa.DataType) -> bool:
    return pa.types.is_dictionary(stored) and stored.value_type == target


def _is_shredded(stored: pa.DataType, target: pa.DataType) -> bool:
    """Whether there is a VARIANT in the type that stands beside typed parts of itself. Spec: 04, A3."""
    if pa.types.is_struct(stored) and pa.types.is_struct(target):
        names = [stored.field(i).name for i in range(stored.num_fields)]
        if target == _VARIANT:
            return _TYPED_PART in names
        wanted = {target.field(i).name: target.field(i).type for i in range(target.num_fields)}
        return any(
            _is_shredded(stored.field(name).type, kind) for name, kind in wanted.items() if name in names
        )
    if pa.types.is_map(stored) and pa.types.is_map(target):
        return _is_shredded(stored.item_type, target.item_type)
    if pa.types.is_list(stored) and pa.types.is_list(target):
        return _is_shredded(stored.value_type, target.value_type)
    return False
