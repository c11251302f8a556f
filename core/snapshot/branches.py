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

        Schemas come last: a directory is a branch one can open only once it has a schema.

        Raises:
            InvalidRequestError: not a name. AlreadyExistsError, NotFoundError (the tag).
        """
        _check_name(name)
        if self.exists(name):
            raise AlreadyExistsError("branch exists already", branch=name)
        target = self._paths.on_branch(name)
        if from_tag is None:
            self._copy_schemas(target, None)
            return
        snapshot = TagStore(self._io, self._paths).get(from_tag).snapshot
        self._copy(self._paths.tag_file(from_tag), target.tag_file(from_tag))
        try:
            self._copy(self._paths.snapshot_file(snapshot.id), target.snapshot_file(snapshot.id))
        except NotFoundError:  # expired: the tag holds all of it
            self._io.create(target.snapshot_file(snapshot.id), encode_snapshot(snapshot))
        self._copy_schemas(target, snapshot.schema_id)

    def delete(self, name: str) -> None:
        """Delete the branch's metadata; data files that only it used are then orphans."""
        if not self.exists(name):
            raise NotFoundError("branch not found", branch=name)
        self._io.delete_directory(self._paths.branch_dir(name))

    def _copy_schemas(self, target: TablePaths, last: int | None) -> None:
        for schema_id in listed_ids(self._io, self._paths.schema_dir, "schema-"):
            if last is None or schema_id <= last:
                self._copy(self._paths.schema_file(schema_id), target.schema_file(schema_id))

    def _copy(self, source: str, target: str) -> None:
        self._io.create(target, self._io.read(source))

    def _created_millis(self, name: str) -> int:
        files = self._io.list_files(self._paths.on_branch(name).schema_dir)
        return min((status.modified_millis for status in files), default=0)


def _check_name(name: str) -> None:
    if not name.strip() or "/" in name or name == MAIN_BRANCH or (name.isascii() and name.isdigit()):
        raise InvalidRequestError(
            "no name for a branch: it must not be blank, main, a number or hold a slash", branch=name
        )
