"""What a materialized table is the answer of, and how fresh it is to be: options of its schema. Spec: 04, C5.

Paimon keeps these for Flink, which alone makes and refreshes such tables; rows, snapshots and files are those
of any other table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from core.errors import InvalidRequestError
from core.schema.table_schema import TableSchema
from core.schema.table_type import TableType, table_type

_OWN = "materialized-table."
_UNITS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86_400}
_MODES = ("CONTINUOUS", "FULL", "AUTOMATIC")
_STATUSES = ("INITIALIZING", "ACTIVATED", "SUSPENDED")
_KNOWN = (
    "definition-query",
    "interval-freshness",
    "interval-freshness.time-unit",
    "logical-refresh-mode",
    "refresh-mode",
    "refresh-status",
    "refresh-handler-description",
    "refresh-handler-bytes",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a materialized table; None for what its options do not say."""

    query: str | None  # SQL of the engine that made it, with full names
    freshness: timedelta | None  # how old its rows may be
    freshness_text: str | None  # such as `30 SECOND`
    logical_mode: str | None  # as it was asked for: also AUTOMATIC
    mode: str | None  # CONTINUOUS or FULL
    status: str | None
    handler: str | None  # how the engine that made it refreshes it, in its words
    unsupported: tuple[str, ...] = ()  # options with values that are none we know, `key = value`

    @property
    def refused(self) -> str | None:
        """Why it cannot be refreshed here; None if its definition allows it."""
        if not self.query:
            return f"{_OWN}definition-query is missing"
        if self.unsupported:
            return self.unsupported[0]
        if self.status == "SUSPENDED":
            return f"{_OWN}refresh-status = SUSPENDED"
        return None

    def is_due(self, latest_millis: int | None, now_millis: int) -> bool:
        """Whether rows of that age are older than they may be; always if the definition does not say."""
        if latest_millis is None or self.freshness is None:
            return True
        return now_millis - latest_millis > self.freshness.total_seconds() * 1000


def definition_of(schema: TableSchema) -> Definition:
    """The definition; `InvalidRequestError` for a table of another type."""
    if table_type(schema) is not TableType.MATERIALIZED:
        raise InvalidRequestError("only a materialized table has a definition", found=table_type(schema))
    given = {name: schema.options.get(_OWN + name) for name in _KNOWN}
    number, unit = given["interval-freshness"], (given["interval-freshness.time-unit"] or "").upper()
    odd = [
        f"{_OWN}{name} = {value}"
        for name, known in (
            ("interval-freshness.time-unit", tuple(_UNITS)),
            ("logical-refresh-mode", _MODES),
            ("refresh-mode", _MODES[:2]),
            ("refresh-status", _STATUSES),
        )
        if (value := given[name]) is not None and value.upper() not in known
    ]
    if number is not None and not (number.isascii() and number.isdigit() and len(number) < 10):
        odd.append(f"{_OWN}interval-freshness = {number}")
        number = None
    odd += sorted(
        f"{key} = {value}"
        for key, value in schema.options.items()
        if key.startswith(_OWN) and key.removeprefix(_OWN) not in _KNOWN
    )
    seconds = int(number) * _UNITS[unit] if number is not None and unit in _UNITS else None
    return Definition(
        query=given["definition-query"],
        freshness=None if seconds is None else timedelta(seconds=min(seconds, 86_400 * 99_999)),
        freshness_text=None if number is None else f"{number} {unit}".strip(),
        logical_mode=_upper(given["logical-refresh-mode"]),
        mode=_upper(given["refresh-mode"]),
        status=_upper(given["refresh-status"]),
        handler=given["refresh-handler-description"],
        unsupported=tuple(odd),
    )


def _upper(text: str | None) -> str | None:
    return None if text is None else text.upper()
