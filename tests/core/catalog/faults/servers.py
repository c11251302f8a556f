"""Real servers behind catalogs, which a test stops and kills: those alone that it has started itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.hive_metastore import hive_metastore
from tests.interop.rest_server import RestServer
from tests.s3_server import s3_server
from tests.sql_servers import mariadb_server, postgres_server

_LISTENING = "0A"


@dataclass(frozen=True)
class Server:
    """What a catalog asks: options of it, by which patience ends soon, and the processes behind them."""

    options: Mapping[str, str]
    warehouse: str
    port: int
    rest: RestServer | None = None

    def signal(self, number: signal.Signals) -> None:
        for pid in _family(_listeners(self.port)):
            with suppress(ProcessLookupError):  # it has ended with the one before
                os.kill(pid, number)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """It takes connections, as the system does that for it, and answers nothing."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def kill(self) -> None:
        if self.rest is not None:
            return self.rest.kill()
        self.signal(signal.SIGKILL)


@contextmanager
def server_of(kind: str, folder: Path) -> Iterator[Server]:
    """The server of a kind of catalog.

    Raises:
        PeerUnavailableError: it is not installed.
    """
    with ExitStack() as running:
        warehouse = f"{folder}/warehouse"
        rest = None
        match kind:
            case "jdbc in PostgreSQL":
                soon = {"jdbc.connectTimeout": "2", "jdbc.socketTimeout": "2"}
                options = {**running.enter_context(postgres_server()), **_JDBC, **soon}
            case "jdbc in MariaDB":
                soon = {"jdbc.connectTimeout": "2000", "jdbc.socketTimeout": "2000"}
                options = {**running.enter_context(mariadb_server()), **_JDBC, **soon}
            case "hive":
                options = {**running.enter_context(hive_metastore(folder)), **_LOCKS}
            case "rest":
                rest = running.enter_context(RestServer(folder))
                token = {"token.provider": "bear", "token": rest.tokens["admin"]}
                options = {"metastore": "rest", "uri": rest.uri, **token, "warehouse": "lake"}
                warehouse = str(rest.warehouse)
            case "filesystem on S3":
                options = dict(running.enter_context(s3_server(folder)))
                warehouse = options["warehouse"]
        options.setdefault("warehouse", warehouse)
        address = options.get("s3.endpoint") or options["uri"].removeprefix("jdbc:")
        port = urlsplit(address).port
        assert port is not None
        yield Server(options, warehouse, port, rest)


_LOCKS = {"lock.enabled": "true", "lock-acquire-timeout": "2 s", "lock-check-max-sleep": "100 ms"}
_JDBC = {"metastore": "jdbc", **_LOCKS}


def _listeners(port: int) -> set[int]:
    """Processes that hold the socket on which connections of a port arrive."""
    sockets = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{fields[9]}]")
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(file) in sockets for file in (process / "fd").iterdir()):
                found.add(int(process.name))
        except OSError:  # it has ended
            continue
    assert found, f"nobody listens on {port}"
    return found


def _family(processes: set[int]) -> set[int]:
    """Those with all that they have started."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(process.parent.name)] = int(process.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = set(processes)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found
