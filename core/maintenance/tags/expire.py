"""Deletes tags whose time has come. Spec: 08, 8; 10, 3."""

from __future__ import annotations

from datetime import datetime

from core.maintenance.tags.delete import DeleteTagsPlan, plan_delete_tags
from core.snapshot import Tag
from core.table import Table


def plan_expire_tags(
    table: Table, *, now_millis: int, older_than_millis: int | None = None
) -> DeleteTagsPlan:
    """Which tags would expire, for `apply_delete_tags`.

    Args:
        table: the table, or one of its branches.
        now_millis: epoch milliseconds.
        older_than_millis: epoch milliseconds; every tag made before it goes besides those whose own
            retention is over. One without a time of its making is judged by its file's.

    Raises:
        FormatError: a tag is damaged.
    """
    names = [tag.name for tag in table.tags.list() if _is_over(table, tag, now_millis, older_than_millis)]
    return plan_delete_tags(table, names)


def _is_over(table: Table, tag: Tag, now_millis: int, older_than_millis: int | None) -> bool:
    now = datetime.fromtimestamp(now_millis / 1000)  # tags have the wall clock of their maker
    if tag.create_time is not None and tag.time_retained is not None:
        if now - tag.create_time > tag.time_retained:
            return True
        return older_than_millis is not None and tag.create_time < datetime.fromtimestamp(
            older_than_millis / 1000
        )
    return older_than_millis is not None and table.tags.modified_millis(tag.name) < older_than_millis
