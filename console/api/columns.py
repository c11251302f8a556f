"""Pages of lists over Arrow columns: filter and sort 100,000 files without a Python loop over them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.errors import Problem, invalid
from console.api.listing import Filter, Listing, ListQuery, Page

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def _order(table: pa.Table, listing: Listing, query: ListQuery) -> pa.Array[Any]:
    """The numbers of the rows, in order; nulls last either way."""
    keys = [
        (_column(listing, name), "descending" if down else "ascending", "at_end") for name, down in query.sort
    ]
    found: pa.Array[Any] = pc.sort_indices(table, sort_keys=keys)
    return found


def page_of_columns(table: pa.Table, listing: Listing, query: ListQuery, as_of: str) -> tuple[pa.Table, Page]:
    """The rows of a page as columns, and the page without its rows.

    The table belongs to one snapshot, which never changes, so a cursor is a position in it.
    """
    masks = [_mask(table, listing, f) for f in query.filters]
    kept = table.filter(reduce(pc.and_, masks)) if masks else table
    ordered = _order(kept, listing, query)
    start = _position(query)
    rows = kept.take(ordered.slice(start, query.limit))
    end = start + len(rows)
    cursor = query.cursor([end], as_of) if end < len(ordered) else None
    return rows, Page((), cursor, len(ordered), as_of)


def page_of_changing_columns(table: pa.Table, listing: Listing, query: ListQuery) -> tuple[pa.Table, Page]:
    """As `page_of_columns`, of a table that may be another at the next request.

    So a cursor is the place of the last row in the order, not a position: what comes or goes before it moves
    nothing.
    """
    masks = [_mask(table, listing, f) for f in query.filters]
    kept = table.filter(reduce(pc.and_, masks)) if masks else table
    total = len(kept)
    if query.after is not None:
        kept = kept.filter(_behind(kept, listing, query))
    ordered = _order(kept, listing, query)
    rows = kept.take(ordered.slice(0, query.limit))
    cursor = None
    if len(ordered) > query.limit:
        last = rows.slice(len(rows) - 1, 1)
        values = [last.column(_column(listing, name))[0].as_py() for name, _ in query.sort]
        cursor = query.cursor([v.isoformat() if isinstance(v, datetime) else v for v in values], None)
    return rows, Page((), cursor, total)


def _behind(table: pa.Table, listing: Listing, query: ListQuery) -> Any:
    """Which rows come after the cursor's: in the first sort field that differs; nulls last either way."""
    after = query.after or ()
    if len(after) != len(query.sort):
        raise Problem("cursor-mismatch")
    found, same = pa.scalar(False), pa.scalar(True)
    for (name, descending), value in zip(query.sort, after, strict=True):
        column = table.column(_column(listing, name))
        if value is None:
            equal, later = pc.is_null(column), pa.scalar(False)
        else:
            at = _cursor_value(value, column.type)
            later = pc.fill_null((pc.less if descending else pc.greater)(column, at), True)
            equal = pc.fill_null(pc.equal(column, at), False)
        found = pc.or_(found, pc.and_(same, later))
        same = pc.and_(same, equal)
    return found


def _cursor_value(value: Any, type_: Any) -> Any:
    try:
        return pa.scalar(datetime.fromisoformat(value) if pa.types.is_timestamp(type_) else value, type_)
    except (TypeError, ValueError, pa.ArrowException):
        raise Problem("cursor-mismatch") from None


def _position(query: ListQuery) -> int:
    if query.after is None:
        return 0
    if len(query.after) != 1 or not isinstance(query.after[0], int):
        raise Problem("cursor-mismatch")
    return query.after[0]


def _column(listing: Listing, name: str) -> str:
    field = listing.fields.get(name)
    return (field.source if field else "") or name


Mask = Callable[[Any, Any], Any]

_MASKS: dict[str, Mask] = {
    "eq": pc.equal,
    "ne": lambda column, value: pc.fill_null(pc.not_equal(column, value), True),
    "lt": pc.less,
    "le": pc.less_equal,
    "gt": pc.greater,
    "ge": pc.greater_equal,
    "prefix": lambda column, value: pc.starts_with(column, value.as_py()),
    "contains": lambda column, value: pc.match_substring(column, value.as_py(), ignore_case=True),
}


def _mask(table: pa.Table, listing: Listing, filter_: Filter) -> Any:
    column = table.column(_column(listing, filter_.field))
    if filter_.op == "null":
        return pc.is_null(column) if filter_.value else pc.is_valid(column)
    if pa.types.is_list(column.type):
        return _list_mask(column, filter_)
    if filter_.op == "in":
        return pc.is_in(column, value_set=_array(filter_, filter_.value, column.type))
    value = _array(filter_, (filter_.value,), column.type)[0]
    return pc.fill_null(_MASKS[filter_.op](column, value), False)


def _list_mask(column: pa.ChunkedArray[Any], filter_: Filter) -> Any:
    """A list passes if any of its members does."""
    joined = pc.binary_join(column, "\x1f")
    wanted = filter_.value if filter_.op == "in" else (filter_.value,)
    hits = [
        pc.fill_null(pc.match_substring_regex(joined, rf"(^|\x1f){_quoted(w)}(\x1f|$)"), False)
        for w in wanted
    ]
    found = reduce(pc.or_, hits)
    return pc.invert(found) if filter_.op == "ne" else found


def _quoted(text: str) -> str:
    return "".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in text)


def _array(filter_: Filter, values: tuple[Any, ...], type_: Any) -> Any:
    """Filter values in the column's type.

    Raises:
        Problem: `validation-failed`, if one does not fit.
    """
    try:
        return pa.array(values).cast(type_)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OverflowError):
        shown = ", ".join(str(value) for value in values)
        raise invalid(filter_.field, f"{shown} does not fit the field, which is {type_}") from None
