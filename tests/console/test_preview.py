"""`T/preview`: some rows, exactly, within limits."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from console.queries.reader import value_of
from core import Table
from tests.console.conftest import TABLE, Caller


def preview(who: Caller, **asked: Any) -> Any:
    return who.post(f"{TABLE}/preview", asked)


def test_rows_are_those_that_core_reads(bob: Caller, table: Table) -> None:
    view = preview(bob, limit=1000).json()
    expected = table.to_arrow().to_pylist()
    names = [column["name"] for column in view["columns"]]
    shown = [dict(zip(names, row, strict=True)) for row in view["rows"]]
    assert sorted(map(str, shown)) == sorted(map(str, expected))
    assert not view["truncated"]


def test_columns_filter_limit_and_snapshot_are_kept(bob: Caller, table: Table) -> None:
    view = preview(bob, columns=["id"], filter="dt = '2026-11-20' AND id < 3", limit=2, at="1").json()
    assert [column["name"] for column in view["columns"]] == ["id"]
    assert (len(view["rows"]), view["truncated"]) == (2, True)
    assert view["as_of"] == table.snapshots.get(1).reference


def test_a_bad_filter_is_the_callers_mistake(bob: Caller, table: Table) -> None:
    problem = preview(bob, filter="dt = = 5").json()
    assert problem["code"] == "validation-failed"
    assert preview(bob, columns=["colour"]).json()["code"] == "validation-failed"


def test_a_table_that_is_not_read_is_refused_by_name(alice: Caller, corpus: Any) -> None:
    corpus("pypaimon21")
    problem = alice.post("/warehouses/pypaimon21/databases/py/tables/data_evolution/preview", {}).json()
    assert problem["code"] == "unsupported-format-version"
    assert "data evolution" in problem["fields"]["feature"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53 - 1, 2**53 - 1),
        (2**53, str(2**53)),
        (float("nan"), "nan"),
        (Decimal("1.50"), "1.50"),
        (b"\x00\xff", "00ff"),
        (date(2026, 11, 20), "2026-11-20"),
        (datetime(2026, 11, 20, tzinfo=UTC), "2026-11-20T00:00:00+00:00"),
        ({"a": [None, 2**60]}, {"a": [None, str(2**60)]}),
        (True, True),
    ],
)
def test_values_are_exact_in_json(value: Any, shown: Any) -> None:
    assert value_of(value) == shown
