"""DELETE, UPDATE and MERGE INTO: planned from metadata, then applied into commit messages."""

from core.dml.apply import apply_changes
from core.dml.expressions import Column, Expression, Literal
from core.dml.plan import (
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
    "ChangePlan",
    "Column",
    "Expression",
    "Literal",
    "Matched",
    "MergeClause",
    "NotMatched",
    "NotMatchedBySource",
    "apply_changes",
    "plan_delete",
    "plan_merge",
    "plan_update",
]
