"""Snapshots as the timeline and the snapshot page show them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from console.api.columns import page_of_changing_columns
from console.api.damage import Damage, damage_of, problem_of
from console.api.fields import from_millis
from console.api.listing import Filter, Listing, ListQuery, Page, page_of_rows, parse_time
from console.inspector.cache import cache, in_parallel
from console.inspector.changes import delta, level_flow, touched
from console.inspector.damages import lists_of, pointers
from console.inspector.opening import OpenTable
from console.jobs.models import Job
from core.errors import NotFoundError, PaimonError
from core.jobs import job_of_commit_user
from core.manifest import EntryColumns, ManifestFileMeta
from core.snapshot import Consumer, Snapshot, Tag, UnreadableSnapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_SEARCHED = 2000  # commits, newest first
_SUMMARY_SIZE = 200  # bytes, about, of a cached CommitSize
_ONLY_ID = {"id"}


class CommitSize(NamedTuple):
    """What a commit did to files; all None with the damage where its manifests cannot be read."""

    files_added: int | None
    files_deleted: int | None
    bytes_added: int | None
    bytes_deleted: int | None
    partitions: int | None  # that it touched
    damage: Damage | None = None


def page(opened: OpenTable, listing: Listing, query: ListQuery, given: Mapping[str, str]) -> Page:
    """A page of the branch's snapshots. By id, only those of the page are read."""
    filters = [*query.filters, *_time_filters(given)]
    asked = {f.field for f in filters} | {name for name, _ in query.sort}
    if asked <= _ONLY_ID and not given.get("partition"):
        return _page_by_id(opened, listing, query)
    read = _read_present(opened, _ids_that_touch(opened, given.get("partition")))
    rows = [_columns(s) for s in read if isinstance(s, Snapshot)]
    kept = [row for row in rows if all(f.keeps(row[f.field]) for f in _time_filters(given))]
    found = page_of_rows(kept, listing, query)
    shown = describe(opened, [row["snapshot"] for row in found.rows])
    return Page(shown, found.next, found.total, _latest_reference(opened))


def _page_by_id(opened: OpenTable, listing: Listing, query: ListQuery) -> Page:
    known = pa.table({"id": pa.array(opened.table.snapshots.ids(), pa.int64())})
    rows_, found = page_of_changing_columns(known, listing, query)
    ids: list[Any] = rows_.column("id").to_pylist()
    read = _read_present(opened, ids)
    shown = {row["id"]: row for row in describe(opened, [s for s in read if isinstance(s, Snapshot)])}
    rows = [shown[s.id] if isinstance(s, Snapshot) else _unreadable(s) for s in read]
    return Page(rows, found.next, found.total, _latest_reference(opened))


def _ids_that_touch(opened: OpenTable, partition: str | None) -> list[int]:
    """The snapshots whose commits changed a partition, among the newest; all where none is asked for."""
    ids = opened.table.snapshots.ids()
    if not partition:
        return ids
    newest = ids[-MOST_SEARCHED:]

    def touches(snapshot_id: int) -> bool:
        try:
            entries = delta(opened, opened.table.snapshots.get(snapshot_id))
        except PaimonError:
            return False  # what this commit did cannot be read
        return partition in opened.labels.partitions(pc.unique(entries.column("partition"))).to_pylist()

    return [i for i, found in zip(newest, in_parallel(touches, newest), strict=True) if found]


def _read_present(opened: OpenTable, ids: list[int]) -> list[Snapshot | UnreadableSnapshot]:
    """The snapshots that are still there: one may expire between the listing and the read."""

    def read(snapshot_id: int) -> Snapshot | UnreadableSnapshot:
        return next(iter(opened.table.snapshots.examine([snapshot_id])))

    found = in_parallel(read, ids)
    return [
        s for s in found if not (isinstance(s, UnreadableSnapshot) and isinstance(s.error, NotFoundError))
    ]


