"""What a REST catalog tells of: databases, tables, snapshots, partitions <-> JSON. Spec: 04, C4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from core.catalog.facts import NO_AUDIT, Audit, Database, Page, Partition, PartitionStatistics
from core.catalog.rest.names import object_name
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from core.schema.table_schema import TableSchema
from core.snapshot import Snapshot
from core.snapshot.codec import SNAPSHOT_MEMBERS, snapshot_members, snapshot_of
from core.types.data_types import DataField
from core.types.json import field_to_json, fields_from_json

T = TypeVar("T")
Wire: TypeAlias = dict[str, Any]
Spec: TypeAlias = Mapping[str, str]

UNKNOWN = -1  # of a number in PartitionStatistics


def identifier_to_wire(identifier: Identifier) -> Wire:
    return {"database": identifier.database, "object": object_name(identifier)}


def identifier_from_wire(value: JsonObject) -> Identifier:
    """Raises `InvalidRequestError` for what is no name of a table."""
    return Identifier.parse(f"{_database(value.text('database'))}.{value.text('object')}")


def _database(name: str) -> str:
    if "." in name:
        raise InvalidRequestError("not a name for a database", name=repr(name))
    return name


def audit_from_wire(value: JsonObject) -> Audit:
    return Audit(
        owner=value.text_or_none("owner"),
        created_at=value.integer_or_none("createdAt"),
        created_by=value.text_or_none("createdBy"),
        updated_at=value.integer_or_none("updatedAt"),
        updated_by=value.text_or_none("updatedBy"),
    )


def audit_to_wire(audit: Audit) -> Wire:
    return {
        "owner": audit.owner,
        "createdAt": audit.created_at,
        "createdBy": audit.created_by,
        "updatedAt": audit.updated_at,
        "updatedBy": audit.updated_by,
    }


def database_from_wire(value: JsonObject) -> Database:
    options = value.text_map("options")
    return Database(
        name=value.text("name"),
        location=value.text_or_none("location"),
        options={key: text for key, text in options.items() if key not in ("location", "comment")},
        comment=options.get("comment"),
        uuid=value.text_or_none("id"),
        audit=audit_from_wire(value),
    )


def database_to_wire(database: Database) -> Wire:
    comment = {} if database.comment is None else {"comment": database.comment}
    return {
        "id": database.uuid,
        "name": database.name,
        "location": database.location,
        "options": dict(database.options) | comment,
        **audit_to_wire(database.audit),
    }


@dataclass(frozen=True, slots=True)
class RestSchema:
    """Columns, keys and options without an id: what a table is created with and seen as."""

    fields: tuple[DataField, ...]
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @classmethod
    def of(cls, schema: TableSchema) -> RestSchema:
        return cls(
            schema.fields, schema.partition_keys, schema.primary_keys, dict(schema.options), schema.comment
        )

    @classmethod
    def from_wire(cls, value: JsonObject) -> RestSchema:
        return cls(
            fields=fields_from_json(value.array("fields")),
            partition_keys=value.texts("partitionKeys"),
            primary_keys=value.texts("primaryKeys"),
            options=value.text_map("options"),
            comment=value.text_or_none("comment"),
        )

    def to_wire(self) -> Wire:
        return {
            "fields": [field_to_json(f) for f in self.fields],
            "partitionKeys": list(self.partition_keys),
            "primaryKeys": list(self.primary_keys),
            "options": dict(self.options),
            "comment": self.comment,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RestTable:
    id: str  # the table's UUID, for as long as it is not dropped
    database: str | None = None
    name: str
    path: str
    is_external: bool = False
    schema_id: int
    schema: RestSchema
    audit: Audit = NO_AUDIT

    @classmethod
    def from_wire(cls, value: JsonObject) -> RestTable:
        return cls(
            id=value.text("id"),
            database=value.text_or_none("database"),
            name=value.text("name"),
            path=value.text("path"),
            is_external=value.flag("isExternal"),
            schema_id=value.integer("schemaId"),
            schema=RestSchema.from_wire(value.nested("schema")),
            audit=audit_from_wire(value),
        )

    def to_wire(self) -> Wire:
        return {
            "id": self.id,
            "database": self.database,
            "name": self.name,
            "path": self.path,
            "isExternal": self.is_external,
            "schemaId": self.schema_id,
            "schema": self.schema.to_wire(),
            **audit_to_wire(self.audit),
        }


def snapshot_to_wire(snapshot: Snapshot) -> Wire:
    return snapshot_members(snapshot)


def snapshot_from_wire(value: JsonObject) -> Snapshot:
    """The snapshot that a body holds.

    Raises:
        UnsupportedError: a member that we do not know: it would be lost on the way to the table.
    """
    unknown = sorted(
        name for name, member in value.members.items() if name not in SNAPSHOT_MEMBERS and member is not None
    )
    if unknown:
        raise UnsupportedError(
            "a snapshot has members of a newer version", feature=f"snapshot member {', '.join(unknown)}"
        )
    return snapshot_of(value)


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A snapshot with the sums over its live files."""

    snapshot: Snapshot
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int  # epoch milliseconds

    @classmethod
    def from_wire(cls, value: JsonObject) -> TableSnapshot:
        return cls(
            snapshot_of(value.nested("snapshot")),
            value.integer("recordCount"),
            value.integer("fileSizeInBytes"),
            value.integer("fileCount"),
            value.integer("lastFileCreationTime"),
        )

    def to_wire(self) -> Wire:
        return {
            "snapshot": snapshot_to_wire(self.snapshot),
            "recordCount": self.record_count,
            "fileSizeInBytes": self.file_size_in_bytes,
            "fileCount": self.file_count,
            "lastFileCreationTime": self.last_file_creation_time,
        }


