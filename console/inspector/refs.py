"""Tags, branches and consumers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from console.api.damage import Damage, Pointer, damage_of, problem_of
from console.api.fields import from_millis
from console.inspector.damages import manifest_files, missing_lists
from console.inspector.opening import OpenTable
from console.inspector.snapshots import committed_at
from core.errors import PaimonError
from core.io.paths import MAIN_BRANCH
from core.snapshot import Consumer, Tag


def tags(opened: OpenTable) -> list[dict[str, Any]]:
    """Every tag; one that cannot be read, or whose snapshot cannot, says so."""
    found = list(opened.table.tags.examine())
    present = manifest_files(opened) if found else {}
    return [
        _tag(tag) | problem_of(_lost(opened, tag, present))
        if isinstance(tag, Tag)
        else dict.fromkeys(_TAG) | {"name": tag.name} | problem_of(damage_of(tag.error))
        for tag in found
    ]


_TAG = ("snapshot_id", "ref", "committed_at", "created_at", "retained_until", "total_rows", "schema_id")


def _lost(opened: OpenTable, tag: Tag, present: Mapping[str, int]) -> Damage | None:
    """The first list that the tag's snapshot names and that is not there."""
    lost = missing_lists(opened, tag.snapshot, present)
    return lost[0][0].named(Pointer("tag", tag.name, lost[0][1])) if lost else None


def _tag(tag: Tag) -> dict[str, Any]:
    until = tag.retained_until
    return {
        "name": tag.name,
        "snapshot_id": tag.snapshot.id,
        "ref": tag.snapshot.reference,
        "committed_at": committed_at(tag.snapshot),
        "created_at": tag.create_time.replace(tzinfo=UTC) if tag.create_time else None,
        "retained_until": until.replace(tzinfo=UTC) if until else None,
        "total_rows": tag.snapshot.total_record_count,
        "schema_id": tag.snapshot.schema_id,
    }


def branches(opened: OpenTable) -> list[dict[str, Any]]:
    """The main branch and all others, each with where it stands."""
    table = opened.table
    created = {branch.name: from_millis(branch.created_millis) for branch in table.branches.list()}
    return [_branch(opened, name, created.get(name)) for name in (MAIN_BRANCH, *sorted(created))]


def _branch(opened: OpenTable, name: str, created: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": name, "created_at": created, "latest": None, "latest_at": None,
        "schema_id": None, "snapshots": None, "problem": None, "damage": None,
    }  # fmt: skip
    try:
        table = opened.table.with_branch(name)
        latest = table.snapshots.latest()
        ids = table.schemas.ids()
        row |= {"snapshots": len(table.snapshots.ids()), "schema_id": ids[-1] if ids else None}
        return row | ({"latest": latest.reference, "latest_at": committed_at(latest)} if latest else {})
    except PaimonError as error:
        return row | problem_of(damage_of(error, kind="branch", name=name))


def consumers(opened: OpenTable) -> list[dict[str, Any]]:
    """Every consumer; one whose file is damaged says so."""
    ids = opened.table.snapshots.ids()
    found = list(opened.table.consumers.examine())
    lowest = min((c.next_snapshot for c in found if isinstance(c, Consumer)), default=None)
    return [
        {
            "id": c.id,
            "next_snapshot": c.next_snapshot,
            "lag": sum(1 for i in ids if i >= c.next_snapshot),
            "unread_since": _unread_since(opened, ids, c.next_snapshot),
            "blocks_expiry": c.next_snapshot == lowest and bool(ids) and c.next_snapshot <= ids[-1],
            **problem_of(None),
        }
        if isinstance(c, Consumer)
        else {"id": c.id, "next_snapshot": None, "lag": None, "unread_since": None, "blocks_expiry": False}
        | problem_of(damage_of(c.error))
        for c in found
    ]


def _unread_since(opened: OpenTable, ids: list[int], next_snapshot: int) -> Any:
    """When the oldest kept snapshot that is not read yet was committed; None if all are read."""
    unread = next((i for i in ids if i >= next_snapshot), None)
    if unread is None:
        return None
    try:
        return committed_at(opened.table.snapshots.get(unread))
    except PaimonError:
        return None  # the list of snapshots says what is wrong with it
