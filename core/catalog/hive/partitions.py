"""Partitions that a Hive metastore keeps of a table, beside the table's own files. Spec: 04, C3.

With `metastore.partitioned-table` those that have files, with `metastore.tag-to-partition` one for each tag.
They are for engines that read through the metastore: what counts is the table.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from pymetastore.hive_metastore.ttypes import AddPartitionsRequest, PartitionEventType

from core.catalog.facts import PartitionStatistics
from core.catalog.hive.client import HiveClient
from core.catalog.hive.objects import move_partition, new_partition, partition_folder, write_statistics
from core.catalog.partitions import partitions_of, statistics_of
from core.errors import InvalidRequestError, NotFoundError, PaimonError, UnsupportedError
from core.identifier import Identifier
from core.manifest import EntryColumns
from core.options import (
    METASTORE_PARTITIONED,
    METASTORE_TAG_TO_PARTITION,
    PARTITION_IDLE_TO_REPORT,
    PARTITION_MARK_DONE_ACTION,
    TableOptions,
)
from core.schema.changes import RemoveOption, SchemaChange, SetOption
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot import Snapshot
from core.table import Table
from core.write.target import WriteTarget

Spec: TypeAlias = dict[str, str]
_AT_ONCE = 200  # partitions that one call asks for
MARK_EVENT, DONE_PARTITION = "mark-event", "done-partition"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HivePartitions:
    """Those of one table."""

    client: HiveClient
    table: Identifier

    def add(self, specs: Sequence[Spec]) -> None:
        """Those that are there already are left as they are; raises as `HiveClient.change`."""
        if not specs:
            return
        database, name = self.table.database, self.table.table
        found = self.client.ask("look at a table", lambda hms: hms.get_table(database, name))
        now = int(time.time())
        made = [new_partition(found, spec, seconds=now) for spec in specs]
        asked = AddPartitionsRequest(database, name, made, ifNotExists=True, needResult=False)
        self.client.change("add partitions", lambda hms: hms.add_partitions_req(asked))

    def missing(self, specs: Sequence[Spec]) -> list[Spec]:
        """Those that the metastore does not have; raises as `HiveClient.ask`."""
        place = (self.table.database, self.table.table)
        names = set(self.client.ask("list partitions", lambda hms: hms.get_partition_names(*place, -1)))
        return [spec for spec in specs if partition_folder(spec) not in names]

    def settle(self) -> int:
        """Tell the metastore where those are that it has elsewhere, as a table that was renamed left them;
        how many these were. Raises as `HiveClient.change`."""
        place = (self.table.database, self.table.table)
        found = self.client.ask("look at a table", lambda hms: hms.get_table(*place))
        if not found.partitionKeys:
            return 0
        names = list(self.client.ask("list partitions", lambda hms: hms.get_partition_names(*place, -1)))
        groups = (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
        return sum(self._settle(found, some) for some in groups)

    def _settle(self, table: Any, names: Sequence[str]) -> int:
        place = (self.table.database, self.table.table)
        kept = self.client.ask(
            "look at partitions", lambda hms: hms.get_partitions_by_names(*place, list(names))
        )
        moved = [one for one in kept if move_partition(table, one)]
        if moved:
            self.client.change("alter partitions", lambda hms: hms.alter_partitions(*place, moved))
        return len(moved)

    def report(self, statistics: Sequence[PartitionStatistics], *, seconds: int) -> None:
        """Write down what partitions hold, of those that are there; raises as `HiveClient.change`."""
        place = (self.table.database, self.table.table)
        known = {partition_folder(one.spec): one for one in statistics}
        found = self.client.ask(
            "look at partitions", lambda hms: hms.get_partitions_by_names(*place, list(known))
        )
        by_values = {tuple(one.spec.values()): one for one in statistics}
        for partition in found:
            write_statistics(partition, by_values[tuple(partition.values)], seconds=seconds)
        if found:
            self.client.change("alter partitions", lambda hms: hms.alter_partitions(*place, found))

    def mark_done(self, specs: Sequence[Spec]) -> None:
        """Let Hive's own readers know that partitions are loaded; raises as `HiveClient.change`."""
        place = (self.table.database, self.table.table)
        for spec in specs:
            with suppress(NotFoundError):
                self.client.change(
                    "mark a partition",
                    lambda hms: hms.markPartitionForEvent(*place, dict(spec), PartitionEventType.LOAD_DONE),  # noqa: B023
                )

    def done(self, specs: Sequence[Mapping[str, str]], marks: Collection[str]) -> list[bool]:
        """Which have one of these marks, by whomever; raises as `HiveClient.ask`."""
        place = (self.table.database, self.table.table)

        def look(hms: Any) -> list[bool]:
            beside = {partition_folder(_done_beside(spec)): at for at, spec in enumerate(specs)}
            found = [False] * len(specs)
            if DONE_PARTITION in marks:
                for one in hms.get_partitions_by_names(*place, list(beside)):
                    keys = specs[0].keys()
                    found[beside[partition_folder(dict(zip(keys, one.values, strict=True)))]] = True
            if MARK_EVENT in marks:
                for at, spec in enumerate(specs):
                    found[at] = found[at] or bool(
                        hms.isPartitionMarkedForEvent(*place, dict(spec), PartitionEventType.LOAD_DONE)
                    )
            return found

        return self.client.ask("look at partitions", look) if specs else []

    def drop(self, specs: Sequence[Spec]) -> None:
        """Out of the metastore alone; raises as `HiveClient.change`."""
        place = (self.table.database, self.table.table)
        for spec in specs:
            values = list(spec.values())
            with suppress(NotFoundError):
                self.client.change(
                    "drop a partition",
                    lambda hms: hms.drop_partition(*place, values, False),  # noqa: B023
                )


