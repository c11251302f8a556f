"""A table of a registered warehouse, opened for one request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from console.accounts.roles import Access, Scope
from console.api.errors import Problem
from console.inspector.keeping import keeping
from console.inspector.labels import Labels
from console.inspector.remembering import asking_once, look_ahead, remembering
from console.masking.looking import sight_of
from console.masking.sight import Sight
from console.warehouses.catalogs import catalog_of, place_of
from console.warehouses.models import Warehouse
from core.catalog import Catalog, FileSystemCatalog
from core.errors import InvalidRequestError, NotFoundError, PaimonError
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
    access: Access | None = None  # of whoever asks; none is the console itself, which sees everything

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
        return Labels(self.table, self.sight)

    @cached_property
    def sight(self) -> Sight:
        """What the caller is told of the table's values."""
        return sight_of(self.access, Scope(self.warehouse.name, self.database, self.name), self.table)

    @property
    def hides_partitions(self) -> bool:
        """Whether partition values are told by stand-ins."""
        if not self.sight.masks and not self.sight.is_closed:
            return False
        try:
            return self.sight.hides_partitions(self.table.schema.partition_keys)
        except PaimonError:
            return True

    def for_the_console(self) -> OpenTable:
        """The same table as the console itself sees it."""
        return replace(self, access=None)

    def on_branch(self, branch: str) -> OpenTable:
        return replace(self, table=self.table.with_branch(branch))

    @property
    def paths(self) -> TablePaths:
        """Where metadata lies; known also where no schema can be read, which may move data files."""
        return TablePaths(self.table.location, self.branch)

    def cache_key(self, snapshot: Snapshot) -> tuple[str, str, str]:
        """What identifies a snapshot for ever, also after a rollback used its id again."""
        return (self.table.location, self.branch, snapshot.reference)

    @property
    def shown_key(self) -> str:
        """What kept answers depend on that hold labels of partitions; empty for who is told them."""
        return self.sight.mark if self.hides_partitions else ""


def open_table(
    warehouse: str,
    database: str,
    name: str,
    *,
    branch: str = MAIN_BRANCH,
    access: Access | None = None,
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
    opened = OpenTable(row, database, name, table, access)
    _ = opened.sight  # by this thread, as those that load metadata have no business with the database
    return opened


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
