"""The parts of a filter that a file's own statistics can answer. Spec: 09, 4.

A filter speaks of columns as they are read; a file has them under other names, in other
types, or not at all. What does not carry over is left out: rows are filtered later anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.datafile.read import RowFilter
from core.predicate import (
    And,
    Comparison,
    In,
    Leaf,
    Not,
    Operator,
    Or,
    Predicate,
    leaves,
    references,
    to_expression,
)
from core.schema.evolution import FieldMapping
from core.types import DataField, DoubleType, FloatType


def row_filters(conjuncts: Sequence[Predicate], mapping: FieldMapping) -> list[RowFilter]:
    """Each conjunct that holds in the file as it does in the table, in the file's names."""
    of_file = {
        target.name: source
        for target, source in zip(mapping.targets, mapping.sources, strict=True)
        if source is not None and _same_type(source, target)
    }
    return [
        RowFilter(tuple(of_file[name] for name in names), to_expression(_renamed(conjunct, of_file)))
        for conjunct in conjuncts
        if (names := references(conjunct)) and set(names) <= set(of_file) and _orders_nan(conjunct, of_file)
    ]


def _same_type(source: DataField, target: DataField) -> bool:
    return source.type.with_nullability(True) == target.type.with_nullability(True)


def _orders_nan(conjunct: Predicate, of_file: dict[str, DataField]) -> bool:
    """False for `x <> 1` on a FLOAT: NaN satisfies it, and statistics may leave NaN out."""
    floats = {name for name, field in of_file.items() if isinstance(field.type, (FloatType, DoubleType))}
    if not floats & set(references(conjunct)):
        return True
    return not _has_not(conjunct) and not any(_is_negative(leaf) for leaf in leaves(conjunct))


def _has_not(predicate: Predicate) -> bool:
    match predicate:
        case Not():
            return True
        case And() | Or():
            return any(_has_not(child) for child in predicate.children)
        case _:
            return False


def _is_negative(leaf: Leaf) -> bool:
    match leaf:
        case Comparison():
            return leaf.operator is Operator.NOT_EQUAL
        case In():
            return leaf.negated
        case _:
            return False


def _renamed(predicate: Predicate, of_file: dict[str, DataField]) -> Predicate:
    match predicate:
        case And():
            return And(tuple(_renamed(child, of_file) for child in predicate.children))
        case Or():
            return Or(tuple(_renamed(child, of_file) for child in predicate.children))
        case Not():
            return Not(_renamed(predicate.child, of_file))
        case Leaf():
            return replace(predicate, column=of_file[predicate.column].name)
        case _:
            raise TypeError(f"cannot rename {predicate!r}")
