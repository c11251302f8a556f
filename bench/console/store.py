"""An object store of the loopback whose every answer takes 20 ms: a folder, read over S3.

    python -m bench.console.store FOLDER PORT

Serves GET with ranges, HEAD and ListObjectsV2 of one bucket, `lake`; it has no keys, and takes no writes.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "lake"
LATENCY = 0.020  # seconds


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = (
        True  # head and body leave as two packets, and one would wait 40 ms for the other
    )
    folder: Path
    listings: ClassVar[
        dict[tuple[str, bool], tuple[int, str]]
    ] = {}  # with the time of the folder's last change

    def do_GET(self) -> None:
        time.sleep(LATENCY)
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if "list-type" in query:
            self._answer(200, self._listing(query).encode(), {"Content-Type": "application/xml"})
            return
        path = self._place(parts.path)
        if not path.is_file():
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>", {})
            return
        self._send_file(path)

    def do_HEAD(self) -> None:
        self.do_GET()  # `_answer` leaves the body out

    def _place(self, path: str) -> Path:
        return self.folder / unquote(path).removeprefix(f"/{BUCKET}/")

    def _send_file(self, path: Path) -> None:
        content, code = path.read_bytes(), 200
        status = path.stat()
        headers = {"Last-Modified": formatdate(status.st_mtime, usegmt=True), "ETag": _tag(status)}
        wanted = self.headers.get("Range")
        if wanted:
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            begin = int(first) if first else max(0, len(content) - int(last))
            end = min(int(last) + 1 if first and last else len(content), len(content))
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(content)}"
            content, code = content[begin:end], 206
        self._answer(code, content, headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _listing(self, query: dict[str, str]) -> str:
        """All that has the prefix, in one page. A folder that has not changed is not looked at again."""
        prefix, recursive = query.get("prefix", ""), "delimiter" not in query
        folder = self.folder / prefix.rpartition("/")[0]
        changed = folder.stat().st_mtime_ns if folder.is_dir() else 0
        known = self.listings.get((prefix, recursive))
        if known is None or known[0] != changed or recursive:
            inner = "".join(
                _entry(key, path) for key, path in sorted(self._below(prefix, recursive=recursive))
            )
            known = self.listings[prefix, recursive] = (
                changed,
                f"<ListBucketResult><IsTruncated>false</IsTruncated>{inner}</ListBucketResult>",
            )
        return known[1]

    def _below(self, prefix: str, *, recursive: bool) -> Iterator[tuple[str, Path]]:
        base, _, start = prefix.rpartition("/")
        folder = self.folder / base
        if not folder.is_dir():
            return
        if recursive:
            found = (path for path in folder.rglob("*") if path.is_file())
        else:
            found = (folder / name for name in os.listdir(folder))
        above = len(str(self.folder)) + 1
        for path in found:
            key = str(path)[above:]
            if key.removeprefix(base).removeprefix("/").startswith(start):
                yield key, path

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is told of single requests."""


_numbered: dict[str, str] = {}


def _entry(key: str, path: Path) -> str:
    """What a listing says of a file, asked of the disk once where the name has a number: such a one stays."""
    known = _numbered.get(key)
    if known is None:
        known = _look(key, path)
        if key.rpartition("-")[2].isdigit():
            _numbered[key] = known
    return known


def _look(key: str, path: Path) -> str:
    if path.is_dir():
        return f"<CommonPrefixes><Prefix>{escape(key)}/</Prefix></CommonPrefixes>"
    status = path.stat()
    changed = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(status.st_mtime))
    return (
        f"<Contents><Key>{escape(key)}</Key><LastModified>{changed}</LastModified>"
        f"<ETag>{escape(_tag(status))}</ETag><Size>{status.st_size}</Size></Contents>"
    )


def _tag(status: os.stat_result) -> str:
    return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A console that is stopped leaves its connections: nothing to tell."""


def main() -> None:
    _Handler.folder = Path(sys.argv[1])
    _Server(("127.0.0.1", int(sys.argv[2])), _Handler).serve_forever()


if __name__ == "__main__":
    main()
