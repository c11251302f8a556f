"""What a Hive metastore keeps of the partitions of a format table. Spec: 04, C3, C5.

Paimon lists directories, Hive reads what is registered. So a partition is registered before the first of its
files is seen, and a table with partitions at places of their own, which no listing shows, is not read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pymetastore.hive_metastore.ttypes import AddPartitionsRequest

from core.catalog.facts import Audit, Partition, PartitionStatistics
from core.catalog.hive.client import HiveClient
from core.catalog.hive.format_tables import check_taken, reads_alike
from core.catalog.hive.objects import HIVES, new_partition, partition_folder, path_of
from core.errors import UnsupportedError
from core.format_table import FormatHome, FormatTable
from core.format_table.partitions import PartitionNames
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.partition import escape_path_name, unescape

_AT_ONCE = 200  # partitions that one call asks for or adds


@dataclass(frozen=True, slots=True)
class KeptPartition:
    """A partition as the metastore has it."""

    spec: Mapping[str, str]
    place: str
    descriptor: Any  # of the metastore; that of several partitions may be one
    created_at: int | None  # epoch milliseconds
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class HiveFormatHome(FormatHome):
    """Of one format table; one without partition keys is its directory alone."""

    client: HiveClient
    table: Identifier
    location: str
    keys: tuple[str, ...]
    values_only: bool  # directories are named by values alone

    def check_readable(self) -> None:
        """Raises as `HiveClient.ask`, too."""
        if not self.keys:
            return
        found = self._table()
        for one in self.kept():
            self._check_place(one.spec, one.place)
            if not reads_alike(found, one.descriptor):
                raise self._refused(f"a partition in another format: {partition_folder(one.spec)}", one.place)

    def check_writable(self) -> None:
        check_taken(self._table())

    def partitions_come(self, specs: Sequence[Mapping[str, str]]) -> None:
        for start in range(0, len(specs), _AT_ONCE):
            self._register([dict(spec) for spec in specs[start : start + _AT_ONCE]])

    def kept(self) -> list[KeptPartition]:
        """All that the metastore has; raises as `HiveClient.ask`."""
        place = (self.table.database, self.table.table)
        groups = self.client.ask("list partitions", lambda hms: hms.get_partitions_pspec(*place, -1))
        return [one for group in groups for one in self._of_group(group)]

    def missing(self, specs: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
        """Those that the metastore does not have; raises as `HiveClient.ask`."""
        kept = {tuple(one.spec.values()) for one in self.kept()}
        return [spec for spec in specs if tuple(spec.values()) not in kept]

    def settle(self, io: FileIO) -> int:
        """Tell the metastore where those partitions are that it has at an empty place of their own, as a
        rename leaves one that was added meanwhile; how many these were. Raises as `HiveClient.change`."""
        lost = [
            partition_folder(one.spec)
            for one in self.kept()
            if not self._is_here(one.spec, one.place) and next(io.iter_tree(one.place), None) is None
        ]
        place, table = (self.table.database, self.table.table), self._table()
        for start in range(0, len(lost), _AT_ONCE):
            names = lost[start : start + _AT_ONCE]
            found = self.client.ask(
                "look at partitions",
                lambda hms, names=names: hms.get_partitions_by_names(*place, names),  # type: ignore[misc]
            )
            for one in found:
                spec = dict(zip(self.keys, one.values, strict=True))
                one.sd.location = self._new(table, spec).sd.location
            self.client.change(
                "alter partitions",
                lambda hms, found=found: hms.alter_partitions(*place, found),  # type: ignore[misc]
            )
        return len(lost)

    def with_records(self, table: FormatTable, found: Sequence[Partition]) -> list[Partition]:
        """Partitions that a listing has found, with what the metastore keeps of them, and by name those
        that it keeps and that have no directory."""
        names = PartitionNames.of(table.schema)
        kept = {_values(names, one.spec): one for one in self.kept()}
        told = [_recorded(partition, kept.pop(_values(names, partition.spec), None)) for partition in found]
        nothing = (
            Partition(PartitionStatistics(one.spec, 0, 0, 0, last_file_creation_time=0))
            for one in kept.values()
        )
        told += [_recorded(one, record) for one, record in zip(nothing, kept.values(), strict=True)]
        return sorted(told, key=lambda partition: partition.name)

    def _register(self, specs: Sequence[dict[str, str]]) -> None:
        place = (self.table.database, self.table.table)
        names = [partition_folder(spec) for spec in specs]
        there = self.client.ask("look at partitions", lambda hms: hms.get_partitions_by_names(*place, names))
        found = self._table()
        for one in there:
            self._check_place(dict(zip(self.keys, one.values, strict=True)), path_of(one.sd.location) or "")
        known = {tuple(one.values) for one in there}
        made = [self._new(found, spec) for spec in specs if tuple(spec.values()) not in known]
        if made:
            asked = AddPartitionsRequest(*place, made, ifNotExists=True, needResult=False)
            self.client.change("add partitions", lambda hms: hms.add_partitions_req(asked))

    def _new(self, found: Any, spec: Mapping[str, str]) -> Any:
        made = new_partition(found, spec, seconds=int(time.time()))
        if self.values_only:
            steps = "/".join(map(escape_path_name, spec.values()))
            made.sd.location = f"{found.sd.location}/{steps}"
        return made

    def _is_here(self, spec: Mapping[str, str], place: str) -> bool:
        steps = spec.values() if self.values_only else (f"{key}={text}" for key, text in spec.items())
        return unescape(place.rstrip("/")) == unescape(self.location) + "/" + "/".join(steps)

    def _check_place(self, spec: Mapping[str, str], place: str) -> None:
        if not self._is_here(spec, place):
            raise self._refused(f"a partition at a place of its own: {partition_folder(spec)}", place)

    def _refused(self, feature: str, place: str) -> UnsupportedError:
        return UnsupportedError(
            "the metastore has a partition that the directory of its format table does not show as it is; a "
            "repair of the table mends one whose place is empty",
            feature=feature,
            where=str(self.table),
            location=place,
        )

    def _of_group(self, group: Any) -> Iterator[KeptPartition]:
        """Partitions of one descriptor below the table's place, or of descriptors of their own."""
        shared = group.sharedSDPartitionSpec
        if shared is not None:
            root = path_of(group.rootPath or shared.sd.location) or ""
            for one in shared.partitions:
                place = f"{root.rstrip('/')}/{(one.relativePath or '').lstrip('/')}"
                yield self._kept(one, place, shared.sd)
        for one in group.partitionList.partitions if group.partitionList is not None else ():
            yield self._kept(one, path_of(one.sd.location) or "", one.sd)

    def _kept(self, one: Any, place: str, descriptor: Any) -> KeptPartition:
        created = one.createTime * 1000 if one.createTime else None
        spec = dict(zip(self.keys, one.values, strict=True))
        return KeptPartition(spec, place, descriptor, created, dict(one.parameters or {}))

    def _table(self) -> Any:
        place = (self.table.database, self.table.table)
        return self.client.ask("look at a table", lambda hms: hms.get_table(*place))


def _values(names: PartitionNames, spec: Mapping[str, str]) -> tuple[Any, ...]:
    """What the texts of a partition mean: the number of a day is its date."""
    return tuple(names.parsed(level, text) for level, text in enumerate(spec.values()))


def _recorded(partition: Partition, kept: KeptPartition | None) -> Partition:
    if kept is None:
        return partition
    options = {key: text for key, text in kept.parameters.items() if key.lower() not in HIVES}
    return replace(partition, audit=Audit(created_at=kept.created_at), options=options)
