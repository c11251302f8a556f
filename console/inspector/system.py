"""System tables of a table and of a whole warehouse: which there are, and their rows as of a snapshot.

What is made of metadata is read here. The four that tell the rows of the table itself (`$audit_log`,
`$binlog`, `$ro`, `$row_tracking`) are read by the processes of previews, and need the same permission.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from console.accounts.roles import Access, Scope
from console.api.errors import Problem, invalid
from console.inspector.cache import computed, loaded
from console.inspector.labels import HIDDEN
from console.inspector.opening import OpenTable
from console.masking.looking import masks_something
from console.queries.preview import preview
from console.queries.reader import rows_of
from console.warehouses.catalogs import catalog_of
from console.warehouses.models import Warehouse
from core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import SYSTEM_DATABASE, Identifier
from core.inspect.schema_diff import mask_option
from core.predicate import Predicate, bind, evaluate, predicate_of
from core.snapshot import Snapshot
from core.system import WAREHOUSE_TABLES, SystemTable, open_system_table
from core.system.columns import Shows
from core.system.registry import ROW_TABLES, SYSTEM_TABLES, system_table_names
from core.types import DataField, type_to_text

_BATCH_ROWS = 65_536
_SHOWS = {Shows.TABLE: "table", Shows.SCHEMA: "schema", Shows.SNAPSHOT: "snapshot"}

# What only those see who are told all values of the table: bounds and statistics are values of rows.
_VALUES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "files": frozenset({"min_key", "max_key", "min_value_stats", "max_value_stats"}),
        "file_key_ranges": frozenset({"min_key", "max_key"}),
        "statistics": frozenset({"colstat"}),
    }
)

# What only those see who are told partition values, where a policy is about these.
_PARTITIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "files": frozenset({"partition", "file_path"}),
        "file_key_ranges": frozenset({"partition", "file_path"}),
        "file_indexes": frozenset({"partition", "file_path", "index_file_path"}),
        "manifests": frozenset({"min_partition_stats", "max_partition_stats"}),
        "partitions": frozenset({"partition"}),
        "buckets": frozenset({"partition"}),
        "table_indexes": frozenset({"partition"}),
    }
)


_COUNTED = frozenset({"partitioned"})  # tells of no partition


@dataclass(frozen=True, slots=True)
class SystemRows:
    """The rows of a system table that pass a filter; columns that the caller may not see are not there."""

    fields: tuple[DataField, ...]
    table: pa.Table
    hidden: tuple[str, ...] = ()

    def rows(self, start: int, limit: int) -> list[list[Any]]:
        """Some of the rows as JSON values, in the order of the columns."""
        page = self.table.slice(start, limit).combine_chunks()
        return [row for batch in page.to_batches() for row in rows_of(batch)]

    def all_rows(self) -> Iterator[list[Any]]:
        for start in range(0, self.table.num_rows, 1000):
            yield from self.rows(start, 1000)


def tables_of(opened: OpenTable) -> list[dict[str, Any]]:
    """The system tables of a table, with their columns; those that it has not are left out."""
    return [row for name in system_table_names() if (row := _described(opened, name)) is not None]


def tables_of_warehouse() -> list[dict[str, Any]]:
    """The tables of database `sys`, with their columns."""
    return [
        {"name": name, "shows": "warehouse", "columns": columns_of(kind.fields)}
        for name, kind in WAREHOUSE_TABLES.items()
    ]


def _described(opened: OpenTable, name: str) -> dict[str, Any] | None:
    try:
        fields = open_system_table(opened.table, name).schema.fields
    except (InvalidRequestError, UnsupportedError):
        return None
    shows = "rows" if name in ROW_TABLES else _SHOWS[SYSTEM_TABLES[name].shows]
    return {"name": name, "shows": shows, "columns": columns_of(fields)}


def columns_of(fields: tuple[DataField, ...]) -> list[dict[str, Any]]:
    return [{"id": field.id, "name": field.name, "type": type_to_text(field.type)} for field in fields]


def shows_rows(name: str) -> bool:
    return name.lower() in ROW_TABLES


def read(opened: OpenTable, name: str, snapshot: Snapshot | None, filter_: str | None) -> SystemRows:
    """The rows of a system table that is made of metadata.

    Raises:
        Problem: there is no such system table, or the filter is wrong.
    """
    found = _of(opened, name)
    shows = SYSTEM_TABLES[name.lower()].shows

    def load() -> pa.Table:
        pinned = shows is not Shows.TABLE and snapshot is not None
        return found.to_arrow(snapshot_id=snapshot.id if pinned and snapshot else None)

    if shows is Shows.SNAPSHOT and snapshot is not None:
        key = ("system", name.lower(), *opened.cache_key(snapshot))
        whole = loaded(key, load, size=lambda table: table.nbytes)
    else:
        whole = computed(("system", name.lower(), opened.place, opened.branch), load)
    return _filtered(_shown(name, found.schema.fields, whole, _hidden(opened, name.lower())), filter_)


def read_of_warehouse(
    warehouse: Warehouse, name: str, filter_: str | None, access: Access | None = None
) -> SystemRows:
    """The rows of a table of database `sys`.

    Raises:
        Problem: there is no such table, or the filter is wrong.
    """
    if name.lower() not in WAREHOUSE_TABLES:
        raise Problem("not-found", kind="table", name=f"{SYSTEM_DATABASE}.{name}")
    found = catalog_of(warehouse).get_table(Identifier(SYSTEM_DATABASE, name.lower()))
    assert isinstance(found, SystemTable)
    whole = computed(("sys", warehouse.name, name.lower()), found.to_arrow)
    shown = _shown(name, found.schema.fields, whole, frozenset())
    return _filtered(_without_partitions(shown, warehouse, access), filter_)


def preview_rows(
    opened: OpenTable, name: str, snapshot: Snapshot | None, *, filter_: str | None, limit: int
) -> dict[str, Any]:
    """The first rows of a system table that tells those of the table itself.

    Raises:
        Problem, PaimonError: as `preview`.
    """
    return preview(opened, snapshot, columns=None, filter_=filter_, limit=limit, system=name.lower())


def _of(opened: OpenTable, name: str) -> SystemTable:
    try:
        return open_system_table(opened.table, name)
    except NotFoundError as error:
        raise Problem("not-found", kind="table", name=f"{opened.full_name}${name}") from error


def _hidden(opened: OpenTable, name: str) -> frozenset[str]:
    """The columns of a system table that the caller is not told."""
    values = frozenset() if opened.sight.tells_everything else _VALUES.get(name, frozenset())
    return values | (_PARTITIONS.get(name, frozenset()) if opened.hides_partitions else frozenset())


def _without_partitions(found: SystemRows, warehouse: Warehouse, access: Access | None) -> SystemRows:
    """Without the column of partitions, where those of any table of the warehouse may be masked."""
    names = frozenset(field.name for field in found.fields if "partition" in field.name) - _COUNTED
    if access is None or not names or not masks_something(access, Scope(warehouse.name)):
        return found
    kept = tuple(field for field in found.fields if field.name not in names)
    return SystemRows(kept, found.table.select([f.name for f in kept]), tuple(sorted(names)))


def _shown(name: str, fields: tuple[DataField, ...], whole: pa.Table, values: frozenset[str]) -> SystemRows:
    """The rows without what the caller may not see; filters come after that, so they find nothing out."""
    mask = _MASKS.get(name.lower())
    kept = tuple(field for field in fields if field.name not in values)
    table = (mask(whole) if mask else whole).select([field.name for field in kept])
    return SystemRows(kept, table, tuple(sorted(values)))


def _filtered(found: SystemRows, filter_: str | None) -> SystemRows:
    if not filter_:
        return found
    try:
        asked = predicate_of(filter_)
        predicate = None if asked is None else bind(asked, found.fields)
    except InvalidRequestError as error:
        raise invalid("filter", str(error)) from error
    return found if predicate is None else _keep(found, predicate)


def _keep(found: SystemRows, predicate: Predicate) -> SystemRows:
    batches = [b.filter(evaluate(predicate, b)) for b in found.table.to_batches(max_chunksize=_BATCH_ROWS)]
    return SystemRows(found.fields, pa.Table.from_batches(batches, found.table.schema), found.hidden)


# --- secrets ----------------------------------------------------------------------------------------
def _masked_values(table: pa.Table) -> pa.Table:
    """Options a row, the values of secret ones masked. A few rows a table: no data path."""
    keys: list[Any] = table.column("key").to_pylist()
    values: list[Any] = table.column("value").to_pylist()
    masked = [_masked(key, value) for key, value in zip(keys, values, strict=True)]
    return _with_column(table, "value", masked)


def _masked_maps(table: pa.Table) -> pa.Table:
    """Options as JSON objects, one a schema."""
    texts: list[Any] = table.column("options").to_pylist()
    masked = [
        json.dumps(
            {key: _masked(key, value) for key, value in json.loads(text).items()}, separators=(",", ":")
        )
        for text in texts
    ]
    return _with_column(table, "options", masked)


def _masked(key: str | None, value: str | None) -> str | None:
    return value if key is None or mask_option(key, value) == value else HIDDEN


def _with_column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


_MASKS: Mapping[str, Callable[[pa.Table], pa.Table]] = MappingProxyType(
    {"options": _masked_values, "all_table_options": _masked_values, "schemas": _masked_maps}
)
