"""Tests of a connection: step by step, each with a limit of time, the first that fails ends it.

What hangs is left behind: a thread cannot be ended, and its driver gives up by itself at some time. So few
may hang at once.
"""

from __future__ import annotations

import os
import queue
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from console.api.errors import Problem
from console.warehouses.addresses import Server, server_of, store_server_of
from console.warehouses.catalogs import check_options, connect
from console.warehouses.diagnosis import code_of
from core.catalog import Catalog
from core.errors import PaimonError
from core.io.local import local_path
from core.io.open import file_io_for, scheme_of

CONNECT_SECONDS = 5.0  # for a host to take a connection
STEP_SECONDS = 20.0  # for all else that a step does
_hanging = threading.BoundedSemaphore(16)

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """How a step went: `code` and `values` of `words.STEPS`."""

    name: str
    code: str
    ok: bool = True
    is_odd: bool = False  # it went well, and may yet not be what was meant
    values: Mapping[str, Any] = field(default_factory=dict)
    cause: str | None = None  # what core said, which holds no secrets
    millis: int = 0


class Failed(Exception):
    """A step failed for a reason that its own work knows."""

    def __init__(self, code: str, cause: str | None = None, **values: Any) -> None:
        super().__init__(code)
        self.code, self.cause, self.values = code, cause, values


@dataclass
class Checked:
    """What the steps have found so far."""

    options: Mapping[str, str]
    catalog: Catalog | None = None
    databases: tuple[str, ...] = ()
    table: str | None = None

    @property
    def kind(self) -> str:
        return self.options.get("metastore", "filesystem")

    @property
    def place(self) -> str:
        return self.options.get("warehouse", "")

    @property
    def opened(self) -> Catalog:
        assert self.catalog is not None
        return self.catalog


Told = tuple[str, Values]  # a code and its values; one of `_ODD` is odd
Work = Callable[[Checked], Told]
_ODD = frozenset({"path-empty", "no-databases"})


def check_options_of(options: Mapping[str, str]) -> list[Step]:
    """All steps that were tried, for options of a catalog with its secrets."""
    checked = Checked(options)
    tried: list[Step] = []
    for name, work in _steps(checked.kind):
        tried.append(_timed(name, work, checked))
        if not tried[-1].ok:
            break
    close = getattr(checked.catalog, "close", None)
    if close is not None:
        close()  # connections to a database, which a catalog that is used makes anew
    return tried


def _steps(kind: str) -> list[tuple[str, Work]]:
    found: list[tuple[str, Work]] = [("options", _options)]
    if kind != "filesystem":
        found.append(("reach", lambda checked: _reach(server_of(checked.options))))
    if kind != "rest":
        found.append(("reach_store", lambda checked: _reach(store_server_of(checked.options))))
        found.append(("store", _store))
    found += [("connect", _connect), ("list_databases", _list_databases)]
    return [*found, ("list_tables", _list_tables), ("read_table", _read_table)]


def _timed(name: str, work: Work, checked: Checked) -> Step:
    began = time.monotonic()

    def step(code: str, **how: Any) -> Step:
        return Step(name, code, millis=int((time.monotonic() - began) * 1000), **how)

    try:
        code, values = _within(lambda: work(checked))
    except Failed as failed:
        return step(
            failed.code, ok=False, values={"place": checked.place, **failed.values}, cause=failed.cause
        )
    except (PaimonError, Problem, OSError) as error:
        origin = error.__cause__ if isinstance(error, Problem) and error.__cause__ else error
        reason = getattr(origin, "fields", {}).get("reason")
        code = str(reason or code_of(origin, kind=checked.kind))
        return step(code, ok=False, values={"place": checked.place, "what": str(origin)}, cause=str(origin))
    return step(code, values=values, is_odd=code in _ODD)


def _within(work: Callable[[], Told]) -> Told:
    """What the work gives, or `timeout` if it does not end; it goes on then, with nobody to wait for it."""
    if not _hanging.acquire(blocking=False):
        raise Failed("busy")
    answer: queue.SimpleQueue[tuple[Told | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put((work(), None))
        except BaseException as error:
            answer.put((None, error))
        finally:
            _hanging.release()

    threading.Thread(target=run, daemon=True, name="warehouse check").start()
    try:
        told, error = answer.get(timeout=STEP_SECONDS)
    except queue.Empty:
        raise Failed("timeout", f"no answer within {STEP_SECONDS:.0f} s") from None
    if error is not None:
        raise error
    assert told is not None
    return told


# --- steps ----------------------------------------------------------------------------------------
def _options(checked: Checked) -> Told:
    check_options(checked.options)
    return "options-ok", {}


def _reach(server: Server | None) -> Told:
    """Whether the server takes connections: drivers of stores try for minutes, and tell little."""
    if server is None:
        return "not-probed", {"address": "–"}
    scheme = "https" if server.tls else "http"
    if any(
        scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(h) for h, _ in server.hosts
    ):
        return "not-probed", {"address": str(server)}  # the way leads over a proxy
    failure: OSError | None = None
    for host, port in server.hosts:
        try:
            with socket.create_connection((host, port), CONNECT_SECONDS) as plain:
                if server.tls:
                    ssl.create_default_context().wrap_socket(plain, server_hostname=host).close()
            return "reached", {"address": f"{host}:{port}"}
        except UnicodeError as error:
            raise Failed("host-unknown", str(error)) from error
        except OSError as error:
            failure = failure or error
    assert failure is not None
    if code_of(failure, kind="filesystem") in ("host-unknown", "refused", "timeout", "tls"):
        raise failure
    raise Failed("unreachable", str(failure))


def _store(checked: Checked) -> Told:
    """What lies in the warehouse, in its own words: a folder that is not there lists as one that is empty."""
    place = checked.place
    if scheme_of(place) == "file":
        return _folder(checked, local_path(place))
    io = file_io_for(place, checked.options)
    return _contents(checked, io.list_directories(place), [f.path for f in io.list_files(place)])


def _folder(checked: Checked, path: str) -> Told:
    try:
        with os.scandir(path) as entries:
            found = list(entries)
    except FileNotFoundError as error:
        raise Failed("path-missing", str(error)) from error
    except NotADirectoryError as error:
        raise Failed("path-no-folder", str(error)) from error
    except PermissionError as error:
        raise Failed("path-denied", str(error)) from error
    folders = [entry.name for entry in found if entry.is_dir()]
    return _contents(checked, folders, [entry.name for entry in found if not entry.is_dir()])


def _contents(checked: Checked, folders: list[str], files: list[str]) -> Told:
    values: Values = {"place": checked.place, "count": len(folders) + len(files)}
    if not folders and not files:
        return "path-empty", values
    if checked.kind == "filesystem" and not any(name.endswith(".db") for name in folders):
        raise Failed("not-a-warehouse", **values)
    return "store-ok", values


def _connect(checked: Checked) -> Told:
    checked.catalog = connect(checked.options)
    return "connected", {}


def _list_databases(checked: Checked) -> Told:
    checked.databases = tuple(checked.opened.list_databases())
    return ("databases" if checked.databases else "no-databases"), {"count": len(checked.databases)}


def _list_tables(checked: Checked) -> Told:
    for database in checked.databases:
        tables = checked.opened.list_tables(database)
        if tables:
            checked.table = f"{database}.{tables[0]}"
            return "tables", {"count": len(tables), "database": database}
    return "no-tables", {}


def _read_table(checked: Checked) -> Told:
    if checked.table is None:
        return "no-table-to-read", {}
    schema = checked.opened.table_facts(checked.table).schema
    return "table-read", {"table": checked.table, "count": len(schema.fields)}
