"""Who is told what of a job may quote rows: its log, its warnings, and the sentence of its failure.

Rows come from the job's own table, and from what the job reads besides that: the tables of a query, the files
of a source.
"""

from __future__ import annotations

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
    if row.kind in QUERIES and row.requested_by_id != user.pk:
        key = ("query", row.warehouse.name)
        found = {} if known is None else known
        if key not in found:
            found[key] = _lacking_in(Scope(row.warehouse.name), access)
        needed: Permission | None = found[key]
        return needed
    if row.kind == "write" and row.plan is not None:
        try:
            check_source(row.plan.params["source"], access)
        except SourceError:
            return Permission.DATA_READ
    return None


def _lacking_in(place: Scope, access: Access) -> Permission | None:
    """Which tables a query reads is known only where it has succeeded, so all of the warehouse count."""
    if not access.allows(Permission.DATA_READ, place):
        return Permission.DATA_READ
    return Permission.DATA_UNMASKED if masks_something(access, place) else None
