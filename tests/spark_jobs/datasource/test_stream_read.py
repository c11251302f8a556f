"""`spark.readStream.format("lakescope")`, as its engine calls it: every offset goes through JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, ReadMinRows

from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.options import ScanMode
from core.table import Table
from core.types import RowKind
from spark_jobs.datasource.stream_read import TableStreamReader
from spark_jobs.failures import TaskError
from spark_jobs.spark_types import arrow_of
from tests.spark_jobs.datasource.direct import local_table, sent, source
from tests.tables import compact, put

COLUMNS = {"k": "INT NOT NULL", "v": "INT"}
ALL = ReadAllAvailable()


class Query:
    """A streaming query: its checkpoint, and a reader that a restart makes anew."""

    def __init__(self, location: str, **options: str) -> None:
        self.location, self.options = location, options
        self.start()
        self.at = self.initial()

    def start(self) -> TableStreamReader:
        """A reader as a (re)started query has it."""
        found = source(self.location, **self.options)
        self.schema = found.schema()
        self.reader = found.streamReader(self.schema)
        return self.reader

    def initial(self) -> dict[str, Any]:
        return self._json(self.reader.initialOffset())

    def end(self, limit: ReadLimit | None = None) -> dict[str, Any]:
        """Where the next batch ends."""
        return self._json(self.reader.latestOffset(self.at, limit or self.reader.getDefaultReadLimit()))

    def batch(self, limit: ReadLimit | None = None) -> list[tuple[Any, ...]] | None:
        """The rows of the next batch; None if there is nothing new."""
        end = self.end(limit)
        if end == self.at:
            return None
        before, self.at = self.at, end
        return self.between(before, end)

    def between(self, start: dict[str, Any], end: dict[str, Any]) -> list[tuple[Any, ...]]:
        parts = [sent(part) for part in self.reader.partitions(start, end)]
        reader = sent(source(self.location, **self.options).streamReader(self.schema))
        batches = [batch for part in parts for batch in reader.read(part)]
        table = pa.Table.from_batches(batches, arrow_of(self.schema))
        return sorted(tuple(row.values()) for row in table.to_pylist())

    @staticmethod
    def _json(offset: dict[str, Any]) -> dict[str, Any]:
        return json.loads(json.dumps(offset))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Snapshots: 1 and 2 add rows, 3 compacts, 4 deletes and updates; the changelog is as written."""
    made = local_table(tmp_path, COLUMNS, ["k"], changelog_producer="input", bucket="1")
    put(made, (1, 10), (2, 20))
    put(made, (3, 30))
    compact(made)
    put(made, (1, 10), (1, 11), (2, 20), kinds=[RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE])
    return made


def test_the_state_is_the_first_batch_and_then_come_the_changes(table: Table) -> None:
    query = Query(table.location)
    began = {"next_snapshot": 5, "full_snapshot": 4, "with_level_zero": True}
    assert query.at == began
    assert query.batch() == [(1, 11), (3, 30)]
    assert query.at == {"next_snapshot": 5, "began": began, "after": table.snapshots.get(4).identity}
    assert query.batch() is None
    put(table, (4, 40))
    assert query.batch() == [(4, 40)]
    assert query.at == {"next_snapshot": 6, "after": table.snapshots.get(5).identity}


def test_changes_have_their_kinds_where_the_audit_log_is_asked_for(table: Table) -> None:
    query = Query(table.location, read__changelog="true", scan__snapshot_id="1")
    changes = [("+I", 1, 10), ("+I", 2, 20), ("+I", 3, 30), ("+U", 1, 11), ("-D", 2, 20), ("-U", 1, 10)]
    assert query.batch() == changes
    again = Query(
        table.location + "$audit_log", columns="k,rowkind", scan__mode="from-snapshot", scan__snapshot_id="4"
    )
    assert again.batch() == [(1, "+U"), (1, "-U"), (2, "-D")]


def test_all_changes_of_a_bucket_are_one_part_in_the_order_of_their_commits(table: Table) -> None:
    query = Query(table.location + "$audit_log", scan__snapshot_id="1")
    parts = query.reader.partitions(query.at, {"next_snapshot": 5})
    (part,) = parts
    told = [row for batch in query.reader.read(part) for row in batch.to_pylist()]
    assert [(row["k"], row["v"]) for row in told] == [(1, 10), (2, 20), (3, 30), (1, 10), (1, 11), (2, 20)]


