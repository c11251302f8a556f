"""Copies a table as of one snapshot into a new table, byte for byte.

All that a snapshot reaches lies below the table's folder, under names that stay: so the copy is that of
its files, with the same metadata. Of the history before, of tags and of branches nothing comes along.

The order makes the copy a readable table at every moment, and an interrupted one is finished by copying
again what is not there yet:

    1  data files, index files, statistics, manifests and their lists: no table yet
    2  schemas, ascending: a table without rows
    3  the snapshot, then the hints: the whole copy
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import AlreadyExistsError, NotFoundError, UnsupportedError
from core.io import FileIO, TablePaths
from core.maintenance.expire.plan import live_files
from core.maintenance.notice import Notice
from core.maintenance.reach import NamedFiles, metadata_files
from core.maintenance.reach.named import files_of_entries
from core.snapshot import Snapshot
from core.table import Table

_PART = 8 << 20  # bytes that a copy holds


@dataclass(frozen=True, slots=True)
class FileCopy:
    """A file that is to be copied, as paths below the two tables."""

    path: str
    size: int | None  # bytes; None where metadata does not tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ClonePlan:
    source: Table
    target: Table  # it may not be there yet
    snapshot: Snapshot
    named: tuple[FileCopy, ...]  # that are to be copied
    schemas: tuple[int, ...]
    files: NamedFiles  # the same by role
    is_done: bool  # the target is that copy already
    blockers: tuple[Notice, ...] = ()

    @property
    def size(self) -> int:
        """Bytes, as far as metadata tells."""
        return self.files.size


def plan_clone(source: Table, target: Table, snapshot: Snapshot | None) -> ClonePlan:
    """What would be copied.

    Args:
        source: the table, or one of its branches.
        target: a table at the place of the copy.
        snapshot: whose state is copied.

    Raises:
        NotFoundError: there is no snapshot, or a file that it needs is missing.
        UnsupportedError: files of it lie outside of the table.
    """
    if snapshot is None:
        raise NotFoundError("the table has no snapshot", table=str(source.identifier))
    files = NamedFiles.union(
        [live_files(source, snapshot), _changelog(source, snapshot), metadata_files(source, snapshot)]
    )
    latest = target.snapshots.latest()
    is_done = latest is not None and target.snapshots.exists(snapshot.id)
    is_done = is_done and target.snapshots.get(snapshot.id).identity == snapshot.identity
    taken = not is_done and not _is_half_made(source, target)
    return ClonePlan(
        source=source,
        target=target,
        snapshot=snapshot,
        named=tuple(_copies(source, files)),
        schemas=tuple(i for i in source.schemas.ids() if i <= _newest_schema(source, snapshot)),
        files=files,
        is_done=is_done,
        blockers=(Notice("table-exists", {"table": str(target.identifier)}),) if taken else (),
    )


def copy_file(source: FileIO, target: FileIO, path: str, to: str) -> int:
    """The bytes copied; none if the file is there whole. Others may copy it at the same time.

    Raises:
        NotFoundError: the file has gone, as its snapshot has expired.
    """
    size = source.status(path).size
    try:
        if target.status(to).size == size:
            return 0
    except NotFoundError:
        pass
    with source.open_input(path) as data, target.open_output(to) as output:
        while part := data.read(_PART):
            output.write(part)
    return size


def finish_clone(plan: ClonePlan) -> Snapshot:
    """The snapshot of the copy: once all files have been copied, it becomes a table, and then whole.

    Raises:
        AlreadyExistsError: somebody has made another table there meanwhile.
    """
    source, target = plan.source, plan.target
    places = TablePaths(target.location)  # those of the table need its schema
    for schema_id in plan.schemas:
        data = source.io.read(source.paths.schema_file(schema_id))
        path = places.schema_file(schema_id)
        try:
            target.io.create(path, data)
        except AlreadyExistsError:
            if target.io.read(path) != data:
                raise
    try:
        target.snapshots.create(plan.snapshot)
    except AlreadyExistsError:
        if target.snapshots.get(plan.snapshot.id).identity != plan.snapshot.identity:
            raise
    target.snapshots.write_earliest_hint(plan.snapshot.id)
    target.snapshots.write_hint(plan.snapshot.id)
    return plan.snapshot


def _copies(source: Table, files: NamedFiles) -> Iterator[FileCopy]:
    prefix = f"{source.location}/"
    sizes: list[int | None] = files.table.column("size").to_pylist()
    for path, size in zip(files.paths, sizes, strict=True):
        if not path.startswith(prefix):
            raise UnsupportedError(
                "a table with files outside of it is not cloned", feature="external paths", path=path
            )
        yield FileCopy(path.removeprefix(prefix), size)


def _changelog(source: Table, snapshot: Snapshot) -> NamedFiles:
    """The files of the snapshot's own changelog, which its lists name."""
    entries = source.manifests.open_entries(source.manifests.changelog_manifests(snapshot))
    return files_of_entries(source, entries)


def _newest_schema(source: Table, snapshot: Snapshot) -> int:
    """Up to which schema the copy has them: a later one would be the current one of the copy."""
    latest = source.snapshots.latest()
    is_latest = latest is not None and latest.identity == snapshot.identity
    return source.schemas.ids()[-1] if is_latest else snapshot.schema_id


def _is_half_made(source: Table, target: Table) -> bool:
    """Whether nothing is there but what an interrupted clone leaves."""
    ids = target.schemas.ids()
    if target.snapshots.ids() or any(i not in source.schemas.ids() for i in ids):
        return False
    places = TablePaths(target.location)
    return all(
        target.io.read(places.schema_file(i)) == source.io.read(source.paths.schema_file(i)) for i in ids
    )
