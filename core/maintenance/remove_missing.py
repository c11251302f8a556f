"""Takes files that are lost out of the table, so that the rest can be read again. Spec: 10, 5.

Their rows are lost already. In a primary-key table older versions of them may show again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.commit import TableCommit
from core.datafile.system_fields import evolves_data
from core.errors import CommitConflictError, NotFoundError
from core.maintenance.check.listing import Listing
from core.maintenance.notice import Notice, refuse_blocked
from core.manifest import EntryColumns, ManifestEntry
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.system.placement import Partitions, file_paths
from core.table import Table
from core.write import CommitMessage

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_LOOKERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMissingPlan:
    base: Snapshot  # the latest when the plan was made
    entries: EntryColumns  # of the files that are lost
    paths: tuple[str, ...]  # where they should be, in the same order
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.paths


def plan_remove_missing(table: Table) -> RemoveMissingPlan:
    """The live files of the latest snapshot that are not there.

    Raises:
        NotFoundError: the table has no snapshot, or metadata is missing (`path`).
        FormatError: metadata is damaged (`path`).
    """
    base = table.snapshots.latest()
    if base is None:
        raise NotFoundError("the table has no snapshot", table=str(table.identifier))
    live = table.manifests.live_entries(base)
    paths = file_paths(table.paths, Partitions.of(table.schema, live.column("partition")), live)
    unlisted = np.flatnonzero(pc.is_null(Listing.of(table.io, table.location).sizes(paths)))
    lost = unlisted[_gone(table, pc.take(paths, unlisted).to_pylist())]
    entries = live.take(lost)
    return RemoveMissingPlan(
        base=base,
        entries=entries,
        paths=tuple(pc.take(paths, lost).to_pylist()),
        blockers=tuple(_vectors(table, base, entries)),
        warnings=tuple(_warnings(table, entries)),
    )


def apply_remove_missing(
    table: Table, plan: RemoveMissingPlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> Snapshot:
    """The snapshot without the files; the latest one if none is lost.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: the table has moved since the plan, or a file is there again.
        CommitUnknownError: as `TableCommit.commit`.
    """
    refuse_blocked("the removal of lost files", plan.blockers)
    latest = table.snapshots.latest()
    if latest is None or latest.identity != plan.base.identity:
        raise CommitConflictError(
            "the table has moved since the plan",
            base=plan.base.reference,
            winner=latest.reference if latest else "none",
        )
    back = [path for path in plan.paths if table.io.exists(path)]
    if back:
        raise CommitConflictError("a file that was lost is there again", path=back[0], files=len(back))
    if plan.changes_nothing:
        return latest
    return TableCommit(table, user).commit(_messages(plan.entries), identifier)[-1]


def _gone(table: Table, paths: list[str]) -> list[int]:
    """Numbers of the paths where nothing is, by asking for each: it may lie outside of the table."""
    with ThreadPoolExecutor(_LOOKERS) as pool:
        return [i for i, there in enumerate(pool.map(table.io.exists, paths)) if not there]


def _vectors(table: Table, base: Snapshot, entries: EntryColumns) -> Iterator[Notice]:
    """A deletion vector would be left without its file."""
    lost = set(entries.column("file_name").to_pylist())
    for index in table.manifests.index_entries(base):
        for vector in index.deletion_vector_ranges or ():
            if vector.data_file in lost:
                yield Notice("file-has-deletion-vector", {"file": vector.data_file})


def _warnings(table: Table, entries: EntryColumns) -> Iterator[Notice]:
    if len(entries):
        rows = int(pc.sum(entries.column("row_count")).as_py())
        yield Notice("rows-lost", {"files": len(entries), "rows": rows})
        if table.schema.primary_keys or evolves_data(table.schema):
            yield Notice("older-rows-may-return")


def _messages(entries: EntryColumns) -> list[CommitMessage]:
    places: dict[tuple[BinaryRow, int, int], list[ManifestEntry]] = defaultdict(list)
    for entry in entries.entries():
        places[entry.partition, entry.bucket, entry.total_buckets].append(entry)
    return [
        CommitMessage(
            partition=partition,
            bucket=bucket,
            total_buckets=total,
            deleted_files=tuple(entry.file for entry in found),
        )
        for (partition, bucket, total), found in places.items()
    ]
