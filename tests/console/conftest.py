"""The cast, a small real warehouse, and a client that speaks JSON.

Alice administers the console. Bob is an operator of database `db` of warehouse `lake`. Vera is a
viewer there. Carol has signed in, and nobody has given her anything.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.client import ClientHandler

from console.accounts.models import RoleBinding, User
from console.inspector.cache import cache
from console.warehouses.models import Warehouse
from core import Table, open_catalog
from core.io import LocalFileIO
from core.snapshot import Tag
from tests.tables import compact, new_table, put

API = "/api/v1"
TABLE = f"{API}/warehouses/lake/databases/db/tables/t"
JSON = "application/json"
PASSWORD = "correct horse battery"
HANDLER = ClientHandler(enforce_csrf_checks=False)  # of all callers: each would load all middleware anew


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """SQLite in a file, as it is run: in memory, threads lock each other's tables and none waits."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True)
def _quick(settings: Any) -> None:
    """Hashing passwords, waiting for locks and how fast the machine is are not under test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.RATE_LIMIT_PER_MINUTE = 1_000_000
    settings.READ_DEADLINE = timedelta(minutes=2)
    settings.METADATA_DISK_BYTES = 0  # each test damages its own table; test_keeping.py keeps


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    """Each test loads its own metadata."""
    yield
    cache.clear()


class Caller:
    """A person at the API: sends and reads JSON, with an idempotency key where one is needed."""

    def __init__(self, user: User | None, **headers: str) -> None:
        self.user = user
        self._client = Client(headers=headers, raise_request_exception=False)
        self._client.handler = HANDLER
        if user is not None:
            self._client.force_login(user)

    def get(self, path: str, **headers: str) -> Any:
        return self._client.get(_full(path), headers=headers)

    def ask(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        """Any request, with every header that some method needs."""
        address = f"{_full(path)}?{urlencode(query)}" if query else _full(path)
        headers = {"Idempotency-Key": secrets.token_hex(8), "If-Match": "*"}
        data = b"" if method == "GET" else json.dumps(body).encode()
        return self._client.generic(method, address, data, content_type=JSON, headers=headers)

    def json(self, path: str, **headers: str) -> Any:
        """The body of a read that has to succeed."""
        response = self.get(path, **headers)
        assert response.status_code == 200, response.content
        return response.json()

    def items(self, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.json(path)["items"]
        return found

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> Any:
        headers = {"Idempotency-Key": key or secrets.token_hex(8)}
        return self._client.post(_full(path), json.dumps(body or {}), content_type=JSON, headers=headers)

    def patch(self, path: str, body: Any, *, match: str | None = "*") -> Any:
        return self._client.patch(_full(path), json.dumps(body), content_type=JSON, headers=_match(match))

    def delete(self, path: str, *, match: str | None = "*") -> Any:
        return self._client.delete(_full(path), headers=_match(match))


def _full(path: str) -> str:
    return path if path.startswith("/api/") else API + path


def _match(match: str | None) -> dict[str, str]:
    return {} if match is None else {"If-Match": match}


def person(name: str, role: str | None = None, **scope: Any) -> User:
    user = User.objects.create_user(name, password=PASSWORD)
    if role:
        RoleBinding.objects.create(user=user, role=role, **scope)
    return user


@pytest.fixture
def alice(db: None) -> Caller:
    return Caller(person("alice", "admin"))


@pytest.fixture
def bob(db: None) -> Caller:
    return Caller(person("bob", "operator", warehouse="lake", database="db"))


@pytest.fixture
def vera(db: None) -> Caller:
    return Caller(person("vera", "viewer", warehouse="lake", database="db"))


@pytest.fixture
def carol(db: None) -> Caller:
    return Caller(person("carol"))


@pytest.fixture
def nobody(db: None) -> Caller:
    return Caller(None)


@pytest.fixture(scope="session")
def made_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse made once: `db.t` has a key, two buckets, six snapshots, a compaction and a tag."""
    folder = tmp_path_factory.mktemp("lake")
    columns = {"dt": "STRING NOT NULL", "id": "BIGINT NOT NULL", "amount": "INT", "note": "STRING"}
    table = new_table(
        columns, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(folder), bucket="2"
    )
    put(table, *((day, i, i, "first") for day in ("2026-11-19", "2026-11-20") for i in range(8)))
    put(table, *(("2026-11-20", i, i * 2, "second") for i in range(4)))
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    table.tags.create(Tag("v2", snapshot))
    compact(table)
    for commit in range(3):
        put(table, *(("2026-11-20", i, commit, f"later {commit}") for i in range(2, 12)))
    return folder


@pytest.fixture
def lake(made_lake: Path, tmp_path: Path, db: None) -> Warehouse:
    """A copy of that warehouse, registered."""
    folder = tmp_path / "lake"
    shutil.copytree(made_lake, folder)
    return Warehouse.objects.create(name="lake", location=str(folder))


@pytest.fixture
def table(lake: Warehouse) -> Table:
    """`db.t` of the lake, for tests that look behind the API or write beside it."""
    return open_catalog(lake.location).get_table("db.t")


UNREAD = "chain-table.enabled"  # a feature that keeps rows from being read


@pytest.fixture
def unread(tmp_path: Path, db: None) -> str:
    """The address of a table that no release reads rows of."""
    folder = tmp_path / "odd"
    new_table(
        {"id": "INT"}, io=LocalFileIO(), warehouse=str(folder), bucket="-1", chain_table__enabled="true"
    )
    Warehouse.objects.create(name="odd", location=str(folder))
    return "/warehouses/odd/databases/db/tables/t"


@pytest.fixture
def corpus(corpora: Path, db: None) -> Any:
    """Registers a reference warehouse; it is only read."""

    def register(name: str) -> Warehouse:
        return Warehouse.objects.create(name=name, location=str(corpora / name))

    return register
