"""The job that takes a folder of data files over into a table."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from core import open_catalog
from core.errors import AlreadyExistsError, FormatError, InvalidRequestError, UnsupportedError
from core.jobs import MigratedFormat, MigrateJob
from core.options import FILE_FORMAT
from core.table import Table
from tests.spark_jobs.jobs import Pickling, do, plan_of
from tests.tables import data_paths, files_of, rows_of

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
    assert executors.phases == [("look at columns", 1), ("migrate", 1)]
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
        done = super().map(run, tasks, phase, unit)
        if phase == "migrate":
            raise KeyboardInterrupt
        return done


def test_an_interrupted_run_is_finished_by_the_next(tmp_path: Path) -> None:
    work = work_of(hive_folder(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        do(tmp_path / "wh", work, table=NAME, executors=Dying())
    assert rows_of(table_in(tmp_path)) == []
    do(tmp_path / "wh", work, table=NAME)
    assert len(rows_of(table_in(tmp_path))) == 6
    assert len(list((tmp_path / "wh").rglob("data-*.parquet"))) == 3, "files keep the names of the first run"


def test_a_file_with_other_columns_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    odd = root / "day=2026-11-02" / "region=a%2Fb" / "part-1.parquet"
    pq.write_table(pa.table({"id": ["text"], "s": ["x"]}), odd)
    with pytest.raises(UnsupportedError) as told:
        do(tmp_path / "wh", work_of(root), table=NAME)
    assert (told.value.fields["feature"], told.value.fields["path"]) == ("column id", str(odd))
    assert not (tmp_path / "wh" / "sales.db").exists()


def test_a_file_that_is_cut_off_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    whole = root / "day=2026-11-02" / "region=a%2Fb" / "part-0.parquet"
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(FormatError, match=str(whole)):
        do(tmp_path / "wh", work_of(root), table=NAME)
    assert not (tmp_path / "wh" / "sales.db").exists()


def test_a_file_damaged_before_its_footer_is_named_and_no_table_is_left(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    whole = root / "day=2026-11-02" / "region=a%2Fb" / "part-0.parquet"
    data = whole.read_bytes()
    whole.write_bytes(data[:4] + b"\xff" * 60 + data[64:])
    with pytest.raises(FormatError, match=str(whole)):
        do(tmp_path / "wh", work_of(root), table=NAME)
    assert not list((tmp_path / "wh").rglob("schema-0"))
    whole.write_bytes(data)
    do(tmp_path / "wh", work_of(root), table=NAME)
    assert len(rows_of(table_in(tmp_path))) == 6


def test_a_folder_that_is_no_value_of_its_key_is_named_by_the_plan(tmp_path: Path) -> None:
    work = MigrateJob(str(hive_folder(tmp_path)), partition_types={"region": "INT"})
    with pytest.raises(InvalidRequestError, match=r"value='a/b', path=.*region=a%2Fb"):
        plan_of(tmp_path / "wh", work, table=NAME)


def test_a_file_outside_of_the_partitions_is_named(tmp_path: Path) -> None:
    root = hive_folder(tmp_path)
    pq.write_table(pa.table({"id": [1], "s": ["x"]}), root / "astray.parquet")
    with pytest.raises(InvalidRequestError, match="partition keys"):
        plan_of(tmp_path / "wh", MigrateJob(str(root), None, ("day", "region")), table=NAME)


SCHEMA = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "seen", "type": ["null", {"type": "long", "logicalType": "local-timestamp-micros"}]},
    ],
}
AT, SEEN = datetime(2026, 11, 22, 18, tzinfo=UTC), datetime(2026, 11, 22, 18, 0, 0, 5)


def write_orc(path: Path) -> None:
    columns = {"id": [1, 2], "at": pa.array([AT, None], pa.timestamp("ns", "UTC"))}
    orc.write_table(pa.table({**columns, "seen": pa.array([SEEN, None], pa.timestamp("ns"))}), path)


def write_avro(path: Path) -> None:
    rows = [{"id": 1, "at": AT, "seen": SEEN}, {"id": 2, "at": None, "seen": None}]
    with path.open("wb") as file:
        fastavro.writer(file, SCHEMA, rows)


@pytest.mark.parametrize("named", [True, False], ids=["by their suffix", "whatever they are called"])
@pytest.mark.parametrize(("kind", "write"), [("orc", write_orc), ("avro", write_avro)])
def test_files_of_other_formats_come_over_as_they_are(tmp_path: Path, kind: str, write, named) -> None:
    place = tmp_path / "events" / "day=2026-11-01"
    place.mkdir(parents=True)
    file = place / (f"part-0.{kind}" if named else "000000_0")
    write(file)
    work = MigrateJob(str(tmp_path / "events"), None if named else MigratedFormat(kind))
    do(tmp_path / "wh", work, table=NAME)
    table = table_in(tmp_path)
    assert table.to_arrow().drop_columns("day").to_pylist() == [
        {"id": 1, "at": AT, "seen": SEEN},
        {"id": 2, "at": None, "seen": None},
    ]
    (path,) = data_paths(table)
    assert Path(path).read_bytes() == file.read_bytes()
    assert len(table.plan(filter="id = 3").entries) == 0, "its statistics rule it out"
    assert str(table.options.get(FILE_FORMAT)) == kind


def test_a_folder_of_several_formats_is_refused(tmp_path: Path) -> None:
    write_orc(tmp_path / "one.orc")
    write_avro(tmp_path / "two.avro")
    with pytest.raises(InvalidRequestError) as told:
        do(tmp_path / "wh", MigrateJob(str(tmp_path)), table=NAME)
    assert (told.value.fields["field"], told.value.fields["found"]) == ("migrate.format", "orc, avro")


def test_what_is_of_another_format_than_was_said_is_named(tmp_path: Path) -> None:
    write_orc(tmp_path / "000000_0")
    with pytest.raises(FormatError) as told:
        do(tmp_path / "wh", MigrateJob(str(tmp_path), MigratedFormat.AVRO), table=NAME)
    assert str(told.value.fields["path"]).endswith("000000_0")
