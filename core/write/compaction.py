"""Plans compactions of a table and runs their tasks. Spec: 07, 4 and 7.

A task streams: it reads its files section by section through the merge reader, writes the
rows on, and holds what one merge holds (`core.read.reader`) and one row group. A large
file that nothing overlaps is not rewritten but *upgraded*: it gets another level in the
manifest and stays as it is.

Tasks of different buckets are independent and may run in different processes; their messages
are committed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.compact.plan import Bucket, CompactionPlan, CompactionTask, Moment, Strategy, plan_tasks
from core.datafile.read import BATCH_BYTES
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.datafile.write import FileNames, RollingFileWriter, wall_clock_millis
from core.errors import UnsupportedError
from core.manifest.columns import EntryColumns
from core.manifest.file_meta import DataFileMeta, FileSource
from core.mergetree.keys import comparable_keys
from core.mergetree.sort_merge import MERGE_BYTES, MergeLimits, Positions, Window, iter_sorted, iter_windows
from core.mergetree.sorted_run import Section, interval_partition
from core.mergetree.versions import is_retract
from core.options import COMPACTION_FORCE_REWRITE, COMPACTION_SMALL_FILE_RATIO, DATA_FILE_PREFIX
from core.read.file_reader import FileReader
from core.read.newest import VersionOrder
from core.scan.split import Split
from core.types.data_types import DataField
from core.write.layout import file_layout, target_file_size
from core.write.message import CommitMessage
from core.write.partition_spec import PartitionSpec, matches_spec, parse_partition_spec
from core.write.support import check_writable
from core.write.table_write import bucket_directory
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def plan_compaction(
    table: WriteTarget,
    partitions: Sequence[PartitionSpec] | None = None,
    buckets: Sequence[int] | None = None,
    *,
    strategy: Strategy = Strategy.FULL,
    now: datetime | None = None,
) -> CompactionPlan:
    """What a compaction of the latest snapshot would do.

    Args:
        table: what to compact.
        partitions: specs that may name some of the partition keys; a partition that matches
            any is in scope. None for all.
        buckets: None for all.
        strategy: everything, or what the table's options would pick.
        now: on the local wall clock; the plan depends on it through off-peak hours and ages.

    Raises:
        UnsupportedError: the table cannot be compacted by this release.
    """
    check_writable(table.schema, table.options)
    target = target_file_size(table.schema, table.options)
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return CompactionPlan(None, None, strategy, (), 0, 0, target)
    for index in table.manifests.index_entries(snapshot):
        raise UnsupportedError("tables with a table index are not compacted", feature=index.index_type)
    live = _in_scope(table, table.manifests.live_entries(snapshot), partitions, buckets)
    found = list(buckets_of(live))
    tasks = plan_tasks(
        found,
        keyed=bool(table.schema.primary_keys),
        options=table.options,
        target_file_size=target,
        strategy=strategy,
        moment=_moment(now),
    )
    return CompactionPlan(
        snapshot.id, snapshot.reference, strategy, tuple(tasks), len(found), len(live), target
    )


def _moment(now: datetime | None) -> Moment:
    return Moment(wall_clock_millis(now), (now or datetime.now()).hour)


def _in_scope(
    table: WriteTarget,
    live: EntryColumns,
    partitions: Sequence[PartitionSpec] | None,
    buckets: Sequence[int] | None,
) -> EntryColumns:
    if buckets is not None:
        live = live.filter(pc.is_in(live.column("bucket"), pa.array(buckets, pa.int32())))
    if partitions is None:
        return live
    wanted = [parse_partition_spec(table.schema, spec) for spec in partitions]
    found: list[Any] = live.column("partition").unique().to_pylist()
    chosen = [
        p for p in found if any(matches_spec(table.schema, BinaryRow.from_bytes(p), spec) for spec in wanted)
    ]
    return live.filter(pc.is_in(live.column("partition"), pa.array(chosen, pa.binary())))


def buckets_of(live: EntryColumns) -> Iterator[Bucket]:
    """The live files by bucket, in the order in which the buckets first appear."""
    grouped: dict[tuple[BinaryRow, int], list[DataFileMeta]] = {}
    totals: dict[tuple[BinaryRow, int], int] = {}
    for entry in live.entries():
        key = (entry.partition, entry.bucket)
        grouped.setdefault(key, []).append(entry.file)
        totals[key] = entry.total_buckets
    for (partition, bucket), files in grouped.items():
        yield Bucket(partition, bucket, totals[partition, bucket], tuple(files))


def run_task(table: WriteTarget, task: CompactionTask, *, merge_bytes: int = MERGE_BYTES) -> CommitMessage:
    """The change that one task makes; its files exist, and nobody sees them before the commit.

    The message is empty if there turned out to be nothing to do. On an error the files made
    so far are deleted. `merge_bytes` is what a merge may buffer, in Arrow memory; sorting a
    buffer takes about as much again.
    """
    rewriter = _Rewriter(table, task, merge_bytes)
    try:
        if table.schema.primary_keys:
            _compact_sections(rewriter)
        else:
            rewriter.rewrite(rewriter.append_rows(), task.files)
    except BaseException:
        rewriter.abort()
        raise
    return CommitMessage(
        partition=task.partition,
        bucket=task.bucket,
        total_buckets=task.total_buckets,
        compact_before=tuple(rewriter.before),
        compact_after=tuple(rewriter.after),
    )


def _compact_sections(rewriter: _Rewriter) -> None:
    """Rewrite what overlaps or is small, upgrade the rest. Spec: 07, 4."""
    waiting: list[Section] = []
    for section in interval_partition(rewriter.task.files, rewriter.key_types):
        if len(section.runs) > 1:
            waiting.append(section)
            continue
        for file in section.runs[0].files:
            if file.file_size < rewriter.small_file_size or not rewriter.may_upgrade(file):
                waiting.append(replace(section, runs=(replace(section.runs[0], files=(file,)),)))
            else:
                _rewrite_sections(rewriter, waiting)
                waiting = []
                rewriter.upgrade(file)
    _rewrite_sections(rewriter, waiting)


def _rewrite_sections(rewriter: _Rewriter, sections: Sequence[Section]) -> None:
    files = [file for section in sections for file in section.files]
    if len(files) == 1 and rewriter.may_upgrade(files[0]):
        rewriter.upgrade(files[0])
    elif files:
        rewriter.rewrite(rewriter.merged_rows(sections), files)


class _Rewriter:
    """Reads the inputs of one task, writes its outputs, and keeps account of both."""

    def __init__(self, table: WriteTarget, task: CompactionTask, merge_bytes: int) -> None:
        self.task = task
        self._merge_bytes = merge_bytes
        self.before: list[DataFileMeta] = []
        self.after: list[DataFileMeta] = []
        self._made: list[DataFileMeta] = []
        self._table = table
        schema, options = table.schema, table.options
        self.key_types = [field.type for field in schema.key_fields()]
        self.small_file_size = target_file_size(schema, options) * options.get(COMPACTION_SMALL_FILE_RATIO)
        split = Split(0, task.partition, task.bucket, task.total_buckets, task.files, raw_convertible=False)
        self._reader = FileReader.of(table, schema, split)
        self._layout = file_layout(schema, options, level=task.output_level, source=FileSource.COMPACT)
        self._names = FileNames(options.get(DATA_FILE_PREFIX))
        self._directory = bucket_directory(table, task.partition, task.bucket)

    def append_rows(self) -> Iterator[pa.RecordBatch]:
        for file in self.task.files:
            yield from self._reader.read(file, self._table.schema.fields)

    def merged_rows(self, sections: Sequence[Section]) -> Iterator[pa.RecordBatch]:
        """The newest version of each key, in key order; deletes as long as something older is left."""
        for section in sections:
            order = VersionOrder.of(self._table.options, by_run=False, has_retracts=True)
            fields = (*self._table.schema.fields, SEQUENCE_NUMBER, VALUE_KIND)
            limits = MergeLimits.for_runs(len(section.runs), self._merge_bytes)
            runs = [self._read_run(run.files, fields, limits) for run in section.runs]
            windows = iter_windows(runs, [f.name for f in self._table.schema.key_fields()], limits)
            yield from iter_sorted(windows, partial(self._chosen, order))

    def _read_run(
        self, files: Sequence[DataFileMeta], fields: Sequence[DataField], limits: MergeLimits
    ) -> Iterator[pa.RecordBatch]:
        max_bytes = min(BATCH_BYTES, limits.bytes_per_run // 2)  # all runs are open at once
        for file in files:
            yield from self._reader.read(file, fields, max_bytes=max_bytes)

    def _chosen(self, order: VersionOrder, window: Window) -> Positions:
        newest = order.newest(window)
        if not self.task.drops_deletes:
            return newest
        kinds = window.column(VALUE_KIND.name).to_numpy()
        return newest[~is_retract(kinds[newest])]

    def rewrite(self, rows: Iterator[pa.RecordBatch], files: Sequence[DataFileMeta]) -> None:
        """Replace `files` by new ones that hold `rows`."""
        first = min((file.min_sequence_number for file in files), default=0)
        writer = RollingFileWriter(
            self._table.io, self._directory, self._layout, self._names, first_sequence=first
        )
        try:
            for batch in rows:
                writer.write(batch)
            made = writer.take()
        except BaseException:
            writer.abort()
            raise
        self._made += made
        self.before += files
        self.after += made

    def may_upgrade(self, file: DataFileMeta) -> bool:
        """Whether the file can stand at the output level as it is."""
        if self._table.options.get(COMPACTION_FORCE_REWRITE):
            return False
        if self.task.drops_deletes and not self._reader.has_no_deletes(file):
            return False
        return file.level > 0 or self._has_distinct_keys(file)

    def _has_distinct_keys(self, file: DataFileMeta) -> bool:
        """Level-0 files of pypaimon may repeat keys; above level 0 nobody expects that."""
        fields = self._table.schema.key_fields()
        last: pa.RecordBatch | None = None
        for batch in self._reader.read(file, fields):
            rows = pa.Table.from_batches([batch] if last is None else [last, batch]).combine_chunks()
            keys = comparable_keys([rows.column(f.name).chunk(0) for f in fields])
            if np.any(keys[1:] <= keys[:-1]):
                return False
            last = batch.slice(batch.num_rows - 1)
        return True

    def upgrade(self, file: DataFileMeta) -> None:
        """Only the level changes; a file that has it already is no part of the result."""
        if file.level != self.task.output_level:
            self.before.append(file)
            self.after.append(replace(file, level=self.task.output_level))

    def abort(self) -> None:
        for file in self._made:
            self._table.io.delete(f"{self._directory}/{file.file_name}")
