"""From the options of a read or write in Spark to the table that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core import Table, open_catalog
from core.catalog.table_types import PlainTable, check_is_snapshots
from core.errors import InvalidRequestError
from core.system import SystemTable
from core.system.audit_log import AuditLog
from spark_jobs.datasource.options import OWN_OPTIONS, READ_CHANGELOG, flag
from spark_jobs.datasource.strange_options import check_known

_STORE_PREFIXES = ("s3.", "s3a.", "fs.")
CATALOG_PREFIX = "catalog."  # options of a catalog that is no directory: `catalog.metastore`, `catalog.uri`
_DATABASE_SUFFIX = ".db"


@dataclass(frozen=True, slots=True)
class Address:
    """A table of a catalog, and what Paimon's dynamic options say of it. Picklable, opens nothing."""

    catalog: Mapping[str, str]
    table: str  # `db.t`, `db.t$branch_b`, `db.t$snapshots`
    options: Mapping[str, str]  # laid over those of the table
    shows_changes: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Address:
        """What options of Spark name: the directory of a table by `path`, or `warehouse` and `table`.

        Raises:
            InvalidRequestError: they name no table, or more than one, or one of them is misspelled.
            UnsupportedError: one of them is another format's.
        """
        given = {key.lower(): value for key, value in options.items()}
        warehouse, table = _place(given)
        store = {key: value for key, value in given.items() if key.startswith(_STORE_PREFIXES)}
        catalog = {key: value for key, value in given.items() if key.startswith(CATALOG_PREFIX)}
        own = {*OWN_OPTIONS, *store, *catalog}
        others = {key: value for key, value in given.items() if key not in own}
        check_known(others, OWN_OPTIONS)
        return cls(
            {
                **{key.removeprefix(CATALOG_PREFIX): value for key, value in catalog.items()},
                "warehouse": warehouse,
                **store,
            },
            table,
            others,
            flag(given, READ_CHANGELOG),
        )

    def open(self) -> Table | SystemTable | PlainTable:
        """The table or system table, with the dynamic options.

        Raises:
            NotFoundError, InvalidRequestError: there is no such table, or an option is wrong.
        """
        found = open_catalog(self.catalog).get_table(self.table).with_options(dict(self.options))
        if not self.shows_changes:
            return found
        if isinstance(found, Table):
            return AuditLog(found)
        if isinstance(found, PlainTable):
            found.refuse_snapshots()
        raise InvalidRequestError(f"{READ_CHANGELOG} is for tables, not for system tables", table=self.table)

    def open_for_writes(self) -> Table:
        """The table with the dynamic options; raises as `open`, and if it has no snapshots to commit."""
        found = check_is_snapshots(open_catalog(self.catalog).get_data_table(self.table))
        return found.with_options(dict(self.options))


def options_of(catalog: Mapping[str, str], table: str) -> dict[str, str]:
    """The options by which Spark reads or writes a table of a catalog of any kind.

    Args:
        catalog: what the catalog is opened by.
        table: `db.t`, `db.t$branch_b`, `db.t$snapshots`.
    """
    named = {"warehouse": catalog["warehouse"], "table": table}
    return named | {
        key if key.startswith(_STORE_PREFIXES) else f"{CATALOG_PREFIX}{key}": value
        for key, value in catalog.items()
        if key != "warehouse"
    }


def _place(given: Mapping[str, str]) -> tuple[str, str]:
    """The warehouse, and the table's full name in it."""
    path, warehouse, table = (given.get(key) for key in ("path", "warehouse", "table"))
    if warehouse is not None and (table or path):
        return warehouse, table or path or ""
    if path is None or "paths" in given:
        raise InvalidRequestError(
            "name one table: load(its directory), or the options warehouse and table; of a table in its own "
            "catalog Spark hands on neither, of a temporary view it does",
            found=repr(path),
        )
    directory, _, name = path.rstrip("/").rpartition("/")
    root, _, database = directory.rpartition("/")
    if not database.endswith(_DATABASE_SUFFIX) or not root:
        raise InvalidRequestError("a table lies in <warehouse>/<database>.db/<table>", path=path)
    return root, f"{database.removesuffix(_DATABASE_SUFFIX)}.{name}"
