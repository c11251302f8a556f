"""Plans compactions of a table and runs their tasks. Spec: 07, 4 and 7.

A task streams: it reads its files section by section through the merge reader, writes the
rows on, and holds what one merge holds (`core.read.reader`) and one row group. A large
file that nothing overlaps is not rewritten but *upgraded*: it gets another level in the
manifest and stays as it is.

Tasks of different buckets are independent and may run in different processes; their messages
are committed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arguments import check_argument, is_a, is_list
from core.binary import BinaryRow
from core.compact.clustering import Clustering
from core.compact.plan import Bucket, CompactionPlan, CompactionTask, Moment, Strategy, plan_tasks
from core.compact.sort_order import clustering_order
from core.datafile.system_fields import evolves_data
from core.datafile.write import wall_clock_millis
from core.errors import UnsupportedError
from core.manifest.columns import EntryColumns
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, HASH_INDEX, IndexManifestEntry
from core.mergetree.sorted_run import Section, SortedRun, interval_partition
from core.options import CLUSTERING_COLUMNS, CLUSTERING_INCREMENTAL, WRITE_BUFFER_SIZE, TableOptions
from core.schema.table_schema import TableSchema
from core.snapshot.snapshot import Snapshot
from core.types.data_types import DataType
from core.write.expiry import expired_files
from core.write.layout import target_file_size
from core.write.message import CommitMessage
from core.write.partition_spec import PartitionSpec, partition_test
from core.write.rewrite import TaskRewriter
from core.write.row_range_rewrite import join_row_ranges
from core.write.sort_rewrite import sort_files
from core.write.support import check_takes_more_than_appends, check_writable
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def plan_compaction(
    table: WriteTarget,
    partitions: Sequence[PartitionSpec | BinaryRow] | None = None,
    buckets: Sequence[int] | None = None,
    *,
    strategy: Strategy | None = None,
    now: datetime | None = None,
) -> CompactionPlan:
    """What a compaction of the latest snapshot would do.

    Args:
        table: what to compact.
        partitions: specs that may name some of the partition keys, or rows of partitions; a partition
            that matches any is in scope. None for all.
        buckets: None for all.
        strategy: everything, or what the table's options would pick. None for everything, unless the
            table is clustered a part at a time.
        now: on the local wall clock; the plan depends on it through off-peak hours and ages.

    Raises:
        InvalidRequestError: no such strategy, or no lists of partitions and buckets.
        UnsupportedError: the table cannot be compacted by this release.
    """
    check_argument(
        strategy in (None, *Strategy), "no such compaction", strategy, expected=" or ".join(Strategy)
    )
    check_writable(table.schema, table.options, table.home)
    check_takes_more_than_appends(table.options)
    clustering = _clustering(table)
    strategy = strategy or (Strategy.MINOR if clustering else Strategy.FULL)
    target = target_file_size(table.schema, table.options)
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return CompactionPlan(None, None, strategy, (), 0, 0, target)
    indexes = index_files_of(table, snapshot)
    live = in_scope(table, table.manifests.live_entries(snapshot), partitions, buckets)
    found = list(buckets_of(live, indexes))
    tasks = plan_tasks(
        found,
        keyed=bool(table.schema.primary_keys),
        options=table.options,
        target_file_size=target,
        strategy=strategy,
        moment=moment_of(now),
        expired=expired_files(table, None if now is None else int(now.timestamp())),
        clustering=clustering,
    )
    return CompactionPlan(
        snapshot.id, snapshot.reference, strategy, tuple(tasks), len(found), len(live), target
    )


def _clustering(table: WriteTarget) -> Clustering | None:
    """How an append table is clustered a part at a time; None if it is not."""
    if table.schema.primary_keys or not table.options.get(CLUSTERING_INCREMENTAL):
        return None

    def has_order(file: DataFileMeta) -> bool:
        options = TableOptions(table.schemas.get(file.schema_id).options)
        return bool(options.get(CLUSTERING_COLUMNS) == table.options.get(CLUSTERING_COLUMNS))

    return Clustering(clustering_order(table.schema), has_order)


def moment_of(now: datetime | None) -> Moment:
    """A time on the local wall clock as plans take it; None for now."""
    return Moment(wall_clock_millis(now), (now or datetime.now()).hour)


def in_scope(
    table: WriteTarget,
    live: EntryColumns,
    partitions: Sequence[PartitionSpec | BinaryRow] | None,
    buckets: Sequence[int] | None = None,
) -> EntryColumns:
    """The files of some partitions and buckets; None for all.

    Raises:
        InvalidRequestError: no list of partitions, or of buckets; or as `parse_partition_spec` raises.
    """
    is_told = partitions is None or is_list(partitions, Mapping | BinaryRow)
    check_argument(is_told, "give a list of partitions", partitions)
    check_argument(buckets is None or is_list(buckets, int), "give a list of the numbers of buckets", buckets)
    if buckets is not None:
        live = live.filter(pc.is_in(live.column("bucket"), pa.array(buckets, pa.int32())))
    if partitions is None:
        return live
    is_wanted = partition_test(table.schema, partitions)
    found: list[Any] = live.column("partition").unique().to_pylist()
    chosen = [p for p in found if is_wanted(BinaryRow.from_bytes(p))]
    return live.filter(pc.is_in(live.column("partition"), pa.array(chosen, pa.binary())))


def index_files_of(
    table: WriteTarget, snapshot: Snapshot
) -> dict[tuple[BinaryRow, int], tuple[IndexManifestEntry, ...]]:
    """The files with deletion vectors of each bucket.

    Raises:
        UnsupportedError: rows of the table are in an index that a rewrite would make stale.
    """
    found: dict[tuple[BinaryRow, int], tuple[IndexManifestEntry, ...]] = {}
    for entry in table.manifests.index_entries(snapshot):
        if entry.index_type == DELETION_VECTORS_INDEX:
            place = (entry.partition, entry.bucket)
            found[place] = (*found.get(place, ()), entry)
        elif entry.index_type != HASH_INDEX:  # which tells buckets of keys: they stay where they are
            raise UnsupportedError("tables with such an index are not compacted", feature=entry.index_type)
    return found


def buckets_of(
    live: EntryColumns, indexes: Mapping[tuple[BinaryRow, int], tuple[IndexManifestEntry, ...]]
) -> Iterator[Bucket]:
    """The live files by bucket, in the order in which the buckets first appear."""
    grouped: dict[tuple[BinaryRow, int], list[DataFileMeta]] = {}
    totals: dict[tuple[BinaryRow, int], int] = {}
    for entry in live.entries():
        key = (entry.partition, entry.bucket)
        grouped.setdefault(key, []).append(entry.file)
        totals[key] = entry.total_buckets
    for key, files in grouped.items():
        yield Bucket(*key, totals[key], tuple(files), indexes.get(key, ()))


def run_task(
    table: WriteTarget,
    task: CompactionTask,
    *,
    merge_bytes: int | None = None,
    now_seconds: int | None = None,
) -> CommitMessage:
    """The change that one task makes; its files exist, and nobody sees them before the commit.

    The message is empty if there turned out to be nothing to do. On an error the files made
    so far are deleted. `merge_bytes` is what a merge may buffer, in Arrow memory, by default
    `write-buffer-size`; sorting a buffer takes about as much again, so that a sort compaction buffers half
    of it. `now_seconds` is when rows expire by `record-level.expire-time`: epoch seconds, now if not given.
    """
    check_argument(is_a(task, CompactionTask), "give a task of a plan of a compaction", task)
    memory = table.options.get(WRITE_BUFFER_SIZE) if merge_bytes is None else merge_bytes
    if task.order is not None:
        return sort_files(table, task, task.order, memory // 2)
    if evolves_data(table.schema):
        return join_row_ranges(table, task)
    rewriter = TaskRewriter(table, task, memory, now_seconds)
    try:
        if not table.schema.primary_keys:
            rewriter.rewrite_appended()
        elif task.in_place:
            for file in task.files:
                rewriter.rewrite_alone(file)
        else:
            _compact_sections(rewriter, interval_partition(task.files, key_types(table.schema)))
        return rewriter.finish()
    except BaseException:
        rewriter.abort()
        raise


def _compact_sections(rewriter: TaskRewriter, sections: Sequence[Section]) -> None:
    """Rewrite what overlaps or is small, upgrade the rest. Spec: 07, 4."""
    waiting: list[Section] = []
    for section in sections:
        if len(section.runs) > 1:
            waiting.append(section)
            continue
        for file in section.runs[0].files:
            if file.file_size < rewriter.small_file_size or not rewriter.may_upgrade(file):
                waiting.append(Section((SortedRun((file,)),)))
            else:
                rewriter.rewrite(waiting)
                waiting = []
                rewriter.upgrade(file)
    rewriter.rewrite(waiting)


def key_types(schema: TableSchema) -> list[DataType]:
    """Of the columns that sort a bucket."""
    return [field.type for field in schema.key_fields()]
