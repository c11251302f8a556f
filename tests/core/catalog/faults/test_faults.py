"""What becomes of a commit when the server of its catalog fails: kinds and faults, on real servers.

Each ends in a clear error and an unchanged table, in one that says that the outcome is not known, or in the
commit. Where a kind has no such fault, `FAULTS` says so by leaving it out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest
from sqlalchemy import update

from core.catalog import open_catalog
from core.catalog.errors import AccessDeniedError, CatalogError, CatalogUnknownError, LockTimeoutError
from core.catalog.hive import client as hive_client
from core.catalog.jdbc.lock import _LOCKS as LOCKS
from core.catalog.jdbc.lock import JdbcLock
from core.catalog.rest import http as rest_client
from core.errors import CommitConflictError, CommitUnknownError, PaimonError, StorageDeniedError
from core.table import Table
from tests.builders import fields
from tests.core.catalog.faults.servers import Server, server_of
from tests.interop.errors import PeerUnavailableError
from tests.interop.peers import ROOT
from tests.interop.rest_server import going_wrong
from tests.tables import put, rows_of

F = TypeVar("F", bound=Callable[..., None])
JDBC = ("jdbc in PostgreSQL", "jdbc in MariaDB")
# Of each kind its faults; the last of them ends the server.
FAULTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(JDBC, ("not let in", "holder died", "no answer", "gone in a commit")),
    "hive": ("holder died", "no answer", "gone in a commit"),
    "rest": ("expired token", "not let in", "no answer", "answer lost", "gone in a commit"),
    "filesystem on S3": ("not let in", "pause in a commit"),
}


AT_LENGTH = ("jdbc in MariaDB", "hive")  # held to it by ./test integration alone: others are much like them


@pytest.fixture(scope="module", params=FAULTS)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if found in AT_LENGTH and "LAKESCOPE_INTEGRATION" not in os.environ:
        pytest.skip("half a minute: make integration runs it")
    return found


@pytest.fixture(scope="module")
def server(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with ExitStack() as running:
        try:
            yield running.enter_context(server_of(kind, tmp_path_factory.mktemp("faults")))
        except PeerUnavailableError as error:
            pytest.skip(str(error))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that have no option for it wait as long as a test can."""
    monkeypatch.setattr(hive_client, "ANSWER_SECONDS", 3)
    monkeypatch.setattr(rest_client, "TIMEOUT", 3.0)


@pytest.fixture
def name(server: Server, kind: str, request: pytest.FixtureRequest) -> str:
    """A table with one row, of its own for each fault; skips where the kind has no such fault."""
    if not set(FAULTS[kind]).intersection(request.function.faults):
        pytest.skip(f"{kind} has no such fault")
    catalog = open_catalog(server.options)
    catalog.create_database("db", ignore_if_exists=True)
    made = f"db.t{abs(hash(request.node.name)) % 10**6}"
    put(
        catalog.create_table(made, fields(k="INT"), options={"bucket": "-1", "commit.max-retries": "1"}), (1,)
    )
    return made


def beside(server: Server, name: str) -> Table:
    """The table as its files tell, past the catalog."""
    store = {key: text for key, text in server.options.items() if key.startswith("s3.")}
    return open_catalog({**store, "warehouse": server.warehouse}).get_data_table(name)


def commit(options: Mapping[str, str], name: str) -> Callable[[], Any]:
    """By a process that has not asked the server before."""
    return lambda: put(open_catalog(options).get_data_table(name), (2,))


def ends(server: Server, name: str, work: Callable[[], Any]) -> PaimonError | None:
    """How a commit ended; the table is as that says."""
    error: PaimonError | None = None
    try:
        work()
    except PaimonError as raised:
        error = raised
    table = beside(server, name)
    whole = [(1,), (2,)]
    is_unknown = isinstance(error, CommitUnknownError | CatalogUnknownError)
    allowed = [whole] if error is None else [[(1,)], whole] if is_unknown else [[(1,)]]
    assert sorted(rows_of(table)) in allowed, error
    assert table.snapshots.ids() == list(range(1, len(rows_of(table)) + 1))
    assert not [s for k, s in server.options.items() if ("password" in k or k == "token") and s in str(error)]
    return error


