"""Requests to a console, one person and one connection at a time."""

from __future__ import annotations

import gzip
import http.client
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

PATIENCE = 120  # seconds for one answer
PERSON, PASSWORD = "person-0", "a lake of many colours"  # who signs in by a browser
T = "/warehouses/lake/databases/ref/tables"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    seconds: float
    size: int  # bytes on the wire
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Person:
    """Somebody with a token and a connection that is kept open."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}

    def get(self, path: str) -> Answer:
        """The answer; while the work goes on in the background (202), it is asked for again."""
        began = time.perf_counter()
        answer = self._send("GET", path, None, {})
        while answer.status == 202 and time.perf_counter() - began < PATIENCE:
            answer = self._send("GET", path, None, {})
        return replace(answer, seconds=time.perf_counter() - began)

    def post(self, path: str, body: Any) -> Answer:
        headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(8)}
        return self._send("POST", path, json.dumps(body), headers)

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        began = time.perf_counter()
        try:
            self._connection.request(method, f"/api/v1{path}", body, self._headers | headers)
            response = self._connection.getresponse()
        except http.client.RemoteDisconnected:  # the server closed it while nobody asked
            self._connection.close()
            self._connection.request(method, f"/api/v1{path}", body, self._headers | headers)
            response = self._connection.getresponse()
        content = response.read()
        seconds = time.perf_counter() - began
        packed = response.headers.get("Content-Encoding") == "gzip"
        return Answer(response.status, seconds, len(content), gzip.decompress(content) if packed else content)


def p95(seconds: Sequence[float]) -> float:
    """The value that one answer in twenty exceeds."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
