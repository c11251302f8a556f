"""Celery tasks of jobs. The broker only wakes workers up: what is to be done stands in the database."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import connections
from django.utils import timezone

from console.api.errors import Problem
from console.api.idempotency import forget_old
from console.api.operations import forget_old_operations
from console.celery import app
from console.jobs import logs, running, schedules, services, view_runs
from console.jobs.models import Job
from core.errors import PaimonError

log = logging.getLogger(__name__)


@app.task
def run_job(primary_key: int) -> None:
    """Run a queued job; a second delivery finds it taken."""
    job = Job.objects.filter(pk=primary_key).first()
    if job is None:
        return
    running.run(job)
    try:
        services.retry_automatically(Job.objects.get(pk=primary_key))
    except (PaimonError, Problem) as problem:
        log.warning("job %s is not retried: %s", job.public_id, problem)


@app.task
def reconcile() -> None:
    """End lost jobs, look again at those that could not be verified, and wake up waiting ones."""
    for job in running.reconcile():
        log.info("job %s is %s", job.public_id, job.state)
    running.dispatch_waiting()
    view_runs.forget_rows()
    forget_old()
    forget_old_operations()


@app.task
def forget_logs() -> None:
    """Delete the logs of jobs that ended longer ago than logs are kept."""
    forgotten = logs.forget(timezone.now() - settings.JOB_LOGS_KEPT)
    if forgotten:
        log.info("the logs of %d jobs are not kept any longer", forgotten)


@app.task
def start_due_refreshes() -> None:
    """Start the refresh of a materialized table that is due by its schedule."""
    job = schedules.start_due()
    if job is not None:
        log.info("job %s refreshes %s.%s by schedule", job.public_id, job.database, job.table)


@worker_ready.connect
def reconcile_at_start(**kwargs: Any) -> None:
    """A new worker first ends what the one before it left behind."""
    threading.Thread(target=_reconcile_now, daemon=True).start()


def _reconcile_now() -> None:
    try:
        reconcile()
    except Exception:  # the beat task tries again: the worker must not die of it
        log.exception("jobs could not be reconciled at the worker's start")
    finally:
        connections.close_all()
