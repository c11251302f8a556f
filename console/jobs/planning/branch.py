"""Branches: made, renamed, deleted, and made the head of main. Design: 7.6."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from console.api.errors import Problem
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import id_in_history, notices_of, refused, shown_snapshot
from console.jobs.planning.draft import Asked, Draft
from core.errors import InvalidRequestError, NotFoundError
from core.maintenance import branches
from core.snapshot import Snapshot

Params = dict[str, Any]

FAST_FORWARD_LEVEL = 2


def plan_branch(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What would become of a branch; always of the whole table, whatever branch is looked at.

    Raises:
        Problem: there is no such branch, tag or snapshot, or the name is none.
    """
    params = asked.params
    try:
        return _PLANS[params["action"]](opened, params)
    except NotFoundError as error:
        kind = next((kind for kind in ("branch", "tag") if kind in error.fields), "snapshot")
        raise Problem("not-found", kind=kind, name=error.fields.get(kind, "-")) from error
    except InvalidRequestError as error:
        raise refused("new_name" if params["action"] == "rename" else "name", error) from error


def _create(opened: OpenTable, params: Params) -> Draft:
    start = params.get("start") or {}
    snapshot_id = id_in_history(opened, start["snapshot"]) if "snapshot" in start else None
    plan = branches.plan_create_branch(
        opened.table, params["name"], tag=start.get("tag"), snapshot_id=snapshot_id
    )
    head = plan.tag.snapshot if plan.tag else None
    named = {"tag": start["tag"]} if "tag" in start else {"snapshot": snapshot_id} if snapshot_id else {}
    return Draft(
        level=0,
        job="create-branch",
        work={"name": params["name"], **named},
        effects=_effects(params, after=head)
        | {"tags_made": [plan.tag.name] if plan.makes_tag and plan.tag else []},
        kept=["rows", "history"],
        undo=_undo("delete_branch", params["name"]),
        blockers=notices_of(plan.blockers),
    )


def _rename(opened: OpenTable, params: Params) -> Draft:
    plan = branches.plan_rename_branch(opened.table, params["name"], params["new_name"])
    head = opened.table.with_branch(plan.name).snapshots.latest()
    return Draft(
        level=1,
        job="rename-branch",
        work={"name": plan.name, "new_name": plan.new_name},
        effects=_effects(params, head, head) | {"new_name": plan.new_name},
        kept=["rows", "history"],
        undo=_undo("rename_branch", plan.new_name),
        blockers=notices_of(plan.blockers),
    )


def _delete(opened: OpenTable, params: Params) -> Draft:
    plan = branches.plan_delete_branch(opened.table, params["name"])
    view = opened.table.with_branch(plan.name)
    gone = [view.snapshots.get(i) for i in plan.snapshots]
    return Draft(
        level=1,
        job="delete-branch",
        work={"name": plan.name},
        effects=_effects(params, before=gone[-1] if gone else None)
        | {
            "snapshots_removed": [shown_snapshot(snapshot) for snapshot in gone],
            "tags_removed": list(plan.tags),
            "consumers_removed": list(plan.consumers),
        },
        kept=["main"],
        warnings=[notice("branch-files-left", branch=plan.name)] if gone else [],
        blockers=notices_of(plan.blockers),
    )


def _fast_forward(opened: OpenTable, params: Params) -> Draft:
    plan = branches.plan_fast_forward(opened.table, params["name"], now_millis=int(time.time() * 1000))
    rewind = plan.rewind
    moves = bool(plan.copied_snapshots or (rewind and rewind.removed_snapshots))
    return Draft(
        level=FAST_FORWARD_LEVEL,
        job="fast-forward",
        work={"name": plan.branch, "history": list(plan.history)},
        effects=_effects(params, rewind.base if rewind else None, plan.head)
        | {
            "snapshots_removed": [shown_snapshot(s) for s in (rewind.removed_snapshots if rewind else ())],
            "snapshots_added": [shown_snapshot(s) for s in plan.copied_snapshots],
            "tags_removed": list(rewind.removed_tags) if rewind else [],
            "tags_made": [tag.name for tag in plan.copied_tags],
        },
        kept=[f"branch:{params['name']}"],
        warnings=[notice(f"fast-forward-{one.code}") for one in plan.warnings],
        blockers=[
            *notices_of(plan.blockers),
            *([] if moves or plan.blockers else [notice("nothing-to-forward")]),
        ],
    )


_PLANS: Mapping[str, Callable[[OpenTable, Params], Draft]] = MappingProxyType(
    {"create": _create, "rename": _rename, "delete": _delete, "fast_forward": _fast_forward}
)
BRANCH_ACTIONS = tuple(_PLANS)


def _effects(params: Params, before: Snapshot | None = None, after: Snapshot | None = None) -> dict[str, Any]:
    return {
        "kind": "branch",
        "action": params["action"],
        "name": params["name"],
        "new_name": None,
        "before": before.reference if before else None,
        "after": after.reference if after else None,
        "snapshots_removed": [],
        "snapshots_added": [],
        "tags_removed": [],
        "tags_made": [],
        "consumers_removed": [],
    }


def _undo(kind: str, name: str) -> dict[str, Any]:
    return {"kind": kind, "branch": name, "tag": None, "rewrites_bytes": None, "detail": name}
