"""Lists of databases and tables, with what was measured of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc
from django.db.models import Count, Max, Sum

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.permissions import forbidden
from console.inspector.cache import computed
from console.rest_catalog.stored import KEEP_VIEWS, stored_view_names
from console.warehouses.catalogs import catalog_of, storage_problems
from console.warehouses.measured import measured_tables, rows_of_names, seen
from console.warehouses.models import VIEW, TableStatistics, Warehouse
from core.catalog import Catalog, FileSystemCatalog
from core.errors import NotFoundError

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def listed(warehouse: Warehouse, database: str, names: Callable[[Catalog], list[str]]) -> list[str]:
    """A listing of the store within a request's deadline; who begins one sees the store as it is."""
    with storage_problems():
        catalog = catalog_of(warehouse)
        key = ("list", warehouse.pk, str(warehouse.updated_at), database)
        return computed(key, lambda: names(catalog))


def databases(warehouse: Warehouse, access: Access) -> list[dict[str, Any]]:
    """The databases that the caller sees, with the sums of their statistics."""
    tables = TableStatistics.objects.exclude(type=VIEW).filter(warehouse=warehouse)
    sums = tables.values("database").order_by()
    found = {
        row["database"]: row
        for row in sums.annotate(
            t=Count("id"), b=Sum("bytes"), r=Sum("rows"), f=Sum("files"), last=Max("last_commit_at")
        )
    }
    return [
        _database(warehouse, name, found.get(name), access)
        for name in listed(warehouse, "", lambda catalog: catalog.list_databases())
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


def tables(warehouse: Warehouse, database: str, access: Access) -> pa.Table:
    """The tables and views of a database that the caller sees; those not measured yet have nulls.

    Raises:
        Problem: `not-found`.
    """
    if not access.sees(Scope(warehouse.name, database)):
        raise forbidden(Permission.META_READ, Scope(warehouse.name, database))
    measured = measured_tables()
    of_database = pc.equal(measured.column("database"), database)
    measured = measured.filter(pc.and_(pc.equal(measured.column("warehouse"), warehouse.name), of_database))
    names_known: list[Any] = measured.column("name").to_pylist()
    known = set(names_known)

    def names_in(catalog: Catalog) -> list[str]:
        if isinstance(catalog, FileSystemCatalog):  # which looks into every directory that it does not know
            return catalog.list_tables_knowing(database, known)
        return catalog.list_tables(database)

    try:
        names = listed(warehouse, database, names_in)
    except NotFoundError as error:
        raise Problem("not-found", kind="database", name=f"{warehouse.name}.{database}") from error
    views = _views(warehouse, database)
    rows = rows_of_names(warehouse.name, database, [*names, *(v for v in views if v not in names)], measured)
    return seen(_typed(rows, views), access)


def _views(warehouse: Warehouse, database: str) -> list[str]:
    catalog = catalog_of(warehouse)
    if catalog.kind in KEEP_VIEWS:
        return listed(warehouse, f"{database}\0views", lambda opened: opened.list_views(database))
    return stored_view_names(warehouse, database)


def _typed(rows: pa.Table, views: list[str]) -> pa.Table:
    """The rows with the type of views, which may not be measured yet."""
    if not views:
        return rows
    place = rows.column_names.index("type")
    is_view = pc.is_in(rows.column("name"), value_set=pa.array(views, pa.string()))
    return rows.set_column(place, rows.schema.field(place), pc.if_else(is_view, VIEW, rows.column("type")))


def search(text: str, access: Access) -> pa.Table:
    """Tables of all warehouses whose `database.name` holds the text, from statistics alone."""
    wanted, rows = text.strip(), measured_tables()
    if wanted:
        names = pc.binary_join_element_wise(rows.column("database"), rows.column("name"), ".")
        rows = rows.filter(pc.match_substring(names, wanted, ignore_case=True))
    rows = seen(rows, access)
    return rows.append_column("fit", _fit(rows, wanted))


def _fit(rows: pa.Table, wanted: str) -> pa.Array[Any]:
    """How well a name fits, the best first: it is the text, begins with it, has such a word, holds it."""
    name, sought = pc.utf8_lower(rows.column("name")), wanted.lower()
    whole = pc.binary_join_element_wise(pc.utf8_lower(rows.column("database")), name, ".")
    same = pc.or_(pc.equal(name, sought), pc.equal(whole, sought))
    begins = pc.or_(pc.starts_with(name, sought), pc.starts_with(whole, sought))
    word = pc.match_substring_regex(name, rf"[^a-z0-9]{re.escape(sought)}")
    ranks = [pa.scalar(rank, pa.int64()) for rank in range(4)]
    found = pc.if_else(same, ranks[0], pc.if_else(begins, ranks[1], pc.if_else(word, ranks[2], ranks[3])))
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
