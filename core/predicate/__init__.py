"""Filters: parse, bind to fields, evaluate on batches and on statistics, print."""

from core.predicate.bind import bind
from core.predicate.evaluate import evaluate, to_expression
from core.predicate.parse import parse_predicate, predicate_of
from core.predicate.predicate import (
    MAX_DEPTH,
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
    leaves,
    negate,
    positive,
    references,
    split_and,
)
from core.predicate.prune import ColumnStats, may_match, passes_nan
from core.predicate.text import predicate_to_text
from core.predicate.translate import translate

__all__ = [
    "MAX_DEPTH",
    "And",
    "ColumnStats",
    "Comparison",
    "In",
    "IsNull",
    "Leaf",
    "Like",
    "Not",
    "Operator",
    "Or",
    "Predicate",
    "bind",
    "evaluate",
    "leaves",
    "may_match",
    "negate",
    "parse_predicate",
    "passes_nan",
    "positive",
    "predicate_of",
    "predicate_to_text",
    "references",
    "split_and",
    "to_expression",
    "translate",
]