def _unreadable(snapshot: UnreadableSnapshot) -> dict[str, Any]:
    """The row of a snapshot whose file is damaged: its id, and why it says no more."""
    row: dict[str, Any] = dict.fromkeys(_ROW)
    texts = {"ref": str(snapshot.id), "kind": "unknown", "commit_user": "", "commit_identifier": ""}
    lists: dict[str, Any] = {"tags": [], "consumers": []}
    known = {"id": snapshot.id, "is_latest": False}
    return row | texts | lists | known | problem_of(damage_of(snapshot.error))


_ROW = (
    "uuid", "schema_id", "operation", "committed_at", "total_rows", "delta_rows", "changelog_rows",
    "files_added", "files_deleted", "bytes_added", "bytes_deleted", "partitions", "watermark", "job",
    "writer_version",
)  # fmt: skip


def _latest_reference(opened: OpenTable) -> str | None:
    """The latest snapshot's reference; None where there is none that can be read."""
    try:
        latest = opened.table.snapshots.latest()
    except PaimonError:
        return None
    return latest.reference if latest else None


def _time_filters(given: Mapping[str, str]) -> list[Filter]:
    """`after` and `before` as filters."""
    pairs = (("after", "ge"), ("before", "lt"))
    return [
        Filter("committed_at", op, parse_time(given[name], name)) for name, op in pairs if given.get(name)
    ]


def _columns(snapshot: Snapshot) -> dict[str, Any]:
    """What lists of snapshots filter and sort by."""
    return {
        "snapshot": snapshot,
        "id": snapshot.id,
        "kind": snapshot.commit_kind.value.lower(),
        "commit_user": snapshot.commit_user,
        "operation": snapshot.operation,
        "schema_id": snapshot.schema_id,
        "committed_at": committed_at(snapshot),
        "delta_rows": snapshot.delta_record_count,
        "total_rows": snapshot.total_record_count,
    }


def committed_at(snapshot: Snapshot) -> datetime | None:
    return from_millis(snapshot.time_millis)


def describe(opened: OpenTable, snapshots: list[Snapshot]) -> list[dict[str, Any]]:
    """What lists show of snapshots, in their order."""
    sizes = commit_sizes(opened, snapshots)
    tags, consumers, jobs = _tags_by_reference(opened), _consumers_by_id(opened), _jobs(snapshots)
    latest = opened.table.snapshots.latest_id()
    return [
        {
            **_columns(snapshot),
            "ref": snapshot.reference,
            "uuid": snapshot.uuid,
            "commit_identifier": snapshot.commit_identifier,
            "changelog_rows": snapshot.changelog_record_count,
            "watermark": snapshot.watermark,
            "writer_version": snapshot.writer_version,
            "tags": tags.get(snapshot.reference, []),
            "consumers": consumers.get(snapshot.id, []),
            "job": jobs.get(snapshot.commit_user),
            "is_latest": snapshot.id == latest,
            **_shown_size(size),
        }
        for snapshot, size in zip(snapshots, sizes, strict=True)
    ]


def _shown_size(size: CommitSize) -> dict[str, Any]:
    return {**size._asdict(), **problem_of(size.damage)}


def _tags_by_reference(opened: OpenTable) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for tag in opened.table.tags.examine():
        if isinstance(tag, Tag):
            names.setdefault(tag.snapshot.reference, []).append(tag.name)
    return names


def _consumers_by_id(opened: OpenTable) -> dict[int, list[str]]:
    names: dict[int, list[str]] = {}
    for consumer in opened.table.consumers.examine():
        if isinstance(consumer, Consumer):
            names.setdefault(consumer.next_snapshot, []).append(consumer.id)
    return names


def _jobs(snapshots: Iterable[Snapshot]) -> dict[str, str]:
    """The console's job by commit user, for users that carry one."""
    ids = {s.commit_user: job_of_commit_user(s.commit_user) for s in snapshots}
    known = set(
        Job.objects.filter(public_id__in=[i for i in ids.values() if i]).values_list("public_id", flat=True)
    )
    return {user: job for user, job in ids.items() if job in known and job is not None}


