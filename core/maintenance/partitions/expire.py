"""Drops partitions whose time has come. Spec: 08, 13; 10, 5."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.errors import InvalidRequestError
from core.maintenance.notice import Notice
from core.maintenance.partitions.drop import DropPartitionsPlan, live_partitions
from core.maintenance.partitions.time_of_partition import PartitionClock
from core.options import (
    PARTITION_EXPIRATION_BATCH_SIZE,
    PARTITION_EXPIRATION_MAX_NUM,
    PARTITION_EXPIRATION_STRATEGY,
    PARTITION_EXPIRATION_TIME,
    PARTITION_TIMESTAMP_FORMATTER,
    PARTITION_TIMESTAMP_PATTERN,
    PartitionExpireStrategy,
)
from core.table import Table


def plan_expire_partitions(
    table: Table,
    *,
    now: datetime,
    expiration_time: timedelta | None = None,
    strategy: PartitionExpireStrategy | None = None,
    formatter: str | None = None,
    pattern: str | None = None,
    max_expires: int | None = None,
) -> DropPartitionsPlan:
    """The partitions that would be dropped, for `apply_drop_partitions`.

    Args:
        table: the table, or one of its branches.
        now: the wall clock, without a zone, as partitions spell it.
        expiration_time: in place of `partition.expiration-time`.
        strategy: in place of `partition.expiration-strategy`.
        formatter: in place of `partition.timestamp-formatter`.
        pattern: in place of `partition.timestamp-pattern`.
        max_expires: in place of `partition.expiration-max-num`.

    Raises:
        InvalidRequestError: no expiration time, or a table without partitions.
        UnsupportedError: a formatter with letters that we do not know.
    """
    options, schema = table.options, table.schema
    age = options.get(PARTITION_EXPIRATION_TIME) if expiration_time is None else expiration_time
    if not schema.partition_keys:
        raise InvalidRequestError("the table has no partitions", table=str(table.identifier))
    if age is None:
        raise InvalidRequestError("no expiration time is given", option=PARTITION_EXPIRATION_TIME.key)
    by_update = (
        strategy or options.get(PARTITION_EXPIRATION_STRATEGY)
    ) is PartitionExpireStrategy.UPDATE_TIME
    clock = PartitionClock.of(
        pattern or options.get(PARTITION_TIMESTAMP_PATTERN),
        formatter or options.get(PARTITION_TIMESTAMP_FORMATTER),
    )
    most = options.get(PARTITION_EXPIRATION_MAX_NUM) if max_expires is None else max_expires
    found, warnings = [], []
    for partition in live_partitions(table):
        time = partition.updated if by_update else clock.time_of(dict(partition.spec))
        if time is None:
            warnings.append(Notice("partition-without-time", {"partition": partition.name}))
        elif now - time > age:
            found.append(partition)
    if len(found) > most:
        warnings.append(Notice("limit-reached", {"limit": most, "left": len(found) - most}))
    return DropPartitionsPlan(
        partitions=tuple(found[:most]),
        batch_size=options.get(PARTITION_EXPIRATION_BATCH_SIZE) or max(most, 1),
        while_idle=by_update,
        warnings=tuple(warnings),
    )
