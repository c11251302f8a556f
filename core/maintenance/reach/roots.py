"""From where a table is read: snapshots, tags and long-lived changelogs of all its branches."""

from __future__ import annotations

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
        """The roots of all branches.

        A tag or branch that vanishes while we look may have got another name, under which we have not
        seen it: then everything is looked at again. Snapshots have no other names, and are kept as
        changelogs, which are looked at after them.
        """
        for _ in range(_LOOKS):
            look = _Look(table)
            if look.is_sure:
                return Roots(tuple(look.found), tuple(look.unreadable))
        restless = Notice(
            "unreadable-reference", {"path": table.location, "problem": "tags or branches go all the time"}
        )
        return Roots(tuple(look.found), (*look.unreadable, restless))

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


_LOOKS = 10


class _Look:
    """One look at all branches."""

    def __init__(self, table: Table) -> None:
        self.found: list[Root] = []
        self.unreadable: list[Notice] = []
        self._vanished = False
        names = table.branches.names()
        for branch in (MAIN_BRANCH, *names):
            try:
                self._add(table if branch == table.branch else table.with_branch(branch))
            except NotFoundError:
                self._vanished = True
        self.is_sure = not self._vanished and set(names) <= set(table.branches.names())

    def _add(self, view: Table) -> None:
        branch, paths = view.branch, TablePaths(view.location, view.branch)
        for snapshot in view.snapshots.examine():
            if isinstance(snapshot, UnreadableSnapshot):
                self._note(snapshot.error, paths.snapshot_file(snapshot.id))
            else:
                self.found.append(Root(RootKind.SNAPSHOT, branch, str(snapshot.id), snapshot))
        for tag in view.tags.examine():
            if isinstance(tag, UnreadableTag):
                self._vanished |= isinstance(tag.error, NotFoundError)
                self._note(tag.error, paths.tag_file(tag.name))
            else:
                self.found.append(Root(RootKind.TAG, branch, tag.name, tag.snapshot))
        for changelog in view.changelogs.examine():
            if isinstance(changelog, UnreadableSnapshot):
                self._note(changelog.error, paths.changelog_file(changelog.id))
            else:
                self.found.append(Root(RootKind.CHANGELOG, branch, str(changelog.id), changelog))

    def _note(self, error: Exception, path: str) -> None:
        if not isinstance(error, NotFoundError):
            self.unreadable.append(Notice("unreadable-reference", {"path": path, "problem": str(error)}))
