"""Forgets consumers: what they still had to read may expire then. Spec: 10, 5, clear_consumers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import InvalidRequestError
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConsumersPlan:
    consumers: tuple[str, ...]


def plan_clear_consumers(
    table: Table, *, including: str = ".*", excluding: str | None = None
) -> DeleteConsumersPlan:
    """The consumers that would be forgotten, damaged ones among them.

    Args:
        table: the table, or one of its branches.
        including: a regular expression that an id matches as a whole.
        excluding: one that it does not.

    Raises:
        InvalidRequestError: no regular expression.
    """
    wanted, kept = _pattern(including), None if excluding is None else _pattern(excluding)
    ids = [i for i in table.consumers.ids() if wanted.fullmatch(i) and not (kept and kept.fullmatch(i))]
    return DeleteConsumersPlan(consumers=tuple(ids))


def apply_delete_consumers(table: Table, plan: DeleteConsumersPlan) -> None:
    """Delete the consumers; those that are gone already are passed over."""
    for consumer_id in plan.consumers:
        table.consumers.delete(consumer_id)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InvalidRequestError("no regular expression", pattern=text, problem=str(error)) from error
