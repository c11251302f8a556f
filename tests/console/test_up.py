"""`manage.py up`: the whole console as people start it, with a real broker, worker and web server."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from console.supervisor import Service, StartError, Supervisor, is_free
from core import open_catalog
from tests.ports import free_port
from tests.tables import put

PATIENCE = 300  # seconds, on a machine that is busy with much else
ROOT = Path(__file__).parents[2]
T = "/api/v1/warehouses/lake/databases/db/tables/t"


class Console:
    """A console that runs as a process of its own, and an administrator's browser."""

    def __init__(self, folder: Path, lake: Path) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.lake = lake
        self._output = folder.parent / "up.log"
        self._browser = build_opener(HTTPCookieProcessor(CookieJar()))
        self.start()

    def start(self) -> None:
        environment = {
            **os.environ,
            "LAKESCOPE_JOB_MODULE": "tests.console.engine",
            "LAKESCOPE_LOG_LEVEL": "INFO",
        }
        for name in (
            "LAKESCOPE_DATA",
            "DJANGO_SETTINGS_MODULE",
            "LAKESCOPE_PUBLIC_URL",
            "REDIS_URL",
            "DATABASE_URL",
        ):
            environment.pop(name, None)
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), "--data", str(self.folder),
                   "--no-demo", "--warehouse", str(self.lake)]  # fmt: skip
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        wait(lambda: self.answers("/readyz"))

    @property
    def output(self) -> str:
        return self._output.read_text()

    def answers(self, path: str) -> bool:
        try:
            return bool(self.open(path)[0] == 200)
        except OSError:
            assert self.process.poll() is None, self.output
            return False

    def set_up(self) -> None:
        """Use the printed link, as the administrator does."""
        path = wait(lambda: re.search(r"/setup/\S+", self.output))[0]
        page = self.open(path)[1]
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token is not None
        form = {"username": "alice", "password": "long enough a phrase", "again": "long enough a phrase"}
        self._csrf = token[1]
        self.open(path, urlencode({**form, "csrfmiddlewaretoken": token[1]}).encode())

    def open(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str]:
        request = Request(self.address + path, data, headers)
        try:
            with self._browser.open(request, timeout=120) as reply:
                return reply.status, reply.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def get(self, path: str) -> Any:
        status, body = self.open(path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path: str, body: Any) -> Any:
        cookies = next(h for h in self._browser.handlers if isinstance(h, HTTPCookieProcessor)).cookiejar
        csrf = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
        headers = {"Content-Type": "application/json", "X-CSRFToken": csrf or "",
                   "Idempotency-Key": secrets.token_hex(8)}  # fmt: skip
        status, text = self.open(path, json.dumps(body).encode(), **headers)
        assert status < 300, text
        return json.loads(text)

    def start_compaction(self) -> str:
        plan = self.post(f"{T}/plans", {"kind": "compact", "params": {}})
        job: str = self.post("/api/v1/jobs", {"plan_id": plan["id"]})["id"]
        return job

    def children(self, word: str) -> list[int]:
        """The processes of this console whose command holds a word."""
        shown = subprocess.run(
            ["ps", "-eww", "-o", "pid=,ppid=,command="], capture_output=True, text=True, check=True
        )
        rows = [line.split(None, 2) for line in shown.stdout.splitlines()]
        return [
            int(pid) for pid, parent, command in rows if parent == str(self.process.pid) and word in command
        ]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def engines(folder: Path) -> list[int]:
    """The processes of jobs whose files lie in a folder."""
    shown = subprocess.run(["ps", "-eww", "-o", "pid=,command="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 1) for line in shown.stdout.splitlines()]
    return [int(pid) for pid, command in rows if f"{folder}/jobs/" in command]


def wait(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def console(made_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("console")
    shutil.copytree(made_lake, folder / "lake")
    running = Console(folder / "data", folder / "lake")
    running.set_up()
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.mark.slow
def test_a_job_runs_from_plan_to_snapshot(console: Console) -> None:
    job = console.start_compaction()
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{job}"))["ended_at"] and found)
    assert view["state"] == "succeeded", view
    latest = open_catalog(str(console.lake)).get_table("db.t").snapshots.latest()
    assert latest is not None
    assert view["result"]["snapshots"] == [latest.reference]
    assert console.get(f"{T}/snapshots/{latest.id}")["job"] == job


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_job_ends_truly(console: Console) -> None:
    table = open_catalog(str(console.lake)).get_table("db.t")
    latest = table.snapshots.latest()
    assert latest is not None
    (console.lake.parent / "engine").write_text("hang")
    put(table, *(("2026-11-20", i, 0, "again") for i in range(5)))
    job = console.start_compaction()
    wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] == "running")
    (worker,) = console.children("celery")
    os.killpg(worker, signal.SIGKILL)
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{job}"))["ended_at"] and found)
    assert (view["state"], view["result"]["snapshots"]) == ("failed", [])
    assert "lost" in [phase["state"] for phase in view["phases"]]
    assert console.get(T)["active_job"] is None


@pytest.mark.slow
def test_a_killed_broker_is_replaced_and_loses_no_job(console: Console) -> None:
    """One job runs when Valkey dies, the other is queued: the first can be cancelled, the second succeeds."""
    put(open_catalog(str(console.lake)).get_table("db.t"), *(("2026-11-20", i, 1, "more") for i in range(5)))
    (console.lake.parent / "engine").write_text("hang")
    first = console.start_compaction()
    wait(lambda: console.get(f"/api/v1/jobs/{first}")["state"] == "running")
    (broker,) = console.children("valkey")
    os.kill(broker, signal.SIGKILL)
    wait(lambda: console.children("valkey") not in ([], [broker]))
    assert console.get(f"/api/v1/jobs/{first}")["state"] == "running"
    console.post(f"/api/v1/jobs/{first}/cancel", {})
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{first}"))["ended_at"] and found)
    assert (view["state"], view["result"]["snapshots"]) == ("cancelled", [])
    (console.lake.parent / "engine").write_text("well")
    (broker,) = console.children("valkey")
    os.kill(broker, signal.SIGKILL)
    second = console.start_compaction()
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{second}"))["ended_at"] and found)
    assert view["state"] == "succeeded", view


@pytest.mark.slow
def test_a_web_server_that_dies_comes_back(console: Console) -> None:
    (server,) = console.children("gunicorn")
    os.kill(server, signal.SIGKILL)
    wait(lambda: console.children("gunicorn") not in ([], [server]))
    wait(lambda: console.answers("/readyz"))


@pytest.mark.slow
def test_ctrl_c_stops_everything(console: Console) -> None:
    """The services, and the engine of a job that runs."""
    put(open_catalog(str(console.lake)).get_table("db.t"), *(("2026-11-20", i, 2, "last") for i in range(5)))
    (console.lake.parent / "engine").write_text("hang")
    job = console.start_compaction()
    wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] == "running")
    children = [*console.children("celery"), *console.children("gunicorn"), *console.children("valkey")]
    assert len(children) == 3
    assert len(engines(console.folder)) == 1
    assert console.stop() == 0
    assert not engines(console.folder)
    assert is_free("127.0.0.1", console.port)
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


# --- the supervisor alone -------------------------------------------------------------------------
def test_a_service_that_ends_at_its_start_stops_the_others() -> None:
    good = Service("good", ["sleep", "60"], lambda: True)
    bad = Service("bad", ["false"], lambda: False)
    with pytest.raises(StartError, match="bad"):
        Supervisor([good, bad], lambda text: None).run(lambda: None)
    assert good.has_ended
