"""Bound predicates over batches, and as expressions for pyarrow's own readers."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import from_python
from core.errors import InvalidRequestError
from core.predicate.predicate import (
    And,
    Comparison,
    In,
    IsNull,
    Leaf,
    Like,
    Not,
    Operator,
    Or,
    Predicate,
    positive,
)
from core.types import DataType, DoubleType, FloatType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_FUNCTIONS = {
    Operator.EQUAL: pc.equal,
    Operator.NOT_EQUAL: pc.not_equal,
    Operator.LESS: pc.less,
    Operator.LESS_OR_EQUAL: pc.less_equal,
    Operator.GREATER: pc.greater,
    Operator.GREATER_OR_EQUAL: pc.greater_equal,
}


def evaluate(predicate: Predicate, batch: pa.RecordBatch) -> pa.BooleanArray:
    """True for the rows that satisfy a bound predicate; no nulls.

    Raises:
        InvalidRequestError: the predicate is not bound, or the batch lacks a column of it.
    """
    result: pa.BooleanArray = pc.fill_null(_evaluate(predicate, batch), False)
    return result


def _evaluate(predicate: Predicate, batch: pa.RecordBatch) -> Any:
    """True, false or null for each row."""
    match predicate:
        case And():
            return reduce(pc.and_kleene, (_evaluate(child, batch) for child in predicate.children))
        case Or():
            return reduce(pc.or_kleene, (_evaluate(child, batch) for child in predicate.children))
        case Not():
            return pc.invert(_evaluate(predicate.child, batch))
        case Leaf():
            if predicate.column not in batch.schema.names:
                raise InvalidRequestError("a filter needs a column that is not read", column=predicate.column)
            return answers(predicate, batch.column(predicate.column))
        case _:
            raise TypeError(f"cannot evaluate {predicate!r}")


def answers(leaf: Leaf, column: Any) -> Any:
    """The answers of one leaf for a column, or the expression for a field."""
    match leaf:
        case Comparison():
            return _FUNCTIONS[leaf.operator](column, scalar(leaf.literal, leaf.type))
        case In():
            return _in(leaf, column)
        case Like():
            matched = pc.match_like(column, leaf.pattern)
            return pc.invert(matched) if leaf.negated else matched
        case IsNull():
            return pc.is_valid(column) if leaf.negated else pc.is_null(column)
        case _:
            raise TypeError(f"cannot evaluate {leaf!r}")


def _in(leaf: In, column: Any) -> Any:
    """`is_in` answers false for null; SQL answers null."""
    found = pc.is_in(column, options=pc.SetLookupOptions(value_set=_value_set(leaf)))
    answer = pc.invert(found) if leaf.negated else found
    return pc.if_else(pc.is_valid(column), answer, pa.scalar(None, pa.bool_()))


def _value_set(leaf: In) -> Any:
    """The literals; 0 of a float with both its signs, which `=` takes for one and `is_in` for two."""
    data_type = _bound(leaf.type)
    zeros = isinstance(data_type, FloatType | DoubleType) and 0 in leaf.literals
    return from_python((*leaf.literals, 0.0, -0.0) if zeros else leaf.literals, data_type)


def scalar(value: Any, data_type: DataType | None) -> Any:
    """A literal of a bound predicate as an Arrow scalar."""
    return from_python([value], _bound(data_type))[0]


def _bound(data_type: DataType | None) -> DataType:
    if data_type is None:
        raise InvalidRequestError("a filter must be bound to the table's fields before it is used")
    return data_type


def to_expression(predicate: Predicate) -> Any:
    """A bound predicate as a pyarrow expression that is true for the rows that `evaluate` keeps.

    The columns must have the canonical Arrow forms of the types the predicate is bound to.
    """
    return _expression(positive(predicate))


def _expression(predicate: Predicate) -> Any:
    """Without any `Not` above it, a leaf may say false for null: both drop the row."""
    match predicate:
        case And():
            return reduce(pc.and_kleene, map(_expression, predicate.children))
        case Or():
            return reduce(pc.or_kleene, map(_expression, predicate.children))
        case In():
            field = pc.field(predicate.column)
            found = field.isin(_value_set(predicate))
            return field.is_valid() & ~found if predicate.negated else found
        case Leaf():
            return answers(predicate, pc.field(predicate.column))
        case _:
            raise TypeError(f"cannot evaluate {predicate!r}")
