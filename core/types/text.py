"""Values as text: in the two forms that Paimon prints.

`cast_text` is SQL's CAST to STRING (system tables, partition paths of new tables);
`plain_text` is how Java prints the internal value (`$files`, partition paths under
`partition.legacy-name`). Spec: 01, 2; 04, B; 09, 2.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

import numpy as np

from core.types.data_types import (
    ArrayType,
    BinaryType,
    BlobType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VectorType,
)
from core.types.timestamp import Timestamp

_EPOCH = datetime(1970, 1, 1)
_DAYS_TO_EPOCH = 719_468  # from 0000-03-01, proleptic Gregorian


def cast_text(data_type: DataType, value: Any, zone: tzinfo = UTC) -> str:
    """The value cast to STRING; null is `null`. Local-zoned timestamps are shown in `zone`."""
    if value is None:
        return "null"
    match data_type:
        case DateType():
            return _date(value)
        case TimeType():
            return _time(value, data_type.precision)
        case TimestampType():
            return _timestamp(value, data_type.precision)
        case LocalZonedTimestampType():
            return _timestamp(_in_zone(value, zone), data_type.precision)
        case BinaryType() | VarBinaryType() | BlobType():
            return bytes(value).decode("utf-8", errors="replace")
        case _:
            return _shared(data_type, value, lambda t, v: cast_text(t, v, zone))


def plain_text(data_type: DataType, value: Any) -> str:
    """The internal value as Java prints it: DATE as days, TIME as millis, timestamps ISO."""
    if value is None:
        return "null"
    match data_type:
        case TimestampType() | LocalZonedTimestampType():
            return _iso_timestamp(value)
        case BinaryType() | VarBinaryType() | BlobType():
            # Java prints the identity of the array here, which means nothing to anyone.
            return bytes(value).hex()
        case _:
            return _shared(data_type, value, plain_text)


def _shared(data_type: DataType, value: Any, inner: Callable[[DataType, Any], str]) -> str:
    match data_type:
        case BooleanType():
            return "true" if value else "false"
        case FloatType():
            return _java_float(np.float32(value))
        case DoubleType():
            return _java_float(np.float64(value))
        case DecimalType():
            return format(Decimal(value), f".{data_type.scale}f")
        case ArrayType() | VectorType():
            return f"[{', '.join(inner(data_type.element, v) for v in value)}]"
        case MapType() | MultisetType():
            return _map(data_type, value, inner)
        case RowType():
            members = zip(data_type.fields, value, strict=True)
            return f"{{{', '.join(inner(f.type, v) for f, v in members)}}}"
        case _:
            return str(value)


def _map(data_type: MapType | MultisetType, value: Any, inner: Callable[[DataType, Any], str]) -> str:
    if isinstance(data_type, MapType):
        entries = (f"{inner(data_type.key, k)} -> {inner(data_type.value, v)}" for k, v in value)
    else:
        entries = (f"{inner(data_type.element, k)} -> {n}" for k, n in value)
    return f"{{{', '.join(entries)}}}"


def _java_float(value: np.float32 | np.float64) -> str:
    """The text of Java 19 and later: plain from 10^-3 to 10^7, else `1.0E20`; a digit after the point."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if np.signbit(value) else "0.0"
    scientific = str(np.format_float_scientific(value))
    mantissa, exponent = scientific.split("e")
    if mantissa.endswith(".") and value == type(value)(two_digits := f"{value:.1e}"):
        mantissa, exponent = two_digits.split("e")  # Java shows two digits at least: 4.9E-324, not 5.0E-324
    if 1e-3 <= abs(float(value)) < 1e7:
        plain = format(Decimal(scientific), "f")
        return plain if "." in plain else plain + ".0"
    mantissa = mantissa + "0" if mantissa.endswith(".") else mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def _date(days: int) -> str:
    """`yyyy-MM-dd` for any day number; Python's own dates end at year 9999."""
    year, month, day = _civil(days)
    return f"{year:04d}-{month:02d}-{day:02d}" if year >= 0 else f"-{-year:04d}-{month:02d}-{day:02d}"


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day number, counting years from March so leap days come last."""
    era, day_of_era = divmod(days + _DAYS_TO_EPOCH, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    return year, month, day_of_year - (153 * shifted + 2) // 5 + 1


def _clock(millis_of_day: int) -> tuple[str, int]:
    seconds, millis = divmod(millis_of_day, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}", millis


def _time(millis_of_day: int, precision: int) -> str:
    clock, millis = _clock(millis_of_day)
    return f"{clock}.{millis:03d}"[: 9 + min(precision, 3)] if precision and millis else clock


def _timestamp(value: Timestamp, precision: int) -> str:
    """As many digits after the point as the precision has, none for 0. Spec: 09, 2."""
    days, millis_of_day = divmod(value.millis, 86_400_000)
    clock, millis = _clock(millis_of_day)
    nanos = f"{millis * 1_000_000 + value.nanos_of_milli:09d}"[:precision]
    return f"{_date(days)} {clock}{'.' + nanos if precision else ''}"


def _iso_timestamp(value: Timestamp) -> str:
    days, millis_of_day = divmod(value.millis, 86_400_000)
    clock, millis = _clock(millis_of_day)
    nanos = f"{millis * 1_000_000 + value.nanos_of_milli:09d}"
    if nanos == "000000000":
        return f"{_date(days)}T{clock.removesuffix(':00') if clock.endswith(':00') else clock}"
    while nanos.endswith("000"):
        nanos = nanos[:-3]
    return f"{_date(days)}T{clock}.{nanos}"


def _in_zone(value: Timestamp, zone: tzinfo) -> Timestamp:
    if zone is UTC:
        return value
    instant = _EPOCH.replace(tzinfo=UTC) + timedelta(milliseconds=value.millis)
    offset = instant.astimezone(zone).utcoffset() or timedelta()
    return Timestamp(value.millis + offset // timedelta(milliseconds=1), value.nanos_of_milli)
