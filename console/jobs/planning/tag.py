"""Tags: made, moved to another snapshot, renamed, deleted. Design: 7.6."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from console.api.errors import Problem
from console.api.fields import rfc3339
from console.inspector.opening import OpenTable
from console.jobs.planning.changes import id_in_history, notices_of, refused, shown_files
from console.jobs.planning.draft import Asked, Draft
from core.errors import InvalidRequestError, NotFoundError
from core.maintenance import tags
from core.maintenance.reach import NamedFiles
from core.options import parse_duration
from core.snapshot import Snapshot, Tag

Params = dict[str, Any]


def plan_tag(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What would become of a tag.

    Raises:
        Problem: there is no such tag or snapshot, or the name is none.
    """
    params = asked.params
    try:
        return _PLANS[params["action"]](opened, params)
    except NotFoundError as error:
        kind = "tag" if "tag" in error.fields else "snapshot"
        name = params["name"] if kind == "tag" else params.get("snapshot") or "-"
        raise Problem("not-found", kind=kind, name=name) from error
    except InvalidRequestError as error:
        raise refused("new_name" if params["action"] == "rename" else "name", error) from error


def _create(opened: OpenTable, params: Params) -> Draft:
    plan = tags.plan_create_tag(opened.table, params["name"], **_where(opened, params))
    return Draft(
        level=0,
        job="create-tag",
        work=_work(params, plan.tag),
        effects=_effects(params, None, plan.tag),
        kept=["rows", "history"],
        undo=_undo("delete_tag", params["name"]),
        blockers=notices_of(plan.blockers),
    )


def _replace(opened: OpenTable, params: Params) -> Draft:
    plan = tags.plan_replace_tag(opened.table, params["name"], **_where(opened, params))
    before = plan.old.tags[0]
    return Draft(
        level=1,
        job="replace-tag",
        work=_work(params, plan.tag),
        effects=_effects(params, before, plan.tag, plan.old.files),
        kept=["rows", "history"],
        undo=_undo_to(opened, before, "replace_tag"),
        warnings=notices_of(plan.old.warnings),
        blockers=notices_of(plan.old.blockers),
    )


def _rename(opened: OpenTable, params: Params) -> Draft:
    plan = tags.plan_rename_tag(opened.table, params["name"], params["new_name"])
    return Draft(
        level=1,
        job="rename-tag",
        work={"name": params["name"], "new_name": params["new_name"]},
        effects=_effects(params, plan.tag, plan.tag) | {"new_name": plan.name},
        kept=["rows", "history"],
        undo=_undo("rename_tag", params["new_name"]),
        blockers=notices_of(plan.blockers),
    )


def _delete(opened: OpenTable, params: Params) -> Draft:
    plan = tags.plan_delete_tags(opened.table, [params["name"]])
    if plan.changes_nothing:
        raise NotFoundError("no such tag", tag=params["name"])
    return Draft(
        level=1,
        job="delete-tags",
        work={"names": [params["name"]]},
        effects=_effects(params, plan.tags[0], None, plan.files),
        kept=["rows", "history"],
        undo=_undo_to(opened, plan.tags[0], "create_tag"),
        warnings=notices_of(plan.warnings),
        blockers=notices_of(plan.blockers),
    )


_PLANS: Mapping[str, Callable[[OpenTable, Params], Draft]] = MappingProxyType(
    {"create": _create, "replace": _replace, "rename": _rename, "delete": _delete}
)
TAG_ACTIONS = tuple(_PLANS)


def _where(opened: OpenTable, params: Params) -> dict[str, Any]:
    """The snapshot and the time for which the tag is kept."""
    asked, retained = params.get("snapshot"), params.get("retain")
    return {
        "snapshot_id": None if asked is None else id_in_history(opened, asked),
        "time_retained": None if not retained else _duration(retained),
        "now_millis": int(time.time() * 1000),
    }


def _duration(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except InvalidRequestError as error:
        raise refused("retain", error) from error


def _work(params: Params, tag: Tag) -> dict[str, Any]:
    retained = {"age": params["retain"]} if params.get("retain") else {}
    return {"name": params["name"], "snapshot": tag.snapshot.id, **retained}


def _effects(
    params: Params, before: Tag | None, after: Tag | None, files: NamedFiles | None = None
) -> dict[str, Any]:
    return {
        "kind": "tag",
        "action": params["action"],
        "name": params["name"],
        "new_name": None,
        "before": before.snapshot.reference if before else None,
        "after": after.snapshot.reference if after else None,
        "retained_until": rfc3339(after.retained_until if after else None),
        "files_freed": shown_files(files or NamedFiles.none()),
    }


def _undo(kind: str, name: str) -> dict[str, Any]:
    return {"kind": kind, "branch": None, "tag": name, "rewrites_bytes": None, "detail": name}


def _undo_to(opened: OpenTable, tag: Tag, kind: str) -> dict[str, Any] | None:
    """A tag comes back where its snapshot is still there without it."""
    try:
        found = opened.table.snapshots.get(tag.snapshot.id)
    except NotFoundError:
        return None
    if found.identity != tag.snapshot.identity:
        return None
    return _undo(kind, tag.name) | {"detail": found.reference}
