"""System tables: what metadata says, as rows. Spec: 04, B."""

from core.system.columns import SystemTableKind
from core.system.registry import SYSTEM_TABLES, open_system_table, system_table_names
from core.system.system_table import MetadataTable, SystemTable
from core.system.warehouse_tables import WAREHOUSE_TABLES, WarehouseTable, open_warehouse_table

__all__ = [
    "SYSTEM_TABLES",
    "WAREHOUSE_TABLES",
    "MetadataTable",
    "SystemTable",
    "SystemTableKind",
    "WarehouseTable",
    "open_system_table",
    "open_warehouse_table",
    "system_table_names",
]
