"""What the tables have to hold, calculated from the events alone: no table, no Spark, no merge of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from spark_jobs.examples.widening.events import TRACKING

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class Told:
    """The events that were told, as they were told."""

    orders: pa.Table
    shipments: pa.Table


def widened(told: Told) -> pa.Table:
    """A row an order: the latest that each application has told of it, and how often it told something."""
    orders = _latest(told.orders, "ordered_at", "order_events")
    shipments = _latest(told.shipments.drop_columns([TRACKING]), "shipped_at", "shipment_events")
    known = told.shipments.filter(pc.is_valid(told.shipments[TRACKING])).select(["order_id", TRACKING])
    codes = _last_of_each(known.sort_by("order_id"))
    return orders.join(shipments, "order_id", join_type="full outer").join(codes, "order_id")


def totals(wide: pa.Table) -> pa.Table:
    """The orders of each region, summed up."""
    known = wide.filter(pc.is_valid(wide["region"]))
    sums = known.group_by("region").aggregate(
        [
            ("order_id", "count"),
            ("cents", "sum"),
            ("order_events", "sum"),
            ("shipped_at", "count"),
            ("parcels", "sum"),
        ]
    )
    return sums.rename_columns(["region", "orders", "cents", "order_events", "shipped", "parcels"])


def difference(found: pa.Table, expected: pa.Table, key: str) -> str | None:
    """How two tables differ, by the first key at which they do; None if they hold the same rows."""
    alone = set(found.column_names) ^ set(expected.column_names)
    if alone:
        return f"columns that only one of the two has: {', '.join(sorted(alone))}"
    wanted = expected.select(found.column_names).cast(found.schema).sort_by(key).combine_chunks()
    there = found.sort_by(key).combine_chunks()
    if there.num_rows != wanted.num_rows:
        return f"{there.num_rows} rows where {wanted.num_rows} are expected"
    for name in there.column_names:
        same = pc.fill_null(pc.equal(there[name], wanted[name]), False)
        both_null = pc.and_(pc.is_null(there[name]), pc.is_null(wanted[name]))
        wrong = np.flatnonzero(~pc.or_(same, both_null).to_numpy())
        if len(wrong):
            at = int(wrong[0])
            place = f"{key} {wanted[key][at]}, {name}"
            return f"{place}: {there[name][at]} where {wanted[name][at]} is expected ({len(wrong)} such rows)"
    return None


def _latest(events: pa.Table, time: str, count: str) -> pa.Table:
    """The latest event of each order, and in the column `count` how many there are."""
    counted = events.group_by("order_id").aggregate([([], "count_all")]).rename_columns(["order_id", count])
    ordered = events.sort_by([("order_id", "ascending"), (time, "ascending")])
    return _last_of_each(ordered).join(counted, "order_id")


def _last_of_each(rows: pa.Table) -> pa.Table:
    """The last row of each order; the rows are sorted by orders."""
    ids = rows["order_id"].to_numpy()
    is_last = np.append(ids[1:] != ids[:-1], np.ones(min(len(ids), 1), dtype=bool))
    return rows.filter(pa.array(is_last))
