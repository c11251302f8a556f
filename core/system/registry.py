"""Every system table that we serve, by name. Spec: 04, B."""

from __future__ import annotations

from core.errors import InvalidRequestError, NotFoundError
from core.system.aggregation_fields import AGGREGATION_FIELDS
from core.system.audit_log import AuditLog
from core.system.binlog import Binlog
from core.system.branches import BRANCHES
from core.system.buckets import BUCKETS
from core.system.columns import SystemTableKind
from core.system.consumers import CONSUMERS
from core.system.file_indexes import FILE_INDEXES
from core.system.file_key_ranges import FILE_KEY_RANGES
from core.system.files import FILES
from core.system.manifests import MANIFESTS
from core.system.options import OPTIONS
from core.system.partitions import PARTITIONS
from core.system.read_optimized import ReadOptimized
from core.system.row_table import RowTable
from core.system.row_tracking import RowTracking
from core.system.schemas import SCHEMAS
from core.system.snapshots import SNAPSHOTS
from core.system.statistics import STATISTICS
from core.system.system_table import MetadataTable, SystemTable
from core.system.table_indexes import TABLE_INDEXES
from core.system.tags import TAGS
from core.table import Table

SYSTEM_TABLES: dict[str, SystemTableKind] = {
    kind.name: kind
    for kind in (
        SNAPSHOTS,
        SCHEMAS,
        OPTIONS,
        FILES,
        MANIFESTS,
        TAGS,
        BRANCHES,
        CONSUMERS,
        PARTITIONS,
        BUCKETS,
        TABLE_INDEXES,
        FILE_INDEXES,
        FILE_KEY_RANGES,
        AGGREGATION_FIELDS,
        STATISTICS,
    )
}

ROW_TABLES: dict[str, type[RowTable]] = {
    table.kind_name: table for table in (AuditLog, Binlog, ReadOptimized, RowTracking)
}
"""Those that show the rows of the table itself."""


def open_system_table(table: Table, name: str) -> SystemTable:
    """The system table `name` of `table` (which may be a branch), in any case of letters.

    Raises:
        NotFoundError: no system table is called so.
        InvalidRequestError: the name is no text.
    """
    if not isinstance(name, str):
        raise InvalidRequestError("a system table is named by a text", found=repr(name))
    rows, kind = ROW_TABLES.get(name.lower()), SYSTEM_TABLES.get(name.lower())
    if rows is not None:
        return rows(table)
    if kind is not None:
        return MetadataTable(table, kind)
    raise NotFoundError("no such system table", name=name, known=", ".join(system_table_names()))


def system_table_names() -> tuple[str, ...]:
    """Every system table that we serve."""
    return (*SYSTEM_TABLES, *ROW_TABLES)
