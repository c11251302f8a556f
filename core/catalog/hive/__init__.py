"""The catalog that keeps names in a Hive metastore, as Paimon's Hive catalog does. Spec: 04, C3.

catalog   databases, tables and views
objects   what the metastore keeps of them
types     types of columns, in Hive's words and back
client    one call of the metastore, and its errors
lock      the lock of a table
home      what the catalog does for a table that is open

Only this package knows Thrift and the metastore's interface (extra `hive`).
"""

from core.catalog.hive.catalog import HiveCatalog

__all__ = ["HiveCatalog"]
