"""Commits the state of an old snapshot again, on top of all others: nothing is lost. Spec: 08, 10.

The new snapshot takes away the files that the target lacks and brings back those that the head lacks.
The target may be the head of a branch: that is how a guarded rollback is undone.
A tag keeps the target's files from being expired until then, and from Java Paimon's expiration
afterwards, which does not see that a later snapshot has brought old files back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from core.binary import BinaryRow
from core.commit import TableCommit
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
)
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.rollback_data import DataChange, data_change
from core.maintenance.rollback_plan import target_of
from core.maintenance.tags import apply_create_tag, plan_create_tag
from core.manifest import ENTRY_SCHEMA, EntryColumns, FileKind, IndexManifestEntry, ManifestEntry
from core.options import ROW_TRACKING_ENABLED
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot, Tag
from core.table import Table
from core.write import CommitMessage

_Place = tuple[BinaryRow, int, int]  # partition, bucket, number of buckets


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    base: Snapshot  # the latest snapshot when the plan was made
    target: Snapshot  # whose rows the table will have
    tag: str  # keeps the target's files
    makes_tag: bool
    change: DataChange
    now_millis: int
    branch: str | None = None  # whose head the target is; None: the target is of the table's own history
    blockers: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.change.partitions and self.base.index_manifest == self.target.index_manifest


def plan_restore(
    table: Table,
    snapshot_id: int | None = None,
    tag: str | None = None,
    *,
    branch: str | None = None,
    now_millis: int,
) -> RestorePlan:
    """What would leave the live files, and what would come back.

    Args:
        table: the table, or one of its branches.
        snapshot_id: the target; if its file has expired, a tag that holds it serves.
        tag: the target by name.
        branch: the target is the latest snapshot of this branch.
        now_millis: epoch milliseconds.

    Raises:
        InvalidRequestError: not exactly one target.
        NotFoundError: no such snapshot, tag or branch, no snapshot at all, or the target needs
            metadata that is missing (`path`).
        FormatError: metadata of the target is damaged (`path`).
    """
    base = table.snapshots.latest()
    if base is None:
        raise NotFoundError("the table has no snapshot", table=str(table.identifier))
    target, held_by = _target(table, snapshot_id, tag, branch)
    holder = held_by or next(
        (t.name for t in table.tags.list() if t.snapshot.identity == target.identity), None
    )
    change = data_change(table, base, target)
    return RestorePlan(
        base=base,
        target=target,
        tag=holder or f"restore-{target.reference.replace('~', '-')}",
        makes_tag=holder is None,
        change=change,
        now_millis=now_millis,
        branch=branch,
        blockers=tuple(_blockers(table, change)),
    )


def _target(
    table: Table, snapshot_id: int | None, tag: str | None, branch: str | None
) -> tuple[Snapshot, str | None]:
    """The target, and the tag of the table that holds it where that is needed."""
    if sum(given is not None for given in (snapshot_id, tag, branch)) != 1:
        raise InvalidRequestError(
            "give exactly one of snapshot_id, tag and branch", snapshot_id=snapshot_id, tag=tag, branch=branch
        )
    if branch is None:
        return target_of(table, snapshot_id, tag)
    head = table.with_branch(branch).snapshots.latest()
    if head is None:
        raise NotFoundError("the branch has no snapshot", branch=branch)
    return head, None


def apply_restore(
    table: Table, plan: RestorePlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> Snapshot:
    """The snapshot that holds the target's state; the latest one if that does already.

    What others commit meanwhile stays on top of what is restored.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: the table has moved since the plan. CommitUnknownError: as `TableCommit.commit`.
        NotFoundError: the target has expired meanwhile.
    """
    refuse_blocked("the restoration", plan.blockers)
    latest = table.snapshots.latest()
    if latest is None or latest.identity != plan.base.identity:
        raise CommitConflictError(
            "the table has moved since the restoration was planned",
            base=plan.base.reference,
            winner=latest.reference if latest else "none",
        )
    try:
        messages = _messages(table, plan.base, plan.target)
    except NotFoundError as error:
        raise NotFoundError(
            "the target has expired since the restoration was planned",
            target=plan.target.reference,
            **error.fields,
        ) from error
    if not messages:
        return latest
    made_tag = plan.makes_tag and _make_tag(table, plan)
    try:
        return TableCommit(table, user).commit(messages, identifier, returns_files=True)[-1]
    except CommitUnknownError:
        raise  # the new snapshot may be there, and need it
    except PaimonError:
        if made_tag:
            table.tags.delete(plan.tag)
        raise


def _blockers(table: Table, change: DataChange) -> Iterator[Notice]:
    if change.head_damage is not None:
        yield Notice.of_error("head-damaged", change.head_damage)
    if change.missing_files:
        missing = change.missing_files
        yield Notice("missing-files", {"files": len(missing), "path": missing[0]})
    if table.options.get(ROW_TRACKING_ENABLED):
        yield Notice("row-ids-kept", {"option": ROW_TRACKING_ENABLED.key})  # ids are given out once


def _make_tag(table: Table, plan: RestorePlan) -> bool:
    """Whether it was this call that made the tag."""
    if plan.branch is not None:
        return _make_tag_of_branch(table, plan, plan.branch)
    wanted = plan_create_tag(table, plan.tag, now_millis=plan.now_millis, snapshot_id=plan.target.id)
    if wanted.blockers and table.tags.get(plan.tag).snapshot.identity == plan.target.identity:
        return False  # an interrupted run has made it
    if wanted.tag.snapshot.identity != plan.target.identity:
        raise CommitConflictError("the target was rewound since the plan", target=plan.target.reference)
    try:
        apply_create_tag(table, wanted)
    except AlreadyExistsError:
        return False
    return True


def _make_tag_of_branch(table: Table, plan: RestorePlan, branch: str) -> bool:
    """As `_make_tag`; the target may have left the table's own history, and its id be another's by now."""
    try:
        table.tags.create(Tag(plan.tag, plan.target))
    except AlreadyExistsError:
        if table.tags.get(plan.tag).snapshot.identity != plan.target.identity:
            raise
        return False
    head = table.with_branch(branch).snapshots.latest()
    if head is None or head.identity != plan.target.identity:
        table.tags.delete(plan.tag)
        raise CommitConflictError(
            "the branch has moved since the restoration was planned",
            base=plan.target.reference,
            winner=head.reference if head else "none",
        )
    return True


def _messages(table: Table, base: Snapshot, target: Snapshot) -> list[CommitMessage]:
    """The difference between two snapshots, a message for each bucket."""
    leaves: dict[_Place, list[ManifestEntry]] = defaultdict(list)
    comes: dict[_Place, list[ManifestEntry]] = defaultdict(list)
    for entry in _difference(table, base, target).entries():
        place = (entry.partition, entry.bucket, entry.total_buckets)
        (comes if entry.kind is FileKind.ADD else leaves)[place].append(entry)
    old, new = (_by_name(table.manifests.index_entries(snapshot)) for snapshot in (base, target))
    messages = [
        CommitMessage(
            partition=partition,
            bucket=bucket,
            total_buckets=total,
            new_files=tuple(entry.file for entry in comes[partition, bucket, total]),
            deleted_files=tuple(entry.file for entry in leaves[partition, bucket, total]),
            made_after=base.reference,  # where each key lives is known as of the snapshot that is left
        )
        for partition, bucket, total in {**leaves, **comes}
    ]
    return [*messages, *_index_messages(old, new)]


def _difference(table: Table, base: Snapshot, target: Snapshot) -> EntryColumns:
    """DELETE for what the base alone has, ADD for what the target alone has."""
    now, then = table.manifests.live_entries(base), table.manifests.live_entries(target)
    deletes = pa.array([int(FileKind.DELETE)] * len(now), pa.int8())
    position = ENTRY_SCHEMA.get_field_index("kind")
    gone = EntryColumns(now.table.set_column(position, ENTRY_SCHEMA.field(position), deletes))
    return EntryColumns.concat([then, gone]).live()


def _by_name(entries: list[IndexManifestEntry]) -> dict[str, IndexManifestEntry]:
    return {entry.file_name: entry for entry in entries}


def _index_messages(
    old: dict[str, IndexManifestEntry], new: dict[str, IndexManifestEntry]
) -> Iterator[CommitMessage]:
    for entry in (*old.values(), *new.values()):
        if entry.file_name in old and entry.file_name in new:
            continue
        yield CommitMessage(
            partition=entry.partition,
            bucket=entry.bucket,
            total_buckets=-1,  # that of index files is not recorded
            new_index_files=(entry,) if entry.file_name in new else (),
            deleted_index_files=(entry,) if entry.file_name in old else (),
        )
