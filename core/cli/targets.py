"""What a command speaks of: a warehouse, a table, a moment."""

from __future__ import annotations

import argparse
import os
from datetime import datetime

from core.catalog import Catalog, open_catalog
from core.catalog.options import METASTORE, WAREHOUSE
from core.catalog.table_types import PlainTable, opened
from core.errors import InvalidRequestError, NotFoundError
from core.identifier import Identifier
from core.io import file_io_for
from core.system import SystemTable, open_system_table
from core.table import Table

VARIABLE = "LAKESCOPE_WAREHOUSE"
_DATABASE_SUFFIX = ".db"


def catalog_of(given: argparse.Namespace) -> Catalog:
    """The catalog of the warehouse, or of the options, that were named."""
    options = options_of(given)
    warehouse = given.warehouse or options.get(WAREHOUSE.key) or os.environ.get(VARIABLE)
    if not warehouse:
        if METASTORE.key in options:  # it may tell us
            return open_catalog(options)
        raise InvalidRequestError(f"name a warehouse with -w PATH or the variable {VARIABLE}")
    kind = options.get(METASTORE.key, METASTORE.default)
    if "://" in warehouse or kind == "rest":  # where a warehouse is a name
        return open_catalog({**options, WAREHOUSE.key: warehouse})
    path = os.path.abspath(warehouse)
    if kind == METASTORE.default and not os.path.isdir(path):  # a mistyped warehouse is not an empty one
        raise NotFoundError("no such warehouse", path=path)
    return open_catalog({**options, WAREHOUSE.key: path})


def options_of(given: argparse.Namespace) -> dict[str, str]:
    """Options of the catalog: `KEY=VALUE`, or those of a file, a line each; what comes later wins.

    Raises:
        InvalidRequestError: a file that cannot be read, or a line that is no option. What may be a secret
            is not shown.
    """
    options: dict[str, str] = {}
    for key, value in given.catalog or ():
        options |= _options_in(value) if key == "@" else {key: value}
    return options


def _options_in(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            lines = [(number, line.strip()) for number, line in enumerate(file, 1)]
    except (OSError, UnicodeDecodeError) as error:
        cause = getattr(error, "strerror", None) or "it is no text"
        raise InvalidRequestError(
            "the options of the catalog cannot be read", path=path, cause=cause
        ) from error
    options = {}
    for number, line in lines:
        if line and not line.startswith("#"):
            key, sign, value = line.partition("=")
            if not sign or not key.strip():
                raise InvalidRequestError("not KEY=VALUE", path=path, line=number)
            options[key.strip()] = value.strip()
    return options


def table_of(given: argparse.Namespace, name: str) -> Table:
    """The table or branch that `name` says; a system table, or a table without snapshots, is refused."""
    found = source_of(given, name)
    if isinstance(found, SystemTable):
        raise InvalidRequestError("name the table itself", table=name)
    if isinstance(found, PlainTable):
        found.refuse_snapshots()
    return found


def source_of(given: argparse.Namespace, name: str) -> Table | SystemTable | PlainTable:
    """What `name` says: a table, a branch of one, or a system table of either; or files as a table."""
    if "/" in name:
        options = options_of(given)
        table, identifier = _at_path(name, options)
        found = opened(table, lambda path: file_io_for(path, options))
        if not identifier.system:
            return found
        if isinstance(found, PlainTable):
            found.refuse_snapshots()
        return open_system_table(found, identifier.system)
    return catalog_of(given).get_table(name)


def _at_path(path: str, options: dict[str, str]) -> tuple[Table, Identifier]:
    """The table whose directory is `path`, with `$...` behind it as behind a name."""
    location = (path if "://" in path else os.path.abspath(path)).rstrip("/")
    parent, _, last = location.rpartition("/")
    name, dollar, suffix = last.partition("$")
    database = parent.rpartition("/")[2].removesuffix(_DATABASE_SUFFIX)
    identifier = Identifier.parse(f"{database or 'default'}.{name}{dollar}{suffix}")
    table = Table(file_io_for(location, options), f"{parent}/{name}", identifier.base)
    if not table.schemas.ids():
        raise NotFoundError("no table in this directory: it has no schema", path=f"{parent}/{name}")
    return (table.with_branch(identifier.branch) if identifier.branch else table), identifier


def epoch_millis(text: str | None) -> int | None:
    """The moment that `--at` says; a time without a zone is local."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise InvalidRequestError("not a time", at=text, expected="ISO 8601 or epoch milliseconds") from error
