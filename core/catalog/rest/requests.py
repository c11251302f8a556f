"""What clients of a REST catalog send <-> JSON. Spec: 04, C4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.catalog.facts import PartitionStatistics
from core.catalog.rest.changes import change_from_wire, change_to_wire
from core.catalog.rest.objects import (
    Instant,
    RestSchema,
    Spec,
    Wire,
    identifier_from_wire,
    identifier_to_wire,
    instant_from_wire,
    instant_to_wire,
    snapshot_from_wire,
    snapshot_to_wire,
    statistics_from_wire,
    statistics_to_wire,
)
from core.errors import FormatError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from core.schema.changes import SchemaChange
from core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    name: str
    options: Mapping[str, str]

    @classmethod
    def from_wire(cls, value: JsonObject) -> CreateDatabase:
        return cls(value.text("name"), value.text_map("options"))

    def to_wire(self) -> Wire:
        return {"name": self.name, "options": dict(self.options)}


@dataclass(frozen=True, slots=True)
class AlterDatabase:
    removals: tuple[str, ...]
    updates: Mapping[str, str]

    @classmethod
    def from_wire(cls, value: JsonObject) -> AlterDatabase:
        return cls(value.texts("removals"), value.text_map("updates"))

    def to_wire(self) -> Wire:
        return {"removals": list(self.removals), "updates": dict(self.updates)}


@dataclass(frozen=True, slots=True)
class CreateTable:
    identifier: Identifier
    schema: RestSchema

    @classmethod
    def from_wire(cls, value: JsonObject) -> CreateTable:
        return cls(
            identifier_from_wire(value.nested("identifier")), RestSchema.from_wire(value.nested("schema"))
        )

    def to_wire(self) -> Wire:
        return {"identifier": identifier_to_wire(self.identifier), "schema": self.schema.to_wire()}


@dataclass(frozen=True, slots=True)
class ReplaceTable:
    schema: RestSchema

    @classmethod
    def from_wire(cls, value: JsonObject) -> ReplaceTable:
        return cls(RestSchema.from_wire(value.nested("schema")))

    def to_wire(self) -> Wire:
        return {"schema": self.schema.to_wire()}


@dataclass(frozen=True, slots=True)
class AlterTable:
    changes: tuple[SchemaChange, ...]

    @classmethod
    def from_wire(cls, value: JsonObject) -> AlterTable:
        return cls(tuple(map(change_from_wire, value.nested_list("changes"))))

    def to_wire(self) -> Wire:
        return {"changes": [change_to_wire(change) for change in self.changes]}


@dataclass(frozen=True, slots=True)
class Rename:
    """Of a table or a view."""

    source: Identifier
    destination: Identifier

    @classmethod
    def from_wire(cls, value: JsonObject) -> Rename:
        return cls(
            identifier_from_wire(value.nested("source")), identifier_from_wire(value.nested("destination"))
        )

    def to_wire(self) -> Wire:
        return {
            "source": identifier_to_wire(self.source),
            "destination": identifier_to_wire(self.destination),
        }


@dataclass(frozen=True, slots=True)
class RegisterTable:
    identifier: Identifier
    path: str

    @classmethod
    def from_wire(cls, value: JsonObject) -> RegisterTable:
        return cls(identifier_from_wire(value.nested("identifier")), value.text("path"))

    def to_wire(self) -> Wire:
        return {"identifier": identifier_to_wire(self.identifier), "path": self.path}


@dataclass(frozen=True, slots=True)
class CommitTable:
    """A snapshot whose manifests and lists are there already, to be made visible."""

    snapshot: Snapshot
    table_id: str | None = None
    base_snapshot_uuid: str | None = None  # absent before 2.1
    statistics: tuple[PartitionStatistics, ...] = ()

    @classmethod
    def from_wire(cls, value: JsonObject) -> CommitTable:
        return cls(
            snapshot_from_wire(value.nested("snapshot")),
            value.text_or_none("tableId"),
            value.text_or_none("baseSnapshotUuid"),
            tuple(map(statistics_from_wire, value.nested_list("statistics"))),
        )

    def to_wire(self) -> Wire:
        base = {} if self.base_snapshot_uuid is None else {"baseSnapshotUuid": self.base_snapshot_uuid}
        return {
            "tableId": self.table_id,
            **base,
            "snapshot": snapshot_to_wire(self.snapshot),
            "statistics": [statistics_to_wire(statistics) for statistics in self.statistics],
        }


@dataclass(frozen=True, slots=True)
class RollbackTable:
    instant: Instant
    from_snapshot: int | None = None  # the latest that the caller knows: it must still be the latest

    @classmethod
    def from_wire(cls, value: JsonObject) -> RollbackTable:
        return cls(instant_from_wire(value.nested("instant")), value.integer_or_none("fromSnapshot"))

    def to_wire(self) -> Wire:
        return {"instant": instant_to_wire(self.instant), "fromSnapshot": self.from_snapshot}


@dataclass(frozen=True, slots=True)
class CreateBranch:
    branch: str
    from_tag: str | None = None

    @classmethod
    def from_wire(cls, value: JsonObject) -> CreateBranch:
        return cls(value.text("branch"), value.text_or_none("fromTag"))

    def to_wire(self) -> Wire:
        return {"branch": self.branch, "fromTag": self.from_tag}


@dataclass(frozen=True, slots=True)
class CreateTag:
    name: str
    snapshot_id: int | None = None  # None: the latest
    time_retained: str | None = None  # ISO 8601, or as options say durations

    @classmethod
    def from_wire(cls, value: JsonObject) -> CreateTag:
        return cls(
            value.text("tagName"), value.integer_or_none("snapshotId"), value.text_or_none("timeRetained")
        )

    def to_wire(self) -> Wire:
        return {
            "tagName": self.name,
            "snapshotId": self.snapshot_id,
            "timeRetained": self.time_retained,
        }


@dataclass(frozen=True, slots=True)
class ResetConsumer:
    consumer: str
    next_snapshot: int | None = None  # None: it goes

    @classmethod
    def from_wire(cls, value: JsonObject) -> ResetConsumer:
        return cls(value.text("consumerId"), value.integer_or_none("nextSnapshotId"))

    def to_wire(self) -> Wire:
        return {"consumerId": self.consumer, "nextSnapshotId": self.next_snapshot}


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """Partitions to register, or to take out of what is registered."""

    specs: tuple[Spec, ...]
    is_forgiving: bool  # those that are there already, or are not, are left as they are

    @classmethod
    def created(cls, value: JsonObject) -> PartitionChange:
        return cls(specs_from_wire(value, "partitionSpecs"), value.flag("ignoreIfExists"))

    @classmethod
    def dropped(cls, value: JsonObject) -> PartitionChange:
        return cls(specs_from_wire(value, "partitionSpecs"), value.flag("ignoreIfNotExists"))


@dataclass(frozen=True, slots=True)
class PartitionFilter:
    pattern: str | None
    max_results: str | None
    page_token: str | None

    @classmethod
    def from_wire(cls, value: JsonObject) -> PartitionFilter:
        """Raises `FormatError` without a predicate, in JSON."""
        JsonObject.parse(value.text("filter").encode())
        most = value.integer_or_none("maxResults")
        return cls(
            value.text_or_none("partitionNamePattern"),
            None if most is None else str(most),
            value.text_or_none("pageToken"),
        )


def specs_from_wire(value: JsonObject, member: str = "specs") -> tuple[Spec, ...]:
    """The partitions of a member, `{"day": "x"}` each."""
    specs: list[Spec] = []
    for spec in value.nested_list(member):
        if not all(isinstance(text, str) for text in spec.members.values()):
            raise FormatError("a partition is named by texts", member=member)
        specs.append({key: str(text) for key, text in spec.members.items()})
    return tuple(specs)
