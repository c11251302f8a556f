"""`lakescope stream`: rows with their kinds, an end, and where another one goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.cli import main
from core.io import LocalFileIO
from core.table import Table
from core.types import RowKind
from tests.tables import new_table, put, remove

COLUMNS = {"k": "INT", "v": "STRING"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Snapshots: 1 inserts 1 and 2, 2 updates 1, 3 deletes 2."""
    table = new_table(COLUMNS, ["k"], io=LocalFileIO(), warehouse=str(tmp_path))
    put(table, (1, "a"), (2, "b"))
    put(table, (1, "c"), kinds=[RowKind.UPDATE_AFTER])
    remove(table, (2, "b"))
    return table


def streamed(capsys: pytest.CaptureFixture[str], table: Table, *arguments: str) -> tuple[list[str], str]:
    """The rows as `kind key value`, and the last line of stderr."""
    assert main(["stream", table.location, "--format", "json", *arguments]) == 0
    captured = capsys.readouterr()
    rows = [json.loads(line) for line in captured.out.splitlines()]
    return [" ".join(map(str, row.values())) for row in rows], captured.err.strip()


def test_changes_come_up_to_a_snapshot(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    rows, position = streamed(capsys, table, "--from", "1", "--until", "2")
    assert rows == ["+I 1 a", "+I 2 b", "+U 1 c"]
    assert position == "lakescope: what follows: --from 3"


def test_another_one_goes_on_where_one_ended(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    rows, position = streamed(capsys, table, "--from", "3", "--until", "now")
    assert (rows, position) == (["-D 2 b"], "lakescope: what follows: --from 4")
    put(table, (9, "z"))
    assert streamed(capsys, table, "--from", "4", "--until", "now")[0] == ["+I 9 z"]


def test_a_table_as_it_stands_comes_first(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    assert streamed(capsys, table, "--until", "now")[0] == ["+U 1 c"]
    assert streamed(capsys, table, "--from", "latest", "--until", "now")[0] == []


def test_a_snapshot_that_was_not_printed_whole_comes_again(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, position = streamed(capsys, table, "--from", "1", "--until", "now", "--limit", "1")
    assert (rows, position) == (["+I 1 a"], "lakescope: what follows: --from 1")


def test_columns_and_a_filter_narrow_it(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--from", "1", "--until", "now", "--columns", "v", "--where", "k = 2")
    assert streamed(capsys, table, *arguments)[0] == ["+I b", "-D b"]


def test_a_consumer_is_remembered_by_the_table(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    loader = ("--option", "consumer-id=loader", "--until", "now")
    streamed(capsys, table, *loader)
    assert table.consumers.get("loader").next_snapshot == 4
    put(table, (9, "z"))
    assert streamed(capsys, table, *loader)[0] == ["+I 9 z"]


def test_the_binlog_is_a_stream_too(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["stream", f"{table.location}$binlog", "--from", "3", "--until", "now", "--format", "csv"]) == 0
    )
    assert capsys.readouterr().out.splitlines() == ["rowkind,k,v", '-D,[2],"[""b""]"']


def test_nothing_still_has_a_head(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--from", "latest", "--until", "now", "--columns", "v", "--format", "csv")
    assert main(["stream", table.location, *arguments]) == 0
    assert capsys.readouterr().out == "rowkind,v\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from", "latest", "--until", "2"], "starts behind its end"),
        (["--from", "nonsense"], "scan.mode"),
        (["--option", "scan.tag-name=t"], "a stream"),
        (["--where", "nope = 1"], "nope"),
        (["--columns", "nope", "--from", "latest"], "nope"),
        (["--columns", "k,k"], "named twice"),
    ],
)
def test_what_makes_no_sense_is_status_2(
    table: Table, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["stream", table.location, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize("system", ["files", "ro"])
def test_other_system_tables_are_no_streams(
    table: Table, capsys: pytest.CaptureFixture[str], system: str
) -> None:
    assert main(["stream", f"{table.location}${system}"]) == 2
    assert "$audit_log and $binlog" in capsys.readouterr().err


# What runs in the background of a shell may have been told to ignore interrupts.
HEARING = """
import signal, runpy
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("core.cli", run_name="__main__", alter_sys=True)
"""


def test_without_an_end_it_waits_until_it_is_interrupted(table: Table) -> None:
    command = [sys.executable, "-c", HEARING, "stream", table.location, "--from", "1", "--format", "json"]
    waits = ["--option", "continuous.discovery-interval=100ms"]
    with subprocess.Popen(
        [*command, *waits],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        ending = threading.Timer(300, run.kill)  # whatever goes wrong, nobody waits for it for ever
        ending.start()
        assert run.stdout is not None
        lines = [run.stdout.readline() for _ in range(4)]
        put(table, (9, "z"))
        lines.append(run.stdout.readline())  # printed while it waits for more
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate()
        ending.cancel()
    assert [json.loads(line)["rowkind"] for line in lines] == ["+I", "+I", "+U", "-D", "+I"]
    assert run.returncode == 130
    assert errors.startswith("lakescope: what follows: --from ")  # 4 or 5: was the last row known to be out?
