"""The console as a REST catalog, with pypaimon 2.1.0 as its client: a real server, a real network."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import Table, open_catalog
from tests.interop.peers import DRIVERS, PyPaimon
from tests.interop.rest_server import RestServer, going_wrong

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestServer]:
    with RestServer(tmp_path_factory.mktemp("rest")) as running:
        yield running


class Client:
    """pypaimon with a token."""

    def __init__(self, python: Path, server: RestServer, token: str = "admin") -> None:
        self._python, self._server, self._token = python, server, server.tokens[token]

    def begin(self, do: str, uri: str | None = None, **arguments: Any) -> subprocess.Popen[bytes]:
        asked = {"uri": uri or self._server.uri, "token": self._token, "warehouse": "lake", "do": do}
        process = subprocess.Popen(
            [self._python, DRIVERS / "rest_client21.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(asked | {"with": arguments}).encode())
        process.stdin.close()
        process.stdin = None
        return process

    @staticmethod
    def end(process: subprocess.Popen[bytes]) -> Any:
        output, told = process.communicate()
        assert process.returncode == 0, told.decode()[-4000:]
        return json.loads(output.splitlines()[-1])

    def do(self, do: str, uri: str | None = None, **arguments: Any) -> Any:
        return self.end(self.begin(do, uri, **arguments))


@pytest.fixture
def client(pypaimon: PyPaimon, server: RestServer) -> Client:
    return Client(pypaimon.python, server)


def table_of(server: RestServer, name: str) -> Table:
    """The table as its files tell, past the server."""
    return open_catalog(str(server.warehouse)).get_data_table(name)


def test_a_table_goes_through_all_its_life(client: Client) -> None:
    seen = client.do("life_of_a_table")
    assert "error" not in seen, seen
    first = [["2026-11-21", 1, "first"], ["2026-11-22", 1, "first"]]
    second = [["2026-11-21", 1, "first"], ["2026-11-22", 1, "second"], ["2026-11-22", 2, "second"]]
    branch = [*first, ["2026-11-22", 9, "on the branch"]]
    expected = {
        "databases": ["shop"],
        "tables": ["orders"],
        "empty": [],
        "latest": second,
        "of_the_tag": first,
        "of_the_snapshot": first,
        "tag": 1,
        "tags": ["v1"],
        "loaded": [2, 4, 3],
        "partitions": [["2026-11-21", 1], ["2026-11-22", 3]],
        "branches": ["b"],
        "of_the_branch": branch,
        "of_main": second,
        "rolled_back": first,
        "forwarded": branch,
        "columns": ["day", "id", "note", "more"],
        "renamed": [["sales"], 4],
        "gone": [],
    }
    assert {name: seen[name] for name in expected} == expected
    errors = {"again": "DatabaseAlreadyExist", "twice": "TableAlreadyExist", "missing": "TableNotExist",
              "no_tag": "TagNotExist"}  # fmt: skip
    for step, error in errors.items():
        assert seen[step]["error"] == f"{error}Exception", seen[step]
    assert seen["dropped"][0] == []
    assert seen["dropped"][1]["error"] == "TableNotExistException"
    assert "properties of databases" in seen["property"]["message"]


def test_functions_are_kept_by_the_console(client: Client) -> None:
    seen = client.do("functions")
    assert "error" not in seen, seen
    assert (seen["names"], seen["definitions"], seen["comment"]) == (["plus"], ["flink", "spark"], "adds")
    assert seen["everywhere"] == ["maths.plus"]
    assert seen["gone"]["error"] == "FunctionNotExistException"


def test_two_clients_commit_at_once_and_ids_stay_gapless(client: Client, server: RestServer) -> None:
    client.do("make", name="race.t")
    running = [client.begin("append", name="race.t", writer=writer, times=6) for writer in (1, 2)]
    assert [client.end(process) for process in running] == [None, None]
    table = table_of(server, "race.t")
    assert table.snapshots.ids() == list(range(1, 13))
    assert table.snapshots.hint_report().is_sound
    rows = table.to_arrow().column("id").to_pylist()
    assert sorted(rows) == sorted(1000 * writer + number for writer in (1, 2) for number in range(6))


def test_a_token_that_has_expired_opens_nothing(pypaimon: PyPaimon, server: RestServer) -> None:
    answer = Client(pypaimon.python, server, "expired").do("make", name="never.t")
    assert answer["error"] == "NotAuthorizedException", answer
    assert not (server.warehouse / "never.db").exists()


def test_a_reader_reads_and_does_not_write(client: Client, pypaimon: PyPaimon, server: RestServer) -> None:
    client.do("make", name="read.t", **{"commit.max-retries": "1"})
    client.do("append", name="read.t", writer=1, times=1)
    reader = Client(pypaimon.python, server, "reader")
    assert reader.do("read", name="read.t") == [["2026-11-22", 1000, "writer 1"]]
    # It takes each refusal for an outcome that is not known, and gives up in the end.
    assert reader.do("append", name="read.t", writer=2, times=1)["error"] == "RuntimeError"
    assert reader.do("make", name="read.u")["error"] == "DatabaseNoPermissionException"
    assert table_of(server, "read.t").snapshots.ids() == [1]


@pytest.mark.parametrize("answer_is_lost", [True, False])
def test_a_server_that_dies_in_a_commit_leaves_all_of_it_or_nothing(
    client: Client, server: RestServer, answer_is_lost: bool
) -> None:
    name = f"died.t{int(answer_is_lost)}"
    client.do("make", name=name, **{"commit.max-retries": "2", "commit.timeout": "5 s"})
    client.do("append", name=name, writer=1, times=1)
    with going_wrong(server, answer_is_lost=answer_is_lost) as uri:
        answer = client.do("append", uri, name=name, writer=2, times=1)
    assert "error" in answer
    server.start()
    table = table_of(server, name)
    assert table.snapshots.ids() == ([1, 2] if answer_is_lost else [1])
    client.do("append", name=name, writer=3, times=1)
    expected = [1000, *([2000] if answer_is_lost else []), 3000]
    assert [row[1] for row in client.do("read", name=name)] == expected
    assert table.snapshots.ids() == list(range(1, len(expected) + 1))
