"""What a query of somebody's may read, as the spec of its job says it: no more than the person may.

And what it is made of: its views are looked at when it is planned, so that nobody changes them under the
rights of whoever started it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.accounts.roles import Access, Permission, Scope
from console.masking.looking import masked_patterns, masks_near, masks_something
from console.rest_catalog.stored import KEEP_VIEWS, view_store
from console.warehouses.catalogs import catalog_of, place_of, storage_problems
from console.warehouses.models import Warehouse
from core.catalog.query_names import views_in
from core.catalog.views import ViewSchema
from core.identifier import SYSTEM_DATABASE, Identifier

SPARK = "spark"
NOWHERE = "/dev/null"  # nothing lies below it
Views = Mapping[Identifier, ViewSchema]


def views_of(warehouse: Warehouse, sql: str, database: str) -> Views:
    """The views that a query is made of, all the way down, and perhaps some that it only seems to name.

    Raises:
        Problem: the catalog does not answer. UnsupportedError: more views than anybody looks at.
    """
    catalog = catalog_of(warehouse)
    store = view_store(warehouse, catalog)
    with storage_problems():
        return views_in(
            sql, database, SPARK, catalog.list_databases, store.names, lambda view: store.get(view).schema
        )


def digests_of(views: Views) -> dict[str, str]:
    """By the name of each, what tells whether it still says the same."""
    return {str(view): views[view].digest_for(SPARK) for view in sorted(views, key=str)}


def bounds_of(warehouse: Warehouse, access: Access, views: Views) -> dict[str, Any]:
    """Members of a job spec: what may be read, where files may lie, and views that the catalog keeps not."""
    kept = {} if keeps_views(warehouse) else views
    texts = {
        str(view): {"sql": kept[view].query_for(SPARK), "columns": [c.name for c in kept[view].fields]}
        for view in sorted(kept, key=str)
    }
    within = place_of(warehouse.location)  # of a REST catalog a name: none of its plain files are read
    if masks_near(access, Scope(warehouse.name)):
        within = NOWHERE  # the catalog does not know which of the files are those of masked tables
    return {"readable": readable(warehouse, access), "views": texts, "files_within": within}


def keeps_views(warehouse: Warehouse) -> bool:
    """Whether its catalog does so itself; else they are rows of ours."""
    return catalog_of(warehouse).kind in KEEP_VIEWS


def readable(warehouse: Warehouse, access: Access) -> list[dict[str, Any]]:
    """The tables of the warehouse whose rows the person may read, as patterns.

    A query may do anything with a value, so a table with masked columns is none of them as a whole.
    """
    if access.ceiling is not None and Permission.DATA_READ not in access.ceiling:
        return []
    found = []
    for grant in access.grants:
        scope = grant.scope
        held = grant.permissions if access.ceiling is None else grant.permissions & access.ceiling
        if Permission.DATA_READ in held and scope.warehouse in (None, warehouse.name):
            named = {"database": scope.database, "table": scope.table}
            entry: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
            masked = masked_patterns(access, Scope(warehouse.name, scope.database), held)
            if scope.database in (None, SYSTEM_DATABASE) and masks_something(access, Scope(warehouse.name)):
                masked.append(f"{SYSTEM_DATABASE}.*")  # which tells of the partitions of every table
            found.append(entry | ({"but": masked} if masked else {}))
    return found
