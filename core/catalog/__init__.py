"""Catalogs: where databases and tables are found.

catalog      what every catalog can do
errors       what can be wrong with a name, alike in all of them
facts        what they tell: databases, tables, partitions; views, functions beside it
warehouse    what those share whose tables are directories of one warehouse
filesystem   directories alone
jdbc         names in a SQL database
rest         names on a server that speaks HTTP
open         which of them options mean
"""

from core.catalog.catalog import Catalog
from core.catalog.filesystem import FileSystemCatalog
from core.catalog.names import TableName
from core.catalog.open import open_catalog

__all__ = ["Catalog", "FileSystemCatalog", "TableName", "open_catalog"]
