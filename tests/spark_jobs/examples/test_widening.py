"""The example that widens a table by two streams: what of it needs no Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from core.table import Table
from spark_jobs.examples.widening.__main__ import main
from spark_jobs.examples.widening.applications import Applications
from spark_jobs.examples.widening.events import TRACKING, order_events, shipment_events
from spark_jobs.examples.widening.expected import Told, difference, totals, widened
from spark_jobs.examples.widening.run import differences
from spark_jobs.examples.widening.tables import Tables, create_tables

SECONDS, RATE = 6.0, 20.0


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return create_tables(str(tmp_path))


@pytest.fixture
def told(tables: Tables) -> Told:
    applications = Applications(tables, SECONDS, RATE)
    applications.tell(SECONDS / 2)
    applications.begin_tracking()
    applications.tell(SECONDS)
    return applications.told()


def put(table: Table, rows: pa.Table) -> None:
    with table.new_write() as write:
        write.write(rows)
        table.new_commit("test").commit(write.prepare_commit())


def by_hand(told: Told) -> dict[int, dict[str, object]]:
    """The wide table, event by event."""
    wide: dict[int, dict[str, object]] = {}
    for events, time in ((told.orders, "ordered_at"), (told.shipments, "shipped_at")):
        for event in events.to_pylist():
            row = wide.setdefault(event["order_id"], {})
            count = "order_events" if time == "ordered_at" else "shipment_events"
            row[count] = row.get(count, 0) + 1
            code = event.pop(TRACKING, None) or row.get(TRACKING)
            if time not in row or event[time] > row[time]:
                row |= event
            row[TRACKING] = code
    return wide


def test_events_come_out_of_order_and_shipments_before_their_orders() -> None:
    orders, shipments = order_events(200, RATE), shipment_events(200, RATE)
    last: dict[int, object] = {}
    late = 0
    for event in orders.rows.to_pylist():
        late += last.get(event["order_id"], event["ordered_at"]) > event["ordered_at"]
        last[event["order_id"]] = event["ordered_at"]
    assert late > 10
    backwards = zip(reversed(orders.rows["order_id"].to_pylist()), reversed(orders.arrives), strict=True)
    first = dict(backwards)
    shipped = zip(shipments.rows["order_id"].to_pylist(), shipments.arrives, strict=True)
    assert sum(arrives < first[order] for order, arrives in shipped) > 10


def test_what_is_expected_is_what_a_look_at_each_event_gives(told: Told) -> None:
    wide = widened(told)
    hand = by_hand(told)
    assert {row["order_id"]: row for row in wide.to_pylist()} == {
        key: {name: row.get(name) for name in wide.column_names} for key, row in hand.items()
    }
    summed = {row["region"]: row for row in totals(wide).to_pylist()}
    asia = [row for row in hand.values() if row.get("region") == "Asia"]
    assert summed["Asia"]["cents"] == sum(row["cents"] for row in asia)
    assert summed["Asia"]["shipped"] == sum("shipped_at" in row for row in asia)


def test_codes_are_told_from_half_time_on_alone(told: Told, tables: Tables) -> None:
    there = tables.shipments.refreshed().to_arrow()[TRACKING]
    assert 0 < there.null_count < len(there)
    assert there.null_count == told.shipments[TRACKING].null_count


def test_tables_that_lack_a_row_or_hold_another_value_are_told(told: Told, tables: Tables) -> None:
    wide = widened(told)
    tables.wide.merge_schema(pa.schema([wide.schema.field(TRACKING)]))
    columns = tables.wide.refreshed().schema.field_names
    put(tables.wide.refreshed(), wide.select(columns).slice(1))
    put(tables.totals, totals(wide))
    (found,) = differences(tables, told)
    assert found == f"shop.wide_orders: {wide.num_rows - 1} rows where {wide.num_rows} are expected"
    put(tables.wide.refreshed(), wide.select(columns).slice(0, 1))
    assert not list(differences(tables, told))
    put(tables.totals, totals(wide).slice(0, 1))
    (found,) = differences(tables, told)
    assert "shop.region_totals: region" in found


def test_nulls_are_values_where_tables_are_compared() -> None:
    one, other = (pa.table({"k": [1, 2], "v": pa.array(v, pa.int64())}) for v in ([None, 2], [None, None]))
    assert difference(one, one, "k") is None
    assert difference(one, one.drop_columns("v"), "k") == "columns that only one of the two has: v"
    assert difference(one, other, "k") == "k 2, v: 2 where None is expected (1 such rows)"
    assert difference(other, one, "k") == "k 2, v: None where 2 is expected (1 such rows)"


def test_a_warehouse_of_an_earlier_run_is_refused(
    tables: Tables, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "an earlier run has left its tables here" in capsys.readouterr().err
