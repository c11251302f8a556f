"""Columns in another Arrow form of the same values, at any depth.

Arrow's own cast refuses a null struct whose members are NOT NULL, as those of a VARIANT are: it
looks at the members without the struct. So what has members is rebuilt around them here, and the
parts of a null VARIANT are made empty instead of null, which Arrow's parquet encoder asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.types.data_types import VariantType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs


_VARIANT = arrow_type(VariantType())


def _cast(column: Column, kind: Any) -> Column:
    return column.cast(kind)


def recast(column: Column, kind: Any, cast: Callable[[Column, Any], Column] = _cast) -> Column:
    """The array or chunked array as `kind`; nothing is copied that has the form already.

    Args:
        column: in any Arrow form of the values.
        kind: the form wanted.
        cast: what brings a column without members into another form.

    Raises:
        pa.ArrowException: a value has no such form.
    """
    if column.type == kind and not _holds_variants(kind):
        return column
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([recast(chunk, kind, cast) for chunk in column.chunks], kind)
    found = column.type
    if pa.types.is_struct(found) and pa.types.is_struct(kind) and _names(found) == _names(kind):
        members = [recast(column.field(i), field.type, cast) for i, field in enumerate(kind)]
        if kind == _VARIANT:
            members = [pc.fill_null(member, b"") for member in members]
        return pa.StructArray.from_arrays(members, fields=list(kind), mask=column.is_null())
    if pa.types.is_list(found) and pa.types.is_list(kind):
        return _with_child(column, kind, recast(column.values, kind.value_type, cast))
    if pa.types.is_map(found) and pa.types.is_map(kind):
        pairs = [recast(column.keys, kind.key_type, cast), recast(column.items, kind.item_type, cast)]
        entries = pa.StructArray.from_arrays(pairs, fields=[kind.key_field, kind.item_field])
        return _with_child(column, kind, entries)
    return cast(column, kind)


def _holds_variants(kind: Any) -> bool:
    inner = [kind.field(i).type for i in range(kind.num_fields)]
    return kind == _VARIANT or any(map(_holds_variants, inner))


def _names(kind: pa.StructType) -> list[str]:
    return [field.name for field in kind]


def _with_child(column: Column, kind: pa.DataType, child: Column) -> Column:
    """The same lists over other elements; `child` has all elements, whatever slice `column` is."""
    return pa.Array.from_buffers(
        kind, len(column), column.buffers()[:2], column.null_count, column.offset, children=[child]
    )
