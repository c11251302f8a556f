"""Lets old snapshots and changelogs go. Spec: 08, 6."""

from core.maintenance.expire.changelogs import apply_expire_changelogs, plan_expire_changelogs
from core.maintenance.expire.plan import ExpirePlan
from core.maintenance.expire.snapshots import apply_expire_snapshots, kept_from, plan_expire_snapshots

__all__ = [
    "ExpirePlan",
    "apply_expire_changelogs",
    "apply_expire_snapshots",
    "kept_from",
    "plan_expire_changelogs",
    "plan_expire_snapshots",
]