def of(*faults: str) -> Callable[[F], F]:
    """A test of some faults."""

    def told(test: F) -> F:
        test.faults = faults  # type: ignore[attr-defined]
        return test

    return told


@of("expired token")
def test_an_expired_token_opens_nothing(server: Server, kind: str, name: str) -> None:
    assert server.rest is not None
    old = {**server.options, "token": server.rest.tokens["expired"]}
    assert isinstance(ends(server, name, commit(old, name)), AccessDeniedError)


@of("not let in")
def test_who_is_not_let_in_is_told_so(server: Server, kind: str, name: str) -> None:
    wrong = {"jdbc.password": "wrong", "s3.secret-key": "wrong"}
    options = {key: wrong.get(key, text) for key, text in server.options.items()}
    if server.rest is not None:
        options["token"] = server.rest.tokens["reader"]
    error = ends(server, name, commit(options, name))
    assert isinstance(error, AccessDeniedError | CommitConflictError | StorageDeniedError)
    said = ("not let", "denied", "permission", "forbidden", "credentials")
    assert any(word in str(error).lower() for word in said), error


HOLDER = """
import json, os, signal, sys
from core.catalog import open_catalog
table = open_catalog(json.loads(sys.argv[1])).get_data_table(sys.argv[2])
with table.home.commit_lock().held():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@of("holder died")
def test_a_lock_whose_holder_died_is_told_of_and_runs_out(server: Server, kind: str, name: str) -> None:
    lasting = {**server.options, "lock-acquire-timeout": "10 min"}  # for which it counts, too
    arguments = [sys.executable, "-c", HOLDER, json.dumps(lasting), name]
    assert subprocess.run(arguments, cwd=ROOT).returncode == -signal.SIGKILL
    impatient = {**server.options, "lock-acquire-timeout": "300 ms"}
    assert isinstance(ends(server, name, commit(impatient, name)), LockTimeoutError)
    if kind == "hive":  # no housekeeper here: hive/test_strict_metastore.py has one
        return
    lock = open_catalog(server.options).get_data_table(name).home.commit_lock()
    assert isinstance(lock, JdbcLock)
    with lock.client.transaction("let it run out") as connection:
        connection.execute(update(LOCKS).values(expire_time_seconds=0))
    assert ends(server, name, commit(lasting, name)) is None


@of("no answer")
def test_a_server_that_does_not_answer_is_named(server: Server, kind: str, name: str, soon: None) -> None:
    table = open_catalog(server.options).get_data_table(name)

    def while_it_stands() -> None:
        with server.stopped():
            put(table, (2,))

    error = ends(server, name, while_it_stands)
    assert isinstance(error, CatalogError | CommitUnknownError)


@of("answer lost", "gone in a commit")
@pytest.mark.parametrize("fault", ["answer lost", "gone in a commit"])
def test_a_server_that_goes_in_the_middle_of_a_commit(
    server: Server, kind: str, name: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault not in FAULTS[kind]:
        pytest.skip(f"{kind} has no such fault")
    if server.rest is not None:
        with going_wrong(server.rest, answer_is_lost=fault == "answer lost") as network:
            error = ends(server, name, commit({**server.options, "uri": network}, name))
        server.rest.start()
        lost = fault == "answer lost"  # and found: the snapshot is there
        assert error is None if lost else isinstance(error, CatalogError | CommitUnknownError)
        return
    table = open_catalog(server.options).get_data_table(name)
    create = type(table.home).create_snapshot

    def gone(*arguments: Any) -> None:
        server.kill()
        create(*arguments)

    monkeypatch.setattr(type(table.home), "create_snapshot", gone)
    assert ends(server, name, lambda: put(table, (2,))) is None  # the lock was held: it is made, and kept
    with pytest.raises(CatalogError):
        open_catalog(server.options).list_databases()


@of("pause in a commit")
def test_a_pause_of_the_store_is_waited_for(
    server: Server, kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = open_catalog(server.options).get_data_table(name)
    create = type(table.home).create_snapshot

    def pause(*arguments: Any) -> None:
        server.signal(signal.SIGSTOP)
        threading.Timer(3, server.signal, [signal.SIGCONT]).start()
        create(*arguments)

    monkeypatch.setattr(type(table.home), "create_snapshot", pause)
    assert ends(server, name, lambda: put(table, (2,))) is None
