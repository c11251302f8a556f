"""What was measured of all tables, kept in memory as lists show it until something is measured again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max

from console.warehouses.models import TableStatistics, Warehouse

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Kept:
    state: object
    rows: tuple[Row, ...]


_kept = _Kept(None, ())


def measured_tables() -> tuple[Row, ...]:
    """A row a table of any warehouse: its statistics, and its warehouse by name.

    One query tells whether the rows of the request before are still those of the database: building 10,000
    takes most of a second.
    """
    global _kept
    state = _state()
    kept = _kept
    if kept.state != state:
        rows = TableStatistics.objects.select_related("warehouse")
        kept = _kept = _Kept(state, tuple(row.values() for row in rows))
    return kept.rows


def _state() -> object:
    """Changes with every measurement, which leaves its time, and with warehouses that come, go or change."""
    measured = TableStatistics.objects.aggregate(Count("id"), Max("id"), Max("measured_at"))
    known = Warehouse.objects.aggregate(Count("id"), Max("updated_at"))
    return (*measured.values(), *known.values())
