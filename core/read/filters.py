"""Filters as callers give them -> filters that can be evaluated."""

from __future__ import annotations

from core.datafile.system_fields import readable_fields
from core.predicate import Predicate, bind, predicate_of
from core.schema import TableSchema


def bound_filter(schema: TableSchema, filter: Predicate | str | None) -> Predicate | None:
    """The filter over columns of `schema`, hidden ones too; a text is parsed first.

    Raises:
        InvalidRequestError: it cannot be parsed, or does not fit the columns.
    """
    predicate = predicate_of(filter)
    return None if predicate is None else bind(predicate, readable_fields(schema))