STATE, CHANGES = [(1, 11), (3, 30)], [(1, 10), (1, 11), (2, 20), (3, 30)]
LATER = "99999999999999"
STARTS: list[tuple[ScanMode, dict[str, str], list[Any]]] = [
    (ScanMode.DEFAULT, {}, STATE),
    (ScanMode.LATEST_FULL, {}, STATE),
    (ScanMode.FULL, {}, STATE),
    (ScanMode.LATEST, {}, []),
    (ScanMode.COMPACTED_FULL, {}, [(1, 10), (2, 20), (3, 30)]),
    (ScanMode.FROM_SNAPSHOT, {"scan__snapshot_id": "2"}, STATE),
    (ScanMode.DEFAULT, {"scan__snapshot_id": "1"}, CHANGES),
    (ScanMode.FROM_SNAPSHOT_FULL, {"scan__snapshot_id": "2"}, [(1, 10), (2, 20), (3, 30)]),
    (ScanMode.FROM_TIMESTAMP, {"scan__timestamp_millis": "1"}, CHANGES),
    (ScanMode.FROM_TIMESTAMP, {"scan__timestamp": "2020-01-01 00:00:00"}, CHANGES),
    (ScanMode.FROM_TIMESTAMP, {"scan__timestamp_millis": LATER}, []),
    (ScanMode.FROM_FILE_CREATION_TIME, {"scan__file_creation_time_millis": "1"}, STATE),
    (ScanMode.FROM_FILE_CREATION_TIME, {"scan__file_creation_time_millis": LATER}, []),
    (ScanMode.FROM_CREATION_TIMESTAMP, {"scan__creation_time_millis": "1"}, STATE),
]
REFUSED = [
    (ScanMode.LATEST_DELTA, {}, "a stream cannot start so"),
    (ScanMode.INCREMENTAL, {"incremental_between": "1,2"}, "a stream cannot start so"),
    (ScanMode.FROM_SNAPSHOT, {"scan__tag_name": "week-1"}, "a stream starts from the id of a snapshot"),
    (ScanMode.FROM_SNAPSHOT, {"scan__watermark": "1"}, "a stream starts from the id of a snapshot"),
]


@pytest.mark.parametrize(("mode", "options", "first"), STARTS)
def test_a_stream_starts_where_its_mode_says(
    mode: ScanMode, options: dict[str, str], first: list[Any], table: Table
) -> None:
    assert Query(table.location, scan__mode=mode.value, **options).batch() == first


@pytest.mark.parametrize(("mode", "options", "said"), REFUSED)
def test_a_start_of_batch_reads_alone_is_refused(
    mode: ScanMode, options: dict[str, str], said: str, table: Table
) -> None:
    with pytest.raises(TaskError, match=said):
        Query(table.location, scan__mode=mode.value, **options)


def test_every_mode_is_started_or_refused() -> None:
    assert {mode for mode, *_ in [*STARTS, *REFUSED]} == set(ScanMode)


@pytest.mark.parametrize(
    ("options", "first"), [({"filter": "v > 20"}, [(3, 30)]), ({"columns": "v"}, [(11,), (30,)])]
)
def test_a_stream_has_the_rows_and_columns_that_are_asked_for(
    options: dict[str, str], first: list[Any], table: Table
) -> None:
    assert Query(table.location, **options).batch() == first


def test_a_repeated_batch_has_the_same_rows_whatever_was_committed_since(table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="1")
    before = query.at
    rows = query.batch()
    put(table, (9, 90))
    query.start()
    assert query.between(before, query.at) == rows
    assert query.batch() == [(9, 90)]


@pytest.mark.parametrize(("mode", "first"), [("latest-full", STATE), ("latest", [(8, 80)]), ("latest", [])])
def test_a_first_batch_begins_where_it_did_however_often_spark_asks(
    mode: str, first: list[Any], table: Table
) -> None:
    """Spark's checkpoint has the end of a batch; the start of the first one it asks for whenever it runs."""
    query = Query(table.location, scan__mode=mode)
    if first == [(8, 80)]:
        put(table, (8, 80))
    assert query.batch() == first
    end = query.at
    put(table, (9, 90))
    for asked in (query, Query(table.location, scan__mode=mode)):
        start = asked.initial()
        assert start != end["began"], "by now a stream would start later"
        assert asked.between(start, end) == first
        asked.at = end
        assert asked.batch() == [(9, 90)]
        assert asked.batch() is None


def test_an_empty_first_batch_stays_empty_when_the_table_gets_its_first_snapshot(tmp_path: Path) -> None:
    """The start is asked for twice, and a slow machine has time for a commit in between."""
    table = local_table(tmp_path, COLUMNS, ["k"])
    query = Query(table.location)
    end = query.end()
    put(table, (1, 10))
    assert query.between(query.initial(), end) == []
    assert query.between(query.initial(), {"next_snapshot": 0}) == [], "as an older checkpoint has it"
    query.at = end
    assert [query.batch(), query.batch(), query.batch()] == [[], [(1, 10)], None]


def test_a_restart_after_the_first_batch_does_not_need_the_state_that_it_began_with(table: Table) -> None:
    """Spark begins with what lies between the last offset of its checkpoint and that same one."""
    query = Query(table.location)
    query.batch()
    put(table, (4, 40))
    put(table, (5, 50))
    later = 10 * (table.snapshots.get(6).time_millis)
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later, retain_min=2))
    assert table.snapshots.ids() == [5, 6]
    query.start()
    assert query.between(query.at, query.at) == []
    assert query.batch() == [(4, 40), (5, 50)]


