"""Whether what a new tag or branch names will stay: it may have expired since it was planned.

Whoever deletes files removes the snapshot or tag first, and then looks for others that need them. So
what is written first and checked afterwards is either seen by that look, or finds here that it came late.
"""

from __future__ import annotations

from core.errors import NotFoundError, PaimonError
from core.snapshot import Snapshot, Tag
from core.table import Table


def create_kept_tag(table: Table, tag: Tag) -> None:
    """Write a new tag; it is taken back if its snapshot expired meanwhile.

    Raises:
        AlreadyExistsError: the name is taken. NotFoundError: the snapshot has expired.
    """
    table.tags.create(tag)
    if not is_kept(table, tag.snapshot, but=tag.name):
        table.tags.delete(tag.name)
        raise expired(tag)


def is_kept(table: Table, snapshot: Snapshot, *, but: str) -> bool:
    """Whether the snapshot is there, or a tag other than `but` holds it."""
    try:
        found = table.snapshots.get(snapshot.id).identity == snapshot.identity
    except NotFoundError:
        found = False
    return found or is_kept_by_tag(table, snapshot, but=but)


def is_kept_by_tag(table: Table, snapshot: Snapshot, *, but: str | None = None) -> bool:
    """Whether a tag other than `but` holds the snapshot."""
    return any(_holds(table, name, snapshot) for name in table.tags.names() if name != but)


def expired(tag: Tag) -> NotFoundError:
    """The error of a tag that came late."""
    return NotFoundError(
        "the snapshot expired while the tag was made", snapshot_id=tag.snapshot.id, tag=tag.name
    )


def _holds(table: Table, name: str, snapshot: Snapshot) -> bool:
    try:
        return table.tags.get(name).snapshot.identity == snapshot.identity
    except PaimonError:  # deleted since it was listed, or damaged: it keeps nothing for sure
        return False
