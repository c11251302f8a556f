"""The tree of a filter: what is asked of a row, not how it is found out.

A predicate is parsed or built, then bound to a table's fields (`bind`), which turns its
literals into values of the columns' types. Only bound predicates can be evaluated.
Null follows SQL: a comparison with a null is neither true nor false, and only true is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.types import DataType

MAX_DEPTH = 10  # of a tree, and of parentheses in its text


class Operator(StrEnum):
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="

    @property
    def negated(self) -> Operator:
        return _NEGATED[self]


_NEGATED = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.NOT_EQUAL: Operator.EQUAL,
    Operator.LESS: Operator.GREATER_OR_EQUAL,
    Operator.GREATER_OR_EQUAL: Operator.LESS,
    Operator.GREATER: Operator.LESS_OR_EQUAL,
    Operator.LESS_OR_EQUAL: Operator.GREATER,
}


@dataclass(frozen=True, slots=True)
class Predicate:
    """Base of all nodes."""


@dataclass(frozen=True, slots=True)
class Leaf(Predicate):
    """Asks something of one column; `type` is the column's once bound."""

    column: str


@dataclass(frozen=True, slots=True)
class Comparison(Leaf):
    """`column < literal`"""

    operator: Operator
    literal: Any  # an internal value once bound
    type: DataType | None = None


@dataclass(frozen=True, slots=True)
class In(Leaf):
    """`column [NOT] IN (literals)`; there is at least one."""

    literals: tuple[Any, ...]
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, slots=True)
class Like(Leaf):
    """`column [NOT] LIKE pattern`: `%` any text, `_` any one character, `\\` takes the next as it is."""

    pattern: str
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, slots=True)
class IsNull(Leaf):
    """`column IS [NOT] NULL`"""

    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, slots=True)
class And(Predicate):
    children: tuple[Predicate, ...]  # two or more


@dataclass(frozen=True, slots=True)
class Or(Predicate):
    children: tuple[Predicate, ...]  # two or more


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    child: Predicate


def children_of(predicate: Predicate) -> tuple[Predicate, ...]:
    """The nodes directly below, none for a leaf."""
    match predicate:
        case And() | Or():
            return predicate.children
        case Not():
            return (predicate.child,)
        case _:
            return ()


def leaves(predicate: Predicate) -> Iterator[Leaf]:
    """All leaves, from left to right."""
    if isinstance(predicate, Leaf):
        yield predicate
    for child in children_of(predicate):
        yield from leaves(child)


def references(predicate: Predicate) -> tuple[str, ...]:
    """The columns asked of, each once, in the order they first stand."""
    return tuple(dict.fromkeys(leaf.column for leaf in leaves(predicate)))


def split_and(predicate: Predicate) -> list[Predicate]:
    """Parts that must all hold, in order."""
    if isinstance(predicate, And):
        return [part for child in predicate.children for part in split_and(child)]
    return [predicate]


def depth(predicate: Predicate) -> int:
    """1 for a leaf, and one more with each node above."""
    below = children_of(predicate)
    return 1 + max(map(depth, below)) if below else 1


def negate(predicate: Predicate) -> Predicate:
    """What holds where `predicate` is false; both are unknown at the same nulls. No `Not` is added."""
    match predicate:
        case And():
            return Or(tuple(map(negate, predicate.children)))
        case Or():
            return And(tuple(map(negate, predicate.children)))
        case Not():
            return positive(predicate.child)
        case Comparison():
            return Comparison(predicate.column, predicate.operator.negated, predicate.literal, predicate.type)
        case In():
            return In(predicate.column, predicate.literals, not predicate.negated, predicate.type)
        case Like():
            return Like(predicate.column, predicate.pattern, not predicate.negated, predicate.type)
        case IsNull():
            return IsNull(predicate.column, not predicate.negated, predicate.type)
        case _:
            raise TypeError(f"no negation of {predicate!r}")


def positive(predicate: Predicate) -> Predicate:
    """The same question without any `Not`."""
    match predicate:
        case And():
            return And(tuple(map(positive, predicate.children)))
        case Or():
            return Or(tuple(map(positive, predicate.children)))
        case Not():
            return negate(predicate.child)
        case _:
            return predicate
