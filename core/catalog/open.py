"""From a warehouse's address or options to its catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TypeAlias

from core.catalog.catalog import Catalog
from core.catalog.filesystem import FileSystemCatalog
from core.catalog.options import METASTORE
from core.catalog.rest.catalog import open_rest_catalog
from core.errors import InvalidRequestError, UnsupportedError
from core.io.file_io import FileIO
from core.io.open import absolute_path, file_io_for

_Opens: TypeAlias = Callable[[FileIO, str, Mapping[str, str]], Catalog]


def open_catalog(warehouse_or_options: str | PathLike[str] | Mapping[str, str]) -> Catalog:
    """The catalog of a warehouse, by its path or by Paimon's catalog options.

    A relative path is taken from the working directory of now.

    Raises:
        InvalidRequestError: no `warehouse`, or an address that names no place.
        UnsupportedError: another kind of catalog or store.
    """
    given = warehouse_or_options
    options = {"warehouse": str(given)} if isinstance(given, str | PathLike) else given
    if not isinstance(options, Mapping):
        raise InvalidRequestError("a catalog is opened by a path or options", found=repr(given))
    kind = options.get(METASTORE.key, "filesystem")
    if kind == "rest":
        return open_rest_catalog({key: str(value) for key, value in options.items()})
    if kind not in _KINDS:
        raise UnsupportedError(
            "no such catalog is implemented", feature=f"metastore={kind}", where="catalog options"
        )
    warehouse = str(options.get("warehouse") or "").strip()
    if not warehouse:
        raise InvalidRequestError(
            "a catalog needs the option warehouse", options=", ".join(map(str, options))
        )
    location = absolute_path(warehouse)
    known = {key: str(value) for key, value in options.items()}
    return _KINDS[kind]()(file_io_for(warehouse, options), location, {**known, "warehouse": location})


def _jdbc_catalog() -> _Opens:
    """Imported where it is wanted: who opens directories needs no SQLAlchemy."""
    try:
        from core.catalog.jdbc import JdbcCatalog
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            "catalogs in a SQL database need SQLAlchemy: pip install 'lakescope[jdbc]'",
            feature="metastore=jdbc",
            where="catalog options",
        ) from error
    return JdbcCatalog


def _hive_catalog() -> _Opens:
    try:
        from core.catalog.hive import HiveCatalog
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            "catalogs in a Hive metastore need its interface: pip install 'lakescope[hive]'",
            feature="metastore=hive",
            where="catalog options",
        ) from error
    return HiveCatalog


_KINDS: Mapping[str, Callable[[], _Opens]] = {
    "filesystem": lambda: FileSystemCatalog,
    "hive": _hive_catalog,
    "jdbc": _jdbc_catalog,
}
