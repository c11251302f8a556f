"""Views and functions of a warehouse, where its catalog keeps them.

Catalogs of JDBC, Hive and REST keep views themselves, as Paimon's do; a warehouse of directories alone has no
place for them, so its views are rows here. Functions are kept by catalogs of REST alone, else here.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from django.db import IntegrityError, transaction

from console.rest_catalog.models import Named, StoredFunction, StoredView
from console.warehouses.models import Warehouse
from core.catalog import Catalog
from core.catalog.errors import FunctionNotFoundError, ViewAlreadyExistsError, ViewNotFoundError
from core.catalog.facts import Audit
from core.catalog.functions import Function
from core.catalog.names import new_name
from core.catalog.rest.views import (
    function_from_wire,
    view_schema_from_wire,
    view_schema_to_wire,
)
from core.catalog.views import View, ViewChange, ViewSchema, changed_view
from core.errors import PaimonError
from core.identifier import Identifier
from core.io.json_object import JsonObject

log = logging.getLogger(__name__)

KEEP_VIEWS = frozenset({"jdbc", "hive", "rest"})
_REFUSED: set[uuid.UUID] = set()  # views that their catalog did not take from us
_IDS = uuid.UUID("5f1c3e2a-6a0b-4d55-9a39-1f3b2c6c9d10")  # of views whose catalog gives them none


class ViewStore(Protocol):
    """What can be done to views; errors are those of `Catalog`."""

    def names(self, database: str) -> list[str]: ...

    def get(self, view: Identifier) -> View: ...

    def create(self, view: Identifier, schema: ViewSchema) -> None: ...

    def alter(self, view: Identifier, changes: Sequence[ViewChange]) -> None: ...

    def rename(self, source: Identifier, target: Identifier) -> None: ...

    def drop(self, view: Identifier) -> None: ...


def view_store(warehouse: Warehouse, catalog: Catalog, actor: str = "") -> ViewStore:
    """The views of a warehouse; `actor` is who changes them."""
    if catalog.kind in KEEP_VIEWS:
        _move_kept_views(warehouse, catalog)
        return _OfCatalog(warehouse, catalog)
    return _OfRows(warehouse, catalog, actor)


@dataclass(frozen=True, slots=True)
class _OfCatalog:
    """The catalog's own."""

    warehouse: Warehouse
    catalog: Catalog

    def names(self, database: str) -> list[str]:
        return self.catalog.list_views(database)

    def get(self, view: Identifier) -> View:
        found = self.catalog.get_view(view)
        name = f"{self.warehouse.pk}/{view}"
        return found if found.uuid else replace(found, uuid=str(uuid.uuid5(_IDS, name)))

    def create(self, view: Identifier, schema: ViewSchema) -> None:
        self.catalog.create_view(view, schema)

    def alter(self, view: Identifier, changes: Sequence[ViewChange]) -> None:
        self.catalog.alter_view(view, changes)

    def rename(self, source: Identifier, target: Identifier) -> None:
        self.catalog.rename_view(source, target)

    def drop(self, view: Identifier) -> None:
        self.catalog.drop_view(view)


