"""Streams: where they start, what they follow, what they remember. Spec: 09, 6 and 7."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from core.commit import TableCommit
from core.errors import InvalidRequestError, NotFoundError
from core.schema.changes import AddColumn, DropColumn, RenameColumn, UpdateColumnType
from core.snapshot import Consumer, Tag
from core.stream import Clock, TableStream
from core.system import open_system_table
from core.system.audit_log import AuditLog
from core.table import Table
from core.types import RowKind, parse_type
from tests.tables import USER, compact, new_table, prepare, put, remove

COLUMNS = {"k": "INT", "v": "INT"}


class Never:
    """A clock at noon that does not wait; a test that sleeps fails."""

    def __init__(self, millis: int = 32503680000000) -> None:
        self.clock = Clock(lambda: millis, self._sleep)

    def _sleep(self, seconds: float) -> None:
        raise AssertionError(f"slept {seconds} seconds")


NEVER = Never().clock


def told(batches: Iterable[pa.RecordBatch]) -> list[Any]:
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def three(**options: str) -> Table:
    """Snapshots: 1 inserts 1 and 2, 2 updates 1, 3 compacts, 4 deletes 2."""
    table = new_table(COLUMNS, ["k"], **options)
    put(table, (1, 10), (2, 20))
    put(table, (1, 11), kinds=[RowKind.UPDATE_AFTER])
    compact(table)
    remove(table, (2, 20))
    return table


FIRST = [("+I", 1, 10), ("+I", 2, 20)]
UPDATE = [("+U", 1, 11)]
GONE = [("-D", 2, 20)]


def available(table: Table, **options: str) -> list[Any]:
    spelled = {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}
    return told(table.with_options(spelled).stream(clock=NEVER).read_available())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("+U", 1, 11)]),
        ({"scan__mode": "latest"}, []),
        ({"scan__mode": "compacted-full"}, [("+I", 1, 11), ("+I", 2, 20), *GONE]),  # no merge, no kinds
        ({"scan__snapshot_id": "1"}, FIRST + UPDATE + GONE),
        ({"scan__snapshot_id": "2"}, UPDATE + GONE),
        ({"scan__mode": "from-snapshot-full", "scan__snapshot_id": "1"}, FIRST + UPDATE + GONE),
        ({"scan__timestamp_millis": "0"}, FIRST + UPDATE + GONE),
        ({"scan__timestamp_millis": "32503680000000"}, []),
        ({"scan__file_creation_time_millis": "0"}, [("+U", 1, 11)]),
        ({"scan__creation_time_millis": "32503680000000"}, []),
    ],
)
def test_each_start_reads_its_rows_and_what_follows(options: dict[str, str], expected: list[Any]) -> None:
    assert available(three(), **options) == expected


@pytest.mark.parametrize(
    "options",
    [
        {"scan__tag_name": "t"},
        {"scan__watermark": "1"},
        {"scan__version": "1"},
        {"incremental_between": "1,2"},
        {"scan__mode": "latest-delta"},
    ],
)
def test_starts_of_batch_reads_are_refused(options: dict[str, str]) -> None:
    table = three()
    table.tags.create(Tag("t", table.snapshots.get(1)))
    with pytest.raises(InvalidRequestError, match="a stream"):
        available(table, **options)


def test_from_names_a_start_or_the_snapshot_to_go_on_at() -> None:
    table = three()
    assert told(table.stream(from_="latest", clock=NEVER).read_available()) == []
    assert told(table.stream(from_=4, clock=NEVER).read_available()) == GONE
    with pytest.raises(InvalidRequestError, match="goes on from the id"):
        table.stream(from_=0)


def test_a_stream_shows_new_snapshots_as_they_come() -> None:
    table = new_table(COLUMNS, ["k"])
    stream = table.stream(clock=NEVER)
    assert (told(stream.read_available()), stream.next_snapshot) == ([], None)
    put(table, (1, 10))
    assert (told(stream.read_available()), stream.next_snapshot) == ([("+I", 1, 10)], 2)
    assert told(stream.read_available()) == []
    put(table, (1, 12))
    assert told(stream.read_available()) == [("+I", 1, 12)]


def test_latest_on_an_empty_table_follows_from_the_first_snapshot() -> None:
    table = new_table(COLUMNS, ["k"])
    stream = table.stream(from_="latest", clock=NEVER)
    assert told(stream.read_available()) == []
    put(table, (1, 10))
    assert told(stream.read_available()) == [("+I", 1, 10)]


def test_a_stream_goes_on_where_another_one_ended() -> None:
    table = three()
    stream = table.with_options({"scan.snapshot-id": "1"}).stream(clock=NEVER)
    plan = stream.next_plan()
    assert plan is not None
    rows = told(stream.read(plan))
    rest = table.stream(from_=stream.next_snapshot, clock=NEVER)
    assert rows + told(rest.read_available()) == FIRST + UPDATE + GONE
    assert rest.next_snapshot == 5


def test_a_stream_may_be_held_before_a_snapshot() -> None:
    stream = three().stream(from_=2, clock=NEVER)
    plan = stream.next_plan(before=4)
    assert plan is not None
    assert (told(stream.read(plan)), stream.next_plan(before=4), stream.next_snapshot) == (UPDATE, None, 4)


def test_where_a_stream_starts_is_told_without_a_step() -> None:
    stream = three(changelog_producer="input").stream(clock=NEVER)
    start = stream.start()
    assert start is not None
    assert start.full is not None
    assert (start.full.id, start.next_snapshot, stream.next_snapshot) == (4, 5, None)


def test_the_position_stays_while_batches_of_a_snapshot_are_taken() -> None:
    table = three().with_options({"scan.snapshot-id": "1", "consumer-id": "me"})
    stream = table.stream(clock=NEVER)
    batches = stream.read_available()
    next(batches)  # of snapshot 1; more of it may come
    stream.acknowledge()
    assert (stream.next_snapshot, table.consumers.list()) == (None, [])
    next(batches)
    stream.acknowledge()
    assert (stream.next_snapshot, table.consumers.list()) == (2, [Consumer("me", 2)])


def test_columns_and_a_filter_narrow_the_changes() -> None:
    stream = three().with_options({"scan.snapshot-id": "1"}).stream(["v"], "k = 1", clock=NEVER)
    assert told(stream.read_available()) == [("+I", 10), ("+U", 11)]


def test_waiting_is_left_to_the_clock() -> None:
    table = three(continuous__discovery_interval="3 s", scan__bounded__watermark="5")
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            watermarked(table, 6, (7, 70))

    stream = table.stream(from_="latest", clock=Clock(lambda: 0, nap))
    assert told(stream) == []
    assert (naps, stream.finished, stream.next_plan()) == ([3.0, 3.0], True, None)


def watermarked(table: Table, watermark: int, *rows: tuple[Any, ...]) -> None:
    """One commit of rows with a watermark."""
    TableCommit(table, USER).commit(prepare(table, rows))
    latest = table.snapshots.latest()
    assert latest is not None
    table.snapshots.delete(latest.id)
    table.snapshots.create(replace(latest, watermark=watermark))


def test_a_bound_ends_the_stream_before_the_snapshot_that_passes_it() -> None:
    table = new_table(COLUMNS, ["k"], scan__bounded__watermark="10")
    for number in (5, 10, 11, 12):
        watermarked(table, number, (number, number))
    stream = table.with_options({"scan.snapshot-id": "1"}).stream(clock=NEVER)
    assert told(stream) == [("+I", 5, 5), ("+I", 10, 10)]
    assert (stream.finished, stream.watermark) == (True, 10)


def test_a_first_read_past_the_bound_is_all_there_is() -> None:
    table = new_table(COLUMNS, ["k"], scan__bounded__watermark="10")
    watermarked(table, 11, (1, 10))
    assert told(table.stream(clock=NEVER)) == [("+I", 1, 10)]


def test_a_delay_holds_young_snapshots_back() -> None:
    table = three(streaming__read__snapshot__delay="10 s")
    table = table.with_options({"streaming.read.snapshot.delay": "10 s", "scan.snapshot-id": "1"})
    born = table.snapshots.get(1).time_millis
    early = table.stream(clock=Never(born + 9_999).clock)
    assert told(early.read_available()) == []
    due = table.stream(clock=Never(born + 10_000).clock)
    assert told(due.read_available())[:2] == FIRST


def test_a_snapshot_that_expired_under_the_reader_is_an_error() -> None:
    table = three()
    stream = table.stream(from_=2, clock=NEVER)
    table.snapshots.delete(1)
    table.snapshots.delete(2)
    with pytest.raises(NotFoundError, match=r"has expired.*snapshot_id=2, earliest=3"):
        stream.next_plan()


def test_a_table_that_was_rolled_back_is_an_error() -> None:
    with pytest.raises(NotFoundError, match="rolled back or made anew"):
        three().stream(from_=6, clock=NEVER).next_plan()


def test_the_start_from_an_expired_snapshot_is_the_first_that_is_left() -> None:
    table = three()
    table.snapshots.delete(1)
    assert available(table, scan__snapshot_id="1") == UPDATE + GONE


def test_an_expired_snapshot_is_followed_by_its_long_lived_changelog() -> None:
    table = three()
    for number in (1, 2):
        table.changelogs.create(table.snapshots.get(number))
        table.snapshots.delete(number)
    assert available(table, scan__snapshot_id="1") == FIRST + UPDATE + GONE
    assert told(table.stream(from_=2, clock=NEVER).read_available()) == UPDATE + GONE


def overwritten(*, keys: list[str]) -> Table:
    options = {"bucket": "1"} if keys else {"bucket": "-1"}
    table = new_table(COLUMNS, keys, **options)
    put(table, (1, 10), (2, 20))
    with table.new_write(overwrite=True) as writer:
        writer.write(pa.table({"k": pa.array([1], pa.int32()), "v": pa.array([11], pa.int32())}))
        TableCommit(table, USER).overwrite(writer.prepare_commit())
    return table


def test_overwrites_are_passed_over_unless_asked_for() -> None:
    assert available(overwritten(keys=["k"]), scan__snapshot_id="1") == FIRST
    assert available(overwritten(keys=[]), scan__snapshot_id="1") == FIRST


def test_an_overwrite_takes_back_what_it_removed() -> None:
    found = available(overwritten(keys=["k"]), scan__snapshot_id="2", streaming_read_overwrite="true")
    assert found == [("-D", 1, 10), ("-D", 2, 20), ("+I", 1, 11)]


def test_an_overwrite_is_told_though_the_snapshot_before_has_expired() -> None:
    table = overwritten(keys=["k"])
    table.snapshots.delete(1)
    found = available(table, scan__snapshot_id="2", streaming_read_overwrite="true")
    assert found == [("-D", 1, 10), ("-D", 2, 20), ("+I", 1, 11)]


def test_an_overwrite_of_an_append_table_shows_what_it_added() -> None:
    found = available(overwritten(keys=[]), scan__snapshot_id="2", streaming_read_append_overwrite="true")
    assert found == [("+I", 1, 11)]


def consumer(table: Table, **options: str) -> TableStream:
    spelled = {k.replace("_", "-", 1).replace("_", "."): v for k, v in options.items()}
    return table.with_options({"consumer-id": "me", **spelled}).stream(clock=NEVER)


def test_a_consumer_goes_on_from_what_was_acknowledged() -> None:
    table = three()
    stream = consumer(table)
    assert told(stream.read_available()) == [("+U", 1, 11)]
    assert table.consumers.list() == []
    stream.acknowledge()
    assert table.consumers.list() == [Consumer("me", 5)]
    assert table.consumers.earliest_next() == 5
    put(table, (3, 30))
    assert told(consumer(table).read_available()) == [("+I", 3, 30)]  # again, until it is acknowledged
    assert told(consumer(table).read_available()) == [("+I", 3, 30)]


def test_at_least_once_records_a_plan_when_the_next_is_asked_for() -> None:
    table = three().with_options({"scan.snapshot-id": "1", "consumer.mode": "at-least-once"})
    stream = consumer(table)
    stream.next_plan()
    assert table.consumers.list() == []
    stream.next_plan()
    assert table.consumers.list() == [Consumer("me", 2)]
    told(stream.read_available())
    assert table.consumers.list() == [Consumer("me", 5)]


def test_progress_can_be_ignored() -> None:
    table = three()
    table.consumers.put(Consumer("me", 5))
    anew = table.with_options({"consumer-id": "me", "consumer.ignore-progress": "true"})
    assert told(anew.stream(clock=NEVER).read_available()) == [("+U", 1, 11)]


def test_a_consumer_whose_snapshot_is_gone_goes_on_at_the_first_that_is_left() -> None:
    table = three()
    table.consumers.put(Consumer("me", 1))
    table.snapshots.delete(1)
    assert told(consumer(table).read_available()) == UPDATE + GONE


def test_consumers_that_are_long_idle_are_known() -> None:
    table = three()
    table.consumers.put(Consumer("me", 1))
    assert table.consumers.idle_since(0) == []
    assert table.consumers.idle_since(32503680000000) == ["me"]


def test_system_tables_of_changes_are_streams_too() -> None:
    table = three().with_options({"scan.snapshot-id": "2"})
    audit_log, binlog = open_system_table(table, "audit_log"), open_system_table(table, "binlog")
    assert isinstance(audit_log, AuditLog)
    assert isinstance(binlog, AuditLog)
    assert told(audit_log.stream(clock=NEVER).read_available()) == UPDATE + GONE
    assert told(binlog.stream(clock=NEVER).read_available()) == [("+U", [1], [11]), ("-D", [2], [20])]


def changed(table: Table, *changes: Any) -> Table:
    table.schemas.commit_changes(changes, has_snapshots=True)
    return table.refreshed()


def test_a_stream_keeps_the_columns_that_it_began_with() -> None:
    table = new_table({"k": "INT", "v": "INT", "w": "INT"}, ["k"])
    put(table, (1, 10, 100))
    stream = table.stream(clock=NEVER)
    assert told(stream.read_available()) == [("+I", 1, 10, 100)]
    later = changed(
        table, AddColumn(("x",), parse_type("INT")), RenameColumn(("v",), "u"), DropColumn(("w",))
    )
    put(later, (2, 20, 5))
    assert told(stream.read_available()) == [("+I", 2, 20, None)]
    assert told(later.stream(from_=2, clock=NEVER).read_available()) == [("+I", 2, 20, 5)]


def test_a_column_of_another_type_ends_a_stream_with_what_to_do() -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10))
    stream = table.stream(clock=NEVER)
    told(stream.read_available())
    put(changed(table, UpdateColumnType(("v",), parse_type("BIGINT"))), (2, 2**40))
    with pytest.raises(InvalidRequestError, match=r"v .*begin again.*snapshot_id=2"):
        told(stream.read_available())
    again = table.refreshed().stream(from_=stream.next_snapshot, clock=NEVER)
    assert told(again.read_available()) == [("+I", 2, 2**40)]
