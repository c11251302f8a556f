"""Where a read starts, as the options of a table say. Spec: 09, 6.

Each `scan.mode` is told where by options of its own (`_KEYS`). A mode takes exactly one of them,
and none of another mode's; without a mode, the options that are set imply it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.errors import InvalidRequestError
from core.options import (
    INCREMENTAL_BETWEEN,
    INCREMENTAL_BETWEEN_TIMESTAMP,
    INCREMENTAL_TO_AUTO_TAG,
    SCAN_CREATION_TIME,
    SCAN_FILE_CREATION_TIME,
    SCAN_MODE,
    SCAN_SNAPSHOT_ID,
    SCAN_TAG_NAME,
    SCAN_TIMESTAMP,
    SCAN_TIMESTAMP_MILLIS,
    SCAN_VERSION,
    SCAN_WATERMARK,
    Option,
    ScanMode,
    TableOptions,
)

_KEYS: Mapping[ScanMode, tuple[Option[Any], ...]] = MappingProxyType(
    {  # in the order in which options imply a mode
        ScanMode.FROM_TIMESTAMP: (SCAN_TIMESTAMP_MILLIS, SCAN_TIMESTAMP),
        ScanMode.FROM_SNAPSHOT: (SCAN_SNAPSHOT_ID, SCAN_TAG_NAME, SCAN_WATERMARK, SCAN_VERSION),
        ScanMode.FROM_FILE_CREATION_TIME: (SCAN_FILE_CREATION_TIME,),
        ScanMode.FROM_CREATION_TIMESTAMP: (SCAN_CREATION_TIME,),
        ScanMode.INCREMENTAL: (INCREMENTAL_BETWEEN, INCREMENTAL_BETWEEN_TIMESTAMP, INCREMENTAL_TO_AUTO_TAG),
        ScanMode.FROM_SNAPSHOT_FULL: (SCAN_SNAPSHOT_ID,),
    }
)

START_KEYS: frozenset[str] = frozenset(
    {SCAN_MODE.key, *(option.key for options in _KEYS.values() for option in options)}
)
"""Every option that says where a read starts."""


@dataclass(frozen=True, slots=True)
class Start:
    """A mode of `scan.mode`, never `default` or `full`, and the option that says where."""

    mode: ScanMode
    option: Option[Any] | None = None  # None: the mode needs none

    @property
    def travels(self) -> bool:
        """Whether one snapshot of the past is asked for, which is then read with its own schema."""
        return self.option is not None and self.mode in (
            ScanMode.FROM_TIMESTAMP,
            ScanMode.FROM_SNAPSHOT,
            ScanMode.FROM_SNAPSHOT_FULL,
        )


def start_of(options: TableOptions) -> Start:
    """Where a read of a table with these options starts.

    Raises:
        InvalidRequestError: an option that the mode needs is missing, or options say different things.
    """
    mode = _mode(options)
    keys = _KEYS.get(mode, ())
    given = [option for option in keys if options.is_set(option)]
    if keys and len(given) != 1:
        raise InvalidRequestError(
            f"give exactly one of the options of scan.mode {mode}",
            options=", ".join(option.key for option in keys),
            given=", ".join(option.key for option in given) or "none",
        )
    foreign = [option.key for option in _all_keys() if options.is_set(option) and option not in keys]
    if foreign:
        raise InvalidRequestError(
            f"options that do not go with scan.mode {mode}",
            options=", ".join(foreign),
            given=given[0].key if given else None,
        )
    return Start(mode, given[0] if given else None)


def _mode(options: TableOptions) -> ScanMode:
    mode = options.get(SCAN_MODE)
    if mode is ScanMode.DEFAULT:
        implied = (mode for mode, keys in _KEYS.items() if any(options.is_set(option) for option in keys))
        return next(implied, ScanMode.LATEST_FULL)
    return ScanMode.LATEST_FULL if mode is ScanMode.FULL else mode


def _all_keys() -> tuple[Option[Any], ...]:
    return tuple(dict.fromkeys(option for options in _KEYS.values() for option in options))
