"""Options of a table, set and removed: its next schema. Design: 6.15."""

from __future__ import annotations

import re
from typing import Any

from console.api.errors import Problem
from console.api.language import said
from console.inspector.opening import OpenTable
from console.inspector.option_words import meaning_of
from console.jobs.notices import notice
from console.jobs.planning.concerned import concerned
from console.jobs.planning.draft import Asked, Draft
from core.errors import InvalidRequestError, PaimonError, UnsupportedError
from core.inspect.schema_diff import diff_options, is_secret_option
from core.maintenance.alter_options import AlterOptionsPlan, plan_alter_options
from core.options import OPTIONS, TableOptions
from core.snapshot import Snapshot

LEVEL = 1
LEVEL_OF_A_LOSS = 2
MOST_OPTIONS = 50

# Families of options that are named by a column, a level or an index.
_FAMILIES = re.compile(r"(fields|file-index|metadata\.stats-mode|pk-[\w-]+|global-index)\.[^\s=]+")
# Options that name places or code, say what one read is to see, or belong to another action.
_ELSEWHERE = re.compile(
    r"path|auto-create|type|primary-key|partition|bucket|branch|lock\..*|metastore\..*|.*\.callbacks?(\..*)?"
    r"|data-file\.(external-paths(\..*)?|path-directory)|partition\.(default|legacy)-name|global-index\.external-path|.*custom\.class"
    r"|scan\..*|incremental-.*|consumer-id|query-auth\..*|partition\.mark-done-action.*|.*\.http\..*"
)


# Rows go by themselves once these are set: whoever sets them needs the permission to remove rows.
_LOSES = re.compile(r"record-level\..*|partition\.expiration-.*")
# Parts of names of files: one with a slash would lie elsewhere.
_PARTS_OF_NAMES = re.compile(r".*\.prefix|tag\.batch\.customized-name")
_OUTSIDE = re.compile(r"[/\\\0]|\.\.")


def plan_options(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What the table's options would become, held against the rules of a schema.

    Raises:
        Problem: an option that is not changed here, or that cannot have the value.
    """
    given: dict[str, str] = asked.params.get("set") or {}
    removed: list[str] = asked.params.get("remove") or []
    schema = opened.table.schemas.latest()
    for key in (*given, *removed):
        _check_key(key, is_set=key in schema.options, removes=key in removed)
    for key, value in given.items():
        _check_value(key, value)
    plan = _planned(opened, given, removed)
    changes = diff_options(plan.before, plan.after)
    return Draft(
        level=LEVEL_OF_A_LOSS if any(_LOSES.fullmatch(change.key) for change in changes) else LEVEL,
        job="alter-options",
        work={"set": given, "remove": removed, "schema": plan.schema},
        effects={
            "kind": "options",
            "changes": [_shown(change.key, change.before, change.after) for change in changes],
            "schema": plan.schema,
            "next_schema": plan.schema + (0 if plan.changes_nothing else 1),
        }
        | concerned(opened, latest),
        kept=["rows", "history", "tags", "columns"],
        undo=_undo(plan),
        warnings=[
            *([] if plan.changes_nothing else [notice("options-of-writers")]),
            *(notice("option-loses", ref=c.key) for c in changes if _LOSES.fullmatch(c.key)),
        ],
        blockers=[notice("options-as-asked")] if plan.changes_nothing else [],
    )


def _planned(opened: OpenTable, given: dict[str, str], removed: list[str]) -> AlterOptionsPlan:
    try:
        return plan_alter_options(opened.table, given, removed)
    except (InvalidRequestError, UnsupportedError) as error:
        key = next((str(error.fields[name]) for name in ("option", "feature") if name in error.fields), "")
        field = "remove" if key in removed else "set"
        raise _refused(field, str(error)) from error


def _check_key(key: str, *, is_set: bool, removes: bool) -> None:
    field = "remove" if removes else "set"
    if is_secret_option(key):
        raise _refused(
            field,
            f"{key} names a secret, and whoever reads the table reads its options",
            f"{key} 是机密信息，而能读取该表的人都能读取其选项",
        )
    if _ELSEWHERE.fullmatch(key):
        raise _refused(
            field,
            f"{key} is not changed here: it names a place or code, is of one read, or of another action",
            f"{key} 不能在此修改：它指定位置或代码，只属于一次读取，或属于其他操作",
        )
    if not (key in OPTIONS or _FAMILIES.fullmatch(key) or (removes and is_set)):
        raise _refused(field, f"there is no option {key}", f"不存在选项 {key}")


def _check_value(key: str, value: str) -> None:
    known = OPTIONS.get(key)
    if _PARTS_OF_NAMES.fullmatch(key) and _OUTSIDE.search(value):
        raise _refused(
            "set", f"{key} is part of a file's name: no slash in it", f"{key} 是文件名的一部分，不能含有斜杠"
        )
    try:
        if known is not None:
            TableOptions({key: value}).get(known)
    except PaimonError as error:
        raise _refused("set", str(error)) from error


def _refused(field: str, english: str, chinese: str | None = None) -> Problem:
    """`chinese` where the sentence is ours."""
    detail = said(english, chinese or english)
    told = {"pointer": f"/params/{field}", "code": "invalid-option", "detail": detail}
    return Problem("validation-failed", errors=[told])


def _shown(key: str, before: str | None, after: str | None) -> dict[str, Any]:
    known = OPTIONS.get(key)
    return {
        "key": key,
        "before": before,
        "after": after,
        "default": known.default_text if known else None,
        "description": meaning_of(known) if known else None,
    }


def _undo(plan: AlterOptionsPlan) -> dict[str, Any] | None:
    """Another plan of this kind, with what the options are now."""
    if plan.changes_nothing:
        return None
    told = [
        f"{c.key} = {c.before}" if c.before is not None else f"{c.key} −"
        for c in diff_options(plan.before, plan.after)
    ]
    undo: dict[str, Any] = dict.fromkeys(("branch", "tag", "rewrites_bytes"))
    return undo | {"kind": "alter_options", "detail": "; ".join(told)}
