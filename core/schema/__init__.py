"""Schemas of a table: values, files, changes."""

from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema, decode_schema, encode_schema

__all__ = ["SchemaStore", "TableSchema", "decode_schema", "encode_schema"]
