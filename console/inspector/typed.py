"""What a table is by its type, and the content of objects."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from console.accounts.roles import Scope
from console.api.errors import Problem
from console.inspector.opening import OpenTable
from console.masking.looking import masks_files_of_others
from console.warehouses.catalogs import catalog_of
from console.warehouses.places import check_own_files
from core.catalog.table_types import PlainTable, is_plain
from core.errors import InvalidRequestError, PaimonError, UnsupportedError
from core.format_table import FormatTable
from core.identifier import Identifier
from core.object_table import ObjectContent, ObjectTable, open_object
from core.schema.materialized import Definition, definition_of
from core.schema.table_type import TableType, table_type_name
from core.snapshot import Snapshot
from core.table import Table

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


def plain_of(opened: OpenTable) -> PlainTable | None:
    """The files of a table without snapshots; None of any other table.

    Raises:
        UnsupportedError: a type whose tables are never opened, or files outside of the warehouse, or of
            another table.
    """
    if not is_plain(opened.table):
        return None
    catalog, name = catalog_of(opened.warehouse), Identifier(opened.database, opened.name)
    found = catalog.get_table(name)
    if not isinstance(found, PlainTable):
        return None  # it has become another one meanwhile
    check_own_files(opened.warehouse, name, found.location, catalog)
    _check_masks(opened, found.location)
    return found


def _check_masks(opened: OpenTable, location: str) -> None:
    """`UnsupportedError` for a place that the table names itself and where files of a masked one lie.

    The catalog knows its own tables; what lies there by those of others is known by their warehouses alone.
    """
    scope = Scope(opened.warehouse.name, opened.database, opened.name)
    if opened.access is None or location == opened.table.location:
        return
    if masks_files_of_others(opened.access, scope, location):
        raise UnsupportedError(
            "files of masked tables are not read by another name",
            feature="the directory of a masked table as the place of plain files",
            table=opened.full_name,
            where=location,
        )


def object_of(opened: OpenTable, path: str) -> ObjectContent:
    """An object of an object table.

    Raises:
        InvalidRequestError: another type of table, or a path that leads out of it. NotFoundError. And as
        `plain_of`.
    """
    found = plain_of(opened)
    if not isinstance(found, ObjectTable):
        raise InvalidRequestError("only an object table has objects", table=opened.full_name)
    return open_object(found, path)


def describe_type(opened: OpenTable) -> dict[str, Any]:
    """The type, and what only tables of it have."""
    schema = opened.table.schema
    kind = table_type_name(schema)
    try:
        files, refused = plain_of(opened), None
    except UnsupportedError as error:
        files, refused = None, str(error)
    return {
        "type": kind,
        "has_snapshots": kind in (TableType.TABLE, TableType.MATERIALIZED),
        "can_be_read": refused is None,
        "refused": refused,
        "location": files.location if files else None,
        "format": str(files.kind) if isinstance(files, FormatTable) else None,
        "partition_keys": list(schema.partition_keys),
        "columns": [field.name for field in (files.schema if files else schema).fields],
        "materialized": _materialized(opened) if kind == TableType.MATERIALIZED else None,
    }


def _materialized(opened: OpenTable) -> dict[str, Any]:
    definition: Definition = definition_of(opened.table.schema)
    latest = _latest(opened.table)
    age = None
    if latest is not None:
        age = max(0, time.time_ns() // 1_000_000 - latest.time_millis) // 1000
    freshness: timedelta | None = definition.freshness
    return {
        "query": definition.query,
        "freshness": definition.freshness_text,
        "freshness_seconds": None if freshness is None else int(freshness.total_seconds()),
        "logical_refresh_mode": definition.logical_mode,
        "refresh_mode": definition.mode,
        "refresh_status": definition.status,
        "refresh_handler": definition.handler,
        "last_commit_age_seconds": age,
        "is_stale": None if age is None or freshness is None else age > freshness.total_seconds(),
        "unsupported": list(definition.unsupported),
    }


def _latest(table: Table) -> Snapshot | None:
    try:
        return table.snapshots.latest()
    except PaimonError:
        return None


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Some bytes of an object, and whether they were asked for."""

    offset: int
    length: int
    is_part: bool


def byte_range(header: str | None, size: int) -> ByteRange:
    """What a `Range` header asks for; all of it without one, or with one of another unit or of many parts.

    Raises:
        Problem: `range-not-satisfiable`.
    """
    match = _RANGE.fullmatch((header or "").strip())
    if match is None or match.groups() == ("", ""):
        return ByteRange(0, size, False)
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size
        bad = int(last) == 0 or size == 0
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        bad = start >= size or start >= end
    if bad:
        raise Problem("range-not-satisfiable", size=size, headers={"Content-Range": f"bytes */{size}"})
    return ByteRange(start, end - start, True)
