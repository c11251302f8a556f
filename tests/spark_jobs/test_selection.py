"""Which partitions and buckets a compaction is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidRequestError
from core.io import LocalFileIO
from core.jobs import CompactJob, CompactStrategy
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import files_of, new_table, put


def make_table(folder: Path) -> Table:
    columns = {"dt": "STRING NOT NULL", "id": "INT NOT NULL"}
    table = new_table(
        columns, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(folder), bucket="4"
    )
    for _ in range(2):
        put(table, *[(dt, i) for dt in "abc" for i in range(40)])
    return table


def scope(folder: Path, work: CompactJob) -> set[tuple[str, int]]:
    told: Any = plan_of(folder, work)["plan"]
    return {(task["partition"], task["bucket"]) for task in told["tasks"]}


ALL = {(f"dt={dt}", bucket) for dt in "abc" for bucket in range(4)}


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (CompactJob(), ALL),
        (CompactJob(partitions=({"dt": "a"},)), {one for one in ALL if one[0] == "dt=a"}),
        (CompactJob(where="dt >= 'b'"), {one for one in ALL if one[0] != "dt=a"}),
        (CompactJob(where="dt like 'z%'"), set()),
        (CompactJob(buckets=(0, "2-3")), {one for one in ALL if one[1] != 1}),
        (CompactJob(buckets=("1-1",), where="dt = 'c'"), {("dt=c", 1)}),
        (CompactJob(partition_idle_time="1 ms"), ALL),
        (CompactJob(partition_idle_time="1 d"), set()),
        (CompactJob(partition_idle_time="99999999 d"), set()),
        (CompactJob(partitions=({"dt": "a"},), partition_idle_time="1 d"), set()),
        (CompactJob(CompactStrategy.MINOR), set()),
        (CompactJob(CompactStrategy.MINOR, options={"num-sorted-run.compaction-trigger": "2"}), ALL),
        (CompactJob(CompactStrategy.DELETION_VECTORS), set()),
    ],
)
def test_a_job_takes_what_satisfies_all_that_is_asked(
    made: Path, work: CompactJob, expected: set[tuple[str, int]]
) -> None:
    assert scope(made, work) == expected


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selection")
    make_table(folder)
    return folder


def test_a_bucket_that_there_cannot_be_is_named(made: Path) -> None:
    with pytest.raises(InvalidRequestError) as told:
        plan_of(made, CompactJob(buckets=(0, "2-4")))
    assert told.value.fields["field"] == "buckets[1]"


def test_a_condition_over_other_columns_is_refused(made: Path) -> None:
    with pytest.raises(InvalidRequestError, match="partition columns alone"):
        plan_of(made, CompactJob(where="id > 3"))


def test_where_nothing_is_chosen_nothing_is_started(made: Path) -> None:
    executors = Pickling()
    result = do(made, CompactJob(where="dt = 'z'"), executors=executors)
    assert (executors.phases, result.snapshots) == ([], ())


def test_an_option_that_is_not_for_one_run_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="for its run alone") as told:
        CompactJob(options={"bucket": "2"})
    assert told.value.fields["option"] == "bucket"


def test_the_files_of_a_run_are_written_by_its_options(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    do(tmp_path, CompactJob(options={"target-file-row-num": "7"}))
    assert max(file.row_count for file in files_of(table)) == 7
