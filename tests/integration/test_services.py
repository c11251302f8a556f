"""Every process of docker-compose.yml, and a person who compacts a table and rolls it back by the API."""

from __future__ import annotations

import json
import re
import secrets
import tempfile
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from core import Table, open_catalog
from core.io.open import file_io_for
from core.snapshot import CommitKind
from spark_jobs.java import JavaNotFoundError
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


def test_a_person_signs_in_compacts_and_rolls_back(services: Services, table: Table) -> None:
    link = services.run("migrate", "manage.py", "setup_link").strip()
    path = link.removeprefix(services.address)
    Browser(services.address).fill_in(path, **PERSON, again=PERSON["password"])
    alice = Browser(services.address)
    alice.fill_in("/sign-in", **PERSON, next="/")
    stores = {key: value for key, value in services.s3.items() if "key" not in key}
    keys = {key: value for key, value in services.s3.items() if "key" in key}
    body = {"name": "lake", "location": WAREHOUSE, "options": stores, "credentials": keys}
    assert alice.post("/api/v1/warehouses", body)["state"] == "up"

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
