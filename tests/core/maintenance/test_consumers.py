"""Consumers moved, cleared and expired. Spec: 08, 11; 10, 5."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import InvalidRequestError
from core.maintenance.consumers import (
    apply_delete_consumers,
    apply_reset_consumer,
    plan_clear_consumers,
    plan_expire_consumers,
    plan_reset_consumer,
)
from core.snapshot import Consumer
from core.table import Table
from tests.core.maintenance.tables import HOUR, keyed, later


def reading() -> Table:
    table = keyed()
    for i, name in enumerate(("etl-1", "etl-2", "dashboard"), start=2):
        table.consumers.put(Consumer(name, i))
    return table


@pytest.mark.parametrize(("to", "code"), [(5, "consumer-skips"), (1, "consumer-repeats")])
def test_what_a_reset_means_for_its_reader_is_told(to: int, code: str) -> None:
    table = reading()
    plan = plan_reset_consumer(table, "etl-1", to)
    assert [(n.code, n.fields["from"], n.fields["to"]) for n in plan.warnings] == [(code, 2, to)]
    apply_reset_consumer(table, plan)
    assert table.consumers.get("etl-1").next_snapshot == to


def test_a_reset_needs_a_snapshot_that_is_there() -> None:
    plan = plan_reset_consumer(reading(), "etl-1", 99)
    assert [n.code for n in plan.blockers] == ["snapshot-missing"]


def test_a_reset_to_nothing_deletes() -> None:
    table = reading()
    apply_reset_consumer(table, plan_reset_consumer(table, "etl-1"))
    apply_reset_consumer(table, plan_reset_consumer(table, "etl-1"))
    assert table.consumers.ids() == ["dashboard", "etl-2"]


def test_a_damaged_consumer_can_be_set_anew() -> None:
    table = reading()
    table.io.write(table.paths.consumer_file("etl-1"), b"")
    apply_reset_consumer(table, plan_reset_consumer(table, "etl-1", 3))
    assert table.consumers.get("etl-1").next_snapshot == 3


def test_consumers_are_cleared_by_pattern() -> None:
    table = reading()
    plan = plan_clear_consumers(table, including="etl-.*", excluding=".*2")
    assert plan.consumers == ("etl-1",)
    apply_delete_consumers(table, plan)
    assert table.consumers.ids() == ["dashboard", "etl-2"]


def test_no_pattern_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="regular expression"):
        plan_clear_consumers(reading(), including="(")


def test_a_consumer_expires_by_the_time_that_it_rests() -> None:
    table = reading()
    now = later(table, 3)
    assert plan_expire_consumers(table, now_millis=now).consumers == ()
    assert plan_expire_consumers(table, now_millis=now, expiration_time=timedelta(hours=9)).consumers == ()
    plan = plan_expire_consumers(table, now_millis=now + HOUR, expiration_time=timedelta(hours=1))
    assert plan.consumers == ("dashboard", "etl-1", "etl-2")
