"""Which snapshots the table's own rules keep now, and which the next expirations let go. Design: 6.4."""

from __future__ import annotations

import time
from typing import Any

from console.inspector.cache import computed, in_parallel
from console.inspector.opening import OpenTable
from core.errors import NotFoundError, PaimonError
from core.maintenance.expire import kept_from
from core.maintenance.expire.window import TimeOf, snapshot_retention

_AT_ONCE = 100  # snapshots that are read ahead where their age decides


def of_table(opened: OpenTable) -> dict[str, Any]:
    """What an expiration by the options of the table would keep at this moment.

    Where these contradict each other, or what decides is damaged, only that.

    Raises:
        StillWorkingError: it takes longer.
    """
    try:
        return _known(opened)
    except PaimonError as error:
        return dict.fromkeys(_NOTHING) | {"expirable": None, "held_by": [], "problem": str(error)}


def _known(opened: OpenTable) -> dict[str, Any]:
    rules = snapshot_retention(opened.table.options)
    first, held = computed(("retention", opened.table.location, opened.branch), lambda: _decided(opened))
    ids = opened.table.snapshots.ids()
    holders = [c.id for c in opened.table.consumers.list() if c.next_snapshot == held]
    return {
        "first_kept": first,
        "expirable": sum(i < first for i in ids) if first is not None else 0,
        "held_by": holders if held is not None and held == first else [],
        "retain_min": rules.minimum,
        "retain_max": rules.maximum,
        "retain_millis": round(rules.time.total_seconds() * 1000),
        "at_once": rules.limit,
        "problem": None,
    }


_NOTHING = ("first_kept", "retain_min", "retain_max", "retain_millis", "at_once")


def _decided(opened: OpenTable) -> tuple[int | None, int | None]:
    now = int(time.time() * 1000)
    return kept_from(opened.table, now_millis=now, time_of=_ahead(opened))


def _ahead(opened: OpenTable) -> TimeOf:
    """The times of snapshots, of which some are read at once: they are asked for one after the other."""
    ids = opened.table.snapshots.ids()
    known: dict[int, int | None] = {}

    def read(snapshot_id: int) -> int | None:
        try:
            return opened.table.snapshots.get(snapshot_id).time_millis
        except NotFoundError:
            return None

    def time_of(snapshot_id: int) -> int | None:
        if snapshot_id not in known:
            near = [i for i in ids if i >= snapshot_id][:_AT_ONCE]
            known.update(zip(near, in_parallel(read, near), strict=True))
        return known.get(snapshot_id)

    return time_of
