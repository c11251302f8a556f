"""A table of a registered warehouse, opened for one request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from console.api.errors import Problem
from console.inspector.keeping import keeping
from console.inspector.labels import Labels
from console.inspector.remembering import asking_once, look_ahead, remembering
from console.warehouses.catalogs import catalog_of, place_of
from console.warehouses.models import Warehouse
from core.catalog import Catalog, FileSystemCatalog
from core.errors import InvalidRequestError, NotFoundError
from core.identifier import Identifier
from core.io import FileIO
from core.io.paths import MAIN_BRANCH, TablePaths
from core.snapshot import Snapshot
from core.table import Table


@dataclass(frozen=True)
class OpenTable:
    """A table with what the console knows of it; nothing of it is read before it is asked for."""

    warehouse: Warehouse
    database: str
    name: str
    table: Table
    may_read_data: bool = True

    @property
    def branch(self) -> str:
        return self.table.branch

    @property
    def full_name(self) -> str:
        return f"{self.warehouse.name}.{self.database}.{self.name}"

    @property
    def place(self) -> str:
        """Where the table is, in one spelling: two warehouses may lead to the same table by other names."""
        return place_of(self.table.location)

    @cached_property
    def labels(self) -> Labels:
        """How partitions and keys of the table are written for people."""
        return Labels(self.table, may_read_data=self.may_read_data)

    def on_branch(self, branch: str) -> OpenTable:
        return replace(self, table=self.table.with_branch(branch))

    @property
    def paths(self) -> TablePaths:
        """Where metadata lies; known also where no schema can be read, which may move data files."""
        return TablePaths(self.table.location, self.branch)

    def cache_key(self, snapshot: Snapshot) -> tuple[str, str, str]:
        """What identifies a snapshot for ever, also after a rollback used its id again."""
        return (self.table.location, self.branch, snapshot.reference)


def open_table(
    warehouse: str,
    database: str,
    name: str,
    *,
    branch: str = MAIN_BRANCH,
    may_read_data: bool = True,
    ahead: Sequence[str] | None = None,
) -> OpenTable:
    """The table of that name.

    With `ahead`, for one request that only reads: it asks its store for each small file once, and begins
    to ask for these parts at once (see `remembering.look_ahead`). It may be answered from the disk (see
    `keeping`), any other request asks the store.

    Raises:
        Problem: `not-found` (warehouse, database, table or branch), `warehouse-unavailable`.
    """
    row = Warehouse.objects.filter(name=warehouse).first()
    if row is None:
        raise Problem("not-found", kind="warehouse", name=warehouse)
    full_name = f"{warehouse}.{database}.{name}"
    table = _table(
        catalog_of(row), full_name, Identifier(database, name), branch, ahead, lambda io: keeping(io, row)
    )
    return OpenTable(row, database, name, table, may_read_data)


def _table(
    catalog: Catalog,
    full_name: str,
    identifier: Identifier,
    branch: str,
    ahead: Sequence[str] | None,
    keep: Callable[[FileIO], FileIO],
) -> Table:
    try:
        if "/" in identifier.database + identifier.table + branch:
            raise InvalidRequestError("no name holds a slash")
        if ahead is not None and type(catalog) is FileSystemCatalog:
            # Whether there is a table says the listing of its schemas, which every page needs.
            catalog = FileSystemCatalog(remembering(keep(catalog.io)), catalog.warehouse, catalog.options)
            look_ahead(catalog.io, catalog.location(identifier), branch, ahead)
        table = catalog.get_data_table(identifier)
        if ahead is not None:
            table = asking_once(table, keep)
            look_ahead(table.io, table.location, branch, ahead)
        return table if branch == MAIN_BRANCH else table.with_branch(branch)
    except (NotFoundError, InvalidRequestError) as error:
        kind, missing = (
            ("branch", f"{full_name}@{branch}") if "branch" in error.fields else ("table", full_name)
        )
        raise Problem("not-found", kind=kind, name=missing) from error
