"""Partitions: values <-> directory names <-> text. Spec: 01, 2; 04, B."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from core.errors import FormatError, InvalidRequestError
from core.types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    Timestamp,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    cast_text,
    plain_text,
    type_to_text,
)

DEFAULT_NAME = "__DEFAULT_PARTITION__"

_ESCAPED = re.compile("[\0-\x1f\x7f\"#%'*/:=?\\\\{}\\[\\]^]")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
# What Java's Character.isWhitespace accepts: no-break spaces are not blanks.
_BLANK = re.compile("[\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]*")


def escape_path_name(text: str) -> str:
    """`text` as a part of a directory name: `%` and two upper-case hex digits for what a path reserves."""
    return _ESCAPED.sub(lambda m: f"%{ord(m.group()):02X}", text)


def unescape(text: str) -> str:
    """The reverse of `escape_path_name`; a `%` without two hex digits stands for itself."""
    return _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text)


def value_text(data_type: DataType, value: Any, *, legacy: bool = True, zone: tzinfo = UTC) -> str:
    """A partition value as its directory shows it, before escaping; `legacy` is `partition.legacy-name`."""
    return plain_text(data_type, value) if legacy else cast_text(data_type, value, zone)


def partition_path(
    keys: Sequence[str],
    types: Sequence[DataType],
    values: Sequence[Any],
    default_name: str = DEFAULT_NAME,
    legacy: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """`k1=v1/k2=v2`, escaped, without a slash at its ends; empty for an unpartitioned table.

    Null and blank text become `default_name`, so two partitions may share a directory.
    """
    parts = zip(keys, types, values, strict=True)
    return "/".join(
        f"{escape_path_name(k)}={escape_path_name(_or_default(t, v, default_name, legacy, zone))}"
        for k, t, v in parts
    )


def partition_name(
    keys: Sequence[str],
    types: Sequence[DataType],
    values: Sequence[Any],
    default_name: str = DEFAULT_NAME,
    legacy: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """The path form of system tables: as `partition_path`, not escaped."""
    parts = zip(keys, types, values, strict=True)
    return "/".join(f"{k}={_or_default(t, v, default_name, legacy, zone)}" for k, t, v in parts)


def _or_default(data_type: DataType, value: Any, default_name: str, legacy: bool, zone: tzinfo) -> str:
    if value is None:
        return default_name
    text = value_text(data_type, value, legacy=legacy, zone=zone)
    return default_name if _BLANK.fullmatch(text) else text


def partition_text(types: Sequence[DataType], values: Sequence[Any], zone: tzinfo = UTC) -> str:
    """The row form of system tables: `{v1, v2}`, `{}` when unpartitioned."""
    return f"{{{', '.join(cast_text(t, v, zone) for t, v in zip(types, values, strict=True))}}}"


def parse_partition_path(path: str, default_name: str = DEFAULT_NAME) -> tuple[tuple[str, str | None], ...]:
    """Keys and value texts of `k1=v1/k2=v2` in path order; the default name is None.

    Raises:
        FormatError: a component without `=`.
    """
    return tuple(_parse_component(part, default_name) for part in path.strip("/").split("/") if part)


def _parse_component(part: str, default_name: str) -> tuple[str, str | None]:
    key, equals, value = part.partition("=")
    if not equals or not key:
        raise FormatError("not a partition directory", expected="key=value", found=part)
    text = unescape(value)
    return unescape(key), None if text == default_name else text


def parse_value(data_type: DataType, text: str | None) -> Any:
    """The partition value that `text` spells, in either form of `value_text`.

    Local-zoned timestamps are read as UTC.

    Raises:
        InvalidRequestError: the text is no value of the type.
    """
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidRequestError(
            "values of partitions are named by texts, null by None",
            type=type_to_text(data_type),
            found=repr(text),
        )
    try:
        return _parse(data_type, text)
    except (ValueError, InvalidOperation, OverflowError) as error:
        raise InvalidRequestError(
            "not a value of the type", type=type_to_text(data_type), value=repr(text)
        ) from error


_INTEGER_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


def _parse(data_type: DataType, text: str) -> Any:
    match data_type:
        case CharType() | VarCharType():
            return text
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return _parse_integer(text, _INTEGER_BITS[type(data_type)])
        case BooleanType():
            return (
                {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else _no()
            )
        case DateType():
            return int(text) if _is_integer(text) else date.fromisoformat(text).toordinal() - 719_163
        case TimeType():
            return int(text) if _is_integer(text) else _millis_of_day(time.fromisoformat(text))
        case TimestampType() | LocalZonedTimestampType():
            return parse_timestamp(text)
        case DecimalType():
            return _parse_decimal(text)
        case FloatType():
            return struct.unpack("<f", struct.pack("<f", float(text)))[0]  # the number that a FLOAT holds
        case DoubleType():
            return float(text)
        case BinaryType() | VarBinaryType():
            return text.encode()
        case _:
            raise ValueError("no partition has this type")


def _no() -> bool:
    raise ValueError("not a boolean")


def _is_integer(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+", text) is not None


def _parse_integer(text: str, bits: int) -> int:
    value = int(text) if _is_integer(text) else None
    if value is None or not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError("not in range")
    return value


def _parse_decimal(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError("not a number")
    return value


def _millis_of_day(value: time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000


_TIMESTAMP = re.compile(r"(\d{4,}-\d{1,2}-\d{1,2})(?:[ T](\d{1,2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?)?")


def parse_timestamp(text: str) -> Timestamp:
    """The time that `yyyy-MM-dd[ HH:mm[:ss[.fraction]]]` spells, `T` or a blank between.

    Raises:
        ValueError: another form, or no such date.
    """
    match = _TIMESTAMP.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a timestamp: {text!r}")
    day, clock, fraction = match.groups()
    year, month, day_of_month = map(int, day.split("-"))
    hour, minute, second = [*map(int, (clock or "0:00").split(":")), 0][:3]
    instant = datetime(year, month, day_of_month, hour, minute, second, tzinfo=UTC)
    seconds = (instant.toordinal() - 719_163) * 86_400 + hour * 3600 + minute * 60 + second
    return Timestamp.from_nanos(seconds * 1_000_000_000 + int((fraction or "0").ljust(9, "0")))
