"""Bound predicates over batches, and as expressions for pyarrow's own readers.

NaN equals itself and is above all numbers, and both zeros are one number, as in Spark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
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
            if is_floating(leaf.type):
                return _compare_floats(leaf, column)
            return _FUNCTIONS[leaf.operator](column, scalar(leaf.literal, leaf.type))
        case In():
            return _in(leaf, column)
        case Like():
            matched = _like(column, leaf.pattern)
            return pc.invert(matched) if leaf.negated else matched
        case IsNull():
            return pc.is_valid(column) if leaf.negated else pc.is_null(column)
        case _:
            raise TypeError(f"cannot evaluate {leaf!r}")


def _like(column: Any, pattern: str) -> Any:
    """Arrow takes a backslash for itself in patterns that only begin, end or hold a text."""
    if "\\" not in pattern:
        return pc.match_like(column, pattern)
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    regex = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in parts)
    return pc.match_substring_regex(column, f"(?s)^{regex}$")


def is_floating(data_type: DataType | None) -> bool:
    """Whether values of the type have NaN among them, which equals itself and is above all numbers."""
    return isinstance(data_type, (FloatType, DoubleType))


def _compare_floats(leaf: Comparison, column: Any) -> Any:
    """Arrow finds nothing about a NaN true but `<>`; Java and Spark have an order for it."""
    is_nan = pc.is_nan(column)
    if math.isnan(leaf.literal):
        return _OF_NAN[leaf.operator](is_nan)
    found = _FUNCTIONS[leaf.operator](column, scalar(leaf.literal, leaf.type))
    return pc.or_kleene(found, is_nan) if leaf.operator in _ABOVE else found


_ABOVE = (Operator.GREATER, Operator.GREATER_OR_EQUAL)
_OF_NAN: Mapping[Operator, Callable[[Any], Any]] = {
    Operator.EQUAL: lambda is_nan: is_nan,
    Operator.NOT_EQUAL: lambda is_nan: pc.invert(is_nan),
    Operator.LESS: lambda is_nan: pc.invert(is_nan),
    Operator.LESS_OR_EQUAL: lambda is_nan: pc.or_kleene(is_nan, pc.invert(is_nan)),  # null stays null
    Operator.GREATER: lambda is_nan: pc.and_kleene(is_nan, pc.invert(is_nan)),
    Operator.GREATER_OR_EQUAL: lambda is_nan: is_nan,
}


def _in(leaf: In, column: Any) -> Any:
    """`is_in` answers false for null; SQL answers null."""
    found = pc.is_in(column, options=pc.SetLookupOptions(value_set=_value_set(leaf)))
    answer = pc.invert(found) if leaf.negated else found
    return pc.if_else(pc.is_valid(column), answer, pa.scalar(None, pa.bool_()))


def _value_set(leaf: In) -> Any:
    """The literals; 0 of a float with both its signs, which `=` takes for one and `is_in` for two."""
    data_type = _bound(leaf.type)
    zeros = is_floating(data_type) and 0 in leaf.literals
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
