"""From a warehouse's address or options to its catalog."""

from __future__ import annotations

from collections.abc import Mapping

from core.catalog.catalog import Catalog
from core.catalog.filesystem import FileSystemCatalog
from core.errors import InvalidRequestError, UnsupportedError
from core.io.open import file_io_for


def open_catalog(warehouse_or_options: str | Mapping[str, str]) -> Catalog:
    """The catalog of a warehouse, by its path or by Paimon's catalog options.

    Raises:
        InvalidRequestError: no `warehouse`. UnsupportedError: another kind of catalog or store.
    """
    given = warehouse_or_options
    options = {"warehouse": given} if isinstance(given, str) else dict(given)
    kind = options.get("metastore", "filesystem")
    if kind != "filesystem":
        raise UnsupportedError(
            "no such catalog is implemented", feature=f"metastore={kind}", where="catalog options"
        )
    warehouse = options.get("warehouse", "").strip()
    if not warehouse:
        raise InvalidRequestError("a catalog needs the option warehouse", options=", ".join(sorted(options)))
    return FileSystemCatalog(file_io_for(warehouse, options), warehouse)
