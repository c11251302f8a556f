"""Jobs that lose their commit: halted when they are about to commit, let go when another writer has."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from core import Table
from core.schema.changes import SetOption
from tests.browser.conftest import WRITER, finished
from tests.browser.facts import Facts
from tests.browser.running import RunningConsole, eventually
from tests.browser.screen import Screen
from tests.tables import compact, put, rows_of

MANY = "append.part_multi_avro"  # its compaction has 18 tasks: the first has written long before the last
KEYED = "pk.fixed_parquet"
TRIES = 5  # a job may be faster than the look for its files


def _data_files(folder: str) -> set[str]:
    return {path.name for path in Path(folder).glob("**/data-*")}


@contextmanager
def _halted(console: RunningConsole, wrote: Callable[[], bool]) -> Iterator[int]:
    """Meanwhile the driver of the running job stands still, from the moment that it has written something."""

    def drivers() -> list[int]:
        return [pid for pid, command in console.children().items() if "spark_jobs compact" in command]

    eventually(lambda: bool(drivers()), within=300, what="the job's driver", of=console)
    group = os.getpgid(drivers()[0])
    while not wrote():
        os.killpg(group, 0)  # fails once it has ended
        time.sleep(0.001)
    os.killpg(group, signal.SIGSTOP)
    try:
        yield group
    finally:
        os.killpg(group, signal.SIGCONT)


def _step_until(group: int, wrote: Callable[[], bool]) -> None:
    """Let it go on by slices that are shorter than what it does between two files."""
    while not wrote():
        os.killpg(group, signal.SIGCONT)
        time.sleep(0.0005)
        os.killpg(group, signal.SIGSTOP)


def _start_compaction(screen: Screen, name: str) -> None:
    screen.open(f"/w/{WRITER}/{name.replace('.', '/')}/actions/compact")
    screen.page.get_by_label("Strategy").select_option("full")
    screen.page.get_by_role("button", name="Compute the plan").click()
    screen.main.get_by_role("button", name="Compact", exact=True).click()
    screen.page.wait_for_url(re.compile("/jobs/j-"))


def test_a_job_whose_files_another_writer_had_first_says_who_what_and_what_to_do(
    lake: Facts, screen: Screen, console: RunningConsole
) -> None:
    table = lake.table(MANY)
    base = table.snapshots.latest()
    assert base is not None
    before = _data_files(table.location)
    _start_compaction(screen, MANY)
    with _halted(console, lambda: not _data_files(table.location) <= before):
        (winner,) = compact(table, user="flink-a")
    assert "failed" in finished(screen)
    eaten = {entry.file.file_name for entry in table.manifests.delta_entries(winner).deletes().entries()}
    assert screen.fact("planned on") == f"#{base.reference}"
    assert screen.fact("the commit that won").startswith(f"#{winner.reference}")
    assert screen.fact("commit user") == "flink-a"
    file = screen.main.locator("dt").filter(has_text="first file in both").locator("+ dd [data-id]")
    assert file.get_attribute("data-id") in eaten
    assert "write-only = true" in screen.text
    assert "check=" not in screen.text  # no names of fields of errors
    screen.follow(f"#{winner.reference}")
    assert "flink-a" in screen.text


def _take_the_id_of_a_compaction(table: Table, screen: Screen, console: RunningConsole) -> str:
    """Commit between its first manifest and its snapshot; the snapshot that it was planned on."""
    put(table, rows_of(table)[0], user="flink-b")  # there is something to compact
    base = table.snapshots.latest()
    assert base is not None
    files, manifests = _data_files(table.location), os.listdir(f"{table.location}/manifest")
    _start_compaction(screen, KEYED)
    with _halted(console, lambda: not _data_files(table.location) <= files) as group:
        _step_until(group, lambda: len(os.listdir(f"{table.location}/manifest")) > len(manifests))
        put(table, rows_of(table)[0], user="flink-b")
    return base.reference


def test_a_job_whose_snapshot_id_was_taken_says_how_often_it_tried(
    lake: Facts, screen: Screen, console: RunningConsole
) -> None:
    lake.table(KEYED).schemas.commit_changes([SetOption("commit.max-retries", "0")], has_snapshots=True)
    for _ in range(TRIES):
        base = _take_the_id_of_a_compaction(lake.table(KEYED), screen, console)
        if "failed" in finished(screen):
            break
    assert screen.fact("planned on") == f"#{base}"
    expect(screen.main).to_contain_text("Snapshot id taken: other commits were faster 1 time.")
    expect(screen.main).to_contain_text("raise commit.max-retries")
