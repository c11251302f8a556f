"""Lists: what can be filtered and sorted, how a request asks for it, and where a page ends.

A `Listing` declares a list's fields once; the query parameters, their checks, the OpenAPI
parameters and the cursors all come from it. Three engines give a page of it: over rows in memory
(here), over Arrow columns (`columns.py`) and over the database (`querysets.py`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from django.core import signing
from django.utils.datastructures import MultiValueDict

from console.api.errors import Problem, invalid

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000
RESERVED = frozenset({"limit", "cursor", "sort", "fields", "at", "from", "to", "branch"})
_PARAMETER = re.compile(r"^(?P<field>[a-z_]+)(?:\[(?P<op>[a-z]+)\])?$")
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)$")
_SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_CURSOR_SALT = "list-cursor"


class Kind(StrEnum):
    """The kind of a field's values: how filters of it are read, and which operators make sense."""

    TEXT = "text"
    NUMBER = "number"
    BYTES = "bytes"  # a number; filters also take 1MiB
    TIME = "time"
    FLAG = "flag"


_ALL = ("eq", "ne", "lt", "le", "gt", "ge", "in", "null")
OPERATORS: dict[Kind, tuple[str, ...]] = {
    Kind.TEXT: ("eq", "ne", "in", "prefix", "contains", "null"),
    Kind.NUMBER: _ALL,
    Kind.BYTES: _ALL,
    Kind.TIME: _ALL,
    Kind.FLAG: ("eq", "null"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a list's rows."""

    kind: Kind = Kind.TEXT
    filter: bool = True
    sort: bool = True
    source: str = ""  # where an engine finds it, if not under its own name


# What views name the usual kinds of fields by.
NUMBER, BYTES, TIME, FLAG = Field(Kind.NUMBER), Field(Kind.BYTES), Field(Kind.TIME), Field(Kind.FLAG)


@dataclass(frozen=True, slots=True)
class Filter:
    field: str
    op: str
    value: Any  # of the field's kind; a tuple for `in`; a bool for `null`

    def keeps(self, found: Any) -> bool:
        """Whether a row with this value stays; null passes only `null` and `ne`."""
        if self.op == "null":
            return (found is None) is self.value
        if found is None:
            return self.op == "ne"
        return _TESTS[self.op](found, self.value)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda found, value: bool(found == value),
    "ne": lambda found, value: bool(found != value),
    "lt": lambda found, value: bool(found < value),
    "le": lambda found, value: bool(found <= value),
    "gt": lambda found, value: bool(found > value),
    "ge": lambda found, value: bool(found >= value),
    "in": lambda found, value: found in value,
    "prefix": lambda found, value: str(found).startswith(value),
    "contains": lambda found, value: value.lower() in str(found).lower(),
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A list's fields, and the unique `key` that makes its order total."""

    key: str
    fields: Mapping[str, Field]
    default_sort: str
    parameters: frozenset[str] = field(default_factory=frozenset)  # of the view, besides filters

    def filters(self) -> dict[str, Field]:
        return {name: f for name, f in self.fields.items() if f.filter}


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a request asks of a list, checked."""

    filters: tuple[Filter, ...]
    sort: tuple[tuple[str, bool], ...]  # (field, descending); ends with the key
    limit: int
    after: tuple[Any, ...] | None  # values of the sort fields of the last row seen
    pinned: str | None  # the snapshot that the cursor carries
    digest: str

    def cursor(self, last: Sequence[Any], pinned: str | None) -> str:
        """The opaque cursor of the page that begins after the row with sort values `last`."""
        return signing.dumps([self.digest, pinned, list(last)], salt=_CURSOR_SALT, compress=True)


def parse_query(listing: Listing, parameters: MultiValueDict[str, str], context: str) -> ListQuery:
    """The query of a list request; `context` is the list's address, which its cursors are bound to.

    Raises:
        Problem: `unknown-filter`, `validation-failed` or `cursor-mismatch`.
    """
    filters = tuple(_filters(listing, parameters))
    sort = _sort(listing, parameters.get("sort") or listing.default_sort)
    digest = _digest(context, filters, sort)
    after, pinned = _read_cursor(parameters.get("cursor"), digest)
    return ListQuery(filters, sort, _limit(parameters.get("limit")), after, pinned, digest)


def _filters(listing: Listing, parameters: MultiValueDict[str, str]) -> Iterable[Filter]:
    known = listing.filters()
    for parameter, values in parameters.lists():
        if parameter in RESERVED or parameter in listing.parameters:
            continue
        match = _PARAMETER.match(parameter)
        name = match["field"] if match else parameter
        if match is None or name not in known:
            raise Problem(
                "unknown-filter",
                field=name,
                allowed=", ".join(sorted(known)) or "-",
                extension={"allowed": sorted(known)},
            )
        yield from (_filter(known[name], name, match["op"] or "eq", value) for value in values)


def _filter(spec: Field, name: str, op: str, text: str) -> Filter:
    if op not in OPERATORS[spec.kind]:
        raise invalid(
            f"{name}[{op}]", f"allowed here are {', '.join(OPERATORS[spec.kind])}", "unknown-operator"
        )
    if op == "null":
        return Filter(name, op, _flag(name, text))
    if op == "in":
        return Filter(name, op, tuple(_value(spec.kind, name, part) for part in text.split(",")))
    return Filter(name, op, _value(spec.kind, name, text))


def _value(kind: Kind, name: str, text: str) -> Any:
    match kind:
        case Kind.NUMBER:
            return _number(name, text)
        case Kind.BYTES:
            sized = _SIZE.match(text)
            return int(float(sized[1]) * _SIZES[sized[2]]) if sized else _number(name, text)
        case Kind.TIME:
            return parse_time(text, name)
        case Kind.FLAG:
            return _flag(name, text)
        case Kind.TEXT:
            return text


def _number(name: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise invalid(name, f"{text!r} is not a whole number") from None
    if abs(number) >= 2**63:
        raise invalid(name, f"{text} is out of range")
    return number


def _flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise invalid(name, f"{text!r} is neither true nor false")
    return text == "true"


def parse_time(text: str, pointer: str) -> datetime:
    """An RFC 3339 time; one without a zone is UTC.

    Raises:
        Problem: `validation-failed`.
    """
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))  # a + that was not percent-encoded
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise invalid(pointer, f"{text!r} is not an RFC 3339 time such as 2026-11-20T10:31:07Z") from None


def _sort(listing: Listing, text: str) -> tuple[tuple[str, bool], ...]:
    order: list[tuple[str, bool]] = []
    for part in text.split(","):
        name = part.strip().removeprefix("-")
        if name != listing.key and not (name in listing.fields and listing.fields[name].sort):
            allowed = sorted({n for n, f in listing.fields.items() if f.sort} | {listing.key})
            raise invalid(
                "sort", f"{name!r} is not a sort field; allowed are {', '.join(allowed)}", "unknown-sort"
            )
        order.append((name, part.strip().startswith("-")))
    if all(name != listing.key for name, _ in order):
        order.append((listing.key, order[-1][1]))
    return tuple(order)


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    limit = _number("limit", text)
    if not 1 <= limit <= MAX_LIMIT:
        raise invalid("limit", f"{limit} is not between 1 and {MAX_LIMIT}")
    return limit


def _digest(context: str, filters: tuple[Filter, ...], sort: tuple[tuple[str, bool], ...]) -> str:
    asked = [context, sorted((f.field, f.op, repr(f.value)) for f in filters), sort]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]


def _read_cursor(text: str | None, digest: str) -> tuple[tuple[Any, ...] | None, str | None]:
    if not text:
        return None, None
    try:
        bound_to, pinned, after = signing.loads(text, salt=_CURSOR_SALT)
    except signing.BadSignature:
        raise Problem("cursor-mismatch") from None
    if bound_to != digest:
        raise Problem("cursor-mismatch")
    return tuple(after), pinned


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, the cursor of those after them, and what they are as of."""

    rows: Sequence[Any]
    next: str | None = None
    total: int | None = None
    as_of: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # further members of the reply


Row = Mapping[str, Any]


def select(rows: Iterable[Row], listing: Listing, query: ListQuery) -> list[Row]:
    """The rows that pass the filters, in order; all of them, wherever a page would end."""
    kept = [row for row in rows if all(f.keeps(_lookup(row, listing, f.field)) for f in query.filters)]
    for name, descending in reversed(query.sort):  # each sort keeps the order of the one before among equals
        values = [_comparable(_lookup(row, listing, name)) for row in kept]
        present = [number for number, value in enumerate(values) if value is not None]
        present.sort(key=values.__getitem__, reverse=descending)
        missing = [number for number, value in enumerate(values) if value is None]
        kept = [kept[number] for number in (*present, *missing)]
    return kept


def page_of_rows(rows: Iterable[Row], listing: Listing, query: ListQuery, as_of: str | None = None) -> Page:
    """A page over rows that are all in memory."""
    ordered = select(rows, listing, query)
    total = len(ordered)
    if query.after is not None:
        after = query.after
        ordered = [r for r in ordered if _compare(_sort_values(r, listing, query), after, query) > 0]
    page = ordered[: query.limit]
    more = len(ordered) > query.limit
    cursor = query.cursor(_sort_values(page[-1], listing, query), as_of) if more else None
    return Page(page, cursor, total, as_of)


def _lookup(row: Row, listing: Listing, name: str) -> Any:
    """The row's value as filters and sorts compare it: times as aware datetimes."""
    value = row.get(listing.fields[name].source or name) if name in listing.fields else row.get(name)
    return value


def _sort_values(row: Row, listing: Listing, query: ListQuery) -> list[Any]:
    return [_comparable(_lookup(row, listing, name)) for name, _ in query.sort]


def _comparable(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _compare(left: Sequence[Any], right: Sequence[Any], query: ListQuery) -> int:
    """Below, at or above 0 as `left` comes before, with or after `right`; null sorts last either way."""
    for a, b, (_, descending) in zip(left, right, query.sort, strict=True):
        if a == b:
            continue
        if a is None or b is None:
            return 1 if a is None else -1
        return (1 if a > b else -1) * (-1 if descending else 1)
    return 0