def test_a_table_without_snapshots_is_waited_for(tmp_path: Path) -> None:
    table = local_table(tmp_path, COLUMNS, ["k"])
    query = Query(table.location)
    assert (query.at, query.batch(), query.batch()) == ({"next_snapshot": 0}, [], None)
    put(table, (1, 10))
    assert query.batch() == []  # it has found where to start
    assert query.batch() == [(1, 10)]


def test_a_limit_ends_a_batch_with_the_snapshot_that_reaches_it(table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="1", read__stream__maxRowsPerTrigger="1")
    assert isinstance(query.reader.getDefaultReadLimit(), ReadMaxRows)
    assert [query.batch(), query.batch(), query.batch(), query.batch()] == [
        [(1, 10), (2, 20)],
        [(3, 30)],
        [(1, 11)],
        None,
    ]


@pytest.mark.parametrize("option", ["read__stream__maxFilesPerTrigger", "read__stream__maxBytesPerTrigger"])
def test_files_and_bytes_can_be_limited_too(option: str, table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="1", **{option: "1"})
    assert query.batch() == [(1, 10), (2, 20)]
    assert query.batch(ALL) == [(1, 11), (3, 30)], "Spark may ask for all, whatever the options say"


def test_a_batch_may_wait_for_enough_rows(table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="2", read__stream__minRowsPerTrigger="5")
    assert isinstance(query.reader.getDefaultReadLimit(), ReadMinRows)
    assert [query.batch(), query.batch()] == [[], None]
    put(table, (4, 40))
    assert query.batch() == [(1, 11), (3, 30), (4, 40)]


def test_available_now_ends_with_what_was_there_when_it_began(table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="1", read__stream__minRowsPerTrigger="99")
    query.reader.prepareForTriggerAvailableNow()
    put(table, (9, 90))
    assert query.batch() == [(1, 10), (1, 11), (2, 20), (3, 30)]
    assert query.batch() is None


def test_a_consumer_keeps_what_spark_has_committed(table: Table) -> None:
    query = Query(table.location, consumer_id="me", consumer__mode="at-least-once")
    query.reader.commit(query.at)
    assert not table.consumers.ids(), "the state is still to be read"
    query.batch()
    query.reader.commit(query.at)
    assert table.consumers.get("me").next_snapshot == 5
    put(table, (4, 40))
    query.batch()
    assert table.consumers.get("me").next_snapshot == 5, "planning a batch is no progress"
    assert Query(table.location, consumer_id="me").batch() == [(4, 40)]


def test_a_batch_that_was_rolled_back_is_an_error(table: Table) -> None:
    query = Query(table.location, scan__snapshot_id="1")
    before = query.at
    query.batch()
    apply_rollback(table, plan_rollback(table, snapshot_id=2))
    query.start()
    with pytest.raises(TaskError, match="rolled back"):
        query.between(before, query.at)


def test_a_table_that_was_rolled_back_and_written_again_is_not_taken_for_what_it_was(table: Table) -> None:
    query = Query(table.location)
    assert query.batch() == STATE
    older = {"next_snapshot": query.at["next_snapshot"]}  # as in a checkpoint of before
    apply_rollback(table, plan_rollback(table, snapshot_id=2))
    for value in (7, 8, 9):
        put(table, (value, 1))  # snapshots 3, 4 and 5: the query has been up to another 4
    for reader in (query.reader, query.start()):
        with pytest.raises(TaskError, match="another one by now"):
            reader.latestOffset(query.at, ALL)
    query.at = older
    assert query.batch() == [(9, 1)]


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ("$snapshots", {}, "audit_log"),
        ("$ro", {}, "audit_log"),
        ("", {"read__stream__maxRowsPerTrigger": "0"}, "above 0"),
        ("", {"read__stream__maxRowsPerTrigger": "1", "read__stream__maxFilesPerTrigger": "1"}, "one limit"),
    ],
)
def test_what_is_no_stream_is_told(path: str, options: dict[str, str], said: str, table: Table) -> None:
    with pytest.raises(TaskError, match=said):
        Query(table.location + path, **options)


@pytest.mark.parametrize(
    "offset",
    [
        {},
        {"next_snapshot": "5"},
        {"next_snapshot": 5, "other": 1},
        {"next_snapshot": 5, "after": 4},
        {"index": 3},
        {"next_snapshot": 5, "began": 4},
    ],
)
def test_an_offset_of_another_source_is_refused(offset: dict[str, Any], table: Table) -> None:
    with pytest.raises(TaskError, match="not an offset"):
        Query(table.location).reader.latestOffset(offset, ALL)
