"""Restore: an old state committed again, on top of all others. Design: 7.2."""

from __future__ import annotations

import time
from typing import Any

from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import notices_of, planned_to, shown_amount, shown_partition, with_snapshot
from console.jobs.planning.draft import Asked, Draft, plan_key
from core.maintenance.restore import RestorePlan, plan_restore
from core.maintenance.rollback_data import FileTotals
from core.snapshot import Snapshot

RESTORE_LEVEL = 1


def plan_restoration(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a restoration of the target would take away and bring back; history stays as it is.

    Raises:
        Problem: the target is gone, or there is nothing that it could be restored over.
        PaimonError: the target is damaged; `path` names the object.
    """
    target = with_snapshot(opened, asked.params["to"])
    found = _found(opened, latest, target)
    named = target if "snapshot" not in target else {"snapshot": found.target.id}
    return Draft(
        level=RESTORE_LEVEL,
        work={**named, "base": found.base.reference},
        effects=_effects(found),
        kept=["history", "tags", "consumers", f"schema:{opened.table.schema.id}", "options"],
        undo=None if found.changes_nothing else _undo(found.base),
        blockers=[
            *notices_of(found.blockers),
            *([notice("nothing-to-restore")] if found.changes_nothing and not found.blockers else []),
        ],
    )


def _found(opened: OpenTable, latest: Snapshot | None, target: dict[str, str]) -> RestorePlan:
    now, branch = int(time.time() * 1000), target.get("branch")

    def plan(snapshot_id: int | None, tag: str | None) -> RestorePlan:
        key = plan_key("restore", opened, latest, target)
        return computed(
            key, lambda: plan_restore(opened.table, snapshot_id, tag, branch=branch, now_millis=now)
        )

    return planned_to(opened, target, plan)


def _effects(found: RestorePlan) -> dict[str, Any]:
    change = found.change
    known = change.head_damage is None
    leaving = FileTotals.sum_of(p.leaving for p in change.partitions) if known else None
    returning = FileTotals.sum_of(p.returning for p in change.partitions) if known else None
    return {
        "kind": "restore",
        "to": found.target.reference,
        "to_branch": found.branch,
        "files_leaving": shown_amount(leaving),
        "files_returning": shown_amount(returning) | {"missing": len(change.missing_files)},
        "rows_delta": sum(p.rows_delta for p in change.partitions) if known else None,
        "bytes_delta": sum(p.size_delta for p in change.partitions) if known else None,
        "partitions": [shown_partition(p) for p in change.partitions],
        "tag_made": found.tag if found.makes_tag else None,
        "next_id": found.base.id + 1,
    }


def _undo(base: Snapshot) -> dict[str, Any]:
    """History stays, so the present state is restored in the same way."""
    return {"kind": "restore", "branch": None, "tag": None, "rewrites_bytes": None, "detail": base.reference}
