"""What each tag and branch keeps that nothing else does, and how far a branch is from main. Design: 6.14."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.inspector.storage import MOST_SEARCHED, files_of, files_since
from core.errors import NotFoundError
from core.io import MAIN_BRANCH
from core.snapshot import Tag
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def of_table(opened: OpenTable) -> dict[str, Any]:
    """Files and bytes that would be unreferenced without a tag of this branch, or without a branch.

    Raises:
        PaimonError: metadata that a kept snapshot or tag needs is missing or damaged.
    """
    latest = opened.table.snapshots.latest()
    key = ("held", *(opened.cache_key(latest) if latest else (opened.table.location, opened.branch)))
    return computed(key, lambda: _of_table(opened.table))


def _of_table(table: Table) -> dict[str, Any]:
    names = [MAIN_BRANCH, *table.branches.names()]
    views = {name: table if name == table.branch else table.with_branch(name) for name in names}
    held = _held(views)
    by_tag = _only(held, ["branch", "tag"])
    by_branch = _only(held.select(["branch", "file_name", "file_size"]), ["branch"])
    return {
        "tags": [
            {"name": tag.name, **by_tag.get((table.branch, tag.name), _NOTHING)}
            for tag in table.tags.examine()
            if isinstance(tag, Tag)
        ],
        "branches": [
            {"name": name, **by_branch.get((name,), _NOTHING), **_distance(views[MAIN_BRANCH], view)}
            for name, view in views.items()
        ],
    }


_NOTHING = {"files": 0, "bytes": 0}


def _held(views: dict[str, Table]) -> pa.Table:
    """Each file once for each tag, and once for the snapshots of each branch (its tag is the empty text)."""
    parts = []
    for branch, view in views.items():
        parts.append(_named(branch, "", files_since(view, view.snapshots.ids()[-MOST_SEARCHED:])))
        for tag in view.tags.examine():
            if isinstance(tag, Tag):
                parts.append(_named(branch, tag.name, [view.manifests.live_entries(tag.snapshot)]))
    return pa.concat_tables(parts)


def _named(branch: str, tag: str, entries: Iterable[Any]) -> pa.Table:
    files = files_of(entries)
    for at, (name, value) in enumerate((("branch", branch), ("tag", tag))):
        files = files.add_column(at, name, pa.array([value] * len(files), pa.string()))
    return files


def _only(held: pa.Table, owner: list[str]) -> dict[tuple[str, ...], dict[str, int]]:
    """By owner, the files that no other owner has."""
    owned = held.group_by([*owner, "file_name"]).aggregate([("file_size", "max")])
    owners = owned.group_by("file_name").aggregate([("file_name", "count")])
    alone = owners.filter(pc.equal(owners.column("file_name_count"), 1)).column("file_name")
    sole = owned.filter(pc.is_in(owned.column("file_name"), value_set=alone.combine_chunks()))
    sums = sole.group_by(owner).aggregate([("file_size_max", "count"), ("file_size_max", "sum")]).to_pylist()
    return {
        tuple(row[name] for name in owner): {
            "files": row["file_size_max_count"],
            "bytes": row["file_size_max_sum"],
        }
        for row in sums
    }


def _distance(main: Table, branch: Table) -> dict[str, int | None]:
    """The newest snapshot that a branch shares with main, and the commits of each since; None: unknown."""
    if branch.branch == MAIN_BRANCH:
        return {"forked_at": None, "ahead": None, "behind": None}
    ours, theirs = branch.snapshots.ids(), main.snapshots.ids()
    forked = next((i for i in sorted({*ours} & {*theirs}, reverse=True) if _is_same(main, branch, i)), None)
    if forked is None:
        return {"forked_at": None, "ahead": None, "behind": None}
    return {
        "forked_at": forked,
        "ahead": sum(i > forked for i in ours),
        "behind": sum(i > forked for i in theirs),
    }


def _is_same(main: Table, branch: Table, snapshot_id: int) -> bool:
    try:
        return main.snapshots.get(snapshot_id).identity == branch.snapshots.get(snapshot_id).identity
    except NotFoundError:
        return False  # expired since the listing
