"""What takes masked values out of answers that are about many tables: lists of jobs, plans, events."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.inspector.live import live_files
from console.inspector.opening import OpenTable, open_table
from console.masking.looking import any_masks, sight_by_name, sight_of
from console.masking.sight import Sight
from console.masking.veil import Veil
from core.errors import PaimonError

Known = dict[Hashable, Any]
"""What an answer has found out so far: a list is about few tables, and each is opened once."""


def veil_at(access: Access, scope: Scope, branch: str = "main", known: Known | None = None) -> Veil:
    """What the caller is told of a table, whether it can be opened or not.

    Of a table that is gone, or cannot be read, no value is told after any name, where a policy is about it.
    """
    found: Veil | None = None if known is None else known.get((scope, branch))
    if found is None:
        found = Veil(_sight(access, scope, branch))
        if known is not None:
            known[scope, branch] = found
    return found


def veil_for_all(scope: Scope, branch: str = "main") -> Veil:
    """What takes out all that any policy masks, for records that people with less than the caller's read."""
    return veil_at(Access(), scope, branch)


def masks_files(access: Access, scope: Scope) -> bool:
    """Whether who has the files of a table has values that are masked for the caller, in any branch of it."""
    if not any_masks():
        return False
    try:
        table = open_table(scope.warehouse or "", scope.database or "", scope.table or "").table
        sight = sight_of(access, scope, table, in_all_branches=True)
    except (Problem, PaimonError):
        sight = sight_by_name(access, scope)
    return bool(sight.masks) or sight.is_closed


def _sight(access: Access, scope: Scope, branch: str) -> Sight:
    warehouse, database, table = scope.warehouse, scope.database, scope.table
    if warehouse is None or database is None or table is None or not any_masks():
        return Sight(access.allows(Permission.DATA_READ, scope))
    try:
        return open_table(warehouse, database, table, branch=branch, access=access).sight
    except (Problem, PaimonError):
        by_name = sight_by_name(access, scope)
        return Sight(by_name.reads_data, by_name.masks, is_closed=bool(by_name.masks) or by_name.is_closed)


def told_by_the_console(opened: OpenTable) -> dict[tuple[str, str], str]:
    """The values of the live partitions by what stands in for them, in this caller's lists."""
    latest = opened.table.snapshots.latest()
    labels = opened.for_the_console().labels
    shown = opened.labels
    found: dict[tuple[str, str], str] = {}
    if latest is None:
        return found
    for serialized in live_files(opened.for_the_console(), latest).entries.column("partition").unique():
        pairs = zip(shown.pairs(serialized.as_py()), labels.pairs(serialized.as_py()), strict=True)
        found.update({(key.lower(), text): value for (key, text), (_, value) in pairs})
    return found
