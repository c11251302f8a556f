"""`$snapshots`: one row a snapshot, ascending id. Spec: 04, B."""

from __future__ import annotations

from core.snapshot import Snapshot
from core.system.columns import Columns, SystemTableKind, columns_of_rows, fields_of, required, wall_clock
from core.table import Table
from core.types import STRING, BigIntType, TimestampType

FIELDS = fields_of(
    snapshot_id=required(BigIntType()),
    schema_id=required(BigIntType()),
    commit_user=required(STRING),
    commit_identifier=required(BigIntType()),
    commit_kind=required(STRING),
    commit_time=required(TimestampType(3)),
    base_manifest_list=required(STRING),
    delta_manifest_list=required(STRING),
    changelog_manifest_list=STRING,
    total_record_count=BigIntType(),
    delta_record_count=BigIntType(),
    changelog_record_count=BigIntType(),
    watermark=BigIntType(),
    next_row_id=BigIntType(),
    operation=STRING,
    writer_version=STRING,
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    return columns_of_rows(FIELDS, map(_row, table.snapshots.iter_all()))


def _row(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        snapshot.id,
        snapshot.schema_id,
        snapshot.commit_user,
        snapshot.commit_identifier,
        snapshot.commit_kind.value,
        wall_clock(snapshot.time_millis),
        snapshot.base_manifest_list,
        snapshot.delta_manifest_list,
        snapshot.changelog_manifest_list,
        snapshot.total_record_count,
        snapshot.delta_record_count,
        snapshot.changelog_record_count,
        snapshot.watermark,
        snapshot.next_row_id,
        snapshot.operation,
        snapshot.writer_version,
    )


SNAPSHOTS = SystemTableKind("snapshots", FIELDS, _read)
