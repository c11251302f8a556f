"""System tables: what metadata says, as rows. Spec: 04, B."""

from core.system.columns import SystemTableKind
from core.system.registry import SYSTEM_TABLES, system_table_kind
from core.system.system_table import SystemTable, open_system_table

__all__ = ["SYSTEM_TABLES", "SystemTable", "SystemTableKind", "open_system_table", "system_table_kind"]
