"""Every process of docker-compose.yml, PostgreSQL too: a person who compacts a table and rolls it back by the
API, and clients who ask for the same thing at once."""

from __future__ import annotations

import json
import re
import secrets
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from core import Table, open_catalog
from core.catalog import Catalog
from core.catalog.views import ViewSchema
from core.errors import PaimonError
from core.io.open import file_io_for
from core.snapshot import CommitKind
from spark_jobs.java import JavaNotFoundError
from tests.builders import fields
from tests.integration.services import MissingProgramError, Services
from tests.interop.errors import PeerUnavailableError
from tests.spark_jobs.cluster.processes import PATIENCE, until
from tests.tables import new_table, put, rows_of

pytestmark = pytest.mark.spark

PERSON = {"username": "alice", "password": "long enough a phrase"}
WAREHOUSE = "s3://lake/warehouse"
T = "/api/v1/warehouses/lake/databases/db/tables/t"
ROWS = [(k, f"second-{k}") for k in range(50)]


class Browser:
    """A person's session with the console."""

    def __init__(self, address: str) -> None:
        self._address, self._cookies = address, CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._cookies))

    def fill_in(self, path: str, **fields: str) -> str:
        """Send a page's form; the page that follows."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self._open(path))
        assert token is not None
        return self._open(path, urlencode({**fields, "csrfmiddlewaretoken": token[1]}).encode())

    def get(self, path: str) -> Any:
        return json.loads(self._open(path))

    def post(self, path: str, body: object) -> Any:
        token = next(cookie.value for cookie in self._cookies if cookie.name == "csrftoken")
        headers = {"Content-Type": "application/json", "X-CSRFToken": str(token)}
        headers["Idempotency-Key"] = secrets.token_hex(8)
        return json.loads(self._open(path, json.dumps(body).encode(), headers))

    def run(self, kind: str, params: dict[str, object]) -> dict[str, Any]:
        """Plan, confirm as one is asked to, and wait for the job; the job as it ended."""
        plan = self.post(f"{T}/plans", {"kind": kind, "params": params})
        confirmed = {"plan_id": plan["id"], "confirmation": plan["confirmation"] or "", "reason": "a test"}
        job = self.post("/api/v1/jobs", confirmed)["id"]
        until(lambda: self.get(f"/api/v1/jobs/{job}")["ended_at"], f"the end of the {kind}")
        ended: dict[str, Any] = self.get(f"/api/v1/jobs/{job}")
        return ended

    def _open(self, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> str:
        request = Request(self._address + path, data, headers or {})
        try:
            with self._opener.open(request, timeout=PATIENCE) as reply:
                return str(reply.read().decode())
        except HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()[:2000]}") from error


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    """All services; skips where PostgreSQL, SeaweedFS or Java is missing."""
    with tempfile.TemporaryDirectory(prefix="lakescope-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user
        started = Services(Path(folder))
        try:
            started.start()
            yield started
        except (MissingProgramError, PeerUnavailableError, JavaNotFoundError) as error:
            pytest.skip(str(error))
        finally:
            started.stop()


@pytest.fixture(scope="module")
def table(services: Services) -> Table:
    """A table on the object store, of two commits."""
    io = file_io_for(WAREHOUSE, services.s3)

    def is_ready() -> bool:
        try:
            io.write("s3://lake/ready", b"")
        except Exception:
            return False
        return True

    until(is_ready, "the object store")
    made = new_table({"k": "BIGINT NOT NULL", "v": "STRING"}, ["k"], io=io, warehouse=WAREHOUSE, bucket="2")
    put(made, *((k, f"first-{k}") for k, _ in ROWS))
    put(made, *ROWS)
    return made


@pytest.fixture(scope="module")
def alice(services: Services, table: Table) -> Browser:
    """The first person, signed in, who has registered the warehouse."""
    link = services.run("migrate", "manage.py", "setup_link").strip()
    path = link.removeprefix(services.address)
    Browser(services.address).fill_in(path, **PERSON, again=PERSON["password"])
    alice = Browser(services.address)
    alice.fill_in("/sign-in", **PERSON, next="/")
    stores = {key: value for key, value in services.s3.items() if "key" not in key}
    keys = {key: value for key, value in services.s3.items() if "key" in key}
    body = {"name": "lake", "location": WAREHOUSE, "options": stores, "credentials": keys}
    assert alice.post("/api/v1/warehouses", body)["state"] == "up"
    return alice


@pytest.fixture(scope="module")
def catalog(services: Services, alice: Browser) -> Catalog:
    """The warehouse as other engines have it, through the console."""
    scopes = alice.get("/api/v1/me")["permissions"]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = alice.post("/api/v1/tokens", {"name": "engines", "scopes": scopes, "expires_at": tomorrow})
    given = {"metastore": "rest", "uri": services.address, "warehouse": "lake", "token.provider": "bear"}
    return open_catalog({**given, "token": made["token"], **services.s3})


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What calls that begin together return, or the errors that end them."""
    start = Barrier(len(calls))

    def made(call: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return call()
        except (AssertionError, PaimonError) as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(made, calls))


def test_of_runs_of_a_view_that_one_person_asks_for_at_once_the_database_takes_one(
    alice: Browser, catalog: Catalog
) -> None:
    catalog.create_view("db.v", ViewSchema(fields(k="BIGINT"), "SELECT k FROM t"))
    asked = partial(alice.post, "/api/v1/warehouses/lake/databases/db/views/v/runs", {"limit": 5})
    told = at_once(*[asked] * 6)
    (run,) = (one for one in told if isinstance(one, dict))
    assert all("409" in str(one) and run["id"] in str(one) for one in told if one is not run)
    alice.post(f"/api/v1/jobs/{run['id']}/cancel", {})
    until(lambda: alice.get(f"/api/v1/jobs/{run['id']}")["ended_at"], "the end of the run")
    catalog.drop_view("db.v")


def test_commits_of_two_clients_at_once_are_decided_on_the_server(catalog: Catalog) -> None:
    made = catalog.create_table("db.both", fields(k="INT"), options={"bucket": "-1"})
    tables = [catalog.get_data_table("db.both") for _ in range(2)]

    def commits(number: int) -> None:
        for turn in range(4):
            put(tables[number], (number * 10 + turn,), user=f"client {number}")

    assert at_once(partial(commits, 0), partial(commits, 1)) == [None, None]
    assert made.snapshots.ids() == list(range(1, 9))
    assert sorted(rows_of(made)) == [(k,) for k in (0, 1, 2, 3, 10, 11, 12, 13)]
    catalog.drop_table("db.both")


def test_a_person_compacts_and_rolls_back(services: Services, alice: Browser) -> None:
    compacted = alice.run("compact", {})
    assert compacted["state"] == "succeeded", (compacted, services.log_of("worker")[-3000:])
    here = open_catalog({"warehouse": WAREHOUSE, **services.s3}).get_data_table("db.t")
    assert here.snapshots.latest().commit_kind is CommitKind.COMPACT
    assert sorted(rows_of(here)) == ROWS
    assert compacted["engine"]["name"] == "spark"

    first = here.snapshots.get(1).reference
    rolled = alice.run("rollback", {"to": {"snapshot": first}})
    assert rolled["state"] == "succeeded", rolled
    assert here.refreshed().snapshots.latest_id() == 1
