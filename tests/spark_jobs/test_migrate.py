"""The job that takes a folder of parquet files over into a table."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core import open_catalog
from core.errors import AlreadyExistsError, InvalidRequestError, UnsupportedError
from core.jobs import MigrateJob
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import files_of, rows_of

NAME = "sales.events"


def hive_folder(folder: Path) -> Path:
    """Files of the same names in folders of two days and of no day, and what is no data."""
    root = folder / "events"
    for number, day in enumerate(("2026-11-01", "2026-11-02", "__HIVE_DEFAULT_PARTITION__")):
        place = root / f"day={day}" / "region=a%2Fb"
        place.mkdir(parents=True)
        rows = pa.table({"id": pa.array([number, number + 10], pa.int64()), "s": ["x", None]})
        pq.write_table(rows, place / "part-0.parquet")
    (root / "_SUCCESS").touch()
    (root / "day=2026-11-01" / "region=a%2Fb" / ".part-0.parquet.crc").touch()
    return root


def table_in(folder: Path) -> Table:
    return open_catalog(str(folder / "wh")).get_data_table(NAME)


def work_of(root: Path) -> MigrateJob:
    return MigrateJob(str(root), partition_types={"day": "DATE"})


def test_folders_become_partitions_and_every_row_is_there(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    work = work_of(root)
    told = plan_of(tmp_path / "wh", work, table=NAME)["plan"]
    assert isinstance(told, dict)
    assert (told["files"], told["partition_keys"], told["table_is_there"]) == (3, ["day", "region"], False)
    executors = Pickling()
    result = do(tmp_path / "wh", work, table=NAME, executors=executors)
    table = table_in(tmp_path)
    assert table.to_arrow().sort_by("id").to_pylist() == [
        {"id": number, "s": text, "day": day, "region": "a/b"}
        for number, text, day in [
            (0, "x", date(2026, 11, 1)),
            (1, "x", date(2026, 11, 2)),
            (2, "x", None),
            (10, None, date(2026, 11, 1)),
            (11, None, date(2026, 11, 2)),
            (12, None, None),
        ]
    ]
    assert executors.phases == [("migrate", 1)]
    assert (result.metrics["rows"], result.details["verified"]["files_present"]) == (6, 3)
    assert len(list(root.rglob("part-0.parquet"))) == 3, "the folder stays as it is"


def test_statistics_rule_files_out(tmp_path: Path) -> None:
    do(tmp_path / "wh", work_of(hive_folder(tmp_path)), table=NAME)
    table = table_in(tmp_path)
    assert len(table.plan(filter="id = 12").entries) == 1
    assert len(table.plan(filter="day = '2026-11-02'").entries) == 1
    assert len({file.file_name for file in files_of(table)}) == 3


def test_it_is_not_done_twice_and_never_over_another_table(tmp_path: Path) -> None:
    work = work_of(hive_folder(tmp_path))
    first = do(tmp_path / "wh", work, table=NAME)
    assert do(tmp_path / "wh", work, table=NAME).latest == first.latest
    with pytest.raises(AlreadyExistsError):
        do(tmp_path / "wh", work, "j-2", table=NAME)
    assert len(rows_of(table_in(tmp_path))) == 6


class Dying(Pickling):
    def map(self, run, tasks, phase, unit):  # type: ignore[no-untyped-def]
        super().map(run, tasks, phase, unit)
        raise KeyboardInterrupt


def test_an_interrupted_run_is_finished_by_the_next(tmp_path: Path) -> None:
    work = work_of(hive_folder(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        do(tmp_path / "wh", work, table=NAME, executors=Dying())
    assert rows_of(table_in(tmp_path)) == []
    do(tmp_path / "wh", work, table=NAME)
    assert len(rows_of(table_in(tmp_path))) == 6
    assert len(list((tmp_path / "wh").rglob("data-*.parquet"))) == 3, "files keep the names of the first run"


def test_a_file_with_other_columns_is_named_and_nothing_is_committed(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    odd = root / "day=2026-11-02" / "region=a%2Fb" / "part-1.parquet"
    pq.write_table(pa.table({"id": ["text"], "s": ["x"]}), odd)
    with pytest.raises(UnsupportedError) as told:
        do(tmp_path / "wh", work_of(root), table=NAME)
    assert (told.value.fields["feature"], told.value.fields["path"]) == ("column id", str(odd))
    assert table_in(tmp_path).snapshots.latest() is None


def test_a_file_outside_of_the_partitions_is_named(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    pq.write_table(pa.table({"id": [1], "s": ["x"]}), root / "astray.parquet")
    with pytest.raises(InvalidRequestError, match="partition keys"):
        plan_of(tmp_path / "wh", MigrateJob(str(root), ("day", "region")), table=NAME)
