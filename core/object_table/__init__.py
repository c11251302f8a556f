"""Object tables: the files below a directory as rows, and their content. Spec: 04, C5."""

from core.object_table.content import ObjectContent, open_object
from core.object_table.table import OBJECT_FIELDS, ObjectTable

__all__ = ["OBJECT_FIELDS", "ObjectContent", "ObjectTable", "open_object"]
