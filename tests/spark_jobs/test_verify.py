"""The verify job: it fails exactly where something is missing or damaged."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from core.errors import FormatError
from core.io import LocalFileIO
from core.jobs import Depth, Log, VerifyJob
from core.table import Table
from spark_jobs.jobs import verify
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import Pickling, do
from tests.tables import data_paths, new_table, put


def make_table(folder: Path) -> Table:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], io=LocalFileIO(), warehouse=str(folder))
    for i in range(3):
        put(table, *[(k, f"value {k} of {i}") for k in range(i, i + 50)])
    return table


@pytest.mark.parametrize(("depth", "tasks"), [("metadata", []), ("files", []), ("rows", [("read", 1)])])
def test_a_whole_table_is_found_whole(tmp_path: Path, depth: str, tasks: list[tuple[str, int]]) -> None:
    make_table(tmp_path)
    executors = Pickling()
    result = do(tmp_path, VerifyJob(Depth(depth)), executors=executors)
    assert (result.details["verified"]["errors"], executors.phases) == (0, tasks)
    assert result.metrics["rows_read"] == (150 if depth == "rows" else 0)


def damage_last_column(path: str) -> None:
    pages = pq.ParquetFile(path).metadata.row_group(0).column(4)
    data = bytearray(Path(path).read_bytes())
    start = pages.dictionary_page_offset or pages.data_page_offset
    data[start : start + pages.total_compressed_size] = b"\xff" * pages.total_compressed_size
    Path(path).write_bytes(data)


def test_a_damaged_page_is_found_by_reading_rows_alone(tmp_path: Path, reporter: Recorded) -> None:
    table = make_table(tmp_path)
    path = min(data_paths(table))
    damage_last_column(path)
    assert do(tmp_path, VerifyJob(Depth.FILES)).metrics["errors"] == 0
    with pytest.raises(FormatError, match="damaged"):
        do(tmp_path, VerifyJob(Depth.ROWS), reporter=reporter)
    told = [line.message for line in reporter.lines if isinstance(line, Log) and line.level == "error"]
    assert any(path.rpartition("/")[2] in message for message in told)


@pytest.mark.parametrize("depth", Depth)
def test_a_missing_file_is_found_at_every_depth(tmp_path: Path, depth: Depth) -> None:
    table = make_table(tmp_path)
    path = min(data_paths(table))
    table.io.delete(path)
    with pytest.raises(FormatError) as told:
        do(tmp_path, VerifyJob(depth))
    assert path.endswith(str(told.value.fields["path"]))


def test_the_ends_of_many_files_are_looked_at_by_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table(tmp_path)
    monkeypatch.setattr(verify, "_ENDS", 2)
    executors = Pickling()
    assert do(tmp_path, VerifyJob(Depth.FILES), executors=executors).metrics["errors"] == 0
    assert executors.phases == [("look", 2)]
    for path in data_paths(table):
        with Path(path).open("r+b") as file:
            file.write(b"NOPE")
    with pytest.raises(FormatError) as told:
        do(tmp_path, VerifyJob(Depth.FILES), executors=executors)
    assert told.value.fields["errors"] == 3


def test_rows_are_read_by_tasks_of_equal_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_table(tmp_path)
    monkeypatch.setattr(verify, "_BATCH_FILES", 2)
    executors = Pickling()
    assert do(tmp_path, VerifyJob(Depth.ROWS), executors=executors).metrics["rows_read"] == 150
    assert executors.phases == [("read", 2)]
