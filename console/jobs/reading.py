"""What a query of somebody's may read, as the spec of its job says it: no more than the person may."""

from __future__ import annotations

from typing import Any

from console.accounts.roles import Access, Permission
from console.rest_catalog.models import StoredView
from console.rest_catalog.stored import KEEP_VIEWS, view_of_row
from console.warehouses.catalogs import catalog_of, place_of
from console.warehouses.models import Warehouse

SPARK = "spark"


def bounds_of(warehouse: Warehouse, access: Access, sql: str) -> dict[str, Any]:
    """Members of a job spec: what may be read, where files may lie, and views that the catalog keeps not."""
    catalog = catalog_of(warehouse)
    views = {} if catalog.kind in KEEP_VIEWS else _kept_here(warehouse, sql)
    within = place_of(warehouse.location)  # of a REST catalog a name: none of its plain files are read
    return {"readable": readable(warehouse, access), "views": views, "files_within": within}


def readable(warehouse: Warehouse, access: Access) -> list[dict[str, str]]:
    """The tables of the warehouse whose rows the person may read, as patterns."""
    if access.ceiling is not None and Permission.DATA_READ not in access.ceiling:
        return []
    found = []
    for grant in access.grants:
        scope = grant.scope
        if Permission.DATA_READ in grant.permissions and scope.warehouse in (None, warehouse.name):
            named = {"database": scope.database, "table": scope.table}
            found.append({name: value for name, value in named.items() if value is not None})
    return found


def _kept_here(warehouse: Warehouse, sql: str) -> dict[str, dict[str, Any]]:
    """The views among our rows whose names stand in the text, and those that stand in theirs."""
    rows = {f"{row.database}.{row.name}": row for row in StoredView.objects.filter(warehouse=warehouse)}
    views: dict[str, dict[str, Any]] = {}
    texts = [sql]
    while texts:
        text = texts.pop().lower()
        for name in [name for name, row in rows.items() if row.name.lower() in text]:
            schema = view_of_row(rows.pop(name)).schema
            views[name] = {
                "sql": schema.query_for(SPARK),
                "columns": [column.name for column in schema.fields],
            }
            texts.append(views[name]["sql"])
    return views
