"""What a column becomes: a value, a copy of another column, or what a function makes of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from core.arrow import arrow_type
from core.errors import InvalidRequestError
from core.types import DataField, type_to_text

SOURCE = "source."  # before the names of a merge's source columns


@dataclass(frozen=True, slots=True)
class Literal:
    """The same value for every row: what Arrow makes a value of the column's type of, or None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Column:
    """The value of another column of the row; that of a merge's source is `source.<name>`."""

    name: str


Expression: TypeAlias = "Literal | Column | Callable[[pa.RecordBatch], Any]"
"""A callable takes the rows, columns of a merge's source included, and gives an Arrow array as long."""


def check_columns(expression: Expression, names: Sequence[str]) -> None:
    """`InvalidRequestError` if a column is copied that the rows will not have, or this is no expression."""
    if not isinstance(expression, Literal | Column) and not callable(expression):
        raise InvalidRequestError(
            "an expression is a Literal, a Column or a callable", found=repr(expression)
        )
    if isinstance(expression, Column) and expression.name not in names:
        raise InvalidRequestError(
            "an expression names no column", column=expression.name, columns=", ".join(names)
        )


def assigned(
    rows: pa.RecordBatch, assignments: Mapping[str, Expression], fields: Sequence[DataField]
) -> pa.Table:
    """The rows in the columns `fields`: those assigned get new values, the others keep theirs.

    All expressions see the rows as they were. Columns that the rows do not have stay out.

    Raises:
        InvalidRequestError: a value is none of its column, or a callable gives no array of all rows.
    """
    columns: dict[str, Any] = {}
    for field in fields:
        if field.name in assignments:
            columns[field.name] = _values(assignments[field.name], rows, field)
        elif field.name in rows.schema.names:
            columns[field.name] = rows.column(field.name)
    return pa.table(columns)


def _values(expression: Expression, rows: pa.RecordBatch, field: DataField) -> Any:
    if isinstance(expression, Literal):
        return _repeat(expression.value, rows.num_rows, field)
    if isinstance(expression, Column):
        return rows.column(expression.name)
    made = expression(rows)
    if not isinstance(made, (pa.Array, pa.ChunkedArray)) or len(made) != rows.num_rows:
        raise InvalidRequestError(
            "an expression gives no array of all rows",
            column=field.name,
            rows=rows.num_rows,
            found=len(made) if isinstance(made, (pa.Array, pa.ChunkedArray)) else type(made).__name__,
        )
    return made


def _repeat(value: Any, count: int, field: DataField) -> Any:
    repeat: Any = pa.repeat  # its stubs want the type spelled out
    try:
        return repeat(pa.scalar(value, arrow_type(field.type)), count)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidRequestError(
            "not a value of the column", column=field.name, type=type_to_text(field.type), value=repr(value)
        ) from error
