"""Who is told what of a job may quote rows: its log, its warnings, and the sentence of its failure.

Rows come from the job's own table, and from what the job reads besides that: the tables of a query, the files
of a source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from typing import Any

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.inspector.veils import Known
from console.jobs.models import VIEW, Job
from console.jobs.planning.places import SourceError, check_source
from console.masking.looking import masks_something
from console.masking.sight import Sight

QUERIES = frozenset({VIEW, "refresh"})


def lacking(
    row: Job, access: Access, user: User, sight: Sight, known: Known | None = None
) -> Permission | None:
    """What the caller lacks to be told all of it; None for who lacks nothing.

    Args:
        sight: what the caller is told of the job's own table.
        known: of an answer about many jobs, what is known so far.
    """
    if not sight.tells_everything:
        return sight.needed
    found = {} if known is None else known
    if row.kind in QUERIES and row.requested_by_id != user.pk:
        return _once(
            found, ("query", row.warehouse.name), lambda: _lacking_in(Scope(row.warehouse.name), access)
        )
    if row.kind == "write" and row.plan is not None:
        source = row.plan.params["source"]
        key = ("source", json.dumps(source, sort_keys=True))
        return _once(found, key, lambda: _lacking_for(source, access))
    return None


def _once(known: Known, key: Hashable, ask: Callable[[], Permission | None]) -> Permission | None:
    if key not in known:
        known[key] = ask()
    needed: Permission | None = known[key]
    return needed


def _lacking_for(source: dict[str, Any], access: Access) -> Permission | None:
    try:
        check_source(source, access)
    except SourceError:
        return Permission.DATA_READ
    return None


def _lacking_in(place: Scope, access: Access) -> Permission | None:
    """Which tables a query reads is known only where it has succeeded, so all of the warehouse count."""
    if not access.allows(Permission.DATA_READ, place):
        return Permission.DATA_READ
    return Permission.DATA_UNMASKED if masks_something(access, place) else None
