"""Predicate -> text that `parse_predicate` reads back."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from core.predicate.parse import KEYWORDS
from core.predicate.predicate import And, Comparison, In, IsNull, Like, Not, Or, Predicate
from core.types import (
    DataType,
    DateType,
    LocalZonedTimestampType,
    Timestamp,
    TimestampType,
    TimeType,
    cast_text,
    quote_identifier,
)

_PLAIN_NAME = re.compile(r"[^\W\d][\w$]*")


def predicate_to_text(predicate: Predicate) -> str:
    """`a = 1 AND (b IS NULL OR c LIKE 'x%')`; names in back quotes only where they must be."""
    match predicate:
        case And():
            return " AND ".join(map(_enclosed, predicate.children))
        case Or():
            return " OR ".join(map(_enclosed, predicate.children))
        case Not():
            return f"NOT {_enclosed(predicate.child)}"
        case Comparison():
            literal = literal_text(predicate.literal, predicate.type)
            return f"{name_text(predicate.column)} {predicate.operator} {literal}"
        case In():
            literals = ", ".join(literal_text(v, predicate.type) for v in predicate.literals)
            return f"{name_text(predicate.column)} {_not(predicate.negated)}IN ({literals})"
        case Like():
            pattern = literal_text(predicate.pattern, None)
            return f"{name_text(predicate.column)} {_not(predicate.negated)}LIKE {pattern}"
        case IsNull():
            return f"{name_text(predicate.column)} IS {_not(predicate.negated)}NULL"
        case _:
            raise TypeError(f"no text for {predicate!r}")


def _enclosed(predicate: Predicate) -> str:
    text = predicate_to_text(predicate)
    return f"({text})" if isinstance(predicate, (And, Or)) else text


def _not(negated: bool) -> str:
    return "NOT " if negated else ""


def name_text(column: str) -> str:
    """The column's name, quoted when it is no plain word."""
    plain = _PLAIN_NAME.fullmatch(column) and column.upper() not in KEYWORDS
    return column if plain else quote_identifier(column)


def literal_text(value: Any, data_type: DataType | None) -> str:
    """A literal, in the form of its column's type once it is bound."""
    if isinstance(value, Timestamp) and isinstance(data_type, (TimestampType, LocalZonedTimestampType)):
        return f"'{cast_text(TimestampType(9), value).rstrip('0').rstrip('.')}'"
    if isinstance(data_type, DateType) and isinstance(value, int):
        return f"'{cast_text(data_type, value)}'"
    if isinstance(data_type, TimeType) and isinstance(value, int):
        return f"'{cast_text(TimeType(3), value)}'"
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case Decimal():
            return str(value)
        case float() if math.isinf(value):
            return "'Infinity'" if value > 0 else "'-Infinity'"
        case float() if math.isnan(value):
            return "'NaN'"
        case _:
            return repr(value)
