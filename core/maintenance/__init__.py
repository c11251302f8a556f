"""What keeps a table in order. Each action is planned first, and then the plan is applied.

check/            what is wrong with a table
reach/            which files something reaches, and which can go
expire/           old snapshots and changelogs go
remove_orphans    files that nothing reaches go
tags/ branches/ consumers/ partitions/
analyze/          statistics of the rows, for query engines
rollback          newer snapshots go
rollback_schema   newer schemas go
restore           an old state is committed again
remove_missing, repair_hints, compact_manifests
purge             everything but the schemas goes
notice            what a plan warns of, or is blocked by
"""

from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback

__all__ = ["Guard", "RollbackPlan", "apply_rollback", "plan_rollback"]
