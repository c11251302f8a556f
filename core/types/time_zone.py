"""The time zone of this process, which decides what an instant's wall clock shows. Spec: 09, 2."""

from __future__ import annotations

import os
import zoneinfo
from functools import cache
from pathlib import Path

_LOCALTIME = Path("/etc/localtime")


def local_zone() -> str:
    """The name of the zone in `TZ`, else of the machine; UTC where neither says one."""
    name = os.environ.get("TZ", "").lstrip(":")
    return name if name and _is_zone(name) else _zone_of_machine()


@cache
def _zone_of_machine() -> str:
    parts = str(_LOCALTIME.resolve()).partition("zoneinfo/")
    return parts[2] if parts[2] and _is_zone(parts[2]) else "UTC"


@cache
def _is_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
