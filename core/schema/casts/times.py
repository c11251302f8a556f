"""Casts between dates, times, timestamps and integers.

Whatever needs a wall clock for an instant takes that of the local zone, as Paimon does.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from core.arrow import arrow_type, timestamp_unit
from core.schema.casts.kernels import Column, divided, pc
from core.types import DataType, LocalZonedTimestampType, TimestampType
from core.types.time_zone import local_zone

_pa: Any = pa  # its stubs have no overloads for units that are found at run time

UNIT_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_MILLIS_A_DAY = 86_400_000


def wall_clock(column: Column) -> Column:
    """What a clock of the local zone showed at the instants; timestamps without a zone as they are."""
    if column.type.tz is None:
        return column
    zoned = _pa.timestamp(column.type.unit, local_zone())
    return pc.local_timestamp(column.cast(zoned))


def in_local_zone(clock: Column) -> Column:
    """The instants at which a clock of the local zone shows these times.

    A time that comes twice is the first, one that is left out is so much later than the gap begins
    as it stands behind its beginning: the offset before a change holds.
    """
    utc = _pa.timestamp(clock.type.unit, "UTC")
    instants = pc.assume_timezone(clock, local_zone(), ambiguous="earliest", nonexistent="latest").cast(utc)
    left_out = pc.not_equal(wall_clock(instants), clock)
    if not pc.any(left_out).as_py():
        return instants
    tick = pa.scalar(1, pa.int64())
    before = pc.subtract(instants.view(pa.int64()), tick).view(utc)
    gap_starts = pc.add(wall_clock(before).view(pa.int64()), tick)
    late = pc.subtract(clock.view(pa.int64()), gap_starts)
    moved = pc.add(instants.view(pa.int64()), late).view(utc)
    return pc.if_else(left_out, moved, instants)


def timestamp_to_timestamp(column: Column, source: Any, target: Any) -> Column:
    """More digits are zeros, fewer are cut off; with and without a zone by the local wall clock."""
    if isinstance(source, LocalZonedTimestampType) and isinstance(target, TimestampType):
        column = wall_clock(column)
    elif isinstance(source, TimestampType) and isinstance(target, LocalZonedTimestampType):
        column = in_local_zone(column)
    if target.precision < source.precision:
        column = _cut(column, source.precision, target.precision)
    return column.cast(arrow_type(target))


def _cut(column: Column, digits: int, left: int) -> Column:
    """Without the last digits: those of the milliseconds toward zero, finer ones down, as Java has both."""
    unit = UNIT_DIGITS[timestamp_unit(digits)]
    ticks = column.view(pa.int64())
    if left < 3:
        millis = divided(ticks, 10 ** (unit - 3), down=True)
        whole = divided(millis, 10 ** (3 - left), down=False)
    else:
        whole = divided(ticks, 10 ** (unit - left), down=True)
    return pc.multiply(whole, 10 ** (unit - left)).view(column.type)


def date_to_timestamp(column: Column, source: DataType, target: Any) -> Column:
    """Midnight; for an instant that of the local zone."""
    clock = column.cast(_pa.timestamp(timestamp_unit(target.precision)))
    return in_local_zone(clock) if isinstance(target, LocalZonedTimestampType) else clock


def time_to_timestamp(column: Column, source: DataType, target: Any) -> Column:
    """The time on the first of January 1970, for an instant in UTC: no zone plays a part here in Paimon."""
    unit = timestamp_unit(target.precision)
    ticks = pc.multiply(column.cast(pa.int32()).cast(pa.int64()), 10 ** (UNIT_DIGITS[unit] - 3))
    return ticks.view(arrow_type(target))


def timestamp_to_date(column: Column, source: Any, target: DataType) -> Column:
    """The day; before 1970 Java counts the days of a TIMESTAMP toward zero, those of an instant down."""
    millis = _millis(wall_clock(column), source)
    days = divided(millis, _MILLIS_A_DAY, down=isinstance(source, LocalZonedTimestampType))
    return days.cast(pa.int32()).cast(pa.date32())


def timestamp_to_time(column: Column, source: Any, target: DataType) -> Column:
    millis = _millis(wall_clock(column), source)
    days = divided(millis, _MILLIS_A_DAY, down=True)
    return pc.subtract(millis, pc.multiply(days, _MILLIS_A_DAY)).cast(pa.int32()).cast(pa.time32("ms"))


def timestamp_to_integer(column: Column, source: Any, target: DataType) -> Column:
    """Seconds, those of the milliseconds toward zero."""
    return divided(_millis(column, source), 1000, down=False).cast(arrow_type(target), safe=False)


def integer_to_timestamp(column: Column, source: DataType, target: Any) -> Column:
    """From seconds. An instant gets the local wall clock of that second for its own, as in Paimon."""
    unit = timestamp_unit(target.precision)
    ticks = pc.multiply(column.cast(pa.int64()), 10 ** UNIT_DIGITS[unit])
    if isinstance(target, TimestampType):
        return ticks.view(arrow_type(target))
    shown = wall_clock(ticks.view(arrow_type(target)))
    return shown.view(pa.int64()).view(arrow_type(target))


def _millis(column: Column, source: Any) -> Column:
    return divided(
        column.view(pa.int64()), 10 ** (UNIT_DIGITS[timestamp_unit(source.precision)] - 3), down=True
    )
