"""Partitions that are dropped, expire, and are marked as done. Spec: 08, 13."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.commit import TableCommit
from core.errors import InvalidRequestError, UnsupportedError
from core.maintenance.partitions import (
    apply_drop_partitions,
    apply_mark_done,
    plan_drop_partitions,
    plan_expire_partitions,
    plan_mark_done,
)
from core.maintenance.partitions.time_of_partition import PartitionClock
from core.options import PartitionExpireStrategy
from core.table import Table
from tests.tables import new_table, prepare, put, rows_of

NOW = datetime(2024, 5, 14, 12)
DAY = timedelta(days=1)


def by_day(*days: str | None, **options: str) -> Table:
    table = new_table({"dt": "STRING", "h": "INT", "v": "INT"}, partition=["dt", "h"], bucket="-1", **options)
    put(table, *((day, i, i) for i, day in enumerate(days)))
    return table


def names(table: Table, **how: object) -> list[str]:
    plan = plan_expire_partitions(table, **{"now": NOW, "expiration_time": DAY, **how})  # type: ignore[arg-type]
    return [partition.name for partition in plan.partitions]


def test_partitions_older_than_the_time_go() -> None:
    assert names(by_day("2024-05-12", "2024-05-13", "2024-05-14")) == [
        "dt=2024-05-12/h=0",
        "dt=2024-05-13/h=1",
    ]


def test_a_time_of_nothing_and_one_beyond_the_calendar_are_times() -> None:
    table = by_day("2024-05-12", partition__expiration_time="30 d")
    assert names(table, expiration_time=timedelta(0)) == ["dt=2024-05-12/h=0"]
    assert names(table, expiration_time=timedelta(days=99_999_999)) == []


def test_what_spells_no_time_stays_and_is_named() -> None:
    table = by_day("2024-05-12", "never", None)
    plan = plan_expire_partitions(table, now=NOW, expiration_time=DAY)
    assert [p.name for p in plan.partitions] == ["dt=2024-05-12/h=0"]
    assert [(n.code, n.fields["partition"]) for n in plan.warnings] == [
        ("partition-without-time", "dt=__DEFAULT_PARTITION__/h=2"),
        ("partition-without-time", "dt=never/h=1"),
    ]


def test_the_options_of_the_table_decide_where_nothing_else_is_said() -> None:
    table = by_day(
        "20240512", "20240513", partition__expiration_time="2 d", partition__timestamp_formatter="yyyyMMdd"
    )
    assert [p.name for p in plan_expire_partitions(table, now=NOW).partitions] == ["dt=20240512/h=0"]


def test_by_the_newest_file_whatever_the_values() -> None:
    table = by_day("2000-01-01")
    update_time = PartitionExpireStrategy.UPDATE_TIME
    assert names(table, strategy=update_time) == []
    assert names(table, strategy=update_time, now=datetime.now() + 3 * DAY) == ["dt=2000-01-01/h=0"]


def test_one_that_gets_rows_after_the_plan_does_not_go_for_having_got_none() -> None:
    table = by_day("2000-01-01", "2000-01-02")
    by_update = PartitionExpireStrategy.UPDATE_TIME
    now = datetime.now() + 3 * DAY
    plan = plan_expire_partitions(table, now=now, expiration_time=DAY, strategy=by_update)
    (first, _) = (partition.spec for partition in plan.partitions)
    written = prepare(table, [(*(int(v) if k == "h" else v for k, v in first), 9)])
    later = [replace(f, creation_time_millis=f.creation_time_millis + 1000) for f in written[0].new_files]
    TableCommit(table, "late").commit([replace(written[0], new_files=tuple(later))])
    apply_drop_partitions(table, plan, "me")
    assert {row[0] for row in rows_of(table)} == {"2000-01-01"}


def test_only_so_many_go_at_once() -> None:
    table = by_day("2024-05-01", "2024-05-02", "2024-05-03")
    plan = plan_expire_partitions(table, now=NOW, expiration_time=DAY, max_expires=2)
    assert [p.name for p in plan.partitions] == ["dt=2024-05-01/h=0", "dt=2024-05-02/h=1"]
    assert [(n.code, dict(n.fields)) for n in plan.warnings] == [("limit-reached", {"limit": 2, "left": 1})]


def test_their_rows_are_gone_and_the_past_stays() -> None:
    table = by_day("2024-05-01", "2024-05-02", "2024-05-14", partition__expiration_batch_size="1")
    plan = plan_expire_partitions(table, now=NOW, expiration_time=DAY)
    made = apply_drop_partitions(table, plan, "expirer")
    assert [snapshot.id for snapshot in made] == [2, 3]
    assert rows_of(table) == [("2024-05-14", 2, 2)]
    assert len(rows_of(table, snapshot_id=1)) == 3


def test_partitions_are_dropped_by_some_of_their_keys() -> None:
    table = by_day("a", "a", None, "b")
    plan = plan_drop_partitions(table, [{"dt": "a"}, {"dt": None}])
    assert [(p.name, p.files.rows) for p in plan.partitions] == [
        ("dt=__DEFAULT_PARTITION__/h=2", 1),
        ("dt=a/h=0", 1),
        ("dt=a/h=1", 1),
    ]
    apply_drop_partitions(table, plan, "dropper")
    assert rows_of(table) == [("b", 3, 3)]


def test_dropping_what_is_not_there_changes_nothing() -> None:
    table = by_day("a")
    plan = plan_drop_partitions(table, [{"dt": "z"}])
    assert plan.changes_nothing
    assert apply_drop_partitions(table, plan, "dropper") == []


@pytest.mark.parametrize(
    ("pattern", "formatter", "values", "time"),
    [
        (None, None, {"dt": "2024-5-1"}, datetime(2024, 5, 1)),
        (None, None, {"dt": "2024-05-01 7:8:9.5"}, datetime(2024, 5, 1, 7, 8, 9, 500_000)),
        ("$dt $hour:00:00", None, {"dt": "2024-05-01", "hour": "7"}, datetime(2024, 5, 1, 7)),
        ("$y-$ym", "yyyy-MM", {"y": "2024", "ym": "05"}, datetime(2024, 5, 1)),
        (None, "yyyyMMddHHmm", {"dt": "202405010708"}, datetime(2024, 5, 1, 7, 8)),
        (None, "yyyy'W'MM.dd", {"dt": "2024W05.01"}, datetime(2024, 5, 1)),
        (None, None, {"dt": "2024-02-30"}, None),
        (None, "yyyyMMdd", {"dt": "2024-05-01"}, None),
        ("$dt $h", None, {"dt": "2024-05-01", "h": None}, None),
    ],
)
def test_the_time_that_values_spell(
    pattern: str | None, formatter: str | None, values: dict[str, str | None], time: datetime | None
) -> None:
    assert PartitionClock.of(pattern, formatter).time_of(values) == time


def test_what_we_cannot_read_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="EEE"):
        PartitionClock.of(None, "EEE yyyy")
    with pytest.raises(InvalidRequestError, match="no partition key"):
        PartitionClock.of("$day", None).time_of({"dt": "2024-05-01"})


def test_without_a_time_or_partitions_nothing_expires() -> None:
    with pytest.raises(InvalidRequestError, match="expiration time"):
        plan_expire_partitions(by_day("a"), now=NOW)
    with pytest.raises(InvalidRequestError, match="no partitions"):
        plan_expire_partitions(new_table({"v": "INT"}, bucket="-1"), now=NOW, expiration_time=DAY)


def test_a_success_file_keeps_the_time_at_which_it_was_first_written() -> None:
    table = by_day("a=b")
    plan = plan_mark_done(table, [{"dt": "a=b", "h": "0"}])
    assert plan.files == (f"{table.location}/dt=a%3Db/h=0/_SUCCESS",)
    for now in (1000, 2000):
        apply_mark_done(table, plan, now_millis=now)
    assert json.loads(table.io.read(plan.files[0])) == {"creationTime": 1000, "modificationTime": 2000}


def test_actions_that_need_a_metastore_are_refused() -> None:
    table = by_day("a", partition__mark_done_action="success-file,done-partition")
    plan = plan_mark_done(table, [{"dt": "a", "h": "0"}])
    assert [(n.code, n.fields["action"]) for n in plan.blockers] == [("action-unsupported", "done-partition")]
    with pytest.raises(InvalidRequestError, match="action-unsupported"):
        apply_mark_done(table, plan, now_millis=0)


def test_a_partition_to_mark_has_all_its_keys() -> None:
    with pytest.raises(InvalidRequestError, match="each partition key"):
        plan_mark_done(by_day("a"), [{"dt": "a"}])
