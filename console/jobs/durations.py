"""How long jobs ran, for filters of their list: from their start to their end, or until now."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from console.api.listing import Filter, ListQuery
from console.jobs.models import Job

FIELD = "duration"  # seconds
_MOST = 10**9  # seconds: about 30 years, which both databases can tell apart from longer ones


def timed(rows: QuerySet[Job]) -> QuerySet[Job]:
    """The jobs with their duration; null for those that have not started."""
    end = Coalesce("ended_at", Value(timezone.now(), output_field=DateTimeField()))
    return rows.annotate(**{FIELD: ExpressionWrapper(end - F("started_at"), output_field=DurationField())})


def by_times(query: ListQuery) -> ListQuery:
    """The query with durations as the database compares them."""
    return replace(query, filters=tuple(map(_by_time, query.filters)))


def _by_time(filter_: Filter) -> Filter:
    if filter_.field != FIELD or filter_.op == "null":
        return filter_
    value: Any = filter_.value
    return replace(filter_, value=tuple(map(_time, value)) if filter_.op == "in" else _time(value))


def _time(seconds: float) -> timedelta:
    return timedelta(seconds=min(max(seconds, -_MOST), _MOST))
