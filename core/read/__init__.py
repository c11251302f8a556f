"""Reading rows: plans and splits -> Arrow batches, and what is refused. Spec: 09, 9."""

from core.read.planning import plan_read
from core.read.reader import read_plan, read_split
from core.read.support import check_readable, unread_features

__all__ = ["check_readable", "plan_read", "read_plan", "read_split", "unread_features"]
