"""Branches: further lines of snapshots of one table. Spec: 01, 5; 08, 9."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids
from core.io.paths import MAIN_BRANCH, TablePaths
from core.snapshot.codec import encode_snapshot
from core.snapshot.tags import TagStore

_PREFIX = "branch-"


@dataclass(frozen=True, slots=True)
class Branch:
    name: str
    created_millis: int  # time of its oldest schema file; branches store no time of their own


class BranchStore:
    """The branch/ directory of a table. The main branch has no directory and is not listed."""

    def __init__(self, io: FileIO, paths: TablePaths) -> None:
        self._io = io
        self._paths = paths.on_branch(MAIN_BRANCH)

    def names(self) -> list[str]:
        """Sorted."""
        directories = self._io.list_directories(self._paths.branches_dir)
        return sorted(name.removeprefix(_PREFIX) for name in directories if name.startswith(_PREFIX))

    def list(self) -> list[Branch]:
        """Every branch, by name."""
        return [Branch(name, self._created_millis(name)) for name in self.names()]

    def exists(self, name: str) -> bool:
        return name in self.names()

    def create(self, name: str, *, from_tag: str | None = None) -> None:
        """A new branch: empty with all schemas of main, or standing where a tag stands.

        The snapshot comes last: what a crash leaves is an empty branch at worst.

        Raises:
            InvalidRequestError: not a name. AlreadyExistsError, NotFoundError (the tag).
        """
        check_branch_name(name)
        if self.exists(name):
            raise AlreadyExistsError("branch exists already", branch=name)
        target = self._paths.on_branch(name)
        if from_tag is None:
            self._copy_schemas(target, None)
            return
        snapshot = TagStore(self._io, self._paths).get(from_tag).snapshot
        self._copy_schemas(target, snapshot.schema_id)
        self._copy(self._paths.tag_file(from_tag), target.tag_file(from_tag))
        try:
            self._copy(self._paths.snapshot_file(snapshot.id), target.snapshot_file(snapshot.id))
        except NotFoundError:  # expired: the tag holds all of it
            self._io.create(target.snapshot_file(snapshot.id), encode_snapshot(snapshot))

    def delete(self, name: str) -> None:
        """Delete the branch's metadata; data files that only it used are then orphans.

        Tags, changelogs and hints go first, then the snapshots, the latest last: what a crash leaves
        can be read, as it was or as an empty branch.
        """
        if not self.exists(name):
            raise NotFoundError("branch not found", branch=name)
        paths = self._paths.on_branch(name)
        for directory in (paths.tag_dir, paths.changelog_dir):
            for status in self._io.list_files(directory):
                self._io.delete(status.path)
        for hint in ("EARLIEST", "LATEST"):
            self._io.delete(f"{paths.snapshot_dir}/{hint}")
        for snapshot_id in listed_ids(self._io, paths.snapshot_dir, "snapshot-"):
            self._io.delete(paths.snapshot_file(snapshot_id))
        self._io.delete_directory(self._paths.branch_dir(name))

    def rename(self, name: str, new_name: str) -> None:
        """Give a branch another name: one directory gets another.

        Raises:
            InvalidRequestError: not a name. AlreadyExistsError, NotFoundError.
        """
        check_branch_name(new_name)
        if not self.exists(name):
            raise NotFoundError("branch not found", branch=name)
        if self.exists(new_name):
            raise AlreadyExistsError("branch exists already", branch=new_name)
        self._io.rename_directory(self._paths.branch_dir(name), self._paths.branch_dir(new_name))

    def _copy_schemas(self, target: TablePaths, last: int | None) -> None:
        for schema_id in listed_ids(self._io, self._paths.schema_dir, "schema-"):
            if last is None or schema_id <= last:
                self._copy(self._paths.schema_file(schema_id), target.schema_file(schema_id))

    def _copy(self, source: str, target: str) -> None:
        self._io.create(target, self._io.read(source))

    def _created_millis(self, name: str) -> int:
        files = self._io.list_files(self._paths.on_branch(name).schema_dir)
        return min((status.modified_millis for status in files), default=0)


def check_branch_name(name: str) -> None:
    """`InvalidRequestError` if no branch can be called so."""
    if not name.strip() or "/" in name or name == MAIN_BRANCH or (name.isascii() and name.isdigit()):
        raise InvalidRequestError(
            "no name for a branch: it must not be blank, main, a number or hold a slash", branch=name
        )
