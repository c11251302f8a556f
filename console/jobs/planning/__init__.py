"""Plans by kind: each computes from metadata what a job would do. Nothing here starts Spark or writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from console.jobs.planning.compact import plan_compact
from console.jobs.planning.draft import Asked, Draft, Planner, common_blockers
from console.jobs.planning.rollback import plan_rewind
from console.jobs.planning.write import plan_write

PLANNERS: Mapping[str, Planner] = MappingProxyType(
    {"write": plan_write, "compact": plan_compact, "rollback": plan_rewind}
)

__all__ = ["PLANNERS", "Asked", "Draft", "Planner", "common_blockers"]
