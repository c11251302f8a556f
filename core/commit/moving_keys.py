"""Whether two writers have put one key into two partitions. Spec: 05, 3.1.

Where keys move between partitions, a writer knows where each of them lives as of the snapshot that it
began on. Rows of the same keys that another has committed since may be in other partitions, where
nothing would ever merge the two; Paimon leaves it to its users to write with one job only. Keys are
compared by the ranges of the files, so a change is rather refused too often than too seldom.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from core.commit.change import Change
from core.errors import CommitConflictError, NotFoundError
from core.manifest.entry import FileKind, ManifestEntry
from core.mergetree.sorted_run import rank_key_ranges
from core.snapshot.snapshot import CommitKind, Snapshot
from core.write.target import WriteTarget

_MOVED = (CommitKind.APPEND, CommitKind.OVERWRITE)


def check_moving_keys(table: WriteTarget, user: str, change: Change, latest: Snapshot) -> None:
    """Refuse new rows of keys that others have written since the writer learned where keys live.

    Raises:
        CommitConflictError: there are such, or it cannot be told, as the snapshots since have expired.
    """
    mine = [e for e in change.entries if e.kind is FileKind.ADD]
    if not table.schema.is_cross_partition or change.kind not in _MOVED or not mine:
        return
    for snapshot in _since(table, change.made_after, latest):
        if snapshot.commit_user == user or snapshot.commit_kind not in _MOVED:
            continue
        theirs = list(table.manifests.delta_entries(snapshot).adds().entries())
        clash = _overlapping(table, mine, theirs)
        if clash is not None:
            raise CommitConflictError(
                "another writer has written keys that this one may have put into another partition",
                check="moving keys",
                winner=snapshot.reference,
                user=snapshot.commit_user,
                file=clash.file.file_name,
            )


def _since(table: WriteTarget, reference: str, latest: Snapshot) -> Iterator[Snapshot]:
    """The snapshots after the one of a reference; all there ever were after none."""
    began, _, _ = reference.partition("~")
    for number in range(int(began or 0), latest.id + 1):
        if number == 0:
            continue
        try:
            snapshot = latest if number == latest.id else table.snapshots.get(number)
        except NotFoundError as error:
            raise _unknown(number) from error
        if number == int(began or 0):
            if snapshot.reference != reference:
                raise _unknown(number)
            continue
        yield snapshot


def _unknown(number: int) -> CommitConflictError:
    return CommitConflictError(
        "a snapshot since this writer began is gone, so nobody can say which keys have moved",
        check="moving keys",
        snapshot_id=number,
    )


def _overlapping(
    table: WriteTarget, mine: list[ManifestEntry], theirs: list[ManifestEntry]
) -> ManifestEntry | None:
    """One of their files that shares a range of keys with one of mine."""
    entries = [*mine, *theirs]
    low, high = rank_key_ranges(
        [field.type for field in table.schema.key_fields()],
        pa.array([e.file.min_key.to_bytes() for e in entries], pa.binary()),
        pa.array([e.file.max_key.to_bytes() for e in entries], pa.binary()),
    )
    count = len(mine)
    for i, entry in enumerate(theirs, count):
        if ((low[:count] <= high[i]) & (high[:count] >= low[i])).any():
            return entry
    return None
