"""Pages of lists that live in our database."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db.models import F, Q, QuerySet

from console.api.errors import Problem
from console.api.listing import Filter, Listing, ListQuery, Page

_LOOKUPS = {
    "eq": "exact",
    "lt": "lt",
    "le": "lte",
    "gt": "gt",
    "ge": "gte",
    "in": "in",
    "prefix": "startswith",
    "contains": "icontains",
    "null": "isnull",
}


def page_of_queryset(rows: QuerySet[Any], listing: Listing, query: ListQuery) -> Page:
    """A page over a queryset, by its sort values, so that rows added meanwhile shift nothing."""
    rows = select_queryset(rows, listing, query)
    total = rows.count()
    if query.after is not None:
        rows = rows.filter(_beyond(listing, query))
    found = list(rows[: query.limit + 1])
    page = found[: query.limit]
    cursor = query.cursor(_sort_values(page[-1], listing, query), None) if len(found) > query.limit else None
    return Page(page, cursor, total)


def select_queryset(rows: QuerySet[Any], listing: Listing, query: ListQuery) -> QuerySet[Any]:
    """All that pass the filters, in order; nulls last either way."""
    for filter_ in query.filters:
        rows = rows.filter(_condition(listing, filter_))
    ordering = [_ordering(_source(listing, name), down) for name, down in query.sort]
    return rows.order_by(*ordering)


def _ordering(source: str, descending: bool) -> Any:
    return F(source).desc(nulls_last=True) if descending else F(source).asc(nulls_last=True)


def _source(listing: Listing, name: str) -> str:
    field = listing.fields.get(name)
    return (field.source if field else "") or name


def _condition(listing: Listing, filter_: Filter) -> Q:
    source = _source(listing, filter_.field)
    if filter_.op == "ne":
        return ~Q(**{source: filter_.value})
    return Q(**{f"{source}__{_LOOKUPS[filter_.op]}": filter_.value})


def _beyond(listing: Listing, query: ListQuery) -> Q:
    """Rows after the last one seen: beyond it in a sort field, and equal in all fields before."""
    if query.after is None or len(query.after) != len(query.sort):
        raise Problem("cursor-mismatch")
    beyond, equal = Q(), Q()
    for value, (name, down) in zip(query.after, query.sort, strict=True):
        source = _source(listing, name)
        if value is None:  # nulls come last: only the fields after this one can still differ
            equal &= Q(**{f"{source}__isnull": True})
            continue
        greater = Q(**{f"{source}__{'lt' if down else 'gt'}": value}) | Q(**{f"{source}__isnull": True})
        beyond |= equal & greater
        equal &= Q(**{source: value})
    return beyond


def _sort_values(row: Any, listing: Listing, query: ListQuery) -> list[Any]:
    values = []
    for name, _ in query.sort:
        value = row
        for part in _source(listing, name).split("__"):
            value = getattr(value, part, None)
        values.append(value.isoformat() if isinstance(value, date) else value)
    return values
