"""Moves a consumer to another snapshot, or forgets it. Spec: 10, 5, reset_consumer."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import FormatError, NotFoundError
from core.maintenance.notice import Notice, refuse_blocked
from core.snapshot import Consumer
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetConsumerPlan:
    consumer: str
    before: int | None  # the snapshot that it would read next; None: there is none, or it is damaged
    after: int | None  # None: it is deleted
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()


def plan_reset_consumer(table: Table, consumer: str, next_snapshot: int | None = None) -> ResetConsumerPlan:
    """What the consumer would read next.

    Args:
        table: the table, or one of its branches.
        consumer: its id; one that is not there is made.
        next_snapshot: what it reads next: a snapshot that is there. None deletes the consumer.

    Raises:
        InvalidRequestError: no id.
    """
    before = _position(table, consumer)
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    if next_snapshot is not None and not table.snapshots.exists(next_snapshot):
        blockers = (Notice("snapshot-missing", {"snapshot": next_snapshot}),)
    if before is not None and next_snapshot is not None and before != next_snapshot:
        code = "consumer-skips" if next_snapshot > before else "consumer-repeats"
        warnings = (Notice(code, {"consumer": consumer, "from": before, "to": next_snapshot}),)
    return ResetConsumerPlan(
        consumer=consumer, before=before, after=next_snapshot, blockers=blockers, warnings=warnings
    )


def apply_reset_consumer(table: Table, plan: ResetConsumerPlan) -> None:
    """Move or delete the consumer.

    Raises:
        InvalidRequestError: the plan has blockers.
        NotFoundError: the snapshot has expired since.
    """
    refuse_blocked("the reset", plan.blockers)
    if plan.after is None:
        table.consumers.delete(plan.consumer)
        return
    table.consumers.put(Consumer(plan.consumer, plan.after))
    if not table.snapshots.exists(plan.after):
        raise NotFoundError("the snapshot expired while the consumer was moved to it", snapshot_id=plan.after)


def _position(table: Table, consumer: str) -> int | None:
    try:
        return table.consumers.get(consumer).next_snapshot
    except (NotFoundError, FormatError):
        return None
