"""Compact manifests: as few as hold the live files, in a snapshot that changes no row. Spec: 08, 16; 10, 4.

Safe beside writers: whoever commits first, the other goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.commit import TableCommit
from core.commit.target import CommitTarget
from core.manifest.merge import MergeSettings, manifests_to_rewrite
from core.snapshot.snapshot import Snapshot
from core.write.target import WriteTarget


@dataclass(frozen=True, slots=True)
class CompactManifestsPlan:
    """What a compaction of manifests would rewrite; empty where it would win nothing."""

    snapshot: str | None  # the reference of the one looked at; None: the table has none
    manifests: int  # that the snapshot has
    manifest_bytes: int
    rewritten: tuple[str, ...]  # names of those that are small or hold DELETE entries
    rewritten_bytes: int
    deleted_entries: int  # DELETE entries that go, each with the ADD that it cancels

    @property
    def is_empty(self) -> bool:
        return not self.rewritten


def plan_compact_manifests(table: WriteTarget) -> CompactManifestsPlan:
    """What a compaction of the latest snapshot's manifests would rewrite, told by their lists alone."""
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return CompactManifestsPlan(None, 0, 0, (), 0, 0)
    manifests = table.manifests.manifests(snapshot)
    rewritten = manifests_to_rewrite(manifests, MergeSettings.of(table.options).of_all())
    return CompactManifestsPlan(
        snapshot=snapshot.reference,
        manifests=len(manifests),
        manifest_bytes=sum(meta.file_size for meta in manifests),
        rewritten=tuple(meta.file_name for meta in rewritten),
        rewritten_bytes=sum(meta.file_size for meta in rewritten),
        deleted_entries=sum(meta.num_deleted_files for meta in rewritten),
    )


def apply_compact_manifests(table: CommitTarget, plan: CompactManifestsPlan, user: str) -> Snapshot | None:
    """The COMPACT snapshot made, with the manifests of what is the latest by now; None for nothing to do.

    Raises:
        CommitConflictError: other commits were faster each time.
        CommitUnknownError: the snapshot may or may not be there; plan again.
    """
    return None if plan.is_empty else TableCommit(table, user).merge_manifests()
