"""Which rows of two batches are equal, column by column.

Two nulls are. FLOAT and DOUBLE are told apart as `Double.compare` of Java does: NaN equals NaN, and 0.0 is
not -0.0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
Mask: TypeAlias = npt.NDArray[np.bool_]

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def equal_rows(some: pa.RecordBatch, others: pa.RecordBatch) -> Mask:
    """Whether each row of a batch equals the row in its place in another of the same schema."""
    equal = np.ones(some.num_rows, dtype=np.bool_)
    for left, right in zip(some.columns, others.columns, strict=True):
        equal &= equal_values(left, right)
    return equal


def equal_values(left: Column, right: Column) -> Mask:
    """Whether the values in each place are equal; nested ones by their elements, in their order."""
    both: Mask = _flags(pc.and_(left.is_valid(), right.is_valid()))
    neither: Mask = ~_flags(left.is_valid()) & ~_flags(right.is_valid())
    kind = left.type
    if pa.types.is_map(kind):
        entries = pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))
        left, right = (_as_entries(column, entries) for column in (left, right))
        return neither | (both & _equal_lists(left, right, both))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return neither | (both & _equal_lists(left, right, both))
    if pa.types.is_struct(kind):
        for some, other in zip(left.flatten(), right.flatten(), strict=True):
            both &= equal_values(some, other)
        return neither | both
    if pa.types.is_floating(kind):
        return neither | (both & _equal_floats(left, right))
    return neither | (both & _flags(pc.fill_null(pc.equal(left, right), False)))


def _equal_floats(left: Column, right: Column) -> Mask:
    some, others = (column.fill_null(0).to_numpy(zero_copy_only=False) for column in (left, right))
    same: Mask = (some == others) & (np.signbit(some) == np.signbit(others))
    same |= np.isnan(some) & np.isnan(others)
    return same


def _equal_lists(left: Column, right: Column, both: Mask) -> Mask:
    sizes = [
        pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        for column in (left, right)
    ]
    alike: Mask = both & (sizes[0] == sizes[1])
    places = np.flatnonzero(alike)
    elements = [pc.list_flatten(column.take(pa.array(places))) for column in (left, right)]
    differs = ~equal_values(*elements)
    owner = np.repeat(places, sizes[0][places])
    alike[owner[differs]] = False
    return alike


def _as_entries(column: Column, kind: pa.DataType) -> Column:
    """A map as a list of its entries."""
    entries = pa.StructArray.from_arrays([column.keys, column.items], names=["key", "value"])
    return pa.Array.from_buffers(
        kind, len(column), column.buffers()[:2], column.null_count, column.offset, children=[entries]
    )


def _flags(column: Column) -> Mask:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.bool_)
