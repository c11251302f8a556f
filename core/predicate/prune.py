"""Bound predicates over statistics: which files, manifests or partitions may hold a match. Spec: 03, 5.3.

An answer "no" is a promise, "yes" is not. Nothing is known of a null bound, and bounds may lie
further out than the values (texts are cut). All files are asked at once, a vector a test.

Many writers leave NaN out of bounds (Arrow, ORC, and what takes its numbers from them), so
bounds say nothing to a test that NaN passes: `f > 9` keeps a file whose largest number is 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.predicate.evaluate import is_floating, scalar
from core.predicate.predicate import (
    And,
    Comparison,
    In,
    IsNull,
    Leaf,
    Like,
    Operator,
    Or,
    Predicate,
    positive,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_MANY_LITERALS = 64  # beyond, a list is taken as the range it spans


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """Statistics of one column, a row for each file; a null is unknown."""

    minimum: Any  # pa.Array of the column's canonical type, a lower bound
    maximum: Any  # an upper bound
    null_count: Any  # pa.Int64Array

    def take(self, rows: Any) -> ColumnStats:
        return ColumnStats(self.minimum.take(rows), self.maximum.take(rows), self.null_count.take(rows))


def may_match(predicate: Predicate, stats: Mapping[str, ColumnStats], row_count: Any) -> pa.BooleanArray:
    """False where no row can satisfy the bound predicate; no nulls.

    `row_count` has the rows of each file. Of columns without statistics nothing is known.
    """
    result: pa.BooleanArray = _may_match(positive(predicate), stats, row_count)
    return result


def _may_match(predicate: Predicate, stats: Mapping[str, ColumnStats], row_count: Any) -> Any:
    match predicate:
        case And():
            return reduce(pc.and_, (_may_match(child, stats, row_count) for child in predicate.children))
        case Or():
            return reduce(pc.or_, (_may_match(child, stats, row_count) for child in predicate.children))
        case Leaf():
            known = stats.get(predicate.column)
            if known is None:
                return pa.repeat(True, len(row_count))
            return _test(predicate, known, row_count)
        case _:
            raise TypeError(f"cannot evaluate {predicate!r}")


def _test(leaf: Leaf, stats: ColumnStats, row_count: Any) -> Any:
    if isinstance(leaf, IsNull) and not leaf.negated:
        return _unless(pc.equal(stats.null_count, 0))
    some_value = _unless(pc.equal(stats.null_count, row_count))
    if isinstance(leaf, IsNull):
        return some_value
    if passes_nan(leaf) or _is_nan(leaf):
        return some_value
    low, high = _ordered(stats.minimum), _ordered(stats.maximum)
    both = pc.and_(pc.is_valid(low), pc.is_valid(high))
    # Where a bound is unknown the answer is null: then the file stays.
    possible = pc.if_else(both, _between(leaf, low, high), pa.scalar(None, pa.bool_()))
    return pc.and_(some_value, pc.fill_null(possible, True))


def passes_nan(leaf: Leaf) -> bool:
    """Whether a NaN satisfies the leaf, which no `Not` stands above."""
    match leaf:
        case Comparison() if is_floating(leaf.type):
            if math.isnan(leaf.literal):
                return leaf.operator not in (Operator.NOT_EQUAL, Operator.LESS, Operator.GREATER)
            return leaf.operator in (Operator.NOT_EQUAL, Operator.GREATER, Operator.GREATER_OR_EQUAL)
        case In() if is_floating(leaf.type):
            return leaf.negated != any(map(math.isnan, leaf.literals))
        case _:
            return False


def _is_nan(leaf: Leaf) -> bool:
    return isinstance(leaf, Comparison) and is_floating(leaf.type) and math.isnan(leaf.literal)


def _unless(impossible: Any) -> Any:
    """True unless it is known to be impossible."""
    return pc.invert(pc.fill_null(impossible, False))


def _ordered(bound: Any) -> Any:
    """NaN has no place in the order: as a bound it says nothing."""
    if not pa.types.is_floating(bound.type):
        return bound
    return pc.if_else(pc.is_nan(bound), pa.scalar(None, bound.type), bound)


def _between(leaf: Leaf, low: Any, high: Any) -> Any:
    """Whether a value within the bounds can pass; null bounds may give anything."""
    match leaf:
        case Comparison():
            return _compare(leaf.operator, scalar(leaf.literal, leaf.type), low, high)
        case In(negated=False):
            return _any_of(leaf, low, high)
        case In():
            literals = (scalar(v, leaf.type) for v in leaf.literals)
            return reduce(pc.and_, (_compare(Operator.NOT_EQUAL, v, low, high) for v in literals))
        case Like(negated=False):
            prefix = pattern_prefix(leaf.pattern)
            return pc.and_(
                pc.greater_equal(high, prefix),
                pc.or_(pc.less_equal(low, prefix), pc.starts_with(low, prefix)),
            )
        case _:
            return pa.repeat(True, len(low))


def _compare(operator: Operator, value: Any, low: Any, high: Any) -> Any:
    match operator:
        case Operator.EQUAL:
            return pc.and_(pc.less_equal(low, value), pc.greater_equal(high, value))
        case Operator.NOT_EQUAL:
            return pc.or_(pc.not_equal(low, value), pc.not_equal(high, value))
        case Operator.LESS:
            return pc.less(low, value)
        case Operator.LESS_OR_EQUAL:
            return pc.less_equal(low, value)
        case Operator.GREATER:
            return pc.greater(high, value)
        case Operator.GREATER_OR_EQUAL:
            return pc.greater_equal(high, value)


def _any_of(leaf: In, low: Any, high: Any) -> Any:
    if len(leaf.literals) > _MANY_LITERALS:
        first, last = scalar(min(leaf.literals), leaf.type), scalar(max(leaf.literals), leaf.type)
        return pc.and_(pc.less_equal(low, last), pc.greater_equal(high, first))
    literals = (scalar(v, leaf.type) for v in leaf.literals)
    return reduce(pc.or_, (_compare(Operator.EQUAL, v, low, high) for v in literals))


def pattern_prefix(pattern: str) -> str:
    """The text that everything a LIKE pattern matches begins with."""
    prefix, characters = [], iter(pattern)
    for character in characters:
        if character in "%_":
            break
        prefix.append(next(characters) if character == "\\" else character)
    return "".join(prefix)
