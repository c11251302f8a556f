"""Reading rows: plans and splits -> Arrow batches, and what is refused. Spec: 09, 9."""

from core.read.batch import plan_batch
from core.read.explain import Explanation, FileVerdict, explain_plan
from core.read.planning import plan_read
from core.read.reader import read_plan, read_split
from core.read.row_kinds import RowKinds
from core.read.support import check_readable, unread_features

__all__ = [
    "Explanation",
    "FileVerdict",
    "RowKinds",
    "check_readable",
    "explain_plan",
    "plan_batch",
    "plan_read",
    "read_plan",
    "read_split",
    "unread_features",
]
