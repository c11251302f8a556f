"""Plans by kind: each computes from metadata what a job would do. Nothing here starts Spark or writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from console.jobs.planning.branch import plan_branch
from console.jobs.planning.compact import plan_compact, plan_vectors
from console.jobs.planning.consumer import plan_consumer
from console.jobs.planning.draft import Asked, Draft, Planner, common_blockers, needs_lease
from console.jobs.planning.expire import plan_expiration
from console.jobs.planning.options import plan_options
from console.jobs.planning.partitions import plan_partitions
from console.jobs.planning.refresh import plan_refresh
from console.jobs.planning.restore import plan_restoration
from console.jobs.planning.rollback import plan_rewind
from console.jobs.planning.tag import plan_tag
from console.jobs.planning.upkeep import plan_analysis, plan_file_index, plan_manifests
from console.jobs.planning.write import plan_write

PLANNERS: Mapping[str, Planner] = MappingProxyType(
    {
        "write": plan_write,
        "refresh": plan_refresh,
        "compact": plan_compact,
        "vectors": plan_vectors,
        "rollback": plan_rewind,
        "restore": plan_restoration,
        "expire": plan_expiration,
        "tag": plan_tag,
        "branch": plan_branch,
        "consumer": plan_consumer,
        "partitions": plan_partitions,
        "options": plan_options,
        "file_index": plan_file_index,
        "manifests": plan_manifests,
        "analyze": plan_analysis,
    }
)

__all__ = ["PLANNERS", "Asked", "Draft", "Planner", "common_blockers", "needs_lease"]
