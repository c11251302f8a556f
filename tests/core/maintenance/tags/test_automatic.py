"""Tags that a table makes of itself. Spec: 08, 8."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.errors import InvalidRequestError
from core.maintenance.tags import apply_auto_tags, plan_auto_tags, plan_batch_tag
from core.maintenance.tags.automatic import due_tags
from core.options import TableOptions
from core.snapshot import Tag, encode_snapshot
from core.snapshot.auto_tags import TagPeriods
from core.table import Table
from tests.core.maintenance.tables import checked
from tests.tables import new_table, put

DAILY = {"tag__automatic_creation": "process-time", "sink__process_time_zone": "UTC"}
DAY = TagPeriods.of(TableOptions({}))


def table_at(*times: str, **options: str) -> Table:
    """A snapshot at each of the times (UTC), which are watermarks as well."""
    table = new_table({"id": "INT NOT NULL"}, ["id"], **options)
    for i, time in enumerate(times):
        (snapshot,) = put(table, (i,))
        millis = int(datetime.fromisoformat(f"{time}+00:00").timestamp() * 1000)
        moved = replace(snapshot, time_millis=millis, watermark=millis)
        table.io.write(table.paths.snapshot_file(snapshot.id), encode_snapshot(moved))
    return table


def made(table: Table) -> dict[str, int]:
    """The tags and their snapshots once all that are due are made."""
    apply_auto_tags(table, plan_auto_tags(table, now_millis=1_700_000_000_000))
    return {tag.name: tag.snapshot.id for tag in table.tags.list()}


def test_the_first_snapshot_tags_the_day_before_and_each_new_day_the_last() -> None:
    table = table_at("2024-05-14T10:00", "2024-05-14T23:59", "2024-05-15T00:00", "2024-05-15T09:00", **DAILY)
    assert made(table) == {"2024-05-13": 1, "2024-05-14": 3}


def test_it_goes_on_where_it_stopped() -> None:
    table = table_at("2024-05-14T10:00", **DAILY)
    assert made(table) == {"2024-05-13": 1}
    assert made(table) == {"2024-05-13": 1}


def test_days_without_a_snapshot_are_left_out() -> None:
    assert made(table_at("2024-05-14T10:00", "2024-05-18T10:00", **DAILY)) == {
        "2024-05-13": 1,
        "2024-05-17": 2,
    }


def test_days_without_a_snapshot_are_made_up_for_where_the_table_wants_it() -> None:
    table = table_at("2024-05-14T10:00", "2024-05-17T10:00", tag__automatic_completion="true", **DAILY)
    assert made(table) == {"2024-05-13": 1, "2024-05-14": 2, "2024-05-15": 2, "2024-05-16": 2}


def test_a_delay_waits_for_what_comes_late() -> None:
    times = ("2024-05-14T10:00", "2024-05-15T00:30", "2024-05-15T01:00")
    assert made(table_at(*times, tag__creation_delay="1 h", **DAILY)) == {"2024-05-13": 1, "2024-05-14": 3}


def test_by_watermark_in_its_own_zone() -> None:
    options = {"tag__automatic_creation": "watermark", "sink__watermark_time_zone": "Asia/Shanghai"}
    table = table_at("2024-05-14T10:00", "2024-05-14T16:00", **options)
    assert made(table) == {"2024-05-13": 1, "2024-05-14": 2}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"tag__creation_period": "hourly"}, ["2024-05-14 09", "2024-05-14 10"]),
        (
            {"tag__creation_period": "hourly", "tag__period_formatter": "without_dashes_and_spaces"},
            ["2024051409", "2024051410"],
        ),
        ({"tag__creation_period_duration": "30 min"}, ["202405140930", "202405141030"]),
        ({"tag__creation_period": "two-hours"}, ["2024-05-14 08"]),
    ],
)
def test_periods_have_lengths_and_names(options: dict[str, str], names: list[str]) -> None:
    table = table_at("2024-05-14T10:10", "2024-05-14T11:10", **options, **DAILY)
    assert sorted(made(table)) == names


def test_only_so_many_are_kept() -> None:
    times = [f"2024-05-{day}T10:00" for day in (14, 15, 16, 17)]
    table = table_at(*times, tag__num_retained_max="2", **DAILY)
    assert made(table) == {"2024-05-15": 3, "2024-05-16": 4}
    assert checked(table).findings == ()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, InvalidRequestError),
        ({"tag__automatic_creation": "batch"}, InvalidRequestError),
        ({**DAILY, "tag__creation_delay": "1 d"}, InvalidRequestError),
        ({**DAILY, "tag__creation_period": "weekly"}, InvalidRequestError),
        ({**DAILY, "tag__creation_period_duration": "0 s"}, InvalidRequestError),
        ({**DAILY, "sink__process_time_zone": "Mars/Olympus"}, InvalidRequestError),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        plan_auto_tags(table_at("2024-05-14T10:00", **options), now_millis=0)


def test_what_is_due_needs_no_table() -> None:
    """The rule itself: the period after the last one has to be over."""
    snapshot = table_at("2024-05-14T10:00").snapshots.get(1)
    seen = [(snapshot, datetime(2024, 5, 14, 23)), (snapshot, datetime(2024, 5, 15, 1))]
    due = due_tags(seen, DAY, datetime(2024, 5, 14), timedelta(hours=1), completes=False)
    assert [d.period for d in due] == [datetime(2024, 5, 14)]


BATCH = {"tag__automatic_creation": "batch", "sink__process_time_zone": "UTC"}


def left_by_a_job(table: Table) -> dict[str, int]:
    apply_auto_tags(table, plan_batch_tag(table, now_millis=1_700_000_000_000))
    return {tag.name: tag.snapshot.id for tag in table.tags.list()}


def test_a_batch_job_leaves_a_tag_of_its_day() -> None:
    table = table_at("2024-05-14T10:00", **BATCH)
    assert left_by_a_job(table) == {"batch-write-2024-05-14": 1}
    assert left_by_a_job(table) == {"batch-write-2024-05-14": 1}
    assert left_by_a_job(new_table({"id": "INT"}, bucket="-1", **BATCH)) == {}


def test_a_later_job_of_the_day_takes_the_name_over() -> None:
    table = table_at("2024-05-14T10:00", "2024-05-14T11:00", **BATCH)
    table.tags.create(Tag("batch-write-2024-05-14", table.snapshots.get(1)))
    assert left_by_a_job(table) == {"batch-write-2024-05-14": 2}


def test_the_tag_of_a_job_may_have_a_name_of_its_own_and_so_many_are_kept() -> None:
    options = {**BATCH, "tag__batch__customized_name": "nightly", "tag__num_retained_max": "2"}
    table = table_at("2024-05-14T10:00", "2024-05-15T10:00", "2024-05-16T10:00", **options)
    for name, snapshot_id in (("one", 1), ("two", 2), ("two too", 2)):
        table.tags.create(Tag(name, table.snapshots.get(snapshot_id)))
    assert left_by_a_job(table) == {"nightly": 3, "two too": 2}
    assert checked(table).findings == ()
