"""Runs of views: a person's look at the first rows, by a job of Spark.

The job reads with the worker's rights, so its spec says what the person may read, and it refuses the rest.
Its rows lie in its report for an hour, for whoever asked for them and may still read every table that they
came from.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.fields import rfc3339
from console.api.permissions import forbidden
from console.api.trace import current_trace_id
from console.jobs import events
from console.jobs.models import VIEW, Job
from console.jobs.reading import bounds_of, keeps_views, views_of
from console.jobs.services import wake_a_worker
from console.jobs.spark import REPORT, final_report
from console.jobs.states import ACTIVE, State
from console.masking.looking import masks_something
from console.rest_catalog.stored import view_store
from console.warehouses.catalogs import catalog_of, storage_problems
from console.warehouses.models import Warehouse
from core.catalog.views import View
from core.errors import NotFoundError
from core.identifier import Identifier
from core.jobs import Result

KEPT = timedelta(hours=1)
FORGOTTEN: dict[str, Any] = {}  # the spec of a run whose rows are gone


def view_of(warehouse: Warehouse, name: Identifier) -> View:
    """The view; `not-found` where there is none."""
    with storage_problems():
        try:
            return view_store(warehouse, catalog_of(warehouse)).get(name)
        except NotFoundError as error:
            raise Problem("not-found", kind="view", name=f"{warehouse.name}.{name}") from error


def start_run(*, warehouse: Warehouse, name: Identifier, limit: int, access: Access, user: User) -> Job:
    """A queued job that runs the view.

    Raises:
        Problem: `not-found`, `table-busy` while the person has another one under way.
    """
    view_of(warehouse, name)
    # A catalog that keeps views is asked for them by the job.
    views = {} if keeps_views(warehouse) else views_of(warehouse, _sql_of(name), name.database)
    bounds = bounds_of(warehouse, access, views)
    try:
        with transaction.atomic():
            job = Job.objects.create(  # the second of a person's that is under way breaks a constraint
                public_id=f"j-{secrets.token_hex(5)}",
                kind=VIEW,
                warehouse=warehouse,
                database=name.database,
                table=name.table,
                spec={"read-view": {"limit": limit, **bounds}},
                requested_by=user,
                trace_id=current_trace_id(),
                phases=[{"state": State.QUEUED.value, "at": rfc3339(timezone.now())}],
            )
            events.append(job, "state", {"state": State.QUEUED.value, "before": None})
    except IntegrityError:
        raise _busy(user) from None
    wake_a_worker(job)
    return job


def _sql_of(name: Identifier) -> str:
    return f"`{name.table.replace('`', '``')}`"


def _busy(user: User) -> Problem:
    active = [state.value for state in ACTIVE]
    running = Job.objects.filter(kind=VIEW, requested_by=user, state__in=active).first()
    other = "-" if running is None else running.public_id  # it may have ended since
    return Problem("table-busy/view", job=other, extension={"job": other})


def rows_of(
    *, warehouse: Warehouse, name: Identifier, job: str, access: Access, user: User
) -> dict[str, Any]:
    """The rows of a run that has succeeded.

    Raises:
        Problem: `not-found` of somebody else's run, or of rows that are not there any more; `job-not-ended`;
            `forbidden` for a table among those that were read.
    """
    run = Job.objects.filter(
        public_id=job, kind=VIEW, warehouse=warehouse, database=name.database, table=name.table,
        requested_by=user,
    ).first()  # fmt: skip
    if run is None:
        raise Problem("not-found", kind="run", name=job)
    if not run.is_ended:
        raise Problem("job-not-ended/view", job=run.public_id, state=run.state)
    report = final_report(run) if _is_kept(run) else None
    if not isinstance(report, Result):
        raise Problem("not-found/rows", job=run.public_id)
    tables = [str(table) for table in report.details["tables"]]
    for table in tables:
        scope = _scope(warehouse, table)
        if not access.allows(Permission.DATA_READ, scope):
            raise forbidden(Permission.DATA_READ, scope)
        if masks_something(access, scope):
            raise forbidden(Permission.DATA_UNMASKED, scope)
    ended = run.ended_at or run.created_at
    spent = ended - (run.started_at or run.created_at)
    return {
        **report.details["rows"],
        "job": run.public_id,
        "tables": tables,
        "read_at": ended,
        "kept_until": ended + KEPT,
        "millis": int(spent.total_seconds() * 1000),
    }


def _scope(warehouse: Warehouse, table: str) -> Scope:
    name = Identifier.parse(table)
    return Scope(warehouse.name, name.database, name.table)


def _is_kept(run: Job) -> bool:
    return run.ended_at is not None and timezone.now() - run.ended_at < KEPT


def latest_run(warehouse: Warehouse, name: Identifier, user: User) -> Job | None:
    """The person's last run of the view, as long as its rows are kept."""
    runs = Job.objects.filter(
        kind=VIEW, warehouse=warehouse, database=name.database, table=name.table, requested_by=user
    )[:1]
    return next((run for run in runs if not run.is_ended or _is_kept(run)), None)


def forget_rows() -> None:
    """Delete the rows whose time is over."""
    over = timezone.now() - KEPT
    for run in Job.objects.filter(kind=VIEW, ended_at__lt=over).exclude(spec=FORGOTTEN)[:100]:
        (Path(run.folder) / REPORT).unlink(missing_ok=True)
        Job.objects.filter(pk=run.pk).update(spec=FORGOTTEN)
