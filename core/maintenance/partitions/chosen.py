"""Which partitions an action is about: by specs, by a condition, by how long they have rested."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from core.binary import BinaryRow
from core.errors import InvalidRequestError
from core.maintenance.partitions.drop import live_partitions
from core.options import parse_duration
from core.predicate import bind, predicate_of, references
from core.read.planning import plan_read
from core.scan.selection import FileSelection
from core.table import Table
from core.write.partition_spec import PartitionSpec, partition_test

Chosen: TypeAlias = Sequence[PartitionSpec | BinaryRow] | None
"""As plans take partitions; None for all."""


def chosen_partitions(
    table: Table,
    partitions: Sequence[PartitionSpec] | None,
    where: str | None = None,
    idle_time: str | None = None,
    *,
    now_millis: int,
) -> Chosen:
    """The partitions that satisfy all that is given.

    Args:
        table: the table.
        partitions: specs that may name some of the partition keys.
        where: a condition over partition columns.
        idle_time: for how long a partition must not have got a file, such as `1 d`.
        now_millis: epoch milliseconds.

    Raises:
        InvalidRequestError: a condition that asks for other columns, or a bad spec.
    """
    if idle_time is None and where is None:
        return partitions
    found = [partition.row for partition in live_partitions(table)]
    if partitions is not None:
        found = list(filter(partition_test(table.schema, partitions), found))
    if where is not None:
        matching = partitions_where(table, where)
        found = [row for row in found if row in matching]
    if idle_time is not None:
        now, rest = datetime.fromtimestamp(now_millis / 1000), parse_duration(idle_time)
        idle = {partition.row for partition in live_partitions(table) if now - partition.updated >= rest}
        found = [row for row in found if row in idle]
    return found


def partitions_where(table: Table, where: str) -> Collection[BinaryRow]:
    """The partitions of the latest snapshot for which a condition holds.

    Raises:
        InvalidRequestError: no condition, or one that asks for other columns.
    """
    predicate = predicate_of(where)
    schema = table.schema
    asked = set(references(bind(predicate, schema.fields))) if predicate is not None else set()
    others = sorted(asked - set(schema.partition_keys))
    if others:
        raise InvalidRequestError(
            "the condition may ask for partition columns alone",
            column=others[0],
            partition_keys=", ".join(schema.partition_keys) or "none",
        )
    everything = FileSelection(with_level_zero=True)
    plan = plan_read(table, schema, table.snapshots.latest(), None, predicate, selection=everything)
    rows: list[Any] = plan.entries.column("partition").unique().to_pylist()  # one a partition
    return {BinaryRow.from_bytes(row) for row in rows}
