"""What a Hive metastore keeps of databases, tables and views, as Paimon writes it. Spec: 04, C3. All pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from pymetastore.hive_metastore.ttypes import Database as HmsDatabase
from pymetastore.hive_metastore.ttypes import FieldSchema, PrincipalType, SerDeInfo, StorageDescriptor
from pymetastore.hive_metastore.ttypes import Partition as HmsPartition
from pymetastore.hive_metastore.ttypes import Table as HmsTable

from core.catalog.facts import Audit, Database, PartitionStatistics
from core.catalog.hive.types import hive_type, type_of
from core.catalog.views import View, ViewSchema
from core.identifier import Identifier
from core.options import (
    DATA_FILE_PATH_DIRECTORY,
    METASTORE_PARTITIONED,
    METASTORE_TAG_TO_PARTITION,
    TableOptions,
)
from core.partition import escape_path_name, unescape
from core.schema.table_schema import TableSchema
from core.types import DataField

LOCATION = "paimon_location"  # where locations are kept in properties
MANAGED, EXTERNAL, VIEW = "MANAGED_TABLE", "EXTERNAL_TABLE", "VIRTUAL_VIEW"

_INPUT = "org.apache.paimon.hive.mapred.PaimonInputFormat"
_OUTPUT = "org.apache.paimon.hive.mapred.PaimonOutputFormat"
_SERDE = "org.apache.paimon.hive.PaimonSerDe"
_OWN = {"table_type": "PAIMON", "storage_handler": "org.apache.paimon.hive.PaimonStorageHandler"}
# What the metastore and Hive themselves keep among the parameters, in small letters.
HIVES = (
    "transient_lastddltime",
    "external",
    "lastddltime",
    "last_modified_by",
    "last_modified_time",
    "column_stats_accurate",
    "numfiles",
    "numrows",
    "rawdatasize",
    "totalsize",
)
FOREVER = 2**31 - 1
_LOCAL = re.compile("^file:(//[^/]*)?")


def new_database(
    name: str, location: str, properties: Mapping[str, str], *, location_in_properties: bool
) -> HmsDatabase:
    rest = dict(properties)
    comment, owner = rest.pop("comment", None), rest.pop("owner", None)
    rest.pop("location", None)
    if location_in_properties:
        rest[LOCATION] = location
    place = None if location_in_properties else location
    kind = None if owner is None else PrincipalType.USER
    return HmsDatabase(
        name=name, description=comment, locationUri=place, parameters=rest, ownerName=owner, ownerType=kind
    )


def database_of(found: HmsDatabase) -> Database:
    options = dict(found.parameters or {})
    location = options.pop(LOCATION, None) or path_of(found.locationUri)
    comment = found.description or None
    if comment is not None:
        options["comment"] = comment
    return Database(found.name, location, options, comment, audit=Audit(owner=found.ownerName))


def new_table(
    table: Identifier,
    location: str,
    schema: TableSchema,
    properties: Mapping[str, str],
    *,
    owner: str,
    seconds: int,
    location_in_properties: bool,
    is_external: bool = False,
) -> HmsTable:
    """The object of a table of Paimon's own."""
    made = HmsTable(
        tableName=table.table,
        dbName=table.database,
        owner=owner,
        createTime=seconds,
        lastAccessTime=seconds,
        retention=FOREVER,
        sd=_descriptor(None if location_in_properties else location),
        partitionKeys=[],
        parameters={"EXTERNAL": "TRUE"} if is_external else {},
        tableType=EXTERNAL if is_external else MANAGED,
    )
    if location_in_properties:
        made.parameters[LOCATION] = location
    write_down(made, schema, properties)
    return made


def write_down(table: HmsTable, schema: TableSchema, properties: Mapping[str, str]) -> None:
    """Make an object say what a schema has become."""
    kept = {k: v for k, v in (table.parameters or {}).items() if k.lower() in HIVES or k == LOCATION}
    comment = {} if schema.comment is None else {"comment": schema.comment}
    table.parameters = {**properties, **comment, **kept, **_OWN}
    keys = partition_columns(schema)
    table.partitionKeys = keys
    names = {key.name for key in keys}
    table.sd.cols = [column for column in columns_of(schema.fields) if column.name not in names]


def partition_columns(schema: TableSchema) -> list[FieldSchema]:
    """What the metastore takes for partition keys: those of the table, or one column that holds its tags."""
    options = TableOptions(schema.options)
    if options.get(METASTORE_PARTITIONED) and schema.partition_keys:
        return columns_of(tuple(schema.field(name) for name in schema.partition_keys))
    tags = options.get(METASTORE_TAG_TO_PARTITION)
    return [] if tags is None else [FieldSchema(name=tags, type="string")]


def partition_folder(spec: Mapping[str, str]) -> str:
    """As Paimon names it, and Hive the partition."""
    return "/".join(f"{escape_path_name(key)}={escape_path_name(text)}" for key, text in spec.items())


