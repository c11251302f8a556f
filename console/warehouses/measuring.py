"""What lists show of a table, measured from its metadata."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as _pc
from django.utils import timezone

from console.inspector.keeping import keeping_table
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from console.inspector.snapshots import committed_at
from console.inspector.summary import bucket_mode, table_kind
from console.rest_catalog.stored import view_store
from console.warehouses.activity import commits_by_hour
from console.warehouses.catalogs import catalog_of
from console.warehouses.models import VIEW, TableStatistics, Warehouse
from core.catalog.facts import TableFacts
from core.errors import NotFoundError, PaimonError
from core.identifier import Identifier
from core.options import BUCKET
from core.schema.table_type import NO_SNAPSHOTS

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_MOST_OWNER = 255  # characters that are kept of a name


def measure(warehouse: Warehouse, database: str, name: str) -> TableStatistics:
    """Measure a table again, unless its latest snapshot is the one that was measured last."""
    known = TableStatistics.objects.filter(warehouse=warehouse, database=database, name=name).first()
    try:
        catalog, identifier = catalog_of(warehouse), Identifier(database, name)
        facts = catalog.table_facts(identifier)
        if facts.type in NO_SNAPSHOTS:
            values = _of_files(facts)
        else:
            table = keeping_table(catalog.get_data_table(identifier), warehouse)
            opened = OpenTable(warehouse, database, name, table)
            values = {"type": facts.type, "owner": _owner(facts), **_values(opened, known)}
    except PaimonError as error:
        values = {"error": str(error)}
    row, _ = TableStatistics.objects.update_or_create(
        warehouse=warehouse, database=database, name=name, defaults={**values, "measured_at": timezone.now()}
    )
    return row


def _of_files(facts: TableFacts) -> dict[str, Any]:
    """What is known of a table without snapshots: nothing of its files, which nobody has counted."""
    return {
        "type": facts.type,
        "kind": "other",
        "partition_keys": list(facts.schema.partition_keys),
        "comment": facts.schema.comment,
        "owner": _owner(facts),
        "error": None,
    }


def measure_view(warehouse: Warehouse, database: str, name: str) -> None:
    """Note what lists show of a view, as it is now."""
    try:
        view = view_store(warehouse, catalog_of(warehouse)).get(Identifier(database, name))
        values: dict[str, Any] = {"comment": view.schema.comment, "error": None}
    except PaimonError as error:
        values = {"error": str(error)}
    TableStatistics.objects.update_or_create(
        warehouse=warehouse,
        database=database,
        name=name,
        defaults={**values, "type": VIEW, "measured_at": timezone.now()},
    )


def _owner(facts: TableFacts) -> str | None:
    """As the catalog says; where that keeps none, the option `owner` of the table."""
    owner = facts.audit.owner or facts.schema.options.get("owner")
    return owner[:_MOST_OWNER] if owner else None


def _values(opened: OpenTable, known: TableStatistics | None) -> dict[str, Any]:
    schema, latest = opened.table.schema, opened.table.snapshots.latest()
    count = opened.table.options.get(BUCKET)
    values: dict[str, Any] = {
        "kind": table_kind(schema),
        "bucket_mode": bucket_mode(schema),
        "buckets": count if count > 0 else None,
        "partition_keys": list(schema.partition_keys),
        "comment": schema.comment,
        "error": None,
    }
    reference = latest.reference if latest else None
    measured, hours = (known.snapshot, known.commit_hours) if known else (None, None)
    if measured is not None and reference == measured and hours is not None:
        return values
    files = live_files(opened, latest).table
    return values | {
        "rows": pc.sum(files.column("rows")).as_py() or 0,
        "rows_delta": latest.delta_record_count if latest else None,
        "bytes": pc.sum(files.column("bytes")).as_py() or 0,
        "files": len(files),
        "partitions": len(files.column("partition").unique()),
        "snapshot": reference,
        "snapshots": len(opened.table.snapshots.ids()),
        "last_commit_at": committed_at(latest) if latest else None,
        "commit_hours": commits_by_hour(opened, latest, hours, measured, timezone.now()),
    }


def measure_all_of(warehouse: Warehouse) -> int:
    """Measure every table of a warehouse, forget those that are gone; how many there are."""
    catalog = catalog_of(warehouse)
    found: set[tuple[str, str]] = set()
    for database in catalog.list_databases():
        try:
            names = catalog.list_tables(database)
            views = view_store(warehouse, catalog).names(database)
        except NotFoundError:
            continue  # dropped since the listing
        for name in views:
            measure_view(warehouse, database, name)
            found.add((database, name))
        for name in names:
            measure(warehouse, database, name)
            found.add((database, name))
    for row in TableStatistics.objects.filter(warehouse=warehouse):
        if (row.database, row.name) not in found:
            row.delete()
    return len(found)  # views among them
