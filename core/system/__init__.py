"""System tables: what metadata says, as rows. Spec: 04, B."""

from core.system.columns import SystemTableKind
from core.system.registry import SYSTEM_TABLES, open_system_table, system_table_names
from core.system.system_table import MetadataTable, SystemTable

__all__ = [
    "SYSTEM_TABLES",
    "MetadataTable",
    "SystemTable",
    "SystemTableKind",
    "open_system_table",
    "system_table_names",
]
