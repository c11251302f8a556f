"""Filters in the names and types of an older schema. Spec: 09, 4.

A filter speaks of columns as they are read; a file has them under other names, in other
types, or not at all. What does not carry over is left out: rows are filtered later anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from core.predicate.predicate import And, Comparison, In, IsNull, Like, Not, Or, Predicate, references
from core.types import BigIntType, DataField, DataType, IntType, SmallIntType, TinyIntType

_AnyLeaf: TypeAlias = Comparison | In | Like | IsNull
_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


def translate(
    conjuncts: Sequence[Predicate], fields: Sequence[DataField], file_fields: Sequence[DataField]
) -> list[Predicate]:
    """Those of the bound `conjuncts` that hold in a file exactly as they do in what is read.

    Args:
        conjuncts: over columns of `fields`.
        fields: as rows are read.
        file_fields: as the file has them; columns are the same where their ids are.
    """
    by_id = {field.id: field for field in file_fields}
    stored = {field.name: by_id[field.id] for field in fields if field.id in by_id}
    translated = (_translated(conjunct, stored) for conjunct in conjuncts if references(conjunct))
    return [predicate for predicate in translated if predicate is not None]


def _translated(predicate: Predicate, stored: Mapping[str, DataField]) -> Predicate | None:
    match predicate:
        case And() | Or():
            parts = [_translated(child, stored) for child in predicate.children]
            known = tuple(part for part in parts if part is not None)
            return replace(predicate, children=known) if len(known) == len(parts) else None
        case Not():
            child = _translated(predicate.child, stored)
            return None if child is None else Not(child)
        case Comparison() | In() | Like() | IsNull():
            field = stored.get(predicate.column)
            return None if field is None else _leaf(predicate, field)
        case _:
            raise TypeError(f"cannot translate {predicate!r}")


def _leaf(leaf: _AnyLeaf, field: DataField) -> Predicate | None:
    bound = leaf.type
    if bound is None:
        return None
    same = bound.with_nullability(True) == field.type.with_nullability(True)
    if not same and not _narrows(leaf, bound, field.type):
        return None
    return replace(leaf, column=field.name, type=field.type)


def _narrows(leaf: _AnyLeaf, bound: DataType, stored: DataType) -> bool:
    """Whether an integer column was narrower when the file was written, and had room for the literals."""
    bits, wide = _BITS.get(type(stored)), _BITS.get(type(bound))
    if bits is None or wide is None or bits > wide:
        return False
    literals: tuple[Any, ...] = ()
    if isinstance(leaf, Comparison):
        literals = (leaf.literal,)
    elif isinstance(leaf, In):
        literals = leaf.literals
    return all(-(1 << bits - 1) <= literal < 1 << bits - 1 for literal in literals)
