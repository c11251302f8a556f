"""The partitions that a plan holds go, and no others, whatever their values look like as text."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from core.maintenance import rescale
from core.maintenance.partitions import apply_drop_partitions, plan_drop_partitions
from core.table import Table
from core.types import Timestamp
from tests.tables import new_table, put, rows_of

MILLIS = st.integers(-(2**40), 2**40)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-128, 127),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "FLOAT": st.floats(width=32),
    "DOUBLE": st.sampled_from([0.0, -0.0, float("nan"), float("inf"), 0.1, 1e-300]) | st.floats(),
    "DECIMAL(38, 9)": st.integers(-(10**30), 10**30).map(lambda n: Decimal(n).scaleb(-9)),
    "STRING": st.text(st.characters(codec="utf-8"), max_size=4),
    "CHAR(3)": st.text("ab ", min_size=3, max_size=3),
    "BINARY(2)": st.binary(min_size=2, max_size=2),
    "VARBINARY(3)": st.binary(max_size=3),
    "DATE": st.integers(-700_000, 2_000_000),
    "TIME(0)": st.integers(0, 86_399_999),
    "TIMESTAMP(3)": MILLIS.map(lambda millis: Timestamp(millis, 0)),
    "TIMESTAMP(9)": st.builds(Timestamp, MILLIS, st.integers(0, 999_999)),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": MILLIS.map(lambda millis: Timestamp(millis, 0)),
}


def by_value(kind: str, *values: object, bucket: str = "-1", **options: str) -> Table:
    table = new_table({"p": kind, "v": "INT"}, partition=["p"], bucket=bucket, **options)
    put(table, *((value, number) for number, value in enumerate(values)))
    return table


@pytest.mark.parametrize("kind", VALUES)
@settings(max_examples=2, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_what_is_planned_goes_and_nothing_else(kind: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], min_size=2, max_size=4, unique_by=repr))
    table = by_value(kind, *values)
    plan = plan_drop_partitions(table, [{}])
    kept = data.draw(st.sampled_from(plan.partitions))
    gone = tuple(p for p in plan.partitions if p is not kept)
    apply_drop_partitions(table, replace(plan, partitions=gone), "me")
    assert [p.row for p in plan_drop_partitions(table, [{}]).partitions] == [kept.row]
    assert len(rows_of(table)) == kept.files.rows


@pytest.mark.parametrize(("kind", "value"), [("TIME(0)", 86_399_999), ("BINARY(2)", b"\xff\xfe")])
def test_a_partition_whose_text_says_less_is_rescaled(kind: str, value: object) -> None:
    table = by_value(kind, value, None, bucket="1", bucket_key="v")
    rescale.apply_rescale(table, rescale.plan_rescale(table, 2), "me")
    table = table.refreshed()
    assert rescale.plan_rescale(table).changes_nothing
    assert [v for _, v in rows_of(table)] in ([0, 1], [1, 0])
