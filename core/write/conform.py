"""A caller's rows -> the table's columns in canonical form.

Columns are found by name. A cast happens only within a kind of type (integers among
themselves, timestamps among themselves) and only where no value changes, save that a DOUBLE
is rounded to a FLOAT: text is never parsed and a wall clock never becomes an instant. Whoever
wants that says so before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_schema, arrow_type
from core.errors import InvalidRequestError
from core.schema.defaults import default_scalar
from core.types import BYTES, type_to_text
from core.types.data_types import (
    MAX_LENGTH,
    ArrayType,
    CharType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VarCharType,
    VariantType,
    VectorType,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Rows: TypeAlias = "pa.Table | pa.RecordBatch"

_VARIANT_PART = BYTES.with_nullability(False)


def conform_rows(rows: Rows, fields: Sequence[DataField]) -> pa.Table:
    """`rows` with exactly the columns `fields`, in canonical form; defaults stand in for nulls.

    Raises:
        InvalidRequestError: a column is unknown, has a type or a value that does not fit, or
            is null where the table says NOT NULL; the error names it. Or these are no Arrow rows.
    """
    if not isinstance(rows, pa.Table | pa.RecordBatch):
        raise InvalidRequestError("rows are a table or a batch of Arrow", found=type(rows).__name__)
    known = {field.name for field in fields}
    unknown = [name for name in rows.schema.names if name not in known]
    if unknown:
        raise InvalidRequestError(
            "the rows have a column that the table has not",
            column=unknown[0],
            columns=", ".join(field.name for field in fields),
        )
    columns = [_conform_column(rows, field) for field in fields]
    return pa.Table.from_arrays(columns, schema=arrow_schema(fields))


def _conform_column(rows: Rows, field: DataField) -> pa.ChunkedArray[Any]:
    positions = rows.schema.get_all_field_indices(field.name)
    if len(positions) > 1:
        raise InvalidRequestError("the rows have a column twice", column=field.name)
    found: Any = rows.column(positions[0]) if positions else _nulls(rows.num_rows, arrow_type(field.type))
    column = found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
    column = _with_default(_cast(column, field), field)
    if column.null_count and not field.type.nullable:
        raise InvalidRequestError(
            "null in a NOT NULL column", column=field.name, rows=column.null_count, given=bool(positions)
        )
    _check_length(column, field.type, field)
    _check_members(column, field.type, field)
    return column


def _nulls(count: int, kind: Any) -> pa.Array[Any]:
    array: pa.Array[Any] = pa.nulls(count, kind)
    return array


def _cast(column: pa.ChunkedArray[Any], field: DataField) -> pa.ChunkedArray[Any]:
    wanted = arrow_type(field.type)
    if column.type == wanted:
        return column
    given = column
    if not castable(column.type, wanted):
        raise _does_not_fit(column, field)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        column = column.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise _does_not_fit(column, field, cause=str(error)) from error
    _check_range(given, column, field.type, field)
    return column


def _check_range(given: Any, cast: Any, data_type: DataType, field: DataField) -> None:
    """Arrow makes infinity of a number that a FLOAT cannot hold, at any depth."""
    floats = pa.types.is_floating(cast.type) and pa.types.is_floating(given.type)
    if floats and pc.any(pc.and_(pc.is_inf(cast), pc.is_finite(given))).as_py():
        raise _does_not_fit(given, field, cause="a number is out of range")
    for (before, kind), (after, _) in zip(_members(given, data_type), _members(cast, data_type), strict=True):
        _check_range(before, after, kind, field)


def _does_not_fit(
    column: pa.ChunkedArray[Any], field: DataField, cause: str | None = None
) -> InvalidRequestError:
    return InvalidRequestError(
        "the values of a column do not fit its type",
        column=field.name,
        type=type_to_text(field.type),
        found=column.type,
        cause=cause,
    )


def castable(found: Any, wanted: Any) -> bool:
    """Whether values of one Arrow type may stand for the other, if none of them changes by it."""
    if pa.types.is_dictionary(found):
        return castable(found.value_type, wanted)
    if pa.types.is_null(found) or found == wanted:
        return True
    if pa.types.is_integer(found):
        return bool(
            pa.types.is_integer(wanted) or pa.types.is_decimal(wanted) or pa.types.is_floating(wanted)
        )
    if pa.types.is_timestamp(found) and pa.types.is_timestamp(wanted):
        return (found.tz is None) == (wanted.tz is None)
    if _is_list(found) and _is_list(wanted):
        return castable(found.value_type, wanted.value_type)
    if pa.types.is_map(found) and pa.types.is_map(wanted):
        return castable(found.key_type, wanted.key_type) and castable(found.item_type, wanted.item_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        names = [f.name for f in wanted]
        return [f.name for f in found] == names and all(
            castable(found.field(name).type, wanted.field(name).type) for name in names
        )
    return any(kind(found) and kind(wanted) for kind in _KINDS)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_binary_view(kind)
    )


_KINDS = (
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_time,
    _is_text,
    _is_bytes,
)


def _with_default(column: pa.ChunkedArray[Any], field: DataField) -> pa.ChunkedArray[Any]:
    """Nulls replaced by the column's default value. Spec: 06, 8."""
    if field.default_value is None or not column.null_count:
        return column
    filled: pa.ChunkedArray[Any] = pc.fill_null(column, default_scalar(field.type, field.default_value))
    return filled


