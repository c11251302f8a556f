"""The options of a table: what is in effect, which schema set it, and what each schema before it had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from console.api.errors import Problem
from console.api.fields import from_millis
from console.inspector.opening import OpenTable
from console.inspector.option_words import meaning_of
from console.inspector.schemas import readable
from core.inspect.schema_diff import mask_option
from core.options import OPTIONS
from core.schema import TableSchema


def listed(opened: OpenTable) -> list[dict[str, Any]]:
    """Every known option with its effective value, and all that are set without being known."""
    schemas = opened.table.schemas.all()
    latest = schemas[-1].options
    rows = [_option(key, latest, schemas) for key in OPTIONS]
    return rows + [_option(key, latest, schemas) for key in sorted(latest.keys() - OPTIONS.keys())]


def _option(key: str, latest: Any, schemas: Sequence[TableSchema]) -> dict[str, Any]:
    known = OPTIONS.get(key)
    set_ = key in latest
    default = known.default_text if known else None
    return {
        "key": key,
        "value": mask_option(key, latest[key]) if set_ else default,
        "default": default,
        "is_default": not set_ or latest[key] == default,
        "schema_id": _origin(key, schemas) if set_ else None,
        "description": meaning_of(known) if known else None,
        "type": known.parse.__name__.removeprefix("parse_") if known else None,
        "group": key.partition(".")[0] if "." in key else "table",
    }


def _origin(key: str, schemas: Sequence[TableSchema]) -> int:
    """The schema that gave the key its present value."""
    value, origin = schemas[-1].options[key], schemas[-1].id
    for schema in reversed(schemas):
        if schema.options.get(key) != value:
            break
        origin = schema.id
    return origin


def history(opened: OpenTable, key: str) -> dict[str, Any]:
    """What each schema that can be read says of one option, oldest first.

    Raises:
        Problem: `not-found`, if the option is unknown and no schema sets it.
    """
    schemas, damages = readable(opened)
    known = OPTIONS.get(key)
    if known is None and all(key not in schema.options for schema in schemas):
        raise Problem("not-found", kind="option", name=key)
    before: str | None = None
    items = []
    for schema in schemas:
        value = schema.options.get(key)
        items.append(
            {
                "schema_id": schema.id,
                "created_at": from_millis(schema.time_millis),
                "value": None if value is None else mask_option(key, value),
                "is_set": value is not None,
                "is_changed": value != before,
            }
        )
        before = value
    return {
        "key": key,
        "default": known.default_text if known else None,
        "description": meaning_of(known) if known else None,
        "items": items,
        "damages": [damage.shown() for damage in damages],
    }
