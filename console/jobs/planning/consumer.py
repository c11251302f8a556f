"""Consumers: moved to another snapshot, or forgotten. Design: 7.6."""

from __future__ import annotations

from typing import Any

from console.api.errors import Problem
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import id_in_history, notices_of, refused
from console.jobs.planning.draft import Asked, Draft
from core.errors import InvalidRequestError
from core.maintenance.consumers import ResetConsumerPlan, plan_reset_consumer
from core.snapshot import Consumer, Snapshot

CONSUMER_ACTIONS = ("reset", "delete")
LEVEL = 1  # what a reader has still to read may expire


def plan_consumer(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a consumer would read next, and which snapshots nobody waits for any more.

    Raises:
        Problem: there is no such snapshot, no consumer to forget, or the id is none.
    """
    params = asked.params
    to = id_in_history(opened, params["snapshot"]) if params["action"] == "reset" else None
    try:
        plan = plan_reset_consumer(opened.table, params["name"], to)
    except InvalidRequestError as error:
        raise refused("name", error) from error
    if params["name"] not in opened.table.consumers.ids():
        raise Problem("not-found", kind="consumer", name=params["name"])
    work = {"consumer": plan.consumer}
    return Draft(
        level=LEVEL,
        job="reset-consumer",
        work=work if to is None else {**work, "next": to},
        effects=_effects(opened, params["action"], plan),
        kept=["rows", "history"],
        undo=None if plan.before is None else _undo(plan.before),
        warnings=[
            *notices_of(plan.warnings),
            *([notice("consumer-forgotten", consumer=plan.consumer)] if to is None else []),
        ],
        blockers=[
            *notices_of(plan.blockers),
            *(
                [notice("consumer-there-already", snapshot=to)]
                if to is not None and to == plan.before
                else []
            ),
        ],
    )


def _effects(opened: OpenTable, action: str, plan: ResetConsumerPlan) -> dict[str, Any]:
    ids = opened.table.snapshots.ids()
    before, after = plan.before, plan.after
    both = before is not None and after is not None
    others = [
        c.next_snapshot
        for c in opened.table.consumers.examine()
        if isinstance(c, Consumer) and c.id != plan.consumer
    ]
    held_before = min([*others, *([before] if before is not None else [])], default=None)
    held_after = min([*others, *([after] if after is not None else [])], default=None)
    return {
        "kind": "consumer",
        "action": action,
        "name": plan.consumer,
        "before": before,
        "after": after,
        "skipped": sum(before <= i < after for i in ids) if both else 0,  # type: ignore[operator]
        "repeated": sum(after <= i < before for i in ids) if both else 0,  # type: ignore[operator]
        "held_before": held_before,
        "held_after": held_after,
        "released": _expirable(ids, held_after) - _expirable(ids, held_before),
    }


def _expirable(ids: list[int], held: int | None) -> int:
    """How many snapshots no consumer keeps."""
    return sum(held is None or i < held for i in ids)


def _undo(before: int) -> dict[str, Any]:
    return {
        "kind": "reset_consumer",
        "branch": None,
        "tag": None,
        "rewrites_bytes": None,
        "detail": str(before),
    }
