"""Columns as a file's decoder gives them -> the canonical Arrow form of their Paimon type.

Decoders differ: ORC keeps TIME as INT and every timestamp in nanoseconds, Avro has no
small integers, a list's element is called `item` here and `element` there. All of this is
a cast that loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from core.arrow import arrow_schema, arrow_type
from core.errors import FormatError
from core.types import DataField, type_to_text

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs


def conform(batch: pa.RecordBatch, fields: Sequence[DataField]) -> pa.RecordBatch:
    """The columns `fields` of a batch, by name and in canonical form.

    A column that the file lacks is null in every row. Spec: 04, A1.

    Raises:
        FormatError: what the file holds is not the column's Paimon type.
    """
    columns = [_column(batch, field) for field in fields]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(fields))


def _column(batch: pa.RecordBatch, field: DataField) -> Column:
    target: Any = arrow_type(field.type)
    index = batch.schema.get_field_index(field.name)
    if index < 0:
        return pa.nulls(batch.num_rows, target)
    column: Column = batch.column(index)
    if column.type == target:
        return column
    try:
        return column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise FormatError(
            f"a column does not hold its type: {error}",
            column=field.name,
            expected=type_to_text(field.type),
            found=column.type,
        ) from error
