"""Processes that read rows for previews: started when first needed, then kept warm.

A request may take so much time, memory and output; a process that goes beyond is ended, and the next
request gets a new one. What a preview does wrong cannot reach the web server, nor another preview.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from typing import Any, cast

from django.conf import settings

from console.api.errors import Problem

TIMEOUT = 20.0  # seconds of one request
START = 60.0  # seconds that a process has to begin
MOST_AT_ONCE = 2  # processes of a web process
MOST_ANSWERS = 500  # of one process
_CHUNK = 1024 * 1024
_CRASHES = (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT)  # of Arrow's decoders, on damaged files


class ReaderEndedError(Exception):
    """The process ended without an answer; negative: by a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the preview's process ended with {code}")
        self.code = code


class Reader:
    """One process, which answers one request at a time."""

    def __init__(self) -> None:
        self.answers = 0
        self._is_ready = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "console.queries.reader"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=settings.ROOT, bufsize=0,
        )  # fmt: skip

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer.

        Raises:
            TimeoutError: there is none yet; the process is of no more use.
            ReaderEndedError: the process is gone.
        """
        assert self._process.stdin is not None
        try:
            if not self._is_ready:  # the start, on a busy machine, is not the request's time
                self._line(time.monotonic() + START)
                self._is_ready = True
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            answer = json.loads(self._line(time.monotonic() + seconds))
        except BrokenPipeError:
            raise ReaderEndedError(self._process.wait()) from None
        self.answers += 1
        return cast(dict[str, Any], answer)

    def _line(self, until: float) -> bytes:
        """What the process writes up to the end of a line."""
        assert self._process.stdout is not None
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not parts or not parts[-1].endswith(b"\n"):
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise TimeoutError
                parts.append(os.read(self._process.stdout.fileno(), _CHUNK))
                if not parts[-1]:
                    raise ReaderEndedError(self._process.wait())
        return b"".join(parts)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class ReaderPool:
    """At most so many readers at once; those that have answered well are used again."""

    def __init__(self, most: int) -> None:
        self._slots = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        atexit.register(self.close)

    def ask(self, request: dict[str, Any], seconds: float = TIMEOUT) -> dict[str, Any]:
        """The answer of some reader.

        Raises:
            Problem: `timeout`, also where all readers are at work for too long; `too-large` where the
                limits of CPU time or memory ended the process; `object-damaged` where it crashed.
        """
        if not self._slots.acquire(timeout=seconds):
            raise Problem("timeout/preview", seconds=f"{seconds:g}", headers={"Retry-After": "2"})
        try:
            return self._asked(self._take(), request, seconds)
        finally:
            self._slots.release()

    def _asked(self, reader: Reader, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            answer = reader.ask(request, seconds)
        except TimeoutError:
            reader.stop()
            raise Problem("timeout/preview", seconds=f"{seconds:g}") from None
        except ReaderEndedError as error:
            reader.stop()
            if error.code in _CRASHES:
                raise Problem("object-damaged/decoder") from None
            if error.code < 0:
                raise Problem("too-large", limit=f"{seconds:g} s and 4 GiB") from None
            raise
        spent = answer.pop("spent") or "limit" in answer or reader.answers >= MOST_ANSWERS
        self._give_back(reader) if not spent else reader.stop()
        return answer

    def _take(self) -> Reader:
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.is_alive:
                    return reader
                reader.stop()
        return Reader()

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            self._idle.append(reader)

    def close(self) -> None:
        """End the readers that wait."""
        with self._lock:
            while self._idle:
                self._idle.pop().stop()


pool = ReaderPool(MOST_AT_ONCE)
