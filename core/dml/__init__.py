"""DELETE, UPDATE and MERGE INTO: planned from metadata, then applied into commit messages."""

from core.dml.apply import apply_changes
from core.dml.expressions import Column, Expression, Literal
from core.dml.parts import part_within, parts_of
from core.dml.plan import (
    AsOf,
    ChangePlan,
    Matched,
    MergeClause,
    NotMatched,
    NotMatchedBySource,
    plan_delete,
    plan_merge,
    plan_update,
)

__all__ = [
    "AsOf",
    "ChangePlan",
    "Column",
    "Expression",
    "Literal",
    "Matched",
    "MergeClause",
    "NotMatched",
    "NotMatchedBySource",
    "apply_changes",
    "part_within",
    "parts_of",
    "plan_delete",
    "plan_merge",
    "plan_update",
]
