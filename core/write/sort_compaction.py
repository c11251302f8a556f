"""Plans sort compactions of append tables; their tasks run as others do. Spec: 07, 7.4; 10, 4.1."""

from __future__ import annotations

from collections.abc import Sequence

from core.binary import BinaryRow
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.compact.sort_order import SortStrategy, sort_order
from core.write.compaction import buckets_of, in_scope, index_files_of
from core.write.layout import target_file_size
from core.write.partition_spec import PartitionSpec
from core.write.support import check_movable
from core.write.target import WriteTarget


def plan_sort_compaction(
    table: WriteTarget,
    strategy: SortStrategy | str,
    columns: Sequence[str],
    partitions: Sequence[PartitionSpec | BinaryRow] | None = None,
) -> CompactionPlan:
    """What sorting the rows of the latest snapshot would rewrite: all of them, a task a partition.

    Args:
        table: an append table without buckets.
        strategy: by the columns one after the other (`order`), or by their place on a curve.
        columns: to sort by; none is a partition key.
        partitions: specs that may name some of the partition keys, or rows of partitions; None for all.

    Raises:
        InvalidRequestError: a table, a strategy or columns by which nothing is sorted.
        UnsupportedError: the table cannot be compacted by this release.
    """
    check_movable(table.schema, table.options, table.home)
    order = sort_order(table.schema, strategy, columns)
    target = target_file_size(table.schema, table.options)
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return CompactionPlan(None, None, Strategy.FULL, (), 0, 0, target)
    live = in_scope(table, table.manifests.live_entries(snapshot), partitions)
    tasks = tuple(
        CompactionTask(
            partition=bucket.partition,
            bucket=bucket.bucket,
            total_buckets=bucket.total_buckets,
            files=bucket.files,
            output_level=0,
            drops_deletes=False,
            reason=str(order),
            index_files=bucket.index_files,
            order=order,
        )
        for bucket in buckets_of(live, index_files_of(table, snapshot))
    )
    return CompactionPlan(
        snapshot.id, snapshot.reference, Strategy.FULL, tasks, len(tasks), len(live), target
    )
