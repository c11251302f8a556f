"""The catalog that keeps names in a SQL database, as Paimon's JDBC catalog does. Spec: 04, C2.

catalog   databases, tables and views
names     what is asked of the database
schema    its tables
client    one statement or transaction, and its errors
address   from a jdbc: address to the database
lock      the lock of a table
home      what the catalog does for a table that is open

Only this package knows SQLAlchemy (extra `jdbc`), and drivers are found by it alone.
"""

from core.catalog.jdbc.catalog import JdbcCatalog

__all__ = ["JdbcCatalog"]
