"""What a live data file says of itself: its footer, read when it is asked for. Design: 6.8."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from console.api.damage import Damage, Pointer, damage_of, problem_of
from console.api.errors import invalid
from console.inspector.cache import computed
from console.inspector.files import path_of
from console.inspector.labels import HIDDEN
from console.inspector.opening import OpenTable
from core.errors import InvalidRequestError, PaimonError
from core.inspect.footers import FileFooter, FooterColumn, read_footer
from core.snapshot import Snapshot

LONGEST = 200  # signs of a bound: a text may be as long as a page


def of_file(opened: OpenTable, snapshot: Snapshot | None, name: str, group: int | None) -> dict[str, Any]:
    """The footer of a live file; a damaged or undescribed one is a problem of the reply, not an error.

    Raises:
        Problem: `not-found`; `validation-failed` for a row group that the file has not.
    """
    path = path_of(opened, snapshot, name)
    key = ("footer", opened.table.location, path, group)
    try:
        footer = computed(key, lambda: read_footer(opened.table.io, path, group))
    except InvalidRequestError as error:
        raise invalid("row_group", str(error)) from error
    except PaimonError as error:
        damage = damage_of(error, kind="data_file", name=name).named(*_named_by(snapshot))
        return _shown(opened, name, None, damage)
    return _shown(opened, name, footer, None)


def _named_by(snapshot: Snapshot | None) -> tuple[Pointer, ...]:
    return (Pointer("snapshot", str(snapshot.id)),) if snapshot else ()


def _shown(opened: OpenTable, name: str, footer: FileFooter | None, damage: Damage | None) -> dict[str, Any]:
    return {
        "name": name,
        "footer": None if footer is None else _footer(opened, footer),
        "redacted": not opened.sight.tells_everything,
        **problem_of(damage),
    }


def _footer(opened: OpenTable, footer: FileFooter) -> dict[str, Any]:
    return {
        "format": footer.format,
        "writer": footer.writer,
        "version": footer.version,
        "rows": footer.rows,
        "codec": footer.codec,
        "footer_bytes": footer.footer_size,
        "group_count": footer.group_count,
        "groups": [
            {"rows": g.rows, "offset": g.offset, "bytes": g.size, "raw_bytes": g.raw_size}
            for g in footer.groups
        ],
        "columns": [
            _column(column, hidden=not opened.sight.tells_all(_parents(column.name)))
            for column in footer.columns
        ],
        "properties": dict(footer.properties),
    }


def _parents(name: str) -> list[str]:
    """The columns that a nested one may be a member of, as a name may hold a dot itself."""
    steps = name.split(".")
    return [".".join(steps[: i + 1]) for i in range(len(steps))]


def _column(column: FooterColumn, *, hidden: bool) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "codec": column.codec,
        "encodings": column.encodings,
        "bytes": column.size,
        "raw_bytes": column.raw_size,
        "null_count": column.nulls,
        "min": HIDDEN if hidden and column.low is not None else _text(column.low),
        "max": HIDDEN if hidden and column.high is not None else _text(column.high),
    }


def _text(value: Any) -> str | None:
    """A bound as people read it; bytes that are no text as hexadecimal numbers."""
    match value:
        case None:
            return None
        case bytes():
            text = f"0x{value[:LONGEST].hex()}"
        case datetime() | date() | time():
            text = value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
        case Decimal():
            text = f"{value:f}"
        case bool():
            text = str(value).lower()
        case _:
            text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
