"""What registers, changes and tests warehouses."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Sum
from django.utils import timezone

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem, invalid
from console.api.permissions import forbidden
from console.api.waiting import StillWorkingError, remaining
from console.celery import send
from console.inspector.cache import MetadataCache
from console.jobs.spark import REPORT
from console.jobs.states import ACTIVE, State
from console.jobs.verifying import VIEW as VIEW_RUN
from console.warehouses.activity import growth
from console.warehouses.addresses import is_address
from console.warehouses.catalogs import check_options, place_of
from console.warehouses.checking import Step, check_options_of
from console.warehouses.models import VIEW, TableStatistics, Warehouse
from core.errors import PaimonError

_checks = MetadataCache(1)  # keeps nothing; of its own, as what hangs would keep readers of metadata waiting
MEASURE_WAREHOUSE = "console.warehouses.tasks.measure_warehouse"
MEASURE_TABLES = "console.warehouses.tasks.measure_tables"
_ASK_AGAIN = 60.0  # seconds
_MOST_ASKED = 200  # of a page
_asked: dict[tuple[int, str, str], float] = {}  # by this process, with when


def visible(name: str, access: Access) -> Warehouse:
    """The warehouse, if the caller may see its name.

    Raises:
        Problem: `forbidden` for a stranger to it, `not-found`.
    """
    if not access.sees(Scope(name)):
        raise forbidden(Permission.META_READ, Scope(name))
    warehouse = Warehouse.objects.filter(name=name).first()
    if warehouse is None:
        raise Problem("not-found", kind="warehouse", name=name)
    return warehouse


def with_counts(warehouses: Iterable[Warehouse]) -> list[Warehouse]:
    """The same with `database_count`, `table_count` and `byte_count` of their statistics."""
    rows = list(warehouses)
    tables = TableStatistics.objects.exclude(type=VIEW).filter(warehouse__in=rows)
    sums = tables.values("warehouse_id").order_by()
    found = {
        row["warehouse_id"]: row
        for row in sums.annotate(d=Count("database", distinct=True), t=Count("id"), b=Sum("bytes"))
    }
    for row in rows:
        counts = found.get(row.pk, {"d": 0, "t": 0, "b": None})
        row.database_count, row.table_count, row.byte_count = counts["d"], counts["t"], counts["b"]  # type: ignore[attr-defined]
        grown = growth(row.daily_bytes, counts["b"], timezone.now())
        row.growth_bytes, row.growth_since = grown["growth_bytes"], grown["growth_since"]  # type: ignore[attr-defined]
    return rows


def register(*, name: str, location: str, **given: Any) -> Warehouse:
    """A new warehouse. Whether it answers is found out; one that does not is registered all the same.

    Raises:
        Problem: `warehouse-unavailable`, if the address or an option cannot be one.
    """
    credentials = given.pop("credentials", {})
    warehouse = Warehouse(name=name, location=location, **given)
    warehouse.credentials = {key: value for key, value in credentials.items() if value is not None}
    _refuse_what_cannot_be(warehouse)
    warehouse.save()
    transaction.on_commit(lambda: measure_soon(warehouse))
    return _checked_soon(warehouse)


def change(warehouse: Warehouse, **given: Any) -> Warehouse:
    """The warehouse with other values. Credentials that are not given stay, as do those given as None.

    Raises:
        Problem: `table-busy` while a job works where the warehouse is now; `validation-failed` where it
            moves and its credentials are not given anew; `warehouse-unavailable`.
    """
    if given.get("location", warehouse.location) != warehouse.location:
        _refuse_under_a_job(warehouse, ACTIVE)
        warehouse.daily_bytes = []  # of the place that it leaves
    credentials = given.pop("credentials", None)
    known = warehouse.credentials
    kept = (
        known
        if credentials is None
        else {k: known[k] for k, v in credentials.items() if v is None and k in known}
    )
    if kept and _leads_elsewhere(warehouse, given):
        raise invalid("/credentials", "Give the credentials for the new place, or {} for none.", "required")
    for field, value in given.items():
        setattr(warehouse, field, value)
    if credentials is not None:
        warehouse.credentials = {k: v for k, v in credentials.items() if v is not None} | kept
    _refuse_what_cannot_be(warehouse)
    warehouse.save()
    return _checked_soon(warehouse)


def _refuse_what_cannot_be(warehouse: Warehouse) -> None:
    """What is wrong with the options by themselves; nobody is asked over the network."""
    try:
        check_options(warehouse.catalog_options())
    except PaimonError as error:
        raise Problem("warehouse-unavailable", what=str(error)) from error


def _checked_soon(warehouse: Warehouse) -> Warehouse:
    """The same, with how its test went if that is known by the end of the request's time; else it goes on."""
    with suppress(StillWorkingError):
        check(warehouse)
    warehouse.refresh_from_db()
    return warehouse


