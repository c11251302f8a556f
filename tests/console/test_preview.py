"""`T/preview`: some rows, exactly, within limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from console.api.errors import Problem
from console.queries import reader
from console.queries.pool import Reader, ReaderPool
from console.queries.reader import value_of
from core import Table
from tests.console.conftest import TABLE, UNREAD, Caller


def preview(who: Caller, **asked: Any) -> Any:
    return who.post(f"{TABLE}/preview", asked)


def test_rows_are_those_that_core_reads(bob: Caller, table: Table) -> None:
    view = preview(bob, limit=1000).json()
    expected = table.to_arrow().to_pylist()
    names = [column["name"] for column in view["columns"]]
    shown = [dict(zip(names, row, strict=True)) for row in view["rows"]]
    assert sorted(map(str, shown)) == sorted(map(str, expected))
    assert not view["truncated"]


def test_one_file_is_shown_as_it_stands_in_it(bob: Caller, table: Table) -> None:
    """Rows of all versions of a key, with sequence numbers and kinds; the files together hold every row."""
    files = bob.items(f"{TABLE}/files")
    views = [preview(bob, file=file["name"], limit=1000).json() for file in files]
    names = [column["name"] for column in views[0]["columns"]]
    assert names[:4] == ["_POSITION", "_DELETED", "_SEQUENCE_NUMBER", "_VALUE_KIND"]
    assert [len(view["rows"]) for view in views] == [file["rows"] for file in files]
    assert [row[0] for row in views[0]["rows"]] == list(range(len(views[0]["rows"])))


def test_a_file_is_of_the_metadata_and_has_all_columns(bob: Caller, vera: Caller, table: Table) -> None:
    (name, *_) = [file["name"] for file in bob.items(f"{TABLE}/files")]
    for file in ("../../../etc/passwd", "no-such.parquet"):
        assert preview(bob, file=file).json()["code"] == "not-found"
    assert preview(bob, file=name, filter="id = 1").json()["errors"][0]["pointer"] == "/file"
    assert preview(vera, file=name).status_code == 403


def test_columns_filter_limit_and_snapshot_are_kept(bob: Caller, table: Table) -> None:
    view = preview(bob, columns=["id"], filter="dt = '2026-11-20' AND id < 3", limit=2, at="1").json()
    assert [column["name"] for column in view["columns"]] == ["id"]
    assert (len(view["rows"]), view["truncated"]) == (2, True)
    assert view["as_of"] == table.snapshots.get(1).reference


@pytest.mark.parametrize(
    ("asked", "pointer", "said"),
    [
        ({"filter": "dt = = 5"}, "/filter", "="),
        ({"filter": "colour = 'red'"}, "/filter", "colour"),
        ({"filter": "id = 'seven'"}, "/filter", "seven"),
        ({"columns": ["colour"]}, "/columns", "colour"),
        ({"limit": 0}, "/limit", "1"),
    ],
)
def test_a_mistake_is_told_where_it_is(
    asked: dict[str, Any], pointer: str, said: str, bob: Caller, table: Table
) -> None:
    problem = preview(bob, **asked).json()
    assert problem["code"] == "validation-failed"
    (error,) = problem["errors"]
    assert error["pointer"] == pointer
    assert said in error["detail"]


def test_a_table_that_is_not_read_is_refused_by_name(alice: Caller, unread: str) -> None:
    problem = alice.post(f"{unread}/preview", {}).json()
    assert problem["code"] == "unsupported-format-version"
    assert problem["fields"]["feature"] == UNREAD


# --- the processes --------------------------------------------------------------------------------
def request(table: Table, **changed: Any) -> dict[str, Any]:
    catalog = {"warehouse": table.location.rpartition("/db.db/")[0]}
    asked = {"catalog": catalog, "table": "db.t", "snapshot": None, "schema": None}
    return {**asked, "columns": None, "filter": None, "limit": 1, **changed}


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    pool = ReaderPool(1)
    yield pool
    pool.close()


def test_a_process_is_used_again(pool: ReaderPool, table: Table) -> None:
    pids = set()
    for _ in range(2):
        assert len(pool.ask(request(table))["rows"]) == 1
        pids |= {idle.pid for idle in pool._idle}
    assert len(pids) == 1


def test_a_process_does_not_count_what_the_one_that_started_it_holds() -> None:
    held = b"\x01" * (600 * 1024 * 1024)
    program = "from console.queries.reader import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < len(held)


def test_a_process_that_takes_too_long_is_ended(pool: ReaderPool, table: Table) -> None:
    with pytest.raises(Problem, match="timeout"):
        pool.ask(request(table), seconds=0)
    assert pool._idle == []


def test_a_process_that_was_killed_while_idle_is_replaced(pool: ReaderPool, table: Table) -> None:
    pool.ask(request(table))
    (idle,) = pool._idle
    os.kill(idle.pid, signal.SIGKILL)
    os.waitid(os.P_PID, idle.pid, os.WEXITED | os.WNOWAIT)
    assert len(pool.ask(request(table))["rows"]) == 1


@pytest.mark.parametrize(("end", "code"), [(signal.SIGSEGV, "object-damaged"), (signal.SIGKILL, "too-large")])
def test_a_process_that_ends_while_it_reads_is_told(
    pool: ReaderPool, table: Table, monkeypatch: pytest.MonkeyPatch, end: signal.Signals, code: str
) -> None:
    pool.ask(request(table))
    answer = Reader.ask

    def ends(reader: Reader, *asked: Any) -> dict[str, Any]:
        os.kill(reader.pid, end)
        return answer(reader, *asked)

    monkeypatch.setattr(Reader, "ask", ends)
    with pytest.raises(Problem) as problem:
        pool.ask(request(table))
    assert problem.value.code == code


def test_a_process_that_runs_out_of_memory_is_not_used_again(
    pool: ReaderPool, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.ask(request(table))
    monkeypatch.setattr(Reader, "ask", lambda *asked: {"limit": "4 GiB of memory", "spent": False})
    assert "limit" in pool.ask(request(table))
    assert pool._idle == []


def test_the_end_of_the_web_process_ends_its_readers() -> None:
    alone = Reader()
    assert alone._process.stdin is not None
    alone._process.stdin.close()  # what the system does with the pipes of a process that is gone
    assert alone._process.wait(300) == 0
    alone.stop()


def test_what_nobody_foresaw_does_not_end_the_process() -> None:
    assert "KeyError" in reader.answer_to({})["failure"]


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_OUTPUT", 10)
    assert "limit" in json.loads(reader._text({"rows": [["some text"]], "spent": False}))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53 - 1, 2**53 - 1),
        (2**53, str(2**53)),
        (float("nan"), "nan"),
        (Decimal("1.50"), "1.50"),
        (b"\x00\xff", "00ff"),
        (date(2026, 11, 20), "2026-11-20"),
        (datetime(2026, 11, 20, tzinfo=UTC), "2026-11-20T00:00:00+00:00"),
        ({"a": [None, 2**60]}, {"a": [None, str(2**60)]}),
        (True, True),
    ],
)
def test_values_are_exact_in_json(value: Any, shown: Any) -> None:
    assert value_of(value) == shown