@dataclass(frozen=True, slots=True)
class _OfRows:
    """Rows of ours."""

    warehouse: Warehouse
    catalog: Catalog
    actor: str

    def names(self, database: str) -> list[str]:
        self.catalog.get_database(database)
        return stored_view_names(self.warehouse, database)

    def get(self, view: Identifier) -> View:
        return view_of_row(self._row(view))

    def create(self, view: Identifier, schema: ViewSchema) -> None:
        self._check_free(view)
        by = {"created_by": self.actor, "updated_by": self.actor}
        try:
            with transaction.atomic():
                StoredView.objects.create(
                    warehouse=self.warehouse,
                    database=view.database,
                    name=view.table,
                    schema=view_schema_to_wire(schema),
                    **by,
                )
        except IntegrityError as taken:
            raise ViewAlreadyExistsError.of(view) from taken

    def alter(self, view: Identifier, changes: Sequence[ViewChange]) -> None:
        with transaction.atomic():
            row = StoredView.objects.select_for_update().get(pk=self._row(view).pk)
            schema = changed_view(view, view_of_row(row).schema, changes)
            row.schema, row.updated_by = view_schema_to_wire(schema), self.actor
            row.save()

    def rename(self, source: Identifier, target: Identifier) -> None:
        row = self._row(source)
        self._check_free(target)
        row.database, row.name, row.updated_by = target.database, target.table, self.actor
        try:
            with transaction.atomic():
                row.save()
        except IntegrityError as taken:
            raise ViewAlreadyExistsError.of(target) from taken

    def drop(self, view: Identifier) -> None:
        self._row(view).delete()

    def _row(self, view: Identifier) -> StoredView:
        self.catalog.get_database(view.database)
        named = {"warehouse": self.warehouse, "database": view.database, "name": view.table}
        found = StoredView.objects.filter(**named).first()
        if found is None:
            raise ViewNotFoundError.of(view)
        return found

    def _check_free(self, view: Identifier) -> None:
        """Tables and views share their names."""
        self.catalog.get_database(view.database)
        if self.catalog.table_exists(new_name(view)):
            raise ViewAlreadyExistsError("a table has this name", view=str(view))


def stored_view_names(warehouse: Warehouse, database: str) -> list[str]:
    """Those that are rows of ours, sorted; the database is not looked for."""
    rows = StoredView.objects.filter(warehouse=warehouse, database=database)
    return sorted(rows.values_list("name", flat=True))


def _move_kept_views(warehouse: Warehouse, catalog: Catalog) -> None:
    """Hand views that are rows of ours to a catalog that keeps views itself.

    Consoles before 2026-11 kept those of all warehouses. What the catalog does not take stays a row; the log
    says why, and it is asked again by another process alone.
    """
    for row in StoredView.objects.filter(warehouse=warehouse).exclude(uuid__in=_REFUSED).order_by("pk"):
        view = view_of_row(row)
        try:
            catalog.create_view(view.identifier, _as_kept(view.schema, catalog.kind))
        except PaimonError as error:
            _REFUSED.add(row.uuid)
            log.warning("view %s of %s stays in the console: %s", view.identifier, warehouse.name, error)
        else:
            row.delete()


def _as_kept(schema: ViewSchema, kind: str) -> ViewSchema:
    """A metastore has one text for all engines: what differs by engine is left for it to refuse."""
    is_one = set(schema.dialects.values()) <= {schema.query}
    return replace(schema, dialects={}) if kind == "hive" and is_one else schema


def view_of_row(row: StoredView) -> View:
    schema = view_schema_from_wire(JsonObject(row.schema))
    return View(Identifier(row.database, row.name), schema, str(row.uuid), audit_of(row))


def audit_of(row: Named) -> Audit:
    made, changed = (round(at.timestamp() * 1000) for at in (row.created_at, row.updated_at))
    return Audit(row.created_by, made, row.created_by, changed, row.updated_by)


# --- functions ------------------------------------------------------------------------------------
def function_names(warehouse: Warehouse, catalog: Catalog, database: str) -> list[str]:
    """Sorted. Raises `DatabaseNotFoundError`."""
    if catalog.kind == "rest":
        return catalog.list_functions(database)
    catalog.get_database(database)
    rows = StoredFunction.objects.filter(warehouse=warehouse, database=database)
    return sorted(rows.values_list("name", flat=True))


def function_named(warehouse: Warehouse, catalog: Catalog, function: Identifier) -> Function:
    """Raises `FunctionNotFoundError`."""
    if catalog.kind == "rest":
        return catalog.get_function(function)
    named = {"warehouse": warehouse, "database": function.database, "name": function.table}
    row = StoredFunction.objects.filter(**named).first()
    if row is None:
        raise FunctionNotFoundError.of(function)
    return function_of(row)


def function_of(row: StoredFunction) -> Function:
    wire = row.definition | {"name": row.name, "uuid": str(row.uuid)}
    function = function_from_wire(row.database, JsonObject(wire))
    return replace(function, uuid=str(row.uuid), audit=audit_of(row))
