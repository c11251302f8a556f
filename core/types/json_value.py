"""Values of rows as JSON for people."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

EXACT = 2**53  # from here on a double skips whole numbers


def value_of(value: Any) -> Any:
    """A value as JSON: exact, so 64-bit integers, decimals and odd floats are texts."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if abs(value) < EXACT else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case dict():
            return {str(name): value_of(member) for name, member in value.items()}
        case list() | tuple():
            return [value_of(member) for member in value]
    return str(value)
