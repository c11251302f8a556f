"""Forgets consumers that have not read for long. Spec: 08, 11."""

from __future__ import annotations

from datetime import timedelta

from core.maintenance.consumers.clear import DeleteConsumersPlan
from core.options import CONSUMER_EXPIRATION_TIME
from core.table import Table


def plan_expire_consumers(
    table: Table, *, now_millis: int, expiration_time: timedelta | None = None
) -> DeleteConsumersPlan:
    """The consumers that would be forgotten, for `apply_delete_consumers`.

    Args:
        table: the table, or one of its branches.
        now_millis: epoch milliseconds.
        expiration_time: how long one may rest, in place of `consumer.expiration-time`; without
            either none goes.
    """
    rest = expiration_time or table.options.get(CONSUMER_EXPIRATION_TIME)
    if rest is None:
        return DeleteConsumersPlan(consumers=())
    idle = table.consumers.idle_since(now_millis - rest // timedelta(milliseconds=1))
    return DeleteConsumersPlan(consumers=tuple(idle))
