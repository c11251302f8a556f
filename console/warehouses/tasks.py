"""Background measuring of tables, so that lists do not touch warehouses."""

from __future__ import annotations

import logging

from django.utils import timezone

from console.api.errors import Problem
from console.celery import app
from console.warehouses.activity import with_today
from console.warehouses.measuring import measure, measure_all_of
from console.warehouses.models import Warehouse
from console.warehouses.services import with_counts
from core.errors import PaimonError

log = logging.getLogger(__name__)


@app.task
def measure_all() -> None:
    """Measure every registered warehouse."""
    for primary_key in Warehouse.objects.values_list("pk", flat=True):
        measure_warehouse(primary_key)


@app.task
def measure_warehouse(primary_key: int) -> None:
    """Measure the tables of one warehouse, and note whether it answers."""
    warehouse = Warehouse.objects.filter(pk=primary_key).first()
    if warehouse is None:
        return  # forgotten since
    state, error = Warehouse.State.UP, ""
    try:
        measure_all_of(warehouse)
    except (PaimonError, Problem) as problem:
        state, error = Warehouse.State.DOWN, str(problem)
        log.warning("warehouse %s does not answer: %s", warehouse.name, problem)
    now = timezone.now()
    Warehouse.objects.filter(pk=primary_key).update(state=state, error=error, checked_at=now)
    if state == Warehouse.State.UP:
        size = with_counts([warehouse])[0].byte_count  # type: ignore[attr-defined]
        days = with_today(warehouse.daily_bytes, size, now)
        Warehouse.objects.filter(pk=primary_key).update(daily_bytes=days)


@app.task
def measure_table(primary_key: int, database: str, name: str) -> None:
    """Measure one table, after a job has changed it."""
    warehouse = Warehouse.objects.filter(pk=primary_key).first()
    if warehouse is not None:
        measure(warehouse, database, name)


@app.task
def measure_tables(primary_key: int, database: str, names: list[str]) -> None:
    """Measure tables that somebody sees in a list, unless they have been measured by now."""
    warehouse = Warehouse.objects.filter(pk=primary_key).first()
    if warehouse is None:
        return
    done = warehouse.tables.filter(database=database, name__in=names, measured_at__isnull=False)
    known = set(done.values_list("name", flat=True))
    for name in names:
        if name not in known:
            measure(warehouse, database, name)
