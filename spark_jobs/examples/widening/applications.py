"""The two applications: they append what they tell to the tables of the first layer."""

from __future__ import annotations

from math import ceil

import pyarrow as pa

from core import Table
from spark_jobs.examples.widening.events import LATE, TRACKING, order_events, shipment_events
from spark_jobs.examples.widening.expected import Told
from spark_jobs.examples.widening.tables import Tables


class Applications:
    """Tell of orders and shipments as time goes by; later also how a shipment is tracked."""

    def __init__(self, tables: Tables, seconds: float, rate: float) -> None:
        """What tells of `rate` orders a second, for some seconds."""
        orders = ceil((seconds + LATE) * rate)
        self._tables = tables
        self._orders, self._shipments = order_events(orders, rate), shipment_events(orders, rate)
        self._told_orders = self._told_shipments = 0
        self._tracked_from: int | None = None  # the first shipment that is told with its code
        self._turn = 0

    def tell(self, seconds: float) -> None:
        """Append the events that have arrived by then, a commit for each application."""
        orders, shipments = self._orders.arrived(seconds), self._shipments.arrived(seconds)
        self._turn += 1
        self._append(self._tables.orders, "orders", self._orders.rows[self._told_orders : orders])
        new = self._shipments.rows[self._told_shipments : shipments]
        if self._tracked_from is None:
            new = new.drop_columns([TRACKING])
        self._append(self._tables.shipments.refreshed(), "shipments", new)
        self._told_orders, self._told_shipments = orders, shipments

    def begin_tracking(self) -> None:
        """From now on shipments have one column more, and so has their table."""
        new = self._shipments.rows.schema.field(TRACKING)
        self._tables.shipments.merge_schema(pa.schema([new]))
        self._tracked_from = self._told_shipments

    def told(self) -> Told:
        """All that was told so far."""
        untracked = self._told_shipments if self._tracked_from is None else self._tracked_from
        shipments = self._shipments.rows[: self._told_shipments]
        code = shipments[TRACKING]
        code = pa.chunked_array([pa.nulls(untracked, code.type), *code[untracked:].chunks])
        at = shipments.column_names.index(TRACKING)
        return Told(self._orders.rows[: self._told_orders], shipments.set_column(at, TRACKING, code))

    def _append(self, table: Table, application: str, rows: pa.Table) -> None:
        if rows.num_rows:
            with table.new_write() as write:
                write.write(rows)
                table.new_commit(application).commit(write.prepare_commit(), self._turn)
