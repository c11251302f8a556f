"""What a snapshot adds to the one it stands on, once the change is known to fit. Spec: 08, 2 to 4."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.binary import BinaryRow
from core.commit.base import (
    bucket_samples,
    entries_to_check,
    entries_to_replace,
    live_in,
    live_names,
    names_in,
    partition_test,
    snapshots_since,
)
from core.commit.change import Change
from core.commit.conflicts import check_change, file_clash
from core.commit.indexes import check_vectors, combine_indexes, vectored_files
from core.commit.row_id_conflicts import check_index_ranges, check_row_ids
from core.errors import InvalidRequestError
from core.manifest.columns import ENTRY_SCHEMA, EntryColumns
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.index_manifest import IndexManifestEntry
from core.manifest.manifest_list import ManifestFileMeta
from core.options import (
    BUCKET,
    COMMIT_DISCARD_DUPLICATES,
    MERGE_ENGINE,
    POSTPONE_BUCKET,
    ROW_TRACKING_ENABLED,
)
from core.snapshot.snapshot import CommitKind, Snapshot
from core.types.data_types import DataType
from core.write.cross_partition import leaves_partitions_that_stay
from core.write.target import WriteTarget


@dataclass(frozen=True, slots=True)
class Delta:
    """What the lists of one snapshot say."""

    entries: EntryColumns
    changelog: tuple[ManifestEntry, ...] = ()
    indexes: tuple[IndexManifestEntry, ...] | None = None  # all that are live; None: as before
    next_row_id: int | None = None  # of rows that come after these

    @property
    def record_count(self) -> int:
        """Rows of added files less those of deleted ones."""
        signs = 1 - 2 * self.entries.numpy("kind").astype("int64")
        return int((signs * self.entries.numpy("row_count")).sum())

    @property
    def changelog_record_count(self) -> int:
        return sum(entry.file.row_count for entry in self.changelog)


def delta_of(
    table: WriteTarget, change: Change, latest: Snapshot | None, base: Sequence[ManifestFileMeta]
) -> Delta:
    """What the change adds to a snapshot, deletions in replaced partitions included.

    Args:
        table: the table that is changed.
        change: what one snapshot is to change.
        latest: the snapshot that the new one stands on; None for the first.
        base: the manifests of `latest`.

    Raises:
        CommitConflictError: the change no longer fits the table.
    """
    indexed = _Indexes.of(table, change, latest)
    entries = _entries_of(table, change, latest, base, indexed)
    return Delta(entries, change.changelog, indexed.to_write)


@dataclass(frozen=True, slots=True)
class _Indexes:
    """The live index files before and after the change, where the change has to do with any."""

    before: Sequence[IndexManifestEntry]
    after: Sequence[IndexManifestEntry]

    @staticmethod
    def of(table: WriteTarget, change: Change, latest: Snapshot | None) -> _Indexes:
        concerned = bool(change.indexes) or change.replaces_files
        before = table.manifests.index_entries(latest) if latest and concerned else []
        by_bucket = bool(table.schema.primary_keys) or table.options.get(BUCKET) > 0
        after = combine_indexes(before, change.indexes, vectors_by_bucket=by_bucket, replaces=change.replaces)
        return _Indexes(before, after)

    @property
    def to_write(self) -> tuple[IndexManifestEntry, ...] | None:
        return None if list(self.after) == list(self.before) else tuple(self.after)

    @property
    def newly_vectored(self) -> set[str]:
        return vectored_files(self.after) - vectored_files(self.before)

    def check(self, live: EntryColumns, delta: Sequence[ManifestEntry]) -> None:
        """Whether vectors and data files stay together."""
        added = {e.file.file_name for e in delta if e.kind is FileKind.ADD}
        deleted = {e.file.file_name for e in delta if e.kind is FileKind.DELETE}
        there = live_names(live, self.newly_vectored) - deleted | added
        check_vectors(self.before, self.after, live=there, gone=deleted - added)


def _entries_of(
    table: WriteTarget,
    change: Change,
    latest: Snapshot | None,
    base: Sequence[ManifestFileMeta],
    indexed: _Indexes,
) -> EntryColumns:
    entries = EntryColumns.of(change.entries)
    if latest is None:
        if change.needs_check:
            check_change([], change.entries, _key_types(table), same_buckets=False)
            indexed.check(EntryColumns.empty(), change.entries)
        return entries
    recent = _added_since_the_writer_began(table, change, latest)
    if change.replaces is not None:
        _new_entries(table, change, recent)  # only to refuse what is there already
        live = table.manifests.live_entries(latest, list(base))
        postponed = table.options.get(BUCKET) == POSTPONE_BUCKET
        gone = entries_to_replace(live, change.replaces, with_postponed=postponed)
        if change.entries and len(gone) < len(live):
            _check_partitions_may_stay(table)
        return EntryColumns.concat([_deletes(gone), entries])
    if recent is not None and not change.needs_check:
        return EntryColumns.of(_new_entries(table, change, recent))
    return EntryColumns.of(_checked(table, change, latest, base, recent, indexed))


def _check_partitions_may_stay(table: WriteTarget) -> None:
    """Keys that the new rows have are to be nowhere else. Spec: 05, 3.1."""
    if table.schema.is_cross_partition and not leaves_partitions_that_stay(table.schema, table.options):
        raise InvalidRequestError(
            "keys of the new rows may live in partitions that stay: overwrite all of them, with {}",
            merge_engine=table.options.get(MERGE_ENGINE).value,
        )


def _checked(
    table: WriteTarget,
    change: Change,
    latest: Snapshot,
    base: Sequence[ManifestFileMeta],
    recent: EntryColumns | None,
    indexed: _Indexes,
) -> tuple[ManifestEntry, ...]:
    """The new entries, held against the live files of the partitions that they touch."""
    touched = _that_may_hold(table, base, change.partitions)
    if recent is not None and change.only_adds_to_level_0:
        entries = _new_entries(table, change, recent)
        check_change(bucket_samples(table.manifests, touched, change.partitions), entries, ())
        return entries
    live = live_in(table.manifests, touched, change.partitions)
    entries = _new_entries(table, change, recent, live)
    check_change(entries_to_check(live, entries), entries, _key_types(table))
    indexed.check(live, entries)
    if table.options.get(ROW_TRACKING_ENABLED):
        all_live, next_row_id = list(live.entries()), latest.next_row_id or 0
        check_row_ids(all_live, entries, next_row_id, is_compaction=change.kind is CommitKind.COMPACT)
        check_index_ranges(change.indexes.added, all_live)
    return entries


def _that_may_hold(
    table: WriteTarget, base: Sequence[ManifestFileMeta], partitions: Collection[BinaryRow]
) -> list[ManifestFileMeta]:
    may_contain = partition_test(table.schema.partition_types)
    rows = [partition.to_bytes() for partition in partitions]
    return [meta for meta in base if may_contain(meta, rows)]


def _added_since_the_writer_began(
    table: WriteTarget, change: Change, latest: Snapshot
) -> EntryColumns | None:
    """What only the new files' second commit could name; None where all live files have to be asked."""
    if change.kind is CommitKind.COMPACT:
        return EntryColumns.empty()  # its inputs are gone after the first
    since = snapshots_since(table.snapshots, latest, change.made_after)
    if since is None:
        return None
    return EntryColumns.concat(list(map(table.manifests.delta_entries, since)))


def _new_entries(
    table: WriteTarget, change: Change, *there: EntryColumns | None
) -> tuple[ManifestEntry, ...]:
    """The entries of the change without those that another process has committed.

    Raises:
        CommitConflictError: there are such, and the table does not say to leave them out; or
            they come with a changelog, of which nobody can say to which files it belongs.
    """
    entries = change.entries
    if change.kind is CommitKind.COMPACT:
        return entries
    known = names_in(entries, *there)
    if known and (change.changelog or not table.options.get(COMMIT_DISCARD_DUPLICATES)):
        raise file_clash(
            "a file is added that the table has already",
            next(e for e in entries if e.file.file_name in known),
        )
    return tuple(e for e in entries if e.file.file_name not in known)


def _key_types(table: WriteTarget) -> list[DataType]:
    return [field.type for field in table.schema.key_fields()]


def _deletes(entries: EntryColumns) -> EntryColumns:
    kinds = pa.array([int(FileKind.DELETE)] * len(entries), pa.int8())
    position = ENTRY_SCHEMA.get_field_index("kind")
    return EntryColumns(entries.table.set_column(position, ENTRY_SCHEMA.field(position), kinds))
