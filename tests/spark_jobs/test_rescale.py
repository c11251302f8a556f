"""The rescale job: a task a partition, a snapshot a partition."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import CommitConflictError, InvalidRequestError
from core.io import LocalFileIO
from core.jobs import RescaleJob
from core.maintenance.check import check_table
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import data_paths, new_table, put, rows_of


def make_table(folder: Path) -> Table:
    columns = {"dt": "STRING NOT NULL", "id": "INT NOT NULL"}
    table = new_table(
        columns, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(folder), bucket="2"
    )
    put(table, *[(dt, i) for dt in "ab" for i in range(20)])
    return table


def test_every_partition_gets_its_buckets_from_a_task_of_its_own(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    assert len(plan_of(tmp_path, RescaleJob(3))["plan"]["partitions"]) == 2  # type: ignore[index]
    executors = Pickling()
    result = do(tmp_path, RescaleJob(3), executors=executors)
    assert executors.phases == [("rescale", 2)]
    assert (len(result.snapshots), result.details["verified"]["partitions"]) == (2, ["dt=a", "dt=b"])
    rescaled = table.refreshed()
    assert (len(rows_of(rescaled)), rescaled.schema.options["bucket"]) == (40, "3")
    again = Pickling()
    assert do(tmp_path, RescaleJob(3), executors=again).snapshots == ()
    assert again.phases == []


class Racing(Pickling):
    """Somebody writes to the second partition while the tasks run."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table

    def map(self, run, tasks, phase, unit):  # type: ignore[no-untyped-def]
        made = super().map(run, tasks, phase, unit)
        put(self.table, ("b", 99))
        return made


def test_rows_that_come_meanwhile_are_a_conflict_and_no_file_is_left(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    with pytest.raises(CommitConflictError):
        do(tmp_path, RescaleJob(3), executors=Racing(table))
    assert ("b", 99) in rows_of(table.refreshed())
    live = {e.file.file_name for e in table.manifests.live_entries(table.snapshots.latest()).entries()}
    first = {e.file.file_name for e in table.manifests.live_entries(table.snapshots.get(1)).entries()}
    assert {path.rpartition("/")[2] for path in data_paths(table)} == live | first
    do(tmp_path, RescaleJob(3))
    assert len(rows_of(table.refreshed())) == 41


def is_rescaled(folder: Path, buckets: int) -> bool:
    try:
        do(folder, RescaleJob(buckets), f"to-{buckets}")
    except CommitConflictError:
        return False
    return True


@pytest.mark.slow
def test_a_writer_goes_on_beside_rescales_and_every_row_is_there_once(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    wanted, made = 40, list[tuple[str, int]]()

    def write_on() -> None:
        for number in range(wanted):
            row = ("ab"[number % 2], 100 + number)
            while row not in made:
                with suppress(CommitConflictError, InvalidRequestError):  # other buckets: open the table anew
                    put(table.refreshed(), row, user="writer")
                    made.append(row)

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_on)
        for buckets in (3, 4, 5):
            while len(made) < 5 * buckets and not writer.done():
                time.sleep(0.01)
            while not is_rescaled(tmp_path, buckets):
                pass
        writer.result()
    table = table.refreshed()
    assert rows_of(table) == sorted([*((dt, i) for dt in "ab" for i in range(20)), *made], key=repr)
    assert len(made) == wanted
    assert check_table(table).findings == ()
