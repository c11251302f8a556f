"""The tables of database `sys`: what all tables of a warehouse have. Spec: 04, B2.

A table that cannot be read has one row, with nothing but its name: one damaged table neither
hides the others nor goes unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Protocol

import pyarrow as pa

from core.errors import FormatError, InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import SYSTEM_DATABASE, Identifier
from core.manifest import EntryColumns
from core.options import TYPE
from core.predicate import Predicate
from core.read.side_by_side import check_threads
from core.schema import TableSchema
from core.system.columns import Columns, columns_of_rows, fields_of, required
from core.system.placement import Partitions
from core.system.rollup import roll_up
from core.system.system_table import SystemTable, read_columns
from core.table import Table
from core.types import STRING, BigIntType, BooleanType, DataField

_EPOCH = datetime(1970, 1, 1)
_SECRET = re.compile(r"password|secret|token|credential|private|sas|(access|account|api).?key", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=//)[^/@]+@")  # `user:password@` in an address
_IN_ADDRESS = re.compile(rf"(?<=[?&;])([^=&;]*(?:{_SECRET.pattern})[^=&;]*)=[^&;]*", re.IGNORECASE)
_MASK = "******"


class Warehouse(Protocol):
    """What these tables ask of a catalog."""

    @property
    def options(self) -> Mapping[str, str]: ...
    def list_databases(self) -> list[str]: ...
    def list_tables(self, database: str) -> list[str]: ...
    def get_data_table(self, table: Identifier | str) -> Table: ...


Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class WarehouseTableKind:
    """One of them: its name, columns and rows."""

    name: str
    fields: tuple[DataField, ...]
    rows: Callable[[Warehouse], Iterator[Row]]


class WarehouseTable(SystemTable):
    """A table of database `sys`, read anew at each call."""

    def __init__(self, warehouse: Warehouse, kind: WarehouseTableKind) -> None:
        self._warehouse = warehouse
        self._kind = kind

    @property
    def identifier(self) -> Identifier:
        return Identifier(SYSTEM_DATABASE, self._kind.name)

    @cached_property
    def schema(self) -> TableSchema:
        fields = self._kind.fields
        return TableSchema(id=0, fields=fields, highest_field_id=len(fields) - 1)

    def with_options(self, options: Mapping[str, str | None]) -> WarehouseTable:
        return self

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> pa.Table:
        """The rows as one Arrow table.

        Raises:
            InvalidRequestError: an unknown column, a bad filter, no thread, or time travel.
        """
        check_threads(threads)
        if not (snapshot_id is None and tag is None and timestamp_millis is None):
            raise InvalidRequestError("a warehouse has no snapshots", table=str(self.identifier))
        return read_columns(self.schema, self._columns, columns, filter)

    def _columns(self) -> Columns:
        return columns_of_rows(self._kind.fields, self._kind.rows(self._warehouse))


def _tables(warehouse: Warehouse) -> Iterator[tuple[str, str, Table]]:
    for database in warehouse.list_databases():
        for name in warehouse.list_tables(database):
            yield database, name, warehouse.get_data_table(Identifier(database, name))


def _of_each(
    warehouse: Warehouse, width: int, rows: Callable[[Table, TableSchema], Iterable[Row]]
) -> Iterator[Row]:
    """The rows of every table; of one that cannot be read a single row, with its name and nothing else."""
    for database, name, table in _tables(warehouse):
        try:
            found = list(rows(table, table.schema))
        except (FormatError, NotFoundError, UnsupportedError):
            found = [(None,) * width]
        yield from ((database, name, *row) for row in found)


def _option_rows(warehouse: Warehouse) -> Iterator[Row]:
    return _of_each(warehouse, 2, lambda table, schema: schema.options.items())


def _catalog_option_rows(warehouse: Warehouse) -> Iterator[Row]:
    for key, value in warehouse.options.items():
        yield key, _MASK if _SECRET.search(key) else _masked_address(value)


def _masked_address(value: str) -> str:
    return _IN_ADDRESS.sub(rf"\1={_MASK}", _USER_INFO.sub(f"{_MASK}@", value))


def _table_rows(warehouse: Warehouse) -> Iterator[Row]:
    # Owner, times and sums are those of a catalog that keeps them, as REST catalogs do.
    unknown: Row = (None,) * 9

    def row(table: Table, schema: TableSchema) -> Iterator[Row]:
        kind = schema.options.get(TYPE.key, "table")
        yield (kind, bool(schema.partition_keys), bool(schema.primary_keys), *unknown)

    return _of_each(warehouse, 3 + len(unknown), row)


def _partition_rows(warehouse: Warehouse) -> Iterator[Row]:
    return _of_each(warehouse, 6, _partitions)


def _partitions(table: Table, schema: TableSchema) -> Iterator[Row]:
    if not schema.partition_keys:
        return
    snapshot = table.snapshots.latest()
    entries = EntryColumns.empty() if snapshot is None else table.manifests.live_entries(snapshot)
    partitions = Partitions.of(schema, entries.column("partition"))
    sums = roll_up(partitions, entries, by_bucket=False, sort_by=partitions.names)
    columns: list[list[Any]] = [
        sums.spread(partitions.names).to_pylist(),
        *(sums.column(name).to_pylist() for name in ("record_count", "file_size_in_bytes", "file_count")),
        [
            _epoch_millis(time)
            for time in sums.column("last_update_time").cast(pa.timestamp("ms")).to_pylist()
        ],
    ]
    yield from ((*row, False) for row in zip(*columns, strict=True))


def _epoch_millis(wall_clock: datetime | None) -> int | None:
    """The instant at which a clock on this machine's wall showed a time."""
    if wall_clock is None:
        return None
    instant = wall_clock.astimezone(UTC).replace(tzinfo=None)
    return (instant - _EPOCH) // timedelta(milliseconds=1)


_NAMES = {"database_name": STRING, "table_name": STRING}

WAREHOUSE_TABLES: dict[str, WarehouseTableKind] = {
    kind.name: kind
    for kind in (
        WarehouseTableKind("all_table_options", fields_of(**_NAMES, key=STRING, value=STRING), _option_rows),
        WarehouseTableKind(
            "catalog_options", fields_of(key=required(STRING), value=required(STRING)), _catalog_option_rows
        ),
        WarehouseTableKind(
            "tables",
            fields_of(
                **_NAMES,
                table_type=STRING,
                partitioned=BooleanType(),
                primary_key=BooleanType(),
                owner=STRING,
                created_at=BigIntType(),
                created_by=STRING,
                updated_at=BigIntType(),
                updated_by=STRING,
                record_count=BigIntType(),
                file_size_in_bytes=BigIntType(),
                file_count=BigIntType(),
                last_file_creation_time=BigIntType(),
            ),
            _table_rows,
        ),
        WarehouseTableKind(
            "partitions",
            fields_of(
                **_NAMES,
                partition_name=STRING,
                record_count=BigIntType(),
                file_size_in_bytes=BigIntType(),
                file_count=BigIntType(),
                last_file_creation_time=BigIntType(),
                done=BooleanType(),
            ),
            _partition_rows,
        ),
    )
}


def open_warehouse_table(warehouse: Warehouse, name: str) -> WarehouseTable:
    """The table `sys.<name>`, in any case of letters; `NotFoundError` if there is none."""
    kind = WAREHOUSE_TABLES.get(name.lower())
    if kind is None:
        raise NotFoundError("no such table of sys", name=name, known=", ".join(WAREHOUSE_TABLES))
    return WarehouseTable(warehouse, kind)
