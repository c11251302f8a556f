"""How much of a column's statistics is kept, and how bounds are cut. Spec: 03, 5.1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidRequestError

_HIGHEST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_TRUNCATE = re.compile(r"truncate\(\s*(\d+)\s*\)")


@dataclass(frozen=True, slots=True)
class StatsMode:
    """A mode of `metadata.stats-mode`."""

    counts_nulls: bool
    keeps_bounds: bool
    length: int | None = None  # characters or bytes to which texts are cut; None: not cut


_NAMED = {
    "none": StatsMode(counts_nulls=False, keeps_bounds=False),
    "counts": StatsMode(counts_nulls=True, keeps_bounds=False),
    "full": StatsMode(counts_nulls=True, keeps_bounds=True),
}


def parse_stats_mode(text: str) -> StatsMode:
    """The mode that `none`, `counts`, `full` or `truncate(n)` names, in any case.

    Raises:
        InvalidRequestError: none of them.
    """
    name = text.strip().lower()
    if name in _NAMED:
        return _NAMED[name]
    match = _TRUNCATE.fullmatch(name)
    if match is None or int(match.group(1)) < 1:
        raise InvalidRequestError(
            "not a mode of statistics", value=repr(text), expected="none, counts, full or truncate(n)"
        )
    return StatsMode(counts_nulls=True, keeps_bounds=True, length=int(match.group(1)))


def truncate_min(value: Any, length: int) -> Any:
    """A lower bound of `value` of at most `length` characters or bytes; other values as they are."""
    return value[:length] if isinstance(value, (str, bytes)) else value


def truncate_max(value: Any, length: int) -> Any:
    """An upper bound of `value` of at most `length` characters or bytes; None if there is none.

    The last character that can be raised is, and what stands behind it is cut.
    """
    if not isinstance(value, (str, bytes)) or len(value) <= length:
        return value
    return _raised_text(value[:length]) if isinstance(value, str) else _raised_bytes(value[:length])


def _raised_text(prefix: str) -> str | None:
    for end in range(len(prefix), 0, -1):
        point = ord(prefix[end - 1]) + 1
        if point <= _HIGHEST:
            return prefix[: end - 1] + chr(_SURROGATES.stop if point in _SURROGATES else point)
    return None


def _raised_bytes(prefix: bytes) -> bytes | None:
    for end in range(len(prefix), 0, -1):
        if prefix[end - 1] != 0xFF:
            return prefix[: end - 1] + bytes([prefix[end - 1] + 1])
    return None
