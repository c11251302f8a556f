"""A server on a real socket that answers as a test has written down."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.catalog.rest.http import RestServer

HANG_UP = (0, {}, "")


class Scripted:
    """Answers requests in order with a status, headers and a body; remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str], Any]] = []
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.slept: list[float] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.command, self.path, dict(self.headers), body))
                status, headers, value = outer.answers.pop(0)
                if not status:
                    self.close_connection = True
                    return
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in (headers | {"Content-Length": str(len(data))}).items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815  # names of the base class

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.client = RestServer(
            f"http://127.0.0.1:{self._server.server_port}", "secret", {"X-Own": "yes"}, self.slept.append
        )

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
