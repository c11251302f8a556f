"""The trace id of the request that is being served: in logs, errors, audit entries and job events.

W3C Trace Context: an incoming `traceparent` is continued, else a new trace begins.
"""

from __future__ import annotations

import logging
import re
import secrets
from contextvars import ContextVar

NO_TRACE = "-"
_TRACEPARENT = re.compile(r"^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_current: ContextVar[str] = ContextVar("trace_id", default=NO_TRACE)


def current_trace_id() -> str:
    """32 hexadecimal digits, or `-` outside of a request or task."""
    return _current.get()


def begin_trace(traceparent: str | None = None) -> str:
    """The id of the trace that now is current: the caller's, or a new one."""
    match = _TRACEPARENT.match(traceparent or "")
    trace_id = match.group(1) if match and set(match.group(1)) != {"0"} else secrets.token_hex(16)
    _current.set(trace_id)
    return trace_id


def continue_trace(trace_id: str) -> None:
    """Make a stored trace the current one: a job's events belong to the request that started it."""
    _current.set(trace_id or NO_TRACE)


class TraceFilter(logging.Filter):
    """Gives each log record the current `trace_id`."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.trace_id = current_trace_id()
        return True
