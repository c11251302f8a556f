"""Rollback as a rewind: what history goes, which files leave and come back, who is affected. Design: 7.2."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from console.api.damage import damage_of
from console.api.errors import Problem
from console.api.fields import from_millis, rfc3339
from console.inspector.cache import computed
from console.inspector.labels import UNPARTITIONED
from console.inspector.opening import OpenTable
from console.inspector.pinning import resolve_id
from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.planning.draft import Asked, Draft, plan_key
from console.jobs.states import ENDED
from core.errors import InvalidRequestError, NotFoundError
from core.io.paths import MAIN_BRANCH
from core.jobs import job_of_commit_user
from core.maintenance.rollback_data import FileTotals, PartitionChange
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback
from core.partition import parse_partition_path
from core.snapshot import Snapshot

REWIND_LEVEL = 2


def plan_rewind(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a rewind to the target would remove and bring back; unknown where the latest snapshot is damaged.

    Raises:
        Problem: the target is gone, or there is nothing to roll back from.
        PaimonError: the target itself is damaged; `path` names the object.
    """
    params = asked.params
    found = _found(opened, latest, params["to"])
    guard = params["guard"] and opened.branch == MAIN_BRANCH
    return Draft(
        level=REWIND_LEVEL,
        work=_work(found, params["to"], guard),
        effects=_effects(found),
        kept=[f"schema:{found.schema_id}", "options"],
        undo=_undo(found, f"guard-{asked.job_id}") if guard else None,
        warnings=_warnings(found, guard),
        blockers=_blockers(found),
    )


def _found(opened: OpenTable, latest: Snapshot | None, target: dict[str, str]) -> RollbackPlan:
    now = int(time.time() * 1000)
    try:
        tag = target.get("tag")
        snapshot_id = None if tag is not None else resolve_id(opened, target["snapshot"]).id
        key = plan_key("rollback", opened, latest, target)
        return computed(key, lambda: plan_rollback(opened.table, snapshot_id, tag=tag, now_millis=now))
    except NotFoundError as error:
        if not {"tag", "snapshot", "snapshot_id"} & error.fields.keys():
            raise  # the target is there, and something that the comparison needs is not
        kind, name = ("tag", target["tag"]) if "tag" in target else ("snapshot", target["snapshot"])
        raise Problem("not-found", kind=kind, name=name) from error
    except InvalidRequestError as error:
        raise Problem(
            "validation-failed",
            errors=[{"pointer": "/params/to", "code": "invalid-target", "detail": str(error)}],
        ) from error


def _work(found: RollbackPlan, target: dict[str, str], guard: bool) -> dict[str, Any]:
    """Always an explicit snapshot or tag, so that a tag of digits is never taken for an id."""
    named = {"tag": target["tag"]} if "tag" in target else {"snapshot": found.target.id}
    return {**named, "guard": guard, "history": list(found.history)}


def _effects(found: RollbackPlan) -> dict[str, Any]:
    return {
        "kind": "rollback",
        "to": found.target.reference,
        "snapshots_removed": [_removed(snapshot) for snapshot in found.removed_snapshots],
        "tags_removed": list(found.removed_tags),
        "changelogs_removed": list(found.removed_changelogs),
        "files_leaving": _amount(found.leaving),
        "files_returning": _amount(found.returning) | {"missing": len(found.missing_files)},
        "rows_delta": found.rows_delta,
        "bytes_delta": found.size_delta,
        "partitions": [_partition(change) for change in found.partitions],
        "consumers_affected": [consumer.id for consumer in found.consumers],
        "branches_affected": list(found.branches),
        "schema_stays": found.schema_id,
        "next_id": found.next_id,
        "unreferenced_bytes": None if found.leaving is None else found.leaving.size,
    }


def _removed(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "ref": snapshot.reference,
        "kind": snapshot.commit_kind.value.lower(),
        "committed_at": rfc3339(from_millis(snapshot.time_millis)),
        "commit_user": snapshot.commit_user,
    }


def _amount(totals: FileTotals | None) -> dict[str, int | None]:
    """Null is unknown: the head cannot be read."""
    if totals is None:
        return {"count": None, "bytes": None}
    return {"count": totals.count, "bytes": totals.size}


def _partition(change: PartitionChange) -> dict[str, Any]:
    return {
        "partition": partition_label(change.partition),
        "rows_delta": change.rows_delta,
        "bytes_delta": change.size_delta,
    }


def partition_label(path: str) -> str:
    """A partition's directory as lists spell partitions."""
    if not path:
        return UNPARTITIONED
    return ",".join(f"{key}={'' if text is None else text}" for key, text in parse_partition_path(path))


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


def _at_work(users: Iterable[str]) -> list[str]:
    """The writers that may commit again: all but jobs of this console that have ended."""
    jobs = {user: job_of_commit_user(user) for user in users}
    ended = Job.objects.filter(public_id__in=[job for job in jobs.values() if job], state__in=ENDED)
    gone = set(ended.values_list("public_id", flat=True))
    return [user for user, job in jobs.items() if job not in gone]


def _warnings(found: RollbackPlan, guard: bool) -> list[dict[str, Any]]:
    return [
        *_head_damage(found),
        *(notice("consumer-ahead", ref=c.id, next=c.next_snapshot) for c in found.consumers),
        *(notice("recent-writer", ref=user) for user in _at_work(w.user for w in found.recent_writers)),
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