def _check_members(column: Any, data_type: DataType, field: DataField) -> None:
    """Refuse a null where an element, a key, a value or a member is NOT NULL, or one that is too long."""
    for members, member_type in _members(column, data_type):
        if members.null_count and not member_type.nullable:
            raise InvalidRequestError(
                "null in a NOT NULL member of a column", column=field.name, type=type_to_text(field.type)
            )
        _check_length(members, member_type, field)
        _check_members(members, member_type, field)


def _members(column: Any, data_type: DataType) -> list[tuple[Any, DataType]]:
    """What values that are not null hold themselves, by member, and its type."""
    if not data_type.is_nested and not isinstance(data_type, VariantType):
        return []
    present = pc.drop_null(column)
    match data_type:
        case ArrayType():
            return [(pc.list_flatten(present), data_type.element)]
        case VectorType():
            return [(pc.list_flatten(present), data_type.element.with_nullability(False))]
        case MapType():
            keys, values = _entries(present)
            return [(keys, data_type.key), (values, data_type.value)]
        case MultisetType():
            return [(_entries(present)[0], data_type.element)]
        case RowType():
            return [(pc.struct_field(present, i), f.type) for i, f in enumerate(data_type.fields)]
        case VariantType():
            return [(pc.struct_field(present, part), _VARIANT_PART) for part in ("value", "metadata")]
    return []


def _entries(maps: Any) -> tuple[Any, Any]:
    """All keys and all values of maps of which none is null."""
    chunks: list[Any] = maps.chunks if isinstance(maps, pa.ChunkedArray) else [maps]
    spans = [(chunk, chunk.offsets[0].as_py(), chunk.offsets[-1].as_py()) for chunk in chunks]
    keys = [chunk.keys[start:end] for chunk, start, end in spans]
    values = [chunk.items[start:end] for chunk, start, end in spans]
    kind: Any = maps.type
    return pa.chunked_array(keys, kind.key_type), pa.chunked_array(values, kind.item_type)


def _check_length(column: Any, data_type: DataType, field: DataField) -> None:
    """Refuse a text with more characters than its type allows."""
    if not isinstance(data_type, (CharType, VarCharType)) or data_type.length == MAX_LENGTH:
        return
    longest = pc.max(pc.utf8_length(column)).as_py()
    if longest is not None and longest > data_type.length:
        raise InvalidRequestError(
            "a text is longer than its type allows",
            column=field.name,
            type=type_to_text(field.type),
            found=longest,
        )
