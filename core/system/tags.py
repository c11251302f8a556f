"""`$tags`: one row a tag, by snapshot and name. Spec: 04, B."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.snapshot import Snapshot, Tag
from core.system.columns import Columns, SystemTableKind, columns_of_rows, fields_of, required, wall_clock
from core.table import Table
from core.types import STRING, BigIntType, Timestamp, TimestampType

FIELDS = fields_of(
    tag_name=required(STRING),
    snapshot_id=required(BigIntType()),
    schema_id=required(BigIntType()),
    commit_time=required(TimestampType(3)),
    record_count=BigIntType(),
    create_time=TimestampType(3),
    time_retained=STRING,
)
_EPOCH = datetime(1970, 1, 1)


def _read(table: Table, at: Snapshot | None) -> Columns:
    return columns_of_rows(FIELDS, map(_row, table.tags.list()))


def _row(tag: Tag) -> tuple[object, ...]:
    return (
        tag.name,
        tag.snapshot.id,
        tag.snapshot.schema_id,
        wall_clock(tag.snapshot.time_millis),
        tag.snapshot.total_record_count,
        None if tag.create_time is None else _timestamp(tag.create_time),
        None if tag.time_retained is None else iso_duration(tag.time_retained),
    )


def _timestamp(wall_clock_time: datetime) -> Timestamp:
    return Timestamp((wall_clock_time - _EPOCH) // timedelta(milliseconds=1))


def iso_duration(duration: timedelta) -> str:
    """As Java prints a duration: `PT24H`, `PT1H30M`, `PT0.5S`, `PT0S`; hours are never days."""
    micros = duration // timedelta(microseconds=1)
    minutes, micros = divmod(micros, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{micros // 1_000_000}.{micros % 1_000_000:06d}".rstrip("0").rstrip(".")
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else "", f"{seconds}S" if micros else ""]
    return "PT" + ("".join(parts) or "0S")


TAGS = SystemTableKind("tags", FIELDS, _read)