def statistics_from_wire(value: JsonObject) -> PartitionStatistics:
    buckets = value.integer_or_none("totalBuckets")  # writers before 1.3 have none
    return PartitionStatistics(
        value.text_map("spec"),
        value.integer("recordCount"),
        value.integer("fileSizeInBytes"),
        value.integer("fileCount"),
        value.integer("lastFileCreationTime"),
        UNKNOWN if buckets is None else buckets,
    )


def statistics_to_wire(statistics: PartitionStatistics) -> Wire:
    return {
        "spec": dict(statistics.spec),
        "recordCount": statistics.record_count,
        "fileSizeInBytes": statistics.file_size_in_bytes,
        "fileCount": statistics.file_count,
        "lastFileCreationTime": statistics.last_file_creation_time,
        "totalBuckets": statistics.total_buckets,
    }


def partition_from_wire(value: JsonObject) -> Partition:
    statistics, audit = statistics_from_wire(value), audit_from_wire(value)
    return Partition(statistics, value.flag("done"), audit, value.text_map("options"))


def partition_to_wire(partition: Partition) -> Wire:
    audit = {name: v for name, v in audit_to_wire(partition.audit).items() if name != "owner"}
    kept = {"done": partition.done, **audit, "options": dict(partition.options) or None}
    return statistics_to_wire(partition.statistics) | kept


@dataclass(frozen=True, slots=True)
class SnapshotInstant:
    snapshot_id: int


@dataclass(frozen=True, slots=True)
class TagInstant:
    tag: str


Instant: TypeAlias = SnapshotInstant | TagInstant


def instant_from_wire(value: JsonObject) -> Instant:
    kind = value.text("type")
    if kind == "snapshot":
        return SnapshotInstant(value.integer("snapshotId"))
    if kind == "tag":
        return TagInstant(value.text("tagName"))
    raise UnsupportedError("unknown kind of instant", feature=f"instant type {kind}")


def instant_to_wire(instant: Instant) -> Wire:
    match instant:
        case SnapshotInstant():
            return {"type": "snapshot", "snapshotId": instant.snapshot_id}
        case TagInstant():
            return {"type": "tag", "tagName": instant.tag}


def names_from_wire(value: JsonObject, member: str) -> Page:
    return Page(value.texts(member), value.text_or_none("nextPageToken") or None)


def page_to_wire(member: str, items: Sequence[Any], next_token: str | None) -> Wire:
    return {member: list(items), "nextPageToken": next_token}


def decoded(data: bytes, decode: Callable[[JsonObject], T]) -> T:
    """What a body holds; a body that is none is the sender's mistake, not a damaged file.

    Raises:
        InvalidRequestError: no such JSON. UnsupportedError: something that we do not know, by name.
    """
    try:
        value = JsonObject.parse(data)
        if b"\\u" in data:
            _check_texts(value.members)
        return decode(value)
    except FormatError as error:
        raise InvalidRequestError(error.what, **error.fields) from error


def _check_texts(value: object) -> None:
    """Raises `InvalidRequestError` for texts that neither files nor databases keep: NUL, halves of a pair."""
    match value:
        case str():
            if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
                raise InvalidRequestError(
                    "a text holds NUL, or half of a surrogate pair", found=repr(value)[:100]
                )
        case Mapping():
            for name, member in value.items():
                _check_texts(name)
                _check_texts(member)
        case list():
            for item in value:
                _check_texts(item)
