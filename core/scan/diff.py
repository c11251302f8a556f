"""Plan a read of what differs between two snapshots. Spec: 09, 6.1.

The files of both are read: rows are merged on both sides and compared by key (`core.read.diff`).
Buckets whose files are the same are left out, and in the others the files that both have,
where they say nothing of a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.binary import BinaryRow
from core.errors import InvalidRequestError
from core.manifest import EntryColumns
from core.manifest.file_meta import DataFileMeta
from core.options import MERGE_ENGINE, SEQUENCE_FIELD, MergeEngine, TableOptions
from core.predicate import And, Predicate, references, split_and
from core.scan.deletion_files import DeletionFiles, read_deletion_files
from core.scan.explain import Explain, Stage, StageName, snapshot_stage, summed
from core.scan.plan import Plan
from core.scan.planner import plan_scan
from core.scan.selection import ALL_FILES, FileSelection
from core.scan.source import TableSource
from core.scan.split import Split
from core.scan.splits import bucket_groups
from core.schema import TableSchema
from core.snapshot.snapshot import Snapshot

_MORE_THAN_LEVELS = 1 << 16


def plan_diff(
    source: TableSource,
    schema: TableSchema,
    before: Snapshot | None,
    after: Snapshot | None,
    columns: Sequence[str] | None = None,
    predicate: Predicate | None = None,
) -> Plan:
    """The rows that differ between two snapshots of a table; of an append table the rows added.

    Raises:
        InvalidRequestError: a partition has changed its number of buckets in between, so that
            rows of a key cannot be found side by side.
    """
    if not schema.primary_keys:
        return _plan_added(source, schema, before, after, columns, predicate)
    narrow = _on_keys(schema, predicate)
    # Level 0 is part of what has changed, as it is in deltas, even where batch reads leave it out.
    files = FileSelection(with_level_zero=True)
    old, new = (
        plan_scan(source, schema, snapshot, columns, narrow, selection=files) for snapshot in (before, after)
    )
    vectors = [read_deletion_files(source, schema, snapshot) for snapshot in (before, after)]
    left = _of_changed_buckets(old.entries, new.entries, _differently_marked(*vectors))
    sides = [_Side.of(entries, marked) for entries, marked in zip(left, vectors, strict=True)]
    splits = list(_diff_splits(schema, after.id if after else 0, *sides))
    entries = EntryColumns.concat(
        [
            _of_files(left[0], [split.before.files for split in splits if split.before]),
            _of_files(left[1], [split.files for split in splits]),
        ]
    )
    explain = _explained(old, new, entries)
    return replace(new, entries=entries, splits=splits, predicate=predicate, explain=explain)


def _explained(old: Plan, new: Plan, entries: EntryColumns) -> Explain:
    """What was left out of both sides, and then of what is left, as it is the same in both."""
    size, kept = old.size + new.size, int(entries.numpy("file_size").sum())
    files = len(old.entries) + len(new.entries) - len(entries)
    reason = "what both snapshots have, where that says nothing of a row"
    same = Stage(StageName.DIFFERENCE, "files", len(entries), files, kept, size - kept, reason)
    sides = 2 if old.snapshot is not None else 1
    stages = (
        snapshot_stage(sides, sides, "files of the two states, compared by key"),
        *summed((*old.explain.stages, *new.explain.stages)),
        same,
    )
    return Explain(stages, tuple(dict.fromkeys((*old.explain.unused, *new.explain.unused))))


def _on_keys(schema: TableSchema, predicate: Predicate | None) -> Predicate | None:
    """The parts of a filter on partition and key columns: any other may hide one side of a row."""
    keys = {*schema.partition_keys, *schema.primary_keys}
    conjuncts = () if predicate is None else split_and(predicate)
    left = tuple(c for c in conjuncts if references(c) and set(references(c)) <= keys)
    return And(left) if left else None


def _of_files(entries: EntryColumns, files: Iterable[Sequence[DataFileMeta]]) -> EntryColumns:
    names = pa.array([file.file_name for part in files for file in part], pa.string())
    return entries.filter(pc.is_in(entries.column("file_name"), value_set=names))


def _of_changed_buckets(
    old: EntryColumns, new: EntryColumns, marked: Sequence[str]
) -> tuple[EntryColumns, EntryColumns]:
    """The files of buckets that do not have the same files on both sides, or have one that is `marked`.

    By columns, as of 100,000 files most have not changed, and those that are left become objects.
    """
    both = EntryColumns.concat([old, new])
    if not len(both):
        return old, new
    names: Any = both.column("file_name").combine_chunks()
    codes = names.dictionary_encode().indices.to_numpy().astype(np.int64)
    identity = codes * _MORE_THAN_LEVELS + both.numpy("level")  # a file may have moved to another level
    _, inverse, counts = np.unique(identity, return_inverse=True, return_counts=True)
    changed = (counts[inverse] != 2) | pc.is_in(names, value_set=pa.array(marked, pa.string())).to_numpy(
        zero_copy_only=False
    )
    group = bucket_groups(both)
    keep = np.bincount(group, weights=changed)[group] > 0
    return old.filter(keep[: len(old)]), new.filter(keep[len(old) :])


def _differently_marked(old: DeletionFiles, new: DeletionFiles) -> list[str]:
    """The data files in which not the same rows are deleted."""
    places = old.by_file.keys() | new.by_file.keys()
    return [place[2] for place in places if old.by_file.get(place) != new.by_file.get(place)]


@dataclass(frozen=True, slots=True)
class _Side:
    """The files of each bucket at one of the two snapshots."""

    buckets: dict[tuple[BinaryRow, int], list[DataFileMeta]]
    total_buckets: dict[BinaryRow, int]
    deletion_files: DeletionFiles

    @staticmethod
    def of(entries: EntryColumns, deletion_files: DeletionFiles) -> _Side:
        buckets: dict[tuple[BinaryRow, int], list[DataFileMeta]] = {}
        totals: dict[BinaryRow, int] = {}
        for entry in entries.entries():
            buckets.setdefault((entry.partition, entry.bucket), []).append(entry.file)
            totals[entry.partition] = entry.total_buckets
        return _Side(buckets, totals, deletion_files)

    def split(
        self, snapshot_id: int, partition: BinaryRow, bucket: int, files: Sequence[DataFileMeta]
    ) -> Split:
        return Split(
            snapshot_id,
            partition,
            bucket,
            self.total_buckets.get(partition, -1),
            tuple(files),
            raw_convertible=False,
            deletion_files=self.deletion_files.of(partition, bucket, files),
        )


def _diff_splits(schema: TableSchema, snapshot_id: int, old: _Side, new: _Side) -> Iterator[Split]:
    for partition, total in new.total_buckets.items():
        if old.total_buckets.get(partition, total) != total:
            raise InvalidRequestError(
                "the number of buckets of a partition has changed between the two snapshots",
                before=old.total_buckets[partition],
                after=total,
            )
    for partition, bucket in dict.fromkeys([*new.buckets, *old.buckets]):
        before = old.buckets.get((partition, bucket), [])
        after = new.buckets.get((partition, bucket), [])
        same = _untouched(old, new, partition, bucket)
        if len(same) == len(before) == len(after):
            continue
        if _newer_files_win(schema):
            before = [file for file in before if file.file_name not in same]
            after = [file for file in after if file.file_name not in same]
        split = new.split(snapshot_id, partition, bucket, after)
        yield replace(split, before=old.split(snapshot_id, partition, bucket, before))


def _untouched(old: _Side, new: _Side, partition: BinaryRow, bucket: int) -> set[str]:
    """Names of the files of a bucket that both snapshots have, with the same rows deleted in them."""
    both = {file.file_name: file for file in old.buckets.get((partition, bucket), ())}
    return {
        file.file_name
        for file in new.buckets.get((partition, bucket), ())
        if both.get(file.file_name) == file
        and old.deletion_files.of(partition, bucket, [file])
        == new.deletion_files.of(partition, bucket, [file])
    }


def _newer_files_win(schema: TableSchema) -> bool:
    """Whether a key's row comes from its newest file alone, so that files of both sides say nothing.

    Where versions combine, or a column orders them, an older file decides about the row too.
    """
    options = TableOptions(schema.options)
    engine = options.get(MERGE_ENGINE)
    return engine in (MergeEngine.DEDUPLICATE, MergeEngine.FIRST_ROW) and not options.get(SEQUENCE_FIELD)


def _plan_added(
    source: TableSource,
    schema: TableSchema,
    before: Snapshot | None,
    after: Snapshot | None,
    columns: Sequence[str] | None,
    predicate: Predicate | None,
) -> Plan:
    names: Any = plan_scan(source, schema, before).entries.column("file_name").combine_chunks()
    selection = FileSelection(without_files=names) if len(names) else ALL_FILES
    return plan_scan(source, schema, after, columns, predicate, selection=selection)
