"""The manifest entries of a change on top of a snapshot, once it is known to fit. Spec: 08, 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from core.commit.base import entries_to_check, entries_to_replace, names_in, partition_test, snapshots_since
from core.commit.change import Change
from core.commit.conflicts import check_change, file_clash
from core.errors import UnsupportedError
from core.manifest.columns import ENTRY_SCHEMA, EntryColumns
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.manifest_list import ManifestFileMeta
from core.options import COMMIT_DISCARD_DUPLICATES
from core.snapshot.snapshot import CommitKind, Snapshot
from core.types.data_types import DataType
from core.write.target import WriteTarget


def delta_of(
    table: WriteTarget, change: Change, latest: Snapshot | None, base: Sequence[ManifestFileMeta]
) -> EntryColumns:
    """The entries of the change, those of replaced partitions included.

    Args:
        table: the table that is changed.
        change: what one snapshot is to change.
        latest: the snapshot that the new one stands on; None for the first.
        base: the manifests of `latest`.

    Raises:
        CommitConflictError: the change no longer fits the table.
        UnsupportedError: it replaces files that a table index speaks of.
    """
    entries = EntryColumns.of(change.entries)
    if latest is None:
        if change.needs_check:
            check_change([], change.entries, _key_types(table), same_buckets=False)
        return entries
    if change.replaces_files:
        _check_indexes(table, latest)
    recent = _added_since_the_writer_began(table, change, latest)
    if change.replaces is not None:
        _new_entries(table, change, recent)  # only to refuse what is there already
        live = table.manifests.live_entries(latest, list(base))
        return EntryColumns.concat([_deletes(entries_to_replace(live, change.replaces)), entries])
    if recent is not None and not change.needs_check:
        return EntryColumns.of(_new_entries(table, change, recent))
    return EntryColumns.of(_checked(table, change, latest, base, recent))


def record_count(delta: EntryColumns) -> int:
    """Rows of added files less those of deleted ones."""
    signs = 1 - 2 * delta.numpy("kind").astype("int64")
    return int((signs * delta.numpy("row_count")).sum())


def _checked(
    table: WriteTarget,
    change: Change,
    latest: Snapshot,
    base: Sequence[ManifestFileMeta],
    recent: EntryColumns | None,
) -> tuple[ManifestEntry, ...]:
    """The new entries, held against the live files of the partitions that they touch."""
    partitions = [partition.to_bytes() for partition in {entry.partition for entry in change.entries}]
    may_contain = partition_test(table.schema.partition_types)
    touched = [meta for meta in base if may_contain(meta, partitions)]
    live = table.manifests.live_entries(latest, touched)
    entries = _new_entries(table, change, recent, live)
    check_change(entries_to_check(live, entries), entries, _key_types(table))
    return entries


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
        CommitConflictError: there are such, and the table does not say to leave them out.
    """
    entries = change.entries
    if change.kind is CommitKind.COMPACT:
        return entries
    known = names_in(entries, *there)
    if known and not table.options.get(COMMIT_DISCARD_DUPLICATES):
        raise file_clash(
            "a file is added that the table has already",
            next(e for e in entries if e.file.file_name in known),
        )
    return tuple(e for e in entries if e.file.file_name not in known)


def _check_indexes(table: WriteTarget, latest: Snapshot) -> None:
    """An index of files that are replaced would go stale; which of them do is not tracked yet."""
    for entry in table.manifests.index_entries(latest):
        raise UnsupportedError(
            "files with a table index are not replaced by this release",
            feature=f"index {entry.index_type}",
            where=entry.file_name,
        )


def _key_types(table: WriteTarget) -> list[DataType]:
    return [field.type for field in table.schema.key_fields()]


def _deletes(entries: EntryColumns) -> EntryColumns:
    kinds = pa.array([int(FileKind.DELETE)] * len(entries), pa.int8())
    position = ENTRY_SCHEMA.get_field_index("kind")
    return EntryColumns(entries.table.set_column(position, ENTRY_SCHEMA.field(position), kinds))
