"""What a server does with a snapshot that a client has prepared. Spec: 04, C4, Server duties; 08, 2.

The client has written manifests and lists; the server alone makes the snapshot visible. A rule on ids
(latest + 1) and one on the base (its uuid) decide; the atomic create of the snapshot file decides between
those who come past both, among them writers that know of no server. So ids stay gapless whoever writes.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext
from enum import StrEnum

from core.catalog.rest.requests import CommitTable
from core.errors import (
    AlreadyExistsError,
    CommitUnknownError,
    InvalidRequestError,
    NotFoundError,
    StorageError,
)
from core.io.paths import TablePaths
from core.snapshot import Snapshot
from core.table import Table

_log = logging.getLogger(__name__)


class Verdict(StrEnum):
    CREATE = "create"
    REPEATED = "repeated"  # it is visible already: the answer was lost, and the client asks again
    CONFLICT = "conflict"  # the client has to build its snapshot anew, on the latest


def judge(asked: CommitTable, latest: Snapshot | None, same_id: Snapshot | None) -> Verdict:
    """What becomes of a commit.

    Args:
        asked: what the client sent.
        latest: the latest snapshot of the table.
        same_id: the snapshot that has the id of the one sent.
    """
    if same_id is not None:
        return Verdict.REPEATED if same_id == asked.snapshot else Verdict.CONFLICT
    if asked.snapshot.id != (latest.id if latest else 0) + 1:
        return Verdict.CONFLICT
    base = asked.base_snapshot_uuid
    if base is not None and base != (latest.uuid if latest else None):
        return Verdict.CONFLICT
    return Verdict.CREATE


def check_commit(table: Table, asked: CommitTable) -> None:
    """Refuse a snapshot that could not be read.

    Raises:
        InvalidRequestError: it names a schema that the table has not, or files that are not there, such
            as those of a client that wrote them to another store.
    """
    snapshot, paths = asked.snapshot, TablePaths(table.location, table.branch)
    if snapshot.id < 1:
        raise InvalidRequestError("snapshots are counted from 1", snapshot_id=snapshot.id)
    if snapshot.schema_id not in table.schemas.ids():
        raise InvalidRequestError(
            "the snapshot is of a schema that the table has not", schema_id=snapshot.schema_id
        )
    lists = (
        snapshot.base_manifest_list,
        snapshot.delta_manifest_list,
        snapshot.changelog_manifest_list,
        snapshot.index_manifest,
    )
    for name in lists:
        if name and not table.io.exists(f"{paths.manifest_dir}/{_file_name(name)}"):
            raise InvalidRequestError(
                "a manifest that the snapshot names is not where the server looks: "
                "do client and server write to the same store?",
                path=f"{paths.manifest_dir}/{name}",
            )


def _file_name(name: str) -> str:
    if "/" in name or name in (".", ".."):
        raise InvalidRequestError("manifests are named by file names", found=repr(name))
    return name


def commit_snapshot(table: Table, asked: CommitTable) -> bool:
    """Make a client's snapshot visible; False where another commit was first.

    The caller may hold a lock of its own, which spares others the work of losing: without one the outcome
    is the same, as the store, or the lock of the table's catalog, lets one of several creators win.

    Raises:
        StorageError: the lock of the table's catalog was not granted; nothing was done.
        CommitUnknownError: the store failed, and the snapshot may be there or not. The same request,
            sent again, tells.
    """
    lock = table.home.commit_lock()
    with nullcontext() if lock is None else lock.held():
        return _commit(table, asked)


def _commit(table: Table, asked: CommitTable) -> bool:
    latest = table.snapshots.latest()
    verdict = judge(asked, latest, _find(table, asked.snapshot.id))
    if verdict is not Verdict.CREATE:
        return verdict is Verdict.REPEATED
    try:
        table.snapshots.create(asked.snapshot)
    except AlreadyExistsError:
        return _find(table, asked.snapshot.id) == asked.snapshot
    except (StorageError, NotFoundError) as error:
        raise CommitUnknownError(
            "the store failed while the snapshot was created: it may be there or not; send it again to know",
            snapshot_id=asked.snapshot.id,
            user=asked.snapshot.commit_user,
            cause=str(error),
        ) from error
    if latest is not None and not _is_in_history(table, latest):
        return _take_back(table, asked.snapshot)
    _write_hint(table, asked.snapshot.id)
    return True


def _find(table: Table, snapshot_id: int) -> Snapshot | None:
    try:
        return table.snapshots.get(snapshot_id)
    except NotFoundError:
        return None


def _is_in_history(table: Table, base: Snapshot) -> bool:
    """Whether the base still is what it was: a rewind by somebody else may have taken it meanwhile."""
    try:
        return table.snapshots.get(base.id).identity == base.identity
    except NotFoundError:
        # Expired snapshots go from the oldest on; one that misses among older ones was rewound.
        return not any(i < base.id for i in table.snapshots.ids())
    except StorageError as error:
        _log.warning("whether snapshot %d is still there cannot be told: %s", base.id, error)
        return True


def _take_back(table: Table, made: Snapshot) -> bool:
    """Remove a snapshot that would bring back what a rewind removed, unless it is built upon."""
    if table.snapshots.exists(made.id + 1):
        raise CommitUnknownError(
            "the snapshot stands on one that a rollback removed, and another on it",
            snapshot_id=made.id,
            user=made.commit_user,
        )
    table.snapshots.delete(made.id)
    return False


def _write_hint(table: Table, snapshot_id: int) -> None:
    """Best effort: the commit is done, and readers list where the hint is wrong."""
    try:
        table.snapshots.write_hint(snapshot_id)
    except StorageError as error:
        _log.warning("LATEST was not written after snapshot %d: %s", snapshot_id, error)
