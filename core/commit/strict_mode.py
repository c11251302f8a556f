"""Strict mode: refuse to commit on top of what others did to the same partitions. Spec: 08, 3, check 9.

A job that reads at snapshot s and writes what follows from it sets
`commit.strict-mode.last-safe-snapshot` to s: whatever another user has rewritten since, the
job's rows may be based on what is no longer so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.commit.change import Change
from core.errors import CommitConflictError, NotFoundError
from core.manifest.columns import EntryColumns
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, IndexManifestEntry
from core.options import COMMIT_STRICT_LAST_SAFE
from core.snapshot.snapshot import CommitKind, Snapshot
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def check_strict_mode(table: WriteTarget, user: str, change: Change, latest: Snapshot) -> None:
    """Refuse a change if the table is in strict mode and others were there since the safe snapshot.

    Raises:
        CommitConflictError: they were, or it cannot be told as their snapshots have expired.
    """
    safe = table.options.get(COMMIT_STRICT_LAST_SAFE)
    if safe is None or safe < 0:
        return
    for snapshot_id in range(safe + 1, latest.id + 1):
        snapshot = _get(table, snapshot_id, latest)
        touched = _touched(table, snapshot, change) if snapshot.commit_user != user else iter(())
        mine = _partitions_of(change)
        if any(mine(partition) for partition in touched):
            raise CommitConflictError(
                "strict mode: another user changed the partitions of this commit",
                check="strict mode",
                winner=snapshot.reference,
                user=snapshot.commit_user,
                kind=snapshot.commit_kind.value,
                last_safe=safe,
            )


def check_read_at(table: WriteTarget, read_at: str, latest: Snapshot | None) -> None:
    """Refuse to put rows of a snapshot (a reference) into other files if that is not in the history any more.

    Strict mode looks at what came after it, so it finds nothing where a rollback has taken it away.

    Raises:
        CommitConflictError: it was rolled back, or it has expired.
    """
    if not read_at:
        return
    snapshot_id = int(read_at.partition("~")[0])
    if latest is not None and snapshot_id <= latest.id:
        try:
            found = latest if snapshot_id == latest.id else table.snapshots.get(snapshot_id)
        except NotFoundError:
            found = None
        if found is not None and found.reference == read_at:
            return
    raise CommitConflictError(
        "the snapshot that was rewritten has left the table, by a rollback or an expiration",
        check="base",
        base=read_at,
        winner=latest.reference if latest else "none",
    )


def _get(table: WriteTarget, snapshot_id: int, latest: Snapshot) -> Snapshot:
    if snapshot_id == latest.id:
        return latest
    try:
        return table.snapshots.get(snapshot_id)
    except NotFoundError as error:
        raise CommitConflictError(
            "strict mode: a snapshot since the last safe one has expired, so nobody can say what it did",
            check="strict mode",
            snapshot_id=snapshot_id,
        ) from error


def _partitions_of(change: Change) -> Callable[[BinaryRow], bool]:
    partitions, replaces = change.partitions, change.replaces
    return lambda found: found in partitions or (replaces is not None and replaces(found))


def _touched(table: WriteTarget, snapshot: Snapshot, change: Change) -> Iterator[BinaryRow]:
    """The partitions of a snapshot that the change must not touch as well."""
    if snapshot.commit_kind in (CommitKind.COMPACT, CommitKind.OVERWRITE):
        yield from _partitions_in(table.manifests.delta_entries(snapshot))
        yield from _partitions_of_vectors(table, snapshot)
    elif snapshot.commit_kind is CommitKind.APPEND and change.kind is CommitKind.OVERWRITE:
        delta = table.manifests.delta_entries(snapshot)
        yield from _partitions_in(delta.filter(pc.greater_equal(delta.column("bucket"), 0)))


def _partitions_in(entries: EntryColumns) -> Iterator[BinaryRow]:
    partitions: list[Any] = entries.column("partition").unique().to_pylist()
    yield from map(BinaryRow.from_bytes, partitions)


def _partitions_of_vectors(table: WriteTarget, snapshot: Snapshot) -> Iterable[BinaryRow]:
    """Those whose deletion vectors the snapshot changed; all that have any, if that cannot be told."""
    try:
        before = table.snapshots.get(snapshot.id - 1).index_manifest
    except NotFoundError:
        before = None
    if before == snapshot.index_manifest:
        return ()
    old = _vectors(table.manifests.read_index(before) if before else [])
    return {entry.partition for entry in old ^ _vectors(table.manifests.index_entries(snapshot))}


def _vectors(entries: Iterable[IndexManifestEntry]) -> set[IndexManifestEntry]:
    return {entry for entry in entries if entry.index_type == DELETION_VECTORS_INDEX}