def new_partition(table: HmsTable, spec: Mapping[str, str], *, seconds: int) -> HmsPartition:
    """A partition of a table, in the order of its keys, in the folder that Paimon gives it."""
    properties = table.parameters or {}
    directory = properties.get(DATA_FILE_PATH_DIRECTORY.key)
    kept = properties.get(LOCATION)
    place = "/".join(part for part in (kept or table.sd.location, directory, partition_folder(spec)) if part)
    descriptor = deepcopy(table.sd)
    descriptor.location = None if kept else place
    return HmsPartition(
        values=list(spec.values()),
        dbName=table.dbName,
        tableName=table.tableName,
        createTime=seconds,
        lastAccessTime=seconds,
        sd=descriptor,
        parameters={LOCATION: place} if kept else {},
    )


def move_partition(table: HmsTable, partition: HmsPartition) -> bool:
    """Make a partition say the place that it has below its table; whether it said another."""
    keys = [column.name for column in table.partitionKeys]
    spec = dict(zip(keys, partition.values, strict=True))
    wanted = new_partition(table, spec, seconds=0)
    if _is_place(_place_of(partition), _place_of(wanted)):
        return False
    if wanted.parameters:
        partition.parameters = {**(partition.parameters or {}), **wanted.parameters}
    else:
        partition.sd.location = wanted.sd.location
    return True


def _place_of(partition: HmsPartition) -> str:
    kept = (partition.parameters or {}).get(LOCATION)
    return kept or partition.sd.location or ""


def _is_place(one: str, other: str) -> bool:
    """Whether two texts say the same place: Paimon ends some with `/`, and others escape more signs."""
    places = [unescape((path_of(place) or "").rstrip("/")) for place in (one, other)]
    return places[0] == places[1]


def write_statistics(partition: HmsPartition, statistics: PartitionStatistics, *, seconds: int) -> None:
    """Make a partition say what it holds, in the words of Hive and of Paimon."""
    partition.lastAccessTime = seconds
    partition.parameters = {
        **(partition.parameters or {}),
        "numFiles": str(statistics.file_count),
        "totalSize": str(statistics.file_size_in_bytes),
        "numRows": str(statistics.record_count),
        "lastUpdateTime": str(seconds),
        "totalBuckets": str(statistics.total_buckets),
        "transient_lastDdlTime": str(seconds),
    }


def columns_of(fields: tuple[DataField, ...]) -> list[FieldSchema]:
    return [FieldSchema(name=f.name, type=hive_type(f.type), comment=f.description) for f in fields]


def is_paimon_table(found: HmsTable) -> bool:
    if found.tableType == VIEW:
        return False
    kind = (found.parameters or {}).get("table_type", "")
    return kind.lower() == "paimon" or getattr(found.sd, "inputFormat", None) == _INPUT


def is_view(found: HmsTable) -> bool:
    return bool(found.tableType == VIEW)


def is_external(found: HmsTable) -> bool:
    return bool(found.tableType == EXTERNAL) or (found.parameters or {}).get("EXTERNAL", "").upper() == "TRUE"


def location_of(found: HmsTable) -> str | None:
    kept: str | None = (found.parameters or {}).get(LOCATION)
    return kept or path_of(getattr(found.sd, "location", None))


def move(found: HmsTable, target: Identifier, location: str) -> None:
    """Make an object that of another name, at another place."""
    found.dbName, found.tableName = target.database, target.table
    if found.parameters and LOCATION in found.parameters:
        found.parameters[LOCATION] = location
    else:
        found.sd.location = location


def new_view(view: Identifier, schema: ViewSchema, *, owner: str, seconds: int) -> HmsTable:
    comment = {} if schema.comment is None else {"comment": schema.comment}
    descriptor = _descriptor(None, cols=columns_of(schema.fields))
    descriptor.inputFormat = descriptor.outputFormat = descriptor.serdeInfo.serializationLib = None
    return HmsTable(
        tableName=view.table,
        dbName=view.database,
        owner=owner,
        createTime=seconds,
        lastAccessTime=seconds,
        retention=FOREVER,
        sd=descriptor,
        partitionKeys=[],
        parameters={**schema.options, **comment},
        viewOriginalText=schema.query,
        viewExpandedText=schema.query,
        tableType=VIEW,
    )


def view_of(view: Identifier, found: HmsTable) -> View:
    """Columns are as Hive's types tell: whether they may be null, for one, it does not keep."""
    options = {k: v for k, v in (found.parameters or {}).items() if k.lower() not in HIVES}
    comment = options.pop("comment", None)
    fields = tuple(
        DataField(number, column.name, type_of(column.type), column.comment)
        for number, column in enumerate(found.sd.cols)
    )
    query = found.viewExpandedText or found.viewOriginalText or ""
    return View(view, ViewSchema(fields, query, {}, comment, options), audit=audit_of(found))


def audit_of(found: HmsTable) -> Audit:
    created = found.createTime * 1000 if found.createTime else None
    return Audit(owner=found.owner or None, created_at=created, created_by=found.owner or None)


def path_of(uri: str | None) -> str | None:
    """A place as we name it: the metastore writes `file:/a` for `/a`, and escapes nothing."""
    return None if uri is None else _LOCAL.sub("", uri)


def _descriptor(location: str | None, **given: Any) -> StorageDescriptor:
    return StorageDescriptor(
        **{"cols": [], **given},
        location=location,
        inputFormat=_INPUT,
        outputFormat=_OUTPUT,
        compressed=False,
        numBuckets=0,
        serdeInfo=SerDeInfo(name=None, serializationLib=_SERDE, parameters={}),
        bucketCols=[],
        sortCols=[],
        parameters={},
    )
