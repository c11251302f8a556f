"""From where a table is read: snapshots, tags and long-lived changelogs of all its branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.errors import NotFoundError
from core.io import MAIN_BRANCH, TablePaths
from core.maintenance.notice import Notice
from core.snapshot import Snapshot, UnreadableSnapshot, UnreadableTag
from core.table import Table


class RootKind(StrEnum):
    SNAPSHOT = "snapshot"
    TAG = "tag"
    CHANGELOG = "changelog"


@dataclass(frozen=True, slots=True)
class Root:
    """One file that a reader can start from. What it names has to stay."""

    kind: RootKind
    branch: str
    name: str  # the id, or the name of the tag
    snapshot: Snapshot

    @property
    def pointer(self) -> str:
        """`snapshot 4`, `tag v1 of branch dev`."""
        where = "" if self.branch == MAIN_BRANCH else f" of branch {self.branch}"
        return f"{self.kind.value} {self.name}{where}"


@dataclass(frozen=True, slots=True)
class Roots:
    """Everything that a table is read from."""

    found: tuple[Root, ...]  # branch by branch; snapshots ascending, then tags, then changelogs
    unreadable: tuple[Notice, ...]  # files whose content is not known: what they name is not either

    @staticmethod
    def of(table: Table) -> Roots:
        """The roots of all branches, those that vanish meanwhile left out."""
        found: list[Root] = []
        unreadable: list[Notice] = []
        for branch in (MAIN_BRANCH, *table.branches.names()):
            for root in _of_branch(table, branch):
                (unreadable if isinstance(root, Notice) else found).append(root)  # type: ignore[arg-type]
        return Roots(tuple(found), tuple(unreadable))

    def without(self, kind: RootKind, branch: str, names: set[str]) -> tuple[Root, ...]:
        """All but some of one kind in one branch."""
        return tuple(r for r in self.found if not (r.kind is kind and r.branch == branch and r.name in names))


def is_there(table: Table, root: Root) -> bool:
    """Whether a root is still what it was: an expiration may have taken it since it was listed."""
    paths = TablePaths(table.location, root.branch)
    path = {
        RootKind.SNAPSHOT: paths.snapshot_file,
        RootKind.CHANGELOG: paths.changelog_file,
    }
    name = paths.tag_file(root.name) if root.kind is RootKind.TAG else path[root.kind](int(root.name))
    return table.io.exists(name)


def _of_branch(table: Table, branch: str) -> Iterator[Root | Notice]:
    try:
        view = table if branch == table.branch else table.with_branch(branch)
    except NotFoundError:
        return  # deleted since it was listed
    paths = TablePaths(table.location, branch)
    for snapshot in view.snapshots.examine():
        if isinstance(snapshot, UnreadableSnapshot):
            yield from _unreadable(snapshot.error, paths.snapshot_file(snapshot.id))
        else:
            yield Root(RootKind.SNAPSHOT, branch, str(snapshot.id), snapshot)
    for tag in view.tags.examine():
        if isinstance(tag, UnreadableTag):
            yield from _unreadable(tag.error, paths.tag_file(tag.name))
        else:
            yield Root(RootKind.TAG, branch, tag.name, tag.snapshot)
    for changelog in view.changelogs.examine():
        if isinstance(changelog, UnreadableSnapshot):
            yield from _unreadable(changelog.error, paths.changelog_file(changelog.id))
        else:
            yield Root(RootKind.CHANGELOG, branch, str(changelog.id), changelog)


def _unreadable(error: Exception, path: str) -> Iterator[Notice]:
    if not isinstance(error, NotFoundError):
        yield Notice("unreadable-reference", {"path": path, "problem": str(error)})
