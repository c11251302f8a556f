"""Serializer fields for what JSON cannot say by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.api.errors import Problem

EXACT = 2**53  # from here on a double skips whole numbers


class CountField(serializers.IntegerField):
    """A count or a number of bytes: a JSON number below 2^53, or an error; never a rounded one."""

    def to_representation(self, value: Any) -> int:
        number = int(value)
        if abs(number) >= EXACT:
            raise Problem("value-out-of-range", field=self.field_name)
        return number


class LongField(serializers.CharField):
    """A 64-bit number that may pass 2^53, as a string of digits."""

    def to_representation(self, value: Any) -> str:
        return str(value)


class TimeField(serializers.DateTimeField):
    """RFC 3339 in UTC with milliseconds; takes a datetime or epoch milliseconds."""

    def to_representation(self, value: Any) -> Any:
        moment = from_millis(value) if isinstance(value, int) else value
        return rfc3339(moment)


def from_millis(millis: int) -> datetime | None:
    """Epoch milliseconds as a time; None where no calendar reaches that far."""
    try:
        return datetime.fromtimestamp(millis / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def rfc3339(moment: datetime | None) -> str | None:
    """`2026-11-20T10:31:07.123Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def choice(*values: str, **options: Any) -> serializers.ChoiceField:
    """One of some words; OpenAPI names them."""
    return serializers.ChoiceField(choices=[(value, value) for value in values], **options)


@extend_schema_field({})
class AnyField(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value, as it is."""

    def to_representation(self, value: Any) -> Any:
        return value

    def to_internal_value(self, data: Any) -> Any:
        return data


def strings(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), **options)


def string_map(**options: Any) -> serializers.DictField:
    return serializers.DictField(child=serializers.CharField(allow_null=True), **options)