def _leads_elsewhere(warehouse: Warehouse, given: Mapping[str, Any]) -> bool:
    """Whether credentials would be sent to another place than the one that they were given for."""
    old, new = warehouse.options, given.get("options", warehouse.options)
    if place_of(given.get("location", warehouse.location)) != place_of(warehouse.location):
        return True
    return any(is_address(key) and old.get(key) != new.get(key) for key in old.keys() | new.keys())


def forget(warehouse: Warehouse) -> None:
    """Take the warehouse out of the console, with its jobs and plans; nothing in its store is touched.

    Raises:
        Problem: `table-busy` while a job works in it.
    """
    _refuse_under_a_job(warehouse, ACTIVE - {State.VERIFYING, State.LOST})
    for run in warehouse.job_set.filter(kind=VIEW_RUN):  # nobody would find their rows later
        (Path(run.folder) / REPORT).unlink(missing_ok=True)
    warehouse.delete()


def _refuse_under_a_job(warehouse: Warehouse, states: Iterable[State]) -> None:
    busy = warehouse.job_set.filter(state__in=[state.value for state in states]).first()
    if busy is not None:
        raise Problem("table-busy", job=busy.public_id, extension={"job": busy.public_id})


def measure_soon(warehouse: Warehouse) -> None:
    """Ask a worker to measure all tables. Without a broker the next beat does it."""
    send(MEASURE_WAREHOUSE, warehouse.pk)


def measure_seen(warehouse: Warehouse, database: str, names: Sequence[str]) -> None:
    """Ask a worker to measure tables that somebody sees and nobody has measured; each once a minute."""
    now = time.monotonic()
    for key in [key for key, at in _asked.items() if at < now - _ASK_AGAIN]:
        _asked.pop(key, None)
    new = [name for name in names[:_MOST_ASKED] if (warehouse.pk, database, name) not in _asked]
    if new:
        _asked.update(dict.fromkeys(((warehouse.pk, database, name) for name in new), now))
        send(MEASURE_TABLES, warehouse.pk, database, new)


# --- checks ---------------------------------------------------------------------------------------
def check(warehouse: Warehouse) -> list[Step]:
    """Test the connection, and remember how it went.

    Raises:
        StillWorkingError: it takes longer, and goes on.
    """
    primary_key, options = warehouse.pk, warehouse.catalog_options()
    key = ("check", _digest(options), primary_key)
    try:
        steps = _checks.once(key, lambda: check_options_of(options), wait=remaining())
    except StillWorkingError as error:
        error.future.add_done_callback(lambda done: _remember_later(primary_key, done))
        raise
    remember(primary_key, steps)
    return steps


def _remember_later(primary_key: int, done: Future[list[Step]]) -> None:
    """In the thread that did the work, when nobody waited for it."""
    try:
        if done.exception() is None:
            remember(primary_key, done.result())
    finally:
        connection.close()


def check_new(*, location: str, options: dict[str, str], credentials: dict[str, str]) -> list[Step]:
    """Test a connection step by step; the first step that fails is the last one tried.

    Raises:
        StillWorkingError: it takes longer, and goes on: the same request gets its result.
    """
    given = {**options, **credentials, "warehouse": location}
    return _checks.once(("check", _digest(given)), lambda: check_options_of(given), wait=remaining())


def check_changed(
    warehouse: Warehouse, *, location: str, options: dict[str, str], credentials: dict[str, str | None]
) -> list[Step]:
    """The same for what a registered warehouse may become; credentials that are None are those it has.

    Raises:
        StillWorkingError. Problem: `validation-failed`, where those would be sent to another place.
    """
    known = warehouse.credentials
    kept = {key: known[key] for key, value in credentials.items() if value is None and key in known}
    if kept and _leads_elsewhere(warehouse, {"location": location, "options": options}):
        raise invalid("/credentials", "Give the credentials for the new place, or {} for none.", "required")
    new = {key: value for key, value in credentials.items() if value is not None}
    return check_new(location=location, options=options, credentials=new | kept)


def remember(primary_key: int, steps: Sequence[Step]) -> None:
    """Note whether a warehouse has answered."""
    failed = next((step for step in steps if not step.ok), None)
    state = Warehouse.State.DOWN if failed else Warehouse.State.UP
    error, code = (failed.cause or failed.code, failed.code) if failed else ("", "")
    Warehouse.objects.filter(pk=primary_key).update(
        state=state, error=error, error_code=code, checked_at=timezone.now()
    )


def _digest(options: Mapping[str, str]) -> str:
    """Stands for options with their secrets, which are no key of anything."""
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
