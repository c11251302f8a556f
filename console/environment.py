"""What the console takes from its surroundings: environment variables and the data folder.

Secrets come from the environment, or are made once and kept in `<data folder>/secrets.json`
(mode 0600), so that a first start needs no setting at all and a restart keeps sessions.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import socket
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, overload
from urllib.parse import parse_qsl, unquote, urlsplit

from core.errors import PaimonError
from core.options import parse_duration

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
WILDCARDS = ("0.0.0.0", "::")
CONNECTIONS = 24  # of a process to PostgreSQL, at most: 16 threads serve, 8 load metadata
UPLOADS = "uploads"  # in the data folder: files that write jobs may read
UNIX_SOCKET_LIMIT = 100  # bytes; Linux allows 107, macOS 103


def data_folder() -> Path:
    """The folder of everything the console writes; `LAKESCOPE_DATA`, else `.lakescope` beside the code."""
    folder = Path(os.environ.get("LAKESCOPE_DATA") or ROOT / ".lakescope").expanduser().resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def secret(name: str, folder: Path) -> str:
    """The secret `LAKESCOPE_<NAME>` of the environment, else the one kept in the data folder."""
    given = os.environ.get(f"LAKESCOPE_{name.upper()}")
    if given:
        return given
    kept = _kept_secrets(folder)
    if name not in kept:
        raise KeyError(f"{folder / 'secrets.json'} has no {name!r}; delete the file to make new secrets")
    return kept[name]


def _kept_secrets(folder: Path) -> dict[str, str]:
    path = folder / "secrets.json"
    if not path.exists():
        _create_secrets(path)
    made: dict[str, str] = json.loads(path.read_text())
    return made


def _create_secrets(path: Path) -> None:
    """Write new secrets under `path` unless another process has just done it."""
    made = {
        "secret_key": secrets.token_urlsafe(48),
        "encryption_key": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    }
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".secrets-")  # created with mode 0600
    with os.fdopen(descriptor, "w") as file:
        json.dump(made, file)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)  # unlike rename, this never replaces what another process wrote
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


def database(folder: Path) -> dict[str, object]:
    """Django's settings of the database: `DATABASE_URL`, else SQLite in the data folder."""
    url = os.environ.get("DATABASE_URL")
    return database_from_url(url) if url else _sqlite(folder / "console.sqlite3")


def database_from_url(url: str) -> dict[str, object]:
    """Django's settings for `sqlite:///path` or `postgresql://user:password@host:port/name?sslmode=...`.

    Raises:
        ValueError: another scheme.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return _sqlite(Path(unquote(parts.path)))
    if parts.scheme not in ("postgres", "postgresql"):
        raise ValueError(f"DATABASE_URL has scheme {parts.scheme!r}; it can be postgresql or sqlite")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        # One for each thread that asks, opened when it is needed; the pool's own limit is 4.
        # A wrong role shows only as a pool timeout: keep it short.
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": CONNECTIONS, "timeout": 5},
            **dict(parse_qsl(parts.query)),
        },
    }


def _sqlite(path: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "timeout": 20,
            # Writers queue at BEGIN instead of failing when they turn from reader to writer.
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
    }


def valkey_socket(folder: Path) -> Path:
    """Where the embedded Valkey listens: in the data folder, or in /tmp where that path is too long."""
    socket = folder / "valkey" / "valkey.sock"
    if len(os.fsencode(socket)) <= UNIX_SOCKET_LIMIT:
        return socket
    digest = sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"lakescope-{digest}" / "valkey.sock"


def broker_url(folder: Path) -> str:
    """`REDIS_URL`, else the embedded Valkey's socket."""
    return os.environ.get("REDIS_URL") or f"redis+socket://{valkey_socket(folder)}"


class _WithoutPandas:
    """Makes pandas seem not installed."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("the console runs without pandas", name=name)


def without_pandas() -> None:
    """Keep pyarrow from importing pandas, which it does with its first array wherever that is installed.

    The console has no use for it, and it would be a third of its start. A job, whose Spark needs
    pandas, is another process.
    """
    sys.meta_path.insert(0, _WithoutPandas)


def words(name: str) -> list[str]:
    """The comma-separated words of an environment variable."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


@overload
def setting(name: str, read: Callable[[str], T]) -> T | None: ...


@overload
def setting(name: str, read: Callable[[str], T], default: T) -> T: ...


def setting(name: str, read: Callable[[str], T], default: T | None = None) -> T | None:
    """An environment variable as `read` understands it; `default` where it is not set.

    Raises:
        SystemExit: `read` refuses it with a ValueError; the message names the variable.
    """
    given = os.environ.get(name, "").strip()
    try:
        return read(given) if given else default
    except ValueError as error:
        raise SystemExit(f"{name}: {error}") from error


def parse_retention(text: str) -> timedelta:
    """How long something is kept: `400 d`; one day at least, as whole days go.

    Raises:
        ValueError: no duration, or less than a day.
    """
    try:
        kept = parse_duration(text)
    except PaimonError as error:
        raise ValueError(str(error)) from error
    if kept < timedelta(days=1):
        raise ValueError(
            f"{text!r} is less than a day; a bare number is milliseconds, days are such as 400 d"
        )
    return kept


def adopt_options(arguments: list[str]) -> None:
    """Put the options of `manage.py up` that settings depend on where this and all child processes look.

    Raises:
        SystemExit: the data folder cannot be made, or not written; the message says so.
    """
    parser = ArgumentParser(add_help=False)
    for name, default in (("--host", "127.0.0.1"), ("--port", "8000"), ("--data", None)):
        parser.add_argument(name, default=default)
    options, _ = parser.parse_known_args(arguments)
    host = options.host
    shown = "127.0.0.1" if host in WILDCARDS else f"[{host}]" if ":" in host else host
    os.environ.setdefault("LAKESCOPE_PUBLIC_URL", f"http://{shown}:{options.port}")
    if options.data:
        os.environ["LAKESCOPE_DATA"] = str(Path(options.data).expanduser().resolve())
    _check_data_folder()
    if host in WILDCARDS:
        os.environ.setdefault("LAKESCOPE_ALLOWED_HOSTS", ",".join(sorted(_own_names())))


def _check_data_folder() -> None:
    try:
        folder = data_folder()
    except OSError as error:
        problem = f"cannot be made: {error.strerror}: {error.filename}"
    else:
        if os.access(folder, os.W_OK | os.X_OK):
            return
        problem = f"cannot be written: {folder}"
    raise SystemExit(f"lakescope: the data folder {problem}; choose another --data")


def _own_names() -> set[str]:
    """The names and addresses under which others reach this machine, as far as it knows them."""
    name = socket.gethostname()
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:
        addresses = set()
    return {name, *(f"[{a}]" if ":" in a else a for a in addresses)}
