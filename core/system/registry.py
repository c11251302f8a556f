"""Every system table that we serve, by name. Spec: 04, B."""

from __future__ import annotations

from core.errors import NotFoundError, UnsupportedError
from core.system.branches import BRANCHES
from core.system.buckets import BUCKETS
from core.system.columns import SystemTableKind
from core.system.consumers import CONSUMERS
from core.system.files import FILES
from core.system.manifests import MANIFESTS
from core.system.options import OPTIONS
from core.system.partitions import PARTITIONS
from core.system.schemas import SCHEMAS
from core.system.snapshots import SNAPSHOTS
from core.system.table_indexes import TABLE_INDEXES
from core.system.tags import TAGS

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
    )
}

_OF_PAIMON = frozenset(
    {
        "aggregation_fields",
        "audit_log",
        "binlog",
        "file_indexes",
        "file_key_ranges",
        "ro",
        "row_tracking",
        "statistics",
    }
)


def system_table_kind(name: str) -> SystemTableKind:
    """The system table of that name, in any case of letters.

    Raises:
        UnsupportedError: one of Paimon's that we do not serve.
        NotFoundError: no system table is called so.
    """
    kind = SYSTEM_TABLES.get(name.lower())
    if kind is not None:
        return kind
    if name.lower() in _OF_PAIMON:
        raise UnsupportedError("system table is not implemented", feature=f"${name}")
    raise NotFoundError("no such system table", name=name, known=", ".join(SYSTEM_TABLES))
