"""`$statistics`: what ANALYZE found out about the table, one row or none. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.stats.table_statistics import column_statistics_text, read_table_statistics
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING, BigIntType

FIELDS = fields_of(
    snapshot_id=required(BigIntType()),
    schema_id=required(BigIntType()),
    mergedRecordCount=BigIntType(),
    mergedRecordSize=BigIntType(),
    colstat=STRING,
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    if at is None or at.statistics is None:
        return columns_of_rows(FIELDS, ())
    found = read_table_statistics(table.io, table.paths, at.statistics)
    row = (
        found.snapshot_id,
        found.schema_id,
        found.merged_record_count,
        found.merged_record_size,
        column_statistics_text(found),
    )
    return columns_of_rows(FIELDS, [row])


STATISTICS = SystemTableKind("statistics", FIELDS, _read, shows=Shows.SNAPSHOT)
