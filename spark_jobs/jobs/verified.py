"""What is true of a table after a job, found by reading it anew.

Others may commit meanwhile, so each look is at what the job itself made or deleted, never at whatever is
the latest by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as _pc

from core import Table
from core.errors import CommitConflictError, FormatError, NotFoundError
from core.io import FileIO
from core.maintenance.reach import NamedFiles, Roots, reached_names
from core.maintenance.reach.named import files_of_entries
from core.manifest import EntryColumns
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Facts = Mapping[str, Any]

_AT_ONCE = 16  # listings


def not_true(what: str, **fields: object) -> NoReturn:
    """Tell that a job's work is not as it should be; what it did is there all the same."""
    raise FormatError(f"the job is done, and the table is not as it should be: {what}", **fields)


def made_snapshots(table: Table, made: Sequence[Snapshot]) -> Facts:
    """Each snapshot reads again as it was made, and every file that it adds is there, whole.

    Raises:
        CommitConflictError: somebody has rolled the table back meanwhile.
        FormatError: a file is missing, or has another size.
    """
    files = 0
    for snapshot in made:
        try:
            again = table.snapshots.get(snapshot.id)
        except NotFoundError:
            continue  # expired, or rolled back, since: there is nothing to look at
        if again.identity != snapshot.identity:
            raise CommitConflictError(
                "the job's snapshot was rolled back and its id used again",
                base=snapshot.reference,
                winner=again.reference,
            )
        files += _files_there(table, added_entries(table, again))
    return {"snapshots": [snapshot.reference for snapshot in made], "files_present": files}


def added_entries(table: Table, snapshot: Snapshot) -> EntryColumns:
    """What the snapshot's commit added and did not take away itself."""
    return table.manifests.open_entries(table.manifests.delta_manifests(snapshot)).live().adds()


def _files_there(table: Table, entries: EntryColumns) -> int:
    """How many files the entries have; all are there."""
    files = files_of_entries(table, entries).table
    paths: list[Any] = files.column("path").to_pylist()  # as objects: the store is asked for each
    found = sizes_of(table.io, paths)
    for path, size in zip(paths, files.column("size").to_pylist(), strict=True):
        if path not in found:
            not_true("a file of the job's snapshot is missing", path=path)
        if size is not None and found[path] != size:
            not_true("a file has another size", path=path, expected=size, found=found[path])
    return int(files.num_rows)


def sizes_of(io: FileIO, paths: Iterable[str]) -> dict[str, int]:
    """The bytes of those of the files that are there, by a listing of each folder."""
    folders = sorted({path.rpartition("/")[0] for path in paths})
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        listed = pool.map(io.list_files, folders)
        return {status.path: status.size for statuses in listed for status in statuses}


def nothing_lost(table: Table, gone: NamedFiles) -> Facts:
    """No reader of anything that is there comes across a file that was deleted.

    Raises:
        FormatError: one would.
    """
    if len(gone):
        needed = reached_names(table, Roots.of(table).found, gone.names)
        if len(needed):
            not_true("a file that is needed was deleted", file=needed[0].as_py(), files=len(needed))
    return {"files_deleted": len(gone), "files_deleted_and_needed": 0}


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a snapshot, by name, and the rows that readers see of them, before merging."""

    names: pa.Array[Any]
    rows: int | None  # None where it is not recorded how many are deleted

    @staticmethod
    def of(table: Table, snapshot: Snapshot) -> Layout:
        """What a snapshot holds."""
        live = table.manifests.live_entries(snapshot)
        ranges = [
            marked
            for index in table.manifests.index_entries(snapshot)
            for marked in index.deletion_vector_ranges or ()
        ]
        deleted = [marked.cardinality for marked in ranges]
        in_files = int(pc.sum(live.column("row_count")).as_py() or 0)
        known = [count for count in deleted if count is not None]
        rows = in_files - sum(known) if len(known) == len(deleted) else None
        return Layout(_one(live.column("file_name")), rows)

    def has_files_of(self, other: Layout) -> bool:
        """Whether the same files are live in both."""
        same = pc.all(pc.is_in(self.names, value_set=other.names)).as_py()
        return len(self.names) == len(other.names) and bool(same)


def same_rows(table: Table, made: Sequence[Snapshot], *, merges: bool) -> Facts:
    """Of snapshots that put the same rows into other files: no file came or went besides, no row got lost.

    Args:
        table: read anew.
        made: the snapshots.
        merges: whether versions of a key may become one, so that there may be fewer rows afterwards.

    Raises:
        FormatError: files or rows that should be there are not.
    """
    facts: dict[str, int] = {}
    for snapshot in made:
        try:
            before, after = (
                Layout.of(table, one) for one in (table.snapshots.get(snapshot.id - 1), snapshot)
            )
        except NotFoundError:
            continue  # the one before has expired meanwhile, or there was none
        delta = table.manifests.open_entries(table.manifests.delta_manifests(snapshot))
        removed, added = (part.column("file_name") for part in (delta.deletes(), delta.adds()))
        left = before.names.filter(pc.invert(pc.is_in(before.names, value_set=_one(removed))))
        expected = pc.unique(pa.concat_arrays([left, _one(added)]))
        if len(expected) != len(after.names) or not pc.all(pc.is_in(expected, value_set=after.names)).as_py():
            not_true("other files are live than the commit says", snapshot=snapshot.reference)
        if before.rows is not None and after.rows is not None:
            if after.rows > before.rows or (not merges and after.rows != before.rows):
                not_true("the number of rows changed", expected=before.rows, found=after.rows)
            facts.setdefault("rows_before", before.rows)
            facts["rows_after"] = after.rows
        facts.setdefault("files_before", len(before.names))
        facts["files_after"] = len(after.names)
    return facts


def _one(column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    return pa.concat_arrays([pa.array([], pa.string()), *column.chunks])
