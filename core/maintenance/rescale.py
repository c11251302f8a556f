"""Rescale: partitions get the number of buckets that the table has, or is given. Spec: 08, 15; 10, 4.2.

Readers take the number of buckets from the files, so a partition can be read before, between and after.
It cannot be written while its number is another than the table's. Each partition is replaced by an
OVERWRITE snapshot of its own; an interrupted rescale is finished by planning and applying it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.binary import BinaryRow
from core.bucket import BucketMode, bucket_mode
from core.commit import TableCommit
from core.commit.strict_mode import check_read_at
from core.compact.plan import Bucket
from core.errors import InvalidRequestError
from core.maintenance.notice import Notice
from core.maintenance.partitions.drop import LivePartition, live_partitions
from core.options import BUCKET, COMMIT_STRICT_LAST_SAFE
from core.schema.changes import SetOption
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.table import Table
from core.write import CommitMessage
from core.write.compaction import buckets_of, in_scope, index_files_of
from core.write.partition_spec import PartitionSpec
from core.write.rebucket import RebucketTask, rebucket
from core.write.support import check_movable


@dataclass(frozen=True, slots=True)
class RescaledPartition:
    partition: LivePartition
    buckets: int  # that it has
    task: RebucketTask


@dataclass(frozen=True, slots=True, kw_only=True)
class RescalePlan:
    base: Snapshot | None  # the latest when the plan was made
    buckets: int  # that the partitions are to have
    option: int  # the table's `bucket` now; it becomes `buckets` first
    partitions: tuple[RescaledPartition, ...]  # in the order of their names
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.partitions and self.option == self.buckets


def plan_rescale(
    table: Table, buckets: int | None = None, partitions: Sequence[PartitionSpec] | None = None
) -> RescalePlan:
    """The partitions that have another number of buckets than they are to have.

    Args:
        table: of a fixed number of buckets.
        buckets: that there are to be; None for what the table's option `bucket` says by now.
        partitions: specs that may name some of the partition keys; None for all.

    Raises:
        InvalidRequestError: the table has no fixed number of buckets, or is to have none; a bad spec.
        UnsupportedError: the table cannot be rewritten by this release.
    """
    option = table.options.get(BUCKET)
    wanted = option if buckets is None else buckets
    _check_table(table, wanted)
    check_movable(table.schema, table.options, table.home)
    base = table.snapshots.latest()
    tasks = _tasks(table, base, wanted, partitions)
    chosen = [
        RescaledPartition(partition, task.buckets[0].total_buckets, task)
        for partition in live_partitions(table)
        if (task := tasks.get(partition.row)) is not None
    ]
    others = _tasks(table, base, wanted, None).keys() - tasks.keys()
    return RescalePlan(
        base=base,
        buckets=wanted,
        option=option,
        partitions=tuple(chosen),
        warnings=(Notice("not-to-be-written", {"partitions": len(others)}),) if others else (),
    )


def apply_rescale(
    table: Table, plan: RescalePlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> list[Snapshot]:
    """The snapshots with the new buckets, one a partition; the table's option is changed before.

    Args:
        table: the one of the plan.
        plan: by `plan_rescale`.
        user: whose commits they are; of nobody who writes to the table besides.
        identifier: of the commits.

    Raises:
        CommitConflictError: somebody has written to one of the partitions since the plan, or the snapshot
            that it was made of has left the table. Those before it are rescaled: plan again.
        CommitUnknownError: as `TableCommit.commit`; plan again.
    """
    table = with_buckets(table, plan)
    commits = RescaleCommits(table, plan, user, identifier)
    return [s for one in plan.partitions for s in commits.commit(one, rebucket(table, one.task))]


def with_buckets(table: Table, plan: RescalePlan) -> Table:
    """The table with the option that the plan asks for: the first thing that a rescale changes.

    Raises:
        CommitConflictError: the snapshot that the plan was made of has left the table; nothing is changed.
    """
    if plan.option == plan.buckets:
        return table
    if plan.base is not None:
        check_read_at(table, plan.base.reference, table.snapshots.latest())
    return table.alter([SetOption(BUCKET.key, str(plan.buckets))])


class RescaleCommits:
    """Commits partitions of a plan one by one, unless somebody has written to them since."""

    def __init__(
        self, table: Table, plan: RescalePlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
    ) -> None:
        """`table` is that of `with_buckets`."""
        strict = {COMMIT_STRICT_LAST_SAFE.key: str(plan.base.id)} if plan.base else {}
        self._commit = TableCommit(table.with_options(strict), user)
        self._read_at = plan.base.reference if plan.base else ""
        self._identifier = identifier

    def commit(self, partition: RescaledPartition, messages: Sequence[CommitMessage]) -> list[Snapshot]:
        """The snapshot of a partition; its files are deleted if it is refused. Raises as `apply_rescale`."""
        try:
            row = partition.partition.row
            return self._commit.overwrite(messages, row, self._identifier, read_at=self._read_at)
        except BaseException:
            self._commit.abort(messages)
            raise

    def abort(self, messages: Sequence[CommitMessage]) -> None:
        """Delete the files of a partition that is not committed any more."""
        self._commit.abort(messages)


def _check_table(table: Table, buckets: int) -> None:
    schema = table.schema
    mode = bucket_mode(schema.primary_keys, schema.partition_keys, table.options.get(BUCKET))
    if mode is not BucketMode.HASH_FIXED:
        raise InvalidRequestError(
            "only tables of a fixed number of buckets are rescaled", bucket=table.options.get(BUCKET)
        )
    if buckets < 1:
        raise InvalidRequestError("a table needs a bucket", found=buckets, expected="1 or more")


def _tasks(
    table: Table, base: Snapshot | None, wanted: int, partitions: Sequence[PartitionSpec] | None
) -> dict[BinaryRow, RebucketTask]:
    if base is None:
        return {}
    live = in_scope(table, table.manifests.live_entries(base), partitions)
    found: dict[BinaryRow, list[Bucket]] = defaultdict(list)
    for bucket in buckets_of(live, index_files_of(table, base)):
        found[bucket.partition].append(bucket)
    return {
        partition: RebucketTask(partition, tuple(buckets), wanted)
        for partition, buckets in found.items()
        if any(bucket.total_buckets != wanted for bucket in buckets)
    }
