"""The demo warehouse, at a hundredth of its size."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from core import open_catalog
from core.maintenance.check import check_table
from core.snapshot import CommitKind
from spark_jobs import demo
from tests.spark_jobs.conftest import Recorded


def test_each_step_of_a_table_has_an_identifier_of_its_own_and_they_grow() -> None:
    for table in ("sales.orders", "web.events"):
        numbers = [step.identifier for step in demo.steps() if step.table == table]
        assert numbers == sorted(set(numbers))


@pytest.mark.spark
@pytest.mark.slow
def test_the_demo_has_something_for_every_page(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    demo.run(spark, str(tmp_path), reporter, scale=0.005)
    catalog = open_catalog(str(tmp_path))
    orders, events = catalog.get_table("sales.orders"), catalog.get_table("web.events")
    kinds = [s.commit_kind for s in orders.snapshots.iter_all()]
    assert (kinds.count(CommitKind.APPEND), kinds.count(CommitKind.COMPACT)) == (12, 2)
    levels = {e.bucket: set() for e in orders.manifests.live_entries(orders.snapshots.latest()).entries()}
    for entry in orders.manifests.live_entries(orders.snapshots.latest()).entries():
        levels[entry.bucket].add(entry.file.level)
    assert levels == {bucket: {0, 5} for bucket in range(4)}
    assert orders.schemas.ids() == [0, 1]
    assert [tag.name for tag in orders.tags.list()] == ["week-1"]
    days = events.to_arrow(["day"]).column("day").unique()
    assert len(days) == 7
    assert not check_table(orders).findings
    assert not check_table(events).findings
    before = [t.snapshots.latest().reference for t in (orders, events)]
    demo.run(spark, str(tmp_path), reporter, scale=0.005)
    assert [t.snapshots.latest().reference for t in (orders, events)] == before, "nothing is made twice"
