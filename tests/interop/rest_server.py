"""The console's web server alone, in a process of its own, as a REST catalog of one warehouse."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tests.interop.peers import ROOT
from tests.ports import LOOPBACK, free_port

PATIENCE = 120  # seconds, on a machine that is busy with much else
TOKENS = """
import json, sys
from datetime import timedelta
import django
django.setup()
from django.core.management import call_command
from django.utils import timezone
from console.accounts.models import RoleBinding, User
from console.accounts.roles import Permission
from console.accounts.services import create_token
from console.warehouses.models import Warehouse

call_command("migrate", verbosity=0)
Warehouse.objects.create(name="lake", location=sys.argv[1])
tokens = {}
for name, role, flags, days in (
    ("admin", "admin", {}, 1), ("expired", "admin", {}, -1), ("reader", "viewer", {"data_read": True}, 1)
):
    user = User.objects.create_user(name)
    RoleBinding.objects.create(user=user, role=role, **flags)
    expiry = timezone.now() + timedelta(days=days)
    scopes = [permission.value for permission in Permission]
    tokens[name] = create_token(user=user, name="t", scopes=scopes, expiry=expiry, networks=[])[1]
print(json.dumps(tokens))
"""


class RestServer:
    """Started, killed and started again on the same port, data and warehouse."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = folder / "lake"
        self.warehouse.mkdir()
        self.port = free_port()
        self.uri = f"http://{LOOPBACK}:{self.port}"
        own = ("LAKESCOPE_", "REDIS_URL", "DATABASE_URL", "DJANGO_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        self._environment = kept | {
            "LAKESCOPE_DATA": str(folder / "data"),
            "LAKESCOPE_PUBLIC_URL": self.uri,
            "LAKESCOPE_RATE_LIMIT": "1000000",
            "LAKESCOPE_TABLE_ROOTS": tempfile.gettempdir(),
            "DJANGO_SETTINGS_MODULE": "console.settings",
        }
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "data").mkdir()
        made = subprocess.run(
            [sys.executable, "-c", TOKENS, str(self.warehouse)],
            env=self._environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        self.tokens: dict[str, str] = json.loads(made.stdout.splitlines()[-1])

    def start(self) -> None:
        command = [
            sys.executable, "-m", "gunicorn", "console.wsgi", "--bind", f"{LOOPBACK}:{self.port}",
            "--worker-class", "gthread", "--workers", "2", "--threads", "8", "--log-level", "warning",
            "--preload",
        ]  # fmt: skip
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=self._environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + PATIENCE
        while not _accepts(self.port):
            if self._process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"the server did not start:\n{self._log.read_text()[-3000:]}")
            time.sleep(0.1)

    def register(
        self, name: str, location: str, options: Mapping[str, str] = MappingProxyType({})
    ) -> dict[str, str]:
        """Another warehouse of the console, of a catalog with these options; those of the catalog served."""
        token = self.tokens["admin"]
        body = {"name": name, "location": location, "options": dict(options)}
        request = urllib.request.Request(
            f"{self.uri}/api/v1/warehouses",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=PATIENCE).close()
        known = {"metastore": "rest", "uri": self.uri, "warehouse": name}
        return known | {"token.provider": "bear", "token": token}

    def kill(self) -> None:
        """As a crash of the machine would, with all that it is doing."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
            until = time.monotonic() + PATIENCE
            while _accepts(self.port):  # its workers end a moment later, and hold the port until then
                assert time.monotonic() < until, "a killed server still listens"
                time.sleep(0.05)

    def __enter__(self) -> RestServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


@contextmanager
def going_wrong(server: RestServer, *, answer_is_lost: bool) -> Iterator[str]:
    """The address of a network that is cut at the first commit: behind it the server is killed.

    With `answer_is_lost` the server has done all of the commit and its answer does not arrive; else it
    dies with half of the request in its hands.
    """
    listener = socket.create_server((LOOPBACK, 0))
    cut = threading.Event()

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_pass_on, args=(client, server, answer_is_lost, cut), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        assert cut.is_set()
    finally:
        listener.close()


def _pass_on(client: socket.socket, server: RestServer, answer_is_lost: bool, cut: threading.Event) -> None:
    """One connection: requests one after the other, each with its answer."""
    with client:
        while request := _message(client):
            is_commit = b"/commit " in request.split(b"\r\n", 1)[0]
            if is_commit and not cut.is_set():
                cut.set()
                with socket.create_connection((LOOPBACK, server.port)) as behind:
                    behind.sendall(request if answer_is_lost else request[: len(request) // 2])
                    if answer_is_lost:
                        _message(behind)
                    else:
                        time.sleep(0.3)  # for the half to be there
                server.kill()
                return
            try:
                with socket.create_connection((LOOPBACK, server.port)) as behind:
                    behind.sendall(request)
                    client.sendall(_message(behind))
            except OSError:
                return


def _message(source: socket.socket) -> bytes:
    """A request or an answer, by its Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = source.recv(65536)
        if not part:
            return data
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [
        line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
    ]
    missing = (int(lengths[0]) if lengths else 0) - len(body)
    while missing > 0 and (part := source.recv(65536)):
        data += part
        missing -= len(part)
    return data


def _accepts(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), 1).close()
    except OSError:
        return False
    return True
