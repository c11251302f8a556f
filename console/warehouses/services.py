"""What registers, changes and tests warehouses, and lists what is in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Sum
from django.utils import timezone

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem, invalid
from console.api.permissions import forbidden
from console.celery import send
from console.inspector.cache import computed
from console.jobs.states import ACTIVE, State
from console.warehouses.addresses import is_address
from console.warehouses.catalogs import catalog_of, connect, place_of, storage_problems
from console.warehouses.models import TableStatistics, Warehouse
from core.catalog import Catalog
from core.errors import PaimonError

MEASURE_WAREHOUSE = "console.warehouses.tasks.measure_warehouse"


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
    sums = TableStatistics.objects.filter(warehouse__in=rows).values("warehouse_id").order_by()
    found = {
        row["warehouse_id"]: row
        for row in sums.annotate(d=Count("database", distinct=True), t=Count("id"), b=Sum("bytes"))
    }
    for row in rows:
        counts = found.get(row.pk, {"d": 0, "t": 0, "b": None})
        row.database_count, row.table_count, row.byte_count = counts["d"], counts["t"], counts["b"]  # type: ignore[attr-defined]
    return rows


def register(*, name: str, location: str, **given: Any) -> Warehouse:
    """A new warehouse. Whether it answers is found out at once; one that does not is registered all the same.

    Raises:
        Problem: `warehouse-unavailable`, if the address cannot be one.
    """
    credentials = given.pop("credentials", {})
    warehouse = Warehouse(name=name, location=location, **given)
    warehouse.credentials = credentials
    connect(warehouse.catalog_options())
    warehouse.save()
    check(warehouse)
    transaction.on_commit(lambda: measure_soon(warehouse))
    return warehouse


def change(warehouse: Warehouse, **given: Any) -> Warehouse:
    """The warehouse with other values; credentials that are not given stay.

    Raises:
        Problem: `table-busy` while a job works where the warehouse is now; `validation-failed` where it
            moves and its credentials are not given anew; `warehouse-unavailable`.
    """
    if given.get("location", warehouse.location) != warehouse.location:
        _refuse_under_a_job(warehouse, ACTIVE)
    credentials = given.pop("credentials", None)
    if credentials is None and warehouse.credentials and _leads_elsewhere(warehouse, given):
        raise invalid("/credentials", "Give the credentials for the new place, or {} for none.", "required")
    for field, value in given.items():
        setattr(warehouse, field, value)
    if credentials is not None:
        warehouse.credentials = credentials
    connect(warehouse.catalog_options())
    warehouse.save()
    check(warehouse)
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
    warehouse.delete()


def _refuse_under_a_job(warehouse: Warehouse, states: Iterable[State]) -> None:
    busy = warehouse.job_set.filter(state__in=[state.value for state in states]).first()
    if busy is not None:
        raise Problem("table-busy", job=busy.public_id, extension={"job": busy.public_id})


def measure_soon(warehouse: Warehouse) -> None:
    """Ask a worker to measure all tables. Without a broker the next beat does it."""
    send(MEASURE_WAREHOUSE, warehouse.pk)


# --- checks ---------------------------------------------------------------------------------------
def check(warehouse: Warehouse) -> dict[str, Any]:
    """Test the connection, and remember how it went."""
    result = check_new(
        location=warehouse.location, options=warehouse.options, credentials=warehouse.credentials
    )
    failed = next((step["detail"] for step in result["steps"] if not step["ok"]), "")
    state = Warehouse.State.DOWN if failed else Warehouse.State.UP
    now = timezone.now()
    Warehouse.objects.filter(pk=warehouse.pk).update(state=state, error=failed, checked_at=now)
    warehouse.state, warehouse.error, warehouse.checked_at = state, failed, now
    return result


def check_new(*, location: str, options: dict[str, str], credentials: dict[str, str]) -> dict[str, Any]:
    """Test a connection step by step; the first step that fails is the last one tried."""
    given = {**options, **credentials, "warehouse": location}
    seen: dict[str, Any] = {}
    steps: list[dict[str, Any]] = []
    for name, work in _STEPS:
        began = time.monotonic()
        try:
            ok, detail = True, work(given, seen)
        except (PaimonError, Problem) as error:
            ok, detail = False, _reason(error)
        steps.append(
            {"name": name, "ok": ok, "detail": detail, "millis": int((time.monotonic() - began) * 1000)}
        )
        if not ok:
            break
    return {"ok": all(step["ok"] for step in steps), "steps": steps}


def _reason(error: Exception) -> str:
    return str(error.fields.get("what", error.code)) if isinstance(error, Problem) else str(error)


def _connect(given: dict[str, str], seen: dict[str, Any]) -> str:
    seen["catalog"] = connect(given)
    return given["warehouse"]


def _list_databases(given: dict[str, str], seen: dict[str, Any]) -> str:
    seen["databases"] = seen["catalog"].list_databases()
    return f"{len(seen['databases'])} databases"


def _list_tables(given: dict[str, str], seen: dict[str, Any]) -> str:
    catalog: Catalog = seen["catalog"]
    for database in seen["databases"]:
        tables = catalog.list_tables(database)
        if tables:
            seen["table"] = f"{database}.{tables[0]}"
            return f"{len(tables)} tables in {database}"
    return "no table yet"


def _read_table(given: dict[str, str], seen: dict[str, Any]) -> str:
    if "table" not in seen:
        return "no table to read"
    schema = seen["catalog"].get_data_table(seen["table"]).schema
    return f"{seen['table']} has {len(schema.fields)} columns"


Step = Callable[[dict[str, str], dict[str, Any]], str]
_STEPS: tuple[tuple[str, Step], ...] = (
    ("connect", _connect),
    ("list_databases", _list_databases),
    ("list_tables", _list_tables),
    ("read_table", _read_table),
)


# --- what is in them ------------------------------------------------------------------------------
def databases(warehouse: Warehouse, access: Access) -> list[dict[str, Any]]:
    """The databases that the caller sees, with the sums of their statistics."""
    sums = TableStatistics.objects.filter(warehouse=warehouse).values("database").order_by()
    found = {
        row["database"]: row
        for row in sums.annotate(
            t=Count("id"), b=Sum("bytes"), r=Sum("rows"), f=Sum("files"), last=Max("last_commit_at")
        )
    }
    return [
        _database(warehouse, name, found.get(name), access)
        for name in _listed(warehouse, "", lambda catalog: catalog.list_databases())
        if access.sees(Scope(warehouse.name, name))
    ]


def _database(warehouse: Warehouse, name: str, sums: Any, access: Access) -> dict[str, Any]:
    row = sums or {"t": None, "b": None, "r": None, "f": None, "last": None}
    return {
        "warehouse": warehouse.name,
        "name": name,
        "tables": row["t"],
        "bytes": row["b"],
        "rows": row["r"],
        "files": row["f"],
        "last_commit_at": row["last"],
        "permissions": sorted(access.permissions(Scope(warehouse.name, name))),
    }


def _listed(warehouse: Warehouse, database: str, names: Callable[[Catalog], list[str]]) -> list[str]:
    """A listing of the store within a request's deadline; who begins one sees the store as it is."""
    with storage_problems():
        catalog = catalog_of(warehouse)
        key = ("list", warehouse.pk, str(warehouse.updated_at), database)
        return computed(key, lambda: names(catalog))