# --- sizes of commits -----------------------------------------------------------------------------
def commit_sizes(opened: OpenTable, snapshots: list[Snapshot]) -> list[CommitSize]:
    """What each commit did to files. Those not known yet are read together, and kept."""
    keys = [("size", *opened.cache_key(snapshot)) for snapshot in snapshots]
    known: dict[int, CommitSize] = {i: found for i, key in enumerate(keys) if (found := cache.peek(key))}
    missing = [i for i in range(len(snapshots)) if i not in known]
    for i, size in zip(missing, _measure(opened, [snapshots[i] for i in missing]), strict=True):
        known[i] = size
        if size.damage is None:
            cache.put(keys[i], size, _SUMMARY_SIZE)
    return [known[i] for i in range(len(snapshots))]


def _measure(opened: OpenTable, snapshots: list[Snapshot]) -> list[CommitSize]:
    """All manifests of all commits decoded in one go; one by one where one of them fails."""
    if not snapshots:
        return []
    manifests = opened.table.manifests
    try:
        lists = in_parallel(manifests.delta_manifests, snapshots)
        entries = manifests.read_entries([m for metas in lists for m in metas])
        return _split_sizes(lists, entries)
    except (PaimonError, ValueError):
        return [_measure_alone(opened, snapshot) for snapshot in snapshots]


def _split_sizes(lists: list[list[ManifestFileMeta]], entries: EntryColumns) -> list[CommitSize]:
    """The sizes of each commit, whose entries follow one another.

    Raises:
        ValueError: a manifest list counts other entries than there are.
    """
    counts = [sum(m.num_added_files + m.num_deleted_files for m in metas) for metas in lists]
    if sum(counts) != len(entries):
        raise ValueError("manifest lists and manifests disagree on the number of entries")
    commit = np.repeat(np.arange(len(lists)), counts)
    added, size = entries.numpy("kind") == 0, entries.numpy("file_size")

    def totals(mask: Any, weights: Any) -> list[int]:
        return [int(n) for n in np.bincount(commit[mask], weights=weights, minlength=len(lists))]

    return [
        CommitSize(*row)
        for row in zip(
            totals(added, None), totals(~added, None),
            totals(added, size[added]), totals(~added, size[~added]),
            _partitions(commit, entries, len(lists)),
            strict=True,
        )
    ]  # fmt: skip


def _partitions(commit: Any, entries: EntryColumns, commits: int) -> list[int]:
    """How many partitions the entries of each commit are of."""
    codes = entries.column("partition").combine_chunks().dictionary_encode()
    pairs = commit * max(1, len(codes.dictionary)) + codes.indices.to_numpy()
    owners = np.unique(pairs) // max(1, len(codes.dictionary))
    return [int(n) for n in np.bincount(owners, minlength=commits)]


def _measure_alone(opened: OpenTable, snapshot: Snapshot) -> CommitSize:
    try:
        return size_of(delta(opened, snapshot))
    except PaimonError as error:
        damage = damage_of(error)
        return CommitSize(None, None, None, None, None, damage.named(*pointers(opened, snapshot, damage)))


def size_of(entries: EntryColumns) -> CommitSize:
    """The files and bytes that entries add and delete."""
    added, size = entries.numpy("kind") == 0, entries.numpy("file_size")
    sums = int(added.sum()), int((~added).sum()), int(size[added].sum()), int(size[~added].sum())
    return CommitSize(*sums, pc.count_distinct(entries.column("partition")).as_py())


