"""What happens in the shop: orders and shipments, told by two applications that know nothing of each other.

Events arrive late and out of order, so that an order may be changed before it was placed, and shipped
before either. All of it follows from a seed: what the tables have to hold in the end can be calculated
from here, without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

REGIONS = ("Asia", "Africa", "America", "Europe", "Oceania")
CARRIERS = ("ship", "rail", "road", "air")
ORDER_STATES = ("placed", "changed")  # an order has both, one after the other
SHIPMENT_STATES = ("packed", "delivered")

TRACKING = "tracking_code"  # the column that comes to be known on the way
LATE = 3.0  # seconds; an event arrives up to so much later than it happens
_CHANGED_AFTER, _PACKED_AFTER, _DELIVERED_AFTER = 1.0, 0.5, 1.5  # seconds after the order
_UNSHIPPED = 10  # each tenth order is never shipped
_BEGIN_MILLIS = 1_767_571_200_000  # 2026-01-05, a Monday

Numbers = npt.NDArray[np.int64]
Seconds = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Events:
    """The events of one application, in the order in which they arrive."""

    rows: pa.Table
    arrives: Seconds  # after the start

    def arrived(self, seconds: float) -> int:
        """How many have arrived by then."""
        return int(np.searchsorted(self.arrives, seconds, "right"))


def order_events(orders: int, rate: float, seed: int = 7) -> Events:
    """Two events of each order, `rate` orders a second; the second one may move it to another region."""
    random = np.random.default_rng(seed)
    ids, version = np.repeat(np.arange(orders), 2), np.tile([0, 1], orders)
    region = np.repeat(random.integers(0, len(REGIONS), orders), 2)
    moved = (version == 1) & (random.random(2 * orders) < 1 / 8)
    columns = {
        "region": _one_of(REGIONS, (region + moved) % len(REGIONS)),
        "status": _one_of(ORDER_STATES, version),
        "cents": pa.array(random.integers(500, 50_000, 2 * orders)),
    }
    return _arriving(ids, "ordered_at", ids / rate + version * _CHANGED_AFTER, columns, random)


def shipment_events(orders: int, rate: float, seed: int = 8) -> Events:
    """Two events of each order that is shipped."""
    random = np.random.default_rng(seed)
    shipped = np.arange(orders)[np.arange(orders) % _UNSHIPPED != 0]
    ids, version = np.repeat(shipped, 2), np.tile([0, 1], len(shipped))
    columns = {
        "carrier": _one_of(CARRIERS, np.repeat(random.integers(0, len(CARRIERS), len(shipped)), 2)),
        "shipment": _one_of(SHIPMENT_STATES, version),
        "parcels": pa.array(random.integers(1, 5, len(ids))),
        TRACKING: pc.binary_join_element_wise("T", pa.array(ids).cast(pa.string()), "-"),
    }
    after = np.where(version == 0, _PACKED_AFTER, _DELIVERED_AFTER)
    return _arriving(ids, "shipped_at", ids / rate + after, columns, random)


def _arriving(
    ids: Numbers, time: str, happened: Seconds, columns: Mapping[str, Any], random: np.random.Generator
) -> Events:
    """Events in the order of their arrival; `time` is the column that says when one happened."""
    millis = pa.array(_BEGIN_MILLIS + np.round(happened * 1000).astype(np.int64))
    rows = pa.table({"order_id": pa.array(ids), time: millis.cast(pa.timestamp("ms")), **columns})
    arrives = happened + random.uniform(0, LATE, len(happened))
    order = np.argsort(arrives, kind="stable")
    return Events(rows.take(order), arrives[order])


def _one_of(texts: Sequence[str], numbers: Numbers) -> pa.Array[Any]:
    return pa.array(texts).take(numbers)
