"""`lakescope tables`: the tables of a warehouse, one a line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pyarrow as pa

from core.catalog import Catalog
from core.cli.formats import write
from core.cli.targets import catalog_of
from core.errors import PaimonError
from core.schema.table_type import TableType, table_type_name
from core.table import Table

_COLUMNS: dict[str, pa.DataType] = {
    "table": pa.string(),
    "kind": pa.string(),
    "snapshot": pa.int64(),
    "rows": pa.int64(),
    "last_commit": pa.timestamp("ms", "UTC"),
    "problem": pa.string(),
}
_LONG = pa.schema(_COLUMNS)


def run_tables(given: argparse.Namespace) -> int:
    catalog = catalog_of(given)
    names = list(_names(catalog, given.database))
    if not given.long:
        if given.format == "table":
            print("\n".join(names), end="\n" if names else "")
        else:
            schema = pa.schema([("table", pa.string())])
            write(iter(pa.table({"table": names}, schema).to_batches()), schema, given.format)
        return 0
    rows = pa.Table.from_pylist([_facts(catalog, name) for name in names], _LONG)
    write(iter(rows.to_batches()), _LONG, given.format)
    return 0


def _names(catalog: Catalog, database: str | None) -> Iterator[str]:
    for name in [database] if database else catalog.list_databases():
        yield from (f"{name}.{table}" for table in catalog.list_tables(name))


def _facts(catalog: Catalog, name: str) -> dict[str, object]:
    """One row; a table that cannot be opened is listed with its problem."""
    table = catalog.get_data_table(name)
    try:
        latest = table.snapshots.latest()
        return {
            "table": name,
            "kind": kind_of(table),
            "snapshot": latest.id if latest else None,
            "rows": latest.total_record_count if latest else None,
            "last_commit": latest.time_millis if latest else None,
        }
    except PaimonError as error:
        return {"table": name, "problem": str(error)}


def kind_of(table: Table) -> str:
    """What a list calls a table: its type, or of one that is made of snapshots how its rows are kept."""
    kind = table_type_name(table.schema)
    if kind != TableType.TABLE:
        return kind
    return "primary key" if table.schema.primary_keys else "append"
