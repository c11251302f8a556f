"""Tables that are no snapshots: what a catalog opens for each type, and where their files lie. Spec: 04, C5.

Paimon's catalogs of directories refuse to make format and object tables. Ours keep them as Paimon's JDBC
catalog keeps object tables: a schema file in the table's directory. Their files lie at the option `path`, or
in `data/` beside that file, where no reader of the files meets it. Clients of our REST server are told that
place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from core.catalog.facts import Partition, PartitionStatistics
from core.catalog.options import CASE_SENSITIVE, catalog_options
from core.errors import FormatError, InvalidRequestError, NotFoundError, UnsupportedError
from core.format_table import FormatTable
from core.format_table.options import check_discovered
from core.format_table.partitions import PartitionNames, files_by_partition, find_partitions
from core.format_table.write import check_format_writable
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.open import absolute_path
from core.object_table import OBJECT_FIELDS, ObjectTable
from core.options import PATH, TYPE
from core.partition import value_text
from core.schema.table_schema import TableSchema
from core.schema.table_type import TableType, check_has_snapshots, table_type
from core.system import SystemTable
from core.table import Table

DATA = "data"
KEPT = frozenset({TableType.FORMAT, TableType.OBJECT})  # by catalogs of directories
PlainTable: TypeAlias = FormatTable | ObjectTable

_LETTERS = (CASE_SENSITIVE.key, *CASE_SENSITIVE.old_keys)
_UNKNOWN = -1  # of a number in PartitionStatistics


def opened(table: Table, store: Callable[[str], FileIO]) -> Table | PlainTable:
    """The table as what its type makes of it; one whose schema cannot be read is left as it is.

    Raises:
        UnsupportedError: a reference to a table of another format, or a type that we do not know.

    `store` gives the store of a place that is not below the table's own directory.
    """
    if table.identifier.branch is not None:
        return table
    try:
        schema = table.schemas.latest()
    except (FormatError, NotFoundError):
        return table
    if table_type(schema).has_snapshots:
        return table
    location = plain_location(table.location, schema.options)
    io = table.io if location.startswith(f"{table.location}/") else store(location)
    return plain_table(io, location, table.identifier, schema)


def check_is_snapshots(table: Table) -> Table:
    """The table again; `UnsupportedError` names the type of one that has no snapshots.

    One whose schema cannot be read passes: what is done with it says so, or does without.
    """
    try:
        schema = table.schemas.latest()
    except (FormatError, NotFoundError):
        return table
    check_has_snapshots(schema)
    return table


def is_plain(table: Table) -> bool:
    """Whether a table is known to have no snapshots."""
    try:
        check_is_snapshots(table)
    except UnsupportedError:
        return True
    return False


def plain_table(io: FileIO, location: str, identifier: Identifier, schema: TableSchema) -> PlainTable:
    """The table of files at a place, by its type; raises as `opened`."""
    kind = table_type(schema)
    match kind:
        case TableType.FORMAT:
            return FormatTable(io, location, identifier, schema)
        case TableType.OBJECT:
            return ObjectTable(io, location, identifier, schema)
        case _:
            raise UnsupportedError(
                "a table of another format is named here, and never opened",
                feature=f"{TYPE.key} = {kind}",
                where=str(identifier),
            )


def in_letters_of(table: PlainTable, options: Mapping[str, str]) -> PlainTable:
    """The table with what options of its catalog say of the letters of columns in its files, if anything.

    As in Paimon 2.0.0, files are read letter by letter unless the catalog says `case-sensitive = false`.
    """
    if isinstance(table, FormatTable) and not options.keys().isdisjoint(_LETTERS):
        is_sensitive = catalog_options(options).get(CASE_SENSITIVE)
        return table.with_options({CASE_SENSITIVE.key: "true" if is_sensitive else "false"})
    return table


def plain_location(directory: str, options: Mapping[str, str]) -> str:
    """Where the files of a table that has no snapshots lie; `directory` is the table's own."""
    given = options.get(PATH.key) or options.get("object-location")
    return absolute_path(given).rstrip("/") if given else f"{directory}/{DATA}"


def kept_schema(schema: TableSchema) -> TableSchema:
    """The schema of a new table of any type as it is kept.

    Raises:
        InvalidRequestError, UnsupportedError: what a table of its type cannot have.
    """
    kind = table_type(schema)
    if kind.has_snapshots:
        return schema
    if schema.primary_keys:
        raise InvalidRequestError(
            f"a table of the type {kind} has no primary key", keys=", ".join(schema.primary_keys)
        )
    if kind is TableType.OBJECT:
        if schema.partition_keys:
            raise InvalidRequestError(
                "an object table has no partitions", keys=", ".join(schema.partition_keys)
            )
        return replace(schema, fields=OBJECT_FIELDS, highest_field_id=len(OBJECT_FIELDS) - 1)
    if kind is TableType.FORMAT:
        if set(schema.partition_keys) >= set(schema.field_names):
            raise InvalidRequestError("a format table has a column that is in its files")
        check_format_writable(schema)
        return schema
    raise UnsupportedError(
        "references to tables of other formats are not made here", feature=f"{TYPE.key} = {kind}"
    )


def plain_partitions(table: PlainTable | SystemTable) -> list[Partition]:
    """The partitions of a format table by name, with files and bytes; how many rows nobody counts."""
    if not isinstance(table, FormatTable) or not table.schema.partition_keys:
        return []
    check_discovered(table.schema.options)
    table.home.check_readable()
    names = PartitionNames.of(table.schema)
    found, _ = find_partitions(table.io, table.location, names, ())
    listed = files_by_partition(table.io, found)
    partitions = []
    for one, files in zip(found, listed, strict=True):
        spec = {
            field.name: names.default_name if value is None else value_text(field.type, value, legacy=False)
            for field, value in zip(names.fields, one.values, strict=True)
        }
        latest = max((status.modified_millis for status in files), default=0)
        size = sum(status.size for status in files)
        partitions.append(Partition(PartitionStatistics(spec, _UNKNOWN, size, len(files), latest)))
    return sorted(partitions, key=lambda partition: partition.name)
