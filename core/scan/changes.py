"""Plan a read of the changes that commits made. Spec: 09, 6.1 and 7.

- *delta*: the new files of APPEND commits. Rows as they were written, with their kinds.
- *changelog*: the changelog files of commits, which hold the old row of an update as well.

Both are read as they stand: one split a bucket, never merged, files in the order of their
commits. A filter may drop any file of them by its statistics, as no row hides another. What
differs between two snapshots, however it came about, is planned by `core.scan.diff`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

import numpy as np

from core.datafile.system_fields import select_fields
from core.manifest import EntryColumns, ManifestFileMeta
from core.predicate import Predicate
from core.scan.deletion_files import NO_DELETION_FILES, DeletionFiles, read_deletion_files
from core.scan.explain import Explain, snapshot_stage, summed
from core.scan.plan import Plan
from core.scan.pruning import Pruner
from core.scan.source import TableSource
from core.scan.split import Split
from core.scan.splits import Layout, Numbers, Splits, bucket_groups
from core.schema import TableSchema
from core.snapshot.snapshot import CommitKind, Snapshot


class ChangeFiles(Enum):
    """Which files of a commit hold its changes."""

    DELTA = "delta"
    CHANGELOG = "changelog"


def holds_changes(snapshot: Snapshot, files: ChangeFiles) -> bool:
    """Whether a reader of these files has something to see in the snapshot."""
    if files is ChangeFiles.DELTA:
        return snapshot.commit_kind is CommitKind.APPEND
    return snapshot.commit_kind is not CommitKind.OVERWRITE and snapshot.changelog_manifest_list is not None


def plan_changes(
    source: TableSource,
    schema: TableSchema,
    snapshots: Sequence[Snapshot],
    files: ChangeFiles,
    columns: Sequence[str] | None = None,
    predicate: Predicate | None = None,
) -> Plan:
    """The new rows of some commits, oldest first; those without changes of the kind are passed over.

    Args:
        source: the table.
        schema: as which rows will be read.
        snapshots: ascending; the files that they name must still be there.
        files: the delta or the changelog of each.
        columns: names, in the order wanted; None for all.
        predicate: bound to `schema`.
    """
    read = (
        source.manifests.delta_manifests
        if files is ChangeFiles.DELTA
        else source.manifests.changelog_manifests
    )
    pruner = Pruner(source.schemas, schema, predicate)
    told = [snapshot for snapshot in snapshots if holds_changes(snapshot, files)]
    commits = [_added(source, pruner, read(snapshot)) for snapshot in told]
    of_snapshots = snapshot_stage(len(told), len(snapshots), _KINDS[files])
    explain = Explain((of_snapshots, *summed(pruner.stages)))
    last = snapshots[-1] if snapshots else None
    return _streaming_plan(schema, last, commits, columns, predicate, explain)


_KINDS = {
    ChangeFiles.DELTA: "new files of APPEND commits",
    ChangeFiles.CHANGELOG: "changelog files of commits",
}


def plan_overwrite(
    source: TableSource,
    schema: TableSchema,
    previous: Snapshot | None,
    snapshot: Snapshot,
    columns: Sequence[str] | None = None,
    predicate: Predicate | None = None,
) -> Plan:
    """What an OVERWRITE commit changed: the rows of the files that it removed, then of those it added.

    An append table tells nothing of what was removed. `previous` is the snapshot before, which
    knows the rows of the removed files that were deleted already.
    """
    pruner = Pruner(source.schemas, schema, predicate)
    entries = _entries(source, pruner, source.manifests.delta_manifests(snapshot))
    added, removed = _without_both(entries)
    vectors = read_deletion_files(source, schema, snapshot)
    stage = snapshot_stage(1, 1, "files that an OVERWRITE commit removed and added")
    explain = Explain((stage, *summed(pruner.stages)))
    plan = _streaming_plan(schema, snapshot, [added], columns, predicate, explain, vectors)
    if not schema.primary_keys or not len(removed):
        return plan
    vectors = read_deletion_files(source, schema, previous)
    gone = _streaming_plan(schema, snapshot, [removed], columns, predicate, explain, vectors)
    return replace(
        plan,
        entries=EntryColumns.concat([gone.entries, plan.entries]),
        splits=list(_paired(gone.splits, plan.splits)),
    )


def _entries(source: TableSource, pruner: Pruner, manifests: Sequence[ManifestFileMeta]) -> EntryColumns:
    """The entries of a commit that a filter on partition and bucket keys leaves."""
    opened = source.manifests.open_entries(pruner.manifests(manifests))
    return pruner.buckets(pruner.partitions(opened)).complete()


def _added(source: TableSource, pruner: Pruner, manifests: Sequence[ManifestFileMeta]) -> EntryColumns:
    return pruner.statistics(_entries(source, pruner, manifests).adds())


def _without_both(entries: EntryColumns) -> tuple[EntryColumns, EntryColumns]:
    """What was added, and what was removed, less the files that the same commit did both to."""
    standing = entries.live()
    return standing.adds(), standing.deletes()


def _streaming_plan(
    schema: TableSchema,
    snapshot: Snapshot | None,
    commits: Sequence[EntryColumns],
    columns: Sequence[str] | None,
    predicate: Predicate | None,
    explain: Explain,
    deletion_files: DeletionFiles = NO_DELETION_FILES,
) -> Plan:
    entries = EntryColumns.concat([part for part in commits if len(part)])
    commit = np.repeat(np.arange(len(commits)), [len(part) for part in commits])
    layout = _one_split_a_bucket(entries, commit)
    ordered = entries.take(layout.order)
    return Plan(
        snapshot=snapshot,
        schema=schema,
        fields=select_fields(schema, columns),
        predicate=predicate,
        entries=ordered,
        splits=Splits(snapshot.id if snapshot else 0, ordered, layout, deletion_files, is_streaming=True),
        explain=explain,
    )


def _one_split_a_bucket(entries: EntryColumns, commit: Numbers) -> Layout:
    """Files of a bucket by commit, and within one in the order of writing."""
    if not len(entries):
        return Layout(commit, commit, np.zeros(0, dtype=np.bool_))
    group = bucket_groups(entries)
    order = np.lexsort((entries.numpy("min_sequence_number"), commit, group))
    ends = np.append(np.flatnonzero(np.diff(group[order])) + 1, len(group))
    return Layout(order, ends, np.ones(len(ends), dtype=np.bool_))


def _paired(gone: Sequence[Split], added: Sequence[Split]) -> Iterator[Split]:
    """One split a bucket, with what was removed from it."""
    of_bucket = {(split.partition, split.bucket): split for split in gone}
    for split in added:
        yield replace(split, before=of_bucket.pop((split.partition, split.bucket), None))
    for split in of_bucket.values():
        yield replace(split, files=(), before=split)
