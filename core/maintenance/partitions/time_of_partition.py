"""The time that the values of a partition spell. Pure. Spec: 08, 13.

`partition.timestamp-pattern` puts values together (`$dt $hour:00:00`; the first value without it),
`partition.timestamp-formatter` says how the text is read: a pattern of Java's, of which we know the
letters below. Without it a date is read, and a time behind it if there is one, digits left out or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from core.errors import InvalidRequestError, UnsupportedError

_FIELDS = {"y": "year", "u": "year", "M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}
_FIELDS |= {"S": "fraction"}
_DEFAULT = re.compile(
    r"(?P<year>\d{1,10})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?: (?P<hour>\d{1,2}):(?P<minute>\d{1,2}):(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9}))?)?"
)
_TOKEN = re.compile(r"'(?P<quoted>[^']*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PartitionClock:
    """Reads the time of partitions of one table."""

    pattern: str | None
    format: re.Pattern[str]

    @staticmethod
    def of(pattern: str | None, formatter: str | None) -> PartitionClock:
        """`UnsupportedError` for a formatter with letters that we do not know."""
        return PartitionClock(pattern, _DEFAULT if formatter is None else _expression(formatter))

    def time_of(self, values: Mapping[str, str | None]) -> datetime | None:
        """The time of a partition, None where its values spell none.

        Args:
            values: texts by partition key, in their order.

        Raises:
            InvalidRequestError: the pattern names what is no partition key.
        """
        text = self._text(values)
        match = None if text is None else self.format.fullmatch(text)
        if match is None:
            return None
        found = {name: value for name, value in match.groupdict().items() if value is not None}
        micros = int((found.pop("fraction", "") + "000000")[:6])
        numbers = {name: int(value) for name, value in found.items()}
        try:
            return datetime(**{"month": 1, "day": 1, **numbers}, microsecond=micros)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            return None  # no such day, or no year at all

    def _text(self, values: Mapping[str, str | None]) -> str | None:
        if self.pattern is None:
            return next(iter(values.values()))
        text = self.pattern
        for key in sorted(values, key=len, reverse=True):  # $hour before $h
            if f"${key}" in text:
                value = values[key]
                if value is None:
                    return None
                text = text.replace(f"${key}", value)
        if text == self.pattern:
            raise InvalidRequestError(
                "the pattern names no partition key", pattern=self.pattern, keys=", ".join(values)
            )
        return text


def _expression(formatter: str) -> re.Pattern[str]:
    parts, seen = [], set()
    for token in _TOKEN.finditer(formatter):
        letters = token["letters"]
        if letters is None:
            literal = token["other"] if token["quoted"] is None else token["quoted"] or "'"
            parts.append(re.escape(literal))
            continue
        name = _FIELDS.get(letters[0])
        if name is None or name in seen or (name in ("month", "day") and len(letters) > 2):
            raise UnsupportedError(
                "a pattern of partition times", feature=f"partition.timestamp-formatter={formatter}"
            )
        seen.add(name)
        digits = rf"\d{{{len(letters)}}}" if len(letters) > 1 else r"\d{1,10}"
        parts.append(f"(?P<{name}>{digits})")
    return re.compile("".join(parts))
