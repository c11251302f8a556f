"""Entries of the audit log to a syslog server, in the order of each day, each at least once.

RFC 5424 messages, their text the entry as JSON, hashes included: who can write to our database cannot
rewrite what has left it. A worker sends them; what a server did not take is sent again.
"""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable
from contextlib import closing
from logging.handlers import SysLogHandler
from typing import NoReturn

from django.conf import settings

from console.audit.models import AuditDay, AuditEvent
from console.audit.serializers import AuditEventSerializer
from console.audit.syslog_server import SyslogServer

BATCH = 500  # entries between two notes of how far it has come
LONGEST = 8 * 1024  # bytes of an entry's details; of more only the length is told, as a datagram has an end
SEVERITIES = {"ok": logging.INFO, "failed": logging.WARNING, "denied": logging.WARNING}


def forward() -> int:
    """Send what the server of `LAKESCOPE_AUDIT_SYSLOG` has not got; how many entries. None set: none.

    Raises:
        OSError: the server did not take an entry; it and those after it are sent the next time.
    """
    server: SyslogServer | None = settings.AUDIT_SYSLOG
    if server is None:
        return 0
    sent = 0
    for day in AuditDay.objects.filter(expired_at=None).order_by("day"):
        if day.forwarded < day.count:
            with closing(_Sender(server)) as sender:
                sent += _forward_day(day, sender.send)
    return sent


def _forward_day(day: AuditDay, send: Callable[[AuditEvent], None]) -> int:
    done = day.forwarded
    entries = AuditEvent.objects.filter(day=day).order_by("number")
    while batch := list(entries.filter(number__gt=done)[:BATCH]):
        for event in batch:
            send(event)
        last = batch[-1].number
        if not AuditDay.objects.filter(day=day.day, forwarded=done).update(forwarded=last):
            break  # another worker is at it
        done = last
    return done - day.forwarded


class _Sender(SysLogHandler):
    """Syslog messages of entries; a failure is raised, not printed."""

    append_nul = False

    def __init__(self, server: SyslogServer) -> None:
        super().__init__(server.address, SysLogHandler.LOG_AUTHPRIV, server.kind)
        self._ends = "\n" if server.kind is socket.SOCK_STREAM else ""
        self._host = socket.gethostname() or "-"

    def send(self, event: AuditEvent) -> None:
        level = SEVERITIES.get(event.outcome, logging.INFO)
        self.handle(logging.LogRecord("audit", level, "", 0, self._message(event), None, None))

    def handleError(self, record: logging.LogRecord) -> NoReturn:  # noqa: N802  # logging's name
        raise  # called while the failure is handled

    def _message(self, event: AuditEvent) -> str:
        at = event.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return f"1 {at} {self._host} lakescope - audit - {entry_json(event)}{self._ends}"


def entry_json(event: AuditEvent) -> str:
    """The entry as the API shows it, in a line of ASCII; details that are too long say how long they are."""
    entry = dict(AuditEventSerializer(event).data)
    size = len(json.dumps(entry["detail"]))
    if size > LONGEST:
        entry["detail"] = {"left_out_bytes": size}
    return json.dumps(entry, separators=(",", ":"))
