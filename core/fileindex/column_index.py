"""What all indexes of a column have in common: which rows may satisfy a test. Spec: 05, 9.

The answer is a set of row positions that holds every row of the file that satisfies the
test, and perhaps others; an empty set means that the file can be skipped. None says that
the index cannot tell. A filter is still evaluated on the rows that are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TypeAlias

from pyroaring import BitMap

from core.predicate import Comparison, In, IsNull, Leaf, Operator

Rows: TypeAlias = BitMap | None


class ColumnIndex:
    """An index that tells nothing; each type overrides what it can tell."""

    def any_of(self, leaf_values: Sequence[object]) -> Rows:
        """Rows that have one of the values."""
        return None

    def none_of(self, leaf_values: Sequence[object]) -> Rows:
        """Rows that have another value."""
        return None

    def compared(self, operator: Operator, value: object) -> Rows:
        """Rows whose value is less or greater; `operator` is neither `=` nor `<>`."""
        return None

    def nulls(self) -> Rows:
        """Rows without a value."""
        return None

    def not_nulls(self) -> Rows:
        """Rows with a value."""
        return None


class EmptyIndex(ColumnIndex):
    """Of a column that saw no record: nothing can be found. Spec: 05, 4 and 9."""

    def any_of(self, leaf_values: Sequence[object]) -> Rows:
        return BitMap()

    def compared(self, operator: Operator, value: object) -> Rows:
        return BitMap()

    def not_nulls(self) -> Rows:
        return BitMap()


def rows_of(index: ColumnIndex, leaf: Leaf) -> Rows:
    """The answer of an index of the leaf's column."""
    match leaf:
        case Comparison(operator=Operator.EQUAL):
            return index.any_of((leaf.literal,))
        case Comparison(operator=Operator.NOT_EQUAL):
            return index.none_of((leaf.literal,))
        case Comparison():
            return index.compared(leaf.operator, leaf.literal)
        case In():
            return index.none_of(leaf.literals) if leaf.negated else index.any_of(leaf.literals)
        case IsNull():
            return index.not_nulls() if leaf.negated else index.nulls()
        case _:
            return None


def union(sets: Sequence[BitMap]) -> BitMap:
    """All rows of some sets."""
    return reduce(or_, sets, BitMap())
