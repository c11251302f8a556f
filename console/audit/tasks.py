"""Celery tasks of the audit log: entries leave for syslog, and old ones go."""

from __future__ import annotations

import logging

from django.utils import timezone

from console.audit.retention import expire_entries
from console.audit.syslog import forward
from console.celery import app

log = logging.getLogger(__name__)


@app.task(soft_time_limit=50, time_limit=60)
def forward_entries() -> None:
    """Send new entries to syslog. A server that hangs holds a worker for less than a minute."""
    try:
        forward()
    except OSError as error:
        log.error("the syslog server of LAKESCOPE_AUDIT_SYSLOG took no audit entry, tried again: %s", error)


@app.task
def expire_old_entries() -> None:
    """Delete the entries of days that are not kept any more."""
    for day in expire_entries(timezone.now()):
        log.info("the audit entries of %s expired", day)
