"""Catalogs: where databases and tables are found."""

from core.catalog.catalog import Catalog, TableName
from core.catalog.filesystem import FileSystemCatalog
from core.catalog.open import open_catalog

__all__ = ["Catalog", "FileSystemCatalog", "TableName", "open_catalog"]
