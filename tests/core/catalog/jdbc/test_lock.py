from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.catalog.errors import LockTimeoutError
from core.catalog.jdbc import JdbcCatalog
from core.catalog.jdbc.lock import JdbcLock
from core.errors import StorageError
from core.table import Table
from tests.builders import fields
from tests.tables import prepare, put, rows_of


@pytest.fixture(params=["sqlite", "postgres", "mariadb"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """A catalog of its own whose writers take locks, which run out after two seconds."""
    given = {"uri": f"jdbc:sqlite:{tmp_path}/c.db"}
    if request.param != "sqlite":
        given = dict(request.getfixturevalue(request.param))
    own = {"warehouse": f"{tmp_path}/wh", "catalog-key": str(tmp_path)[-60:]}
    locks = {"lock.enabled": "true", "lock-acquire-timeout": "2 s", "lock-check-max-sleep": "200 ms"}
    return {**given, **own, **locks, "metastore": "jdbc"}


@pytest.fixture
def catalog(options: dict[str, str]) -> Iterator[JdbcCatalog]:
    made = open_catalog(options)
    assert isinstance(made, JdbcCatalog)
    made.create_database("db")
    yield made
    made.close()


@pytest.fixture
def table(catalog: JdbcCatalog) -> Table:
    return catalog.create_table("db.t", fields(k="INT", v="STRING"), options={"bucket": "-1"})


def lock_of(table: Table) -> JdbcLock:
    lock = table.home.commit_lock()
    assert isinstance(lock, JdbcLock)
    return lock


def test_a_lock_is_named_by_catalog_database_and_table(catalog: JdbcCatalog, table: Table) -> None:
    assert lock_of(table).name == f"{catalog.options['catalog-key']}.db.t"
    table.branches.create("b")
    assert lock_of(table.with_branch("b")).name == lock_of(table).name


def patient(catalog: JdbcCatalog) -> Table:
    """The table as one who waits ten minutes for its lock, and may hold it as long."""
    waiting = open_catalog({**catalog.options, "lock-acquire-timeout": "10 min"})
    return waiting.get_data_table("db.t")


def test_one_holds_a_lock_at_a_time(catalog: JdbcCatalog, table: Table) -> None:
    inside, most = 0, 0
    guard, lock = threading.Lock(), lock_of(patient(catalog))

    def hold(_: int) -> None:
        nonlocal inside, most
        with lock.held():
            with guard:
                inside += 1
                most = max(most, inside)
            with guard:
                inside -= 1

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(hold, range(8)))
    assert most == 1


def test_a_commit_waits_for_the_lock_and_makes_nothing_without_it(catalog: JdbcCatalog, table: Table) -> None:
    messages = prepare(table, [(1, "a")])
    with lock_of(patient(catalog)).held():
        with pytest.raises(LockTimeoutError, match="lock=") as refused:
            table.new_commit("me").commit(messages)
        assert isinstance(refused.value, StorageError)
        assert table.snapshots.ids() == []
    table.new_commit("me").commit(messages)
    assert rows_of(table) == [(1, "a")]


def test_a_holder_that_died_stops_nobody_for_longer_than_it_said(catalog: JdbcCatalog, table: Table) -> None:
    lock_of(table)._take()  # and is never given back
    put(patient(catalog), (1, "a"))
    assert table.snapshots.ids() == [1]


def test_who_held_a_lock_for_too_long_takes_none_from_another(catalog: JdbcCatalog, table: Table) -> None:
    slow = JdbcLock(lock_of(table).client, lock_of(table).name, timeout=0, max_pause=0.1)
    with slow.held():
        pass
    assert _rows(catalog, lock_of(table).name) == 1  # left to run out: it may be another's by now


def test_a_lock_that_cannot_be_given_back_loses_no_commit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/c.db", "warehouse": f"{tmp_path}/wh"}
    catalog = open_catalog({**place, "lock.enabled": "true"})
    catalog.create_database("db")
    table = catalog.create_table("db.t", fields(k="INT"))
    with lock_of(table).held(), closing(sqlite3.connect(tmp_path / "c.db")) as database:
        database.execute("DROP TABLE paimon_distributed_locks")
    assert "runs out by itself" in caplog.text


def _rows(catalog: JdbcCatalog, name: str) -> int:
    from sqlalchemy import func, select

    from core.catalog.jdbc.lock import _LOCKS

    with catalog._names.client.transaction("count") as connection:
        found = connection.execute(select(func.count()).select_from(_LOCKS).where(_LOCKS.c.lock_id == name))
        return int(found.scalar() or 0)
