"""All of a commit but its snapshot file: manifests, lists, and the snapshot that names them. Spec: 08, 2."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from core.commit.base import partition_test
from core.commit.change import Change
from core.commit.delta import Delta, delta_of
from core.commit.moving_keys import check_moving_keys
from core.commit.row_ids import stamp_entries
from core.commit.strict_mode import check_read_at, check_strict_mode
from core.commit.written_columns import check_written_columns
from core.manifest.merge import MergeSettings, manifests_to_rewrite, merge_manifests
from core.manifest.writer import ManifestWriter, WrittenList
from core.snapshot.snapshot import CommitKind, Snapshot
from core.write.support import check_takes_more_than_appends
from core.write.target import WriteTarget

_WRITER = "lakescope"


@dataclass(frozen=True, slots=True)
class Author:
    """Whose commit it is."""

    user: str
    identifier: int


def prepare_snapshot(
    table: WriteTarget,
    change: Change,
    latest: Snapshot | None,
    writer: ManifestWriter,
    author: Author,
    *,
    now_millis: int,
    merge: bool,
) -> Snapshot | None:
    """The snapshot to be created on top of `latest`; what it names has been written.

    None if all that the change asks for is a merge of manifests, and there are none to merge.

    Args:
        table: the table that is changed.
        change: what the snapshot is to change.
        latest: the snapshot to stand on; None for the first.
        writer: of this attempt; it discards what was written if anything is raised.
        author: whose commit it is.
        now_millis: epoch milliseconds; a snapshot is not older than the one before.
        merge: whether manifests that have become many are merged.

    Raises:
        CommitConflictError: the change does not fit `latest`.
        InvalidRequestError: it is no append, and the table takes nothing else.
    """
    if change.kind not in (CommitKind.APPEND, CommitKind.ANALYZE):
        check_takes_more_than_appends(table.options)
    snapshot_id = latest.id + 1 if latest else 1
    base = table.manifests.manifests(latest) if latest else []
    check_read_at(table, change.read_at, latest)
    if latest is not None:
        check_strict_mode(table, author.user, change, latest)
        check_moving_keys(table, author.user, change, latest)
        check_written_columns(table, change, latest)
    delta = stamp_entries(
        delta_of(table, change, latest, base),
        table.options,
        snapshot_id=snapshot_id,
        next_row_id=latest.next_row_id if latest else None,
        is_compaction=change.kind is CommitKind.COMPACT,
    )
    settings = MergeSettings.of(table.options)
    if change.merges_manifests:
        settings = settings.of_all()
        if change.only_merges_manifests and not manifests_to_rewrite(base, settings):
            return None
    if merge or change.merges_manifests:
        may_contain = partition_test(table.schema.partition_types)
        base = merge_manifests(base, settings, table.manifests, writer, may_contain)
    base_list = writer.write_list(base)
    delta_list = writer.write_list(writer.write_manifests(delta.entries))
    changelog = writer.write_list(writer.write_manifests(delta.changelog)) if delta.changelog else None
    index = writer.write_index(delta.indexes) if delta.indexes is not None else None
    written = _Written(base_list, delta_list, changelog, index)
    schema_id = table.schemas.latest().id
    return _snapshot(snapshot_id, change, latest, delta, written, author, schema_id, now_millis)


@dataclass(frozen=True, slots=True)
class _Written:
    base: WrittenList
    delta: WrittenList
    changelog: WrittenList | None
    index_manifest: str | None  # None: as before


def _snapshot(
    snapshot_id: int,
    change: Change,
    latest: Snapshot | None,
    delta: Delta,
    written: _Written,
    author: Author,
    schema_id: int,
    now_millis: int,
) -> Snapshot:
    before = latest.total_record_count or 0 if latest else 0
    changelog = written.changelog
    return Snapshot(
        id=snapshot_id,
        uuid=str(uuid.uuid4()),
        schema_id=schema_id,
        base_manifest_list=written.base.name,
        base_manifest_list_size=written.base.size,
        delta_manifest_list=written.delta.name,
        delta_manifest_list_size=written.delta.size,
        changelog_manifest_list=changelog.name if changelog else None,
        changelog_manifest_list_size=changelog.size if changelog else None,
        index_manifest=written.index_manifest or (latest.index_manifest if latest else None),
        commit_user=author.user,
        writer_version=_WRITER,
        commit_identifier=author.identifier,
        commit_kind=change.kind,
        time_millis=max(now_millis, latest.time_millis) if latest else now_millis,
        total_record_count=before + delta.record_count,
        delta_record_count=delta.record_count,
        changelog_record_count=delta.changelog_record_count,
        watermark=_later(latest.watermark if latest else None, change.notes.watermark),
        statistics=change.statistics or _inherited_statistics(latest, schema_id),
        properties=change.notes.properties,
        next_row_id=delta.next_row_id,
        operation=change.notes.operation,
    )


def _inherited_statistics(latest: Snapshot | None, schema_id: int) -> str | None:
    """Statistics describe one schema; by induction those of a snapshot describe its own."""
    return latest.statistics if latest and latest.schema_id == schema_id else None


def _later(known: int | None, given: int | None) -> int | None:
    return max((w for w in (known, given) if w is not None), default=None)