@dataclass(frozen=True)
class HiveTags:
    """The tags of a table as partitions of one column, if the metastore's table has that."""

    partitions: HivePartitions
    schemas: SchemaStore

    def tag_made(self, name: str) -> None:
        self._tell(name, self.partitions.add)

    def tag_gone(self, name: str) -> None:
        self._tell(name, self.partitions.drop)

    def _tell(self, name: str, change: Callable[[Sequence[Spec]], None]) -> None:
        try:
            column = tag_column(self.schemas.latest())
            if column is not None:
                change([{column: name}])
        except PaimonError as error:
            _log.warning("tag %s of %s is not told to the metastore: %s", name, self.partitions.table, error)


def has_partitions(schema: TableSchema) -> bool:
    """Whether the metastore keeps the partitions that have files."""
    return bool(schema.partition_keys) and TableOptions(schema.options).get(METASTORE_PARTITIONED)


def marks_of(schema: TableSchema) -> frozenset[str]:
    """By what partitions are marked as done in the metastore, which tells readers; empty if by nothing."""
    asked = TableOptions(schema.options).get(PARTITION_MARK_DONE_ACTION) if has_partitions(schema) else ()
    return frozenset(asked) & {MARK_EVENT, DONE_PARTITION}


def _done_beside(spec: Mapping[str, str]) -> Spec:
    """The partition that stands beside one to say that it is done."""
    *others, (key, value) = spec.items()
    return {**dict(others), key: f"{value}.done"}


def reports_statistics(schema: TableSchema) -> bool:
    """Whether the metastore is told after a commit what its partitions hold."""
    return has_partitions(schema) and bool(TableOptions(schema.options).get(PARTITION_IDLE_TO_REPORT))


def live_statistics(
    table: WriteTarget, snapshot: Snapshot, specs: Sequence[Spec]
) -> list[PartitionStatistics]:
    """What some partitions hold; those without files hold nothing."""
    live = statistics_of(table, table.manifests.live_entries(snapshot))
    return [one for one in live if dict(one.spec) in specs]


def tag_column(schema: TableSchema) -> str | None:
    """The column whose partitions are the table's tags, if there is one."""
    return TableOptions(schema.options).get(METASTORE_TAG_TO_PARTITION)


def partitions_with(table: WriteTarget, entries: EntryColumns) -> list[Spec]:
    """Those that some files are in."""
    return [dict(one.spec) for one in statistics_of(table, entries)] if len(entries) else []


def live_partitions(table: Table) -> list[Spec]:
    """Those with files on main, or on a branch."""
    branches = (table.with_branch(name) for name in table.branches.names())
    return [dict(p.spec) for view in (table, *branches) for p in partitions_of(view)]


def expected(table: Table) -> list[Spec]:
    """All that the metastore should have."""
    schema = table.schema
    if has_partitions(schema):
        return live_partitions(table)
    column = tag_column(schema)
    return [] if column is None else [{column: name} for name in table.tags.names()]


def check_keeps_keys(schema: TableSchema, changes: Sequence[SchemaChange], where: str) -> None:
    """Raises `UnsupportedError` where the metastore's partition keys would change, which it does not do."""
    after = dict(schema.options)
    for change in changes:
        if isinstance(change, SetOption):
            after[change.key] = change.value
        elif isinstance(change, RemoveOption):
            after.pop(change.key, None)
    before = partition_keys(schema.options)
    for key, found in partition_keys(after).items():
        if found != before[key]:
            raise UnsupportedError(
                "the metastore does not change what a table is partitioned by: make the table anew",
                feature=f"option {key} of a table that is there",
                where=where,
            )


def partition_keys(options: Mapping[str, str]) -> dict[str, object]:
    """What options say of the metastore's partitions."""
    given = TableOptions(options)
    return {
        METASTORE_PARTITIONED.key: given.get(METASTORE_PARTITIONED),
        METASTORE_TAG_TO_PARTITION.key: given.get(METASTORE_TAG_TO_PARTITION),
    }


def check_takes(schema: TableSchema, where: str) -> None:
    """Raises `InvalidRequestError` for tags as partitions of a table that has partitions of its own."""
    column = tag_column(schema)
    if column is not None and (schema.partition_keys or column in schema.field_names):
        raise InvalidRequestError(
            "tags are partitions of a table without partition keys, and of a column that it does not have",
            option=METASTORE_TAG_TO_PARTITION.key,
            found=column,
            where=where,
        )
