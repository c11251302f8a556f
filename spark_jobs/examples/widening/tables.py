"""The four tables of the pipeline, in three layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core import Table, open_catalog
from core.catalog import Catalog
from core.errors import AlreadyExistsError
from core.types import DataField, parse_type

DATABASE = "shop"

ORDERS = {
    "order_id": "BIGINT NOT NULL",
    "ordered_at": "TIMESTAMP(3)",
    "region": "STRING",
    "status": "STRING",
    "cents": "BIGINT",
}
SHIPMENTS = {
    "order_id": "BIGINT NOT NULL",
    "shipped_at": "TIMESTAMP(3)",
    "carrier": "STRING",
    "shipment": "STRING",
    "parcels": "BIGINT",
}
WIDE = {**ORDERS, "order_events": "BIGINT", **SHIPMENTS, "shipment_events": "BIGINT"}
WIDE_OPTIONS = {
    "bucket": "2",
    "merge-engine": "partial-update",
    # Each application orders its own columns by its own time; neither touches those of the other.
    "fields.ordered_at.sequence-group": "region,status,cents,order_events",
    "fields.shipped_at.sequence-group": "carrier,shipment,parcels,shipment_events",
    # Every event counts, late ones too: an event that was lost or is there twice shows.
    "fields.order_events.aggregate-function": "sum",
    "fields.shipment_events.aggregate-function": "sum",
    "write-only": "true",  # two writers; a job of its own compacts, and tells what changed
    "changelog-producer": "lookup",
}
TOTALS = {
    "region": "STRING NOT NULL",
    "orders": "BIGINT",
    "cents": "BIGINT",
    "order_events": "BIGINT",
    "shipped": "BIGINT",
    "parcels": "BIGINT",
}
TOTALS_OPTIONS = {
    "bucket": "1",
    "merge-engine": "aggregation",
    "fields.default-aggregate-function": "sum",  # which takes old rows back, too
}


@dataclass(frozen=True, slots=True)
class Tables:
    """What the applications told, what it makes together, and what follows from that."""

    orders: Table
    shipments: Table
    wide: Table
    totals: Table


def create_tables(warehouse: str) -> Tables:
    """The tables, new in a warehouse.

    Raises:
        AlreadyExistsError: the warehouse has the database of an earlier run.
    """
    catalog = open_catalog(warehouse)
    try:
        catalog.create_database(DATABASE)
    except AlreadyExistsError as error:
        raise AlreadyExistsError(
            "an earlier run has left its tables here: give another folder, or remove them",
            warehouse=warehouse,
            database=DATABASE,
        ) from error
    return Tables(
        _create(catalog, "orders", ORDERS, options={"bucket": "-1"}),
        _create(catalog, "shipments", SHIPMENTS, options={"bucket": "-1"}),
        _create(catalog, "wide_orders", WIDE, ["order_id"], WIDE_OPTIONS),
        _create(catalog, "region_totals", TOTALS, ["region"], TOTALS_OPTIONS),
    )


def _create(
    catalog: Catalog,
    name: str,
    columns: Mapping[str, str],
    keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> Table:
    fields = [DataField(i, column, parse_type(text)) for i, (column, text) in enumerate(columns.items())]
    return catalog.create_table(f"{DATABASE}.{name}", fields, primary_keys=keys, options=options)
