"""From a warehouse's address or options to its catalog."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from core.catalog.catalog import Catalog
from core.catalog.filesystem import FileSystemCatalog
from core.errors import InvalidRequestError, UnsupportedError
from core.io.open import absolute_path, file_io_for


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
    kind = options.get("metastore", "filesystem")
    if kind != "filesystem":
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
    return FileSystemCatalog(file_io_for(warehouse, options), location, {**known, "warehouse": location})
