"""Connections of PostgreSQL that are cut when the server gives no answer: its driver would wait for ever."""

from __future__ import annotations

import os
import socket
import threading
from functools import cache
from typing import Any

from sqlalchemy import Engine, event


def cut_when_silent(engine: Engine, seconds: float) -> None:
    """Let each answer of the server take so long; then the connection counts as lost."""

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, arguments: Any, settings: Any) -> Any:
        return _patient(dialect.loaded_dbapi.Connection, seconds).connect(*arguments, **settings)


@cache
def _patient(kind: Any, seconds: float) -> Any:
    """The driver's kind of connection, every wait of which comes to an end."""

    class Patient(kind):  # type: ignore[misc]
        def wait(self, *what: Any, **how: Any) -> Any:
            cut = threading.Timer(seconds, _cut, [self])
            cut.daemon = True
            cut.start()
            try:
                return super().wait(*what, **how)
            finally:
                cut.cancel()

    return Patient


def _cut(connection: Any) -> None:
    """Who waits sees the end of the stream."""
    try:
        own = socket.socket(fileno=os.dup(connection.pgconn.socket))
    except Exception:  # closed meanwhile, as somebody had an answer after all
        return
    with own:
        try:
            own.shutdown(socket.SHUT_RDWR)
        except OSError:  # the same
            return