# --- one snapshot ---------------------------------------------------------------------------------
def detail(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    """All that a snapshot's file says, and what follows from its manifests."""
    shown = describe(opened, [snapshot])[0]
    ids = opened.table.snapshots.ids()
    return {
        **shown,
        "lists": lists_of(snapshot),
        "statistics": snapshot.statistics,
        "next_row_id": snapshot.next_row_id,
        "properties": dict(snapshot.properties),
        "raw": _raw(opened, snapshot),
        "previous": _reference(opened, before := max((i for i in ids if i < snapshot.id), default=None)),
        "previous_at": _time_of(opened, before),
        "next": _reference(opened, min((i for i in ids if i > snapshot.id), default=None)),
        **_consequences(opened, snapshot),
    }


def _raw(opened: OpenTable, snapshot: Snapshot) -> str | None:
    """The text of the snapshot file; None if only a tag holds the snapshot."""
    try:
        text = opened.table.io.read(opened.paths.snapshot_file(snapshot.id)).decode()
    except (PaimonError, UnicodeDecodeError):
        return None
    return text if json.loads(text).get("deltaManifestList") == snapshot.delta_manifest_list else None


def _reference(opened: OpenTable, snapshot_id: int | None) -> str | None:
    """The reference of a neighbour; its bare id where its file cannot be read."""
    if snapshot_id is None:
        return None
    try:
        return opened.table.snapshots.get(snapshot_id).reference
    except PaimonError:
        return str(snapshot_id)


def _time_of(opened: OpenTable, snapshot_id: int | None) -> datetime | None:
    """When a neighbour was committed; None where its file cannot be read."""
    if snapshot_id is None:
        return None
    try:
        return committed_at(opened.table.snapshots.get(snapshot_id))
    except PaimonError:
        return None


def _consequences(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    try:
        entries = delta(opened, snapshot)
        partitions, buckets = touched(opened, entries)
    except PaimonError:
        return {
            "partitions_touched": None,
            "buckets_touched": None,
            "levels": None,
            "origin": origin(snapshot, None),
        }
    return {
        "partitions_touched": partitions,
        "buckets_touched": buckets,
        "levels": level_flow(entries),
        "origin": origin(snapshot, entries),
    }


def origin(snapshot: Snapshot, entries: EntryColumns | None) -> dict[str, Any]:
    """Who made the commit, and how long it took: exactly for our jobs, at least for others."""
    public_id = job_of_commit_user(snapshot.commit_user)
    job = (
        Job.objects.filter(public_id=public_id).select_related("requested_by").first() if public_id else None
    )
    return {
        "job": job.public_id if job else None,
        "requested_by": job.requested_by.username if job and job.requested_by else None,
        "started_at": job.started_at if job else None,
        "ended_at": job.ended_at if job else None,
        "at_least_millis": _at_least(snapshot, entries),
    }


def _at_least(snapshot: Snapshot, entries: EntryColumns | None) -> int | None:
    if entries is None:
        return None
    first = pc.min(entries.adds().column("creation_time")).as_py()
    return None if first is None else max(0, snapshot.time_millis - first)


def statistics(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    """What ANALYZE recorded for the snapshot.

    Raises:
        FormatError, NotFoundError: the statistics file is damaged or gone.
    """
    empty = {"snapshot": snapshot.reference, "analyzed": False, "merged_rows": None, "merged_bytes": None,
             "columns": [], "redacted": not opened.sight.tells_everything}  # fmt: skip
    if snapshot.statistics is None:
        return empty
    table = opened.table
    found = json.loads(table.io.read(table.paths.statistics_file(snapshot.statistics)))
    columns = [_stats_column(opened, name, stats) for name, stats in (found.get("colStats") or {}).items()]
    return empty | {
        "analyzed": True,
        "merged_rows": found.get("mergedRecordCount"),
        "merged_bytes": found.get("mergedRecordSize"),
        "columns": columns,
    }


def _stats_column(opened: OpenTable, name: str, stats: Mapping[str, Any]) -> dict[str, Any]:
    may = opened.sight.tells(name)
    return {
        "name": name,
        "distinct_count": stats.get("distinctCount"),
        "min": stats.get("min") if may else None,
        "max": stats.get("max") if may else None,
        "null_count": stats.get("nullCount"),
        "average_length": stats.get("avgLen"),
        "max_length": stats.get("maxLen"),
    }
