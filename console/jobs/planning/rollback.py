"""Rollback as a rewind: what history goes, which files leave and come back, who is affected. Design: 7.2."""

from __future__ import annotations

import time
from typing import Any

from console.api.damage import damage_of
from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import (
    planned_to,
    shown_amount,
    shown_partition,
    shown_snapshot,
    with_snapshot,
)
from console.jobs.planning.draft import Asked, Draft, plan_key
from console.jobs.planning.writers import at_work
from core.io.paths import MAIN_BRANCH
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback
from core.snapshot import Snapshot

REWIND_LEVEL = 2


def plan_rewind(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a rewind to the target would remove and bring back; unknown where the latest snapshot is damaged.

    Raises:
        Problem: the target is gone, or there is nothing to roll back from.
        PaimonError: the target itself is damaged; `path` names the object.
    """
    params = asked.params
    target = with_snapshot(opened, params["to"])
    found = _found(opened, latest, target)
    guard = params["guard"] and opened.branch == MAIN_BRANCH
    return Draft(
        level=REWIND_LEVEL,
        work=_work(found, target, guard, params["reset_consumers"]),
        effects=_effects(found),
        kept=[f"schema:{found.schema_id}", "options"],
        undo=_undo(found, f"guard-{asked.job_id}") if guard else None,
        warnings=_warnings(found, guard, params["reset_consumers"]),
        blockers=_blockers(found),
    )


def _found(opened: OpenTable, latest: Snapshot | None, target: dict[str, str]) -> RollbackPlan:
    now = int(time.time() * 1000)

    def plan(snapshot_id: int | None, tag: str | None) -> RollbackPlan:
        key = plan_key("rollback", opened, latest, target)
        return computed(key, lambda: plan_rollback(opened.table, snapshot_id, tag=tag, now_millis=now))

    return planned_to(opened, target, plan)


def _work(found: RollbackPlan, target: dict[str, str], guard: bool, resets: bool) -> dict[str, Any]:
    """Always an explicit snapshot or tag, so that a tag of digits is never taken for an id."""
    named = {"tag": target["tag"]} if "tag" in target else {"snapshot": found.target.id}
    return {**named, "guard": guard, "history": list(found.history), "reset_consumers": resets}


def _effects(found: RollbackPlan) -> dict[str, Any]:
    return {
        "kind": "rollback",
        "to": found.target.reference,
        "snapshots_removed": [shown_snapshot(snapshot) for snapshot in found.removed_snapshots],
        "tags_removed": list(found.removed_tags),
        "changelogs_removed": list(found.removed_changelogs),
        "files_leaving": shown_amount(found.leaving),
        "files_returning": shown_amount(found.returning) | {"missing": len(found.missing_files)},
        "rows_delta": found.rows_delta,
        "bytes_delta": found.size_delta,
        "partitions": [shown_partition(change) for change in found.partitions],
        "consumers_affected": [consumer.id for consumer in found.consumers],
        "branches_affected": list(found.branches),
        "schema_stays": found.schema_id,
        "next_id": found.next_id,
        "unreferenced_bytes": None if found.leaving is None else found.leaving.size,
    }


def _undo(found: RollbackPlan, guard: str) -> dict[str, Any] | None:
    """How to come back: the guard keeps the state that the table has now, not the history up to it.

    None where there is nothing to come back to: a guard of a damaged head keeps it as damaged as it is.
    """
    if found.changes_nothing or found.leaving is None:
        return None
    return {
        "kind": "restore_as_commit",
        "branch": guard,
        "tag": f"{guard}-target",
        "rewrites_bytes": found.leaving.size,
        "detail": found.base.reference,
    }


def _warnings(found: RollbackPlan, guard: bool, resets: bool) -> list[dict[str, Any]]:
    ahead = "consumer-reset" if resets else "consumer-ahead"
    return [
        *_head_damage(found),
        *(notice(ahead, ref=c.id, next=c.next_snapshot, to=found.next_id) for c in found.consumers),
        *(notice("recent-writer", ref=user) for user in at_work(w.user for w in found.recent_writers)),
        *(notice("tags-removed", ref=name) for name in found.removed_tags),
        *(notice("branch-after-target", ref=name) for name in found.branches),
        *([] if guard else [notice("no-guard")]),
    ]


def _head_damage(found: RollbackPlan) -> list[dict[str, Any]]:
    if found.head_damage is None:
        return []
    damage = damage_of(found.head_damage, kind="snapshot", name=found.base.reference)
    return [notice(f"head-{damage.code}", ref=damage.name, snapshot=found.base.reference)]


def _blockers(found: RollbackPlan) -> list[dict[str, Any]]:
    blockers = []
    if found.missing_files:
        first = found.missing_files[0].rpartition("/")[2]
        blockers.append(notice("missing-files", count=len(found.missing_files), first=first))
    if found.changes_nothing:
        blockers.append(notice("nothing-to-roll-back"))
    return blockers
