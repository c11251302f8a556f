"""The three layers as a small table of text: how full they are, and how far behind."""

from __future__ import annotations

from collections.abc import Iterator

from core import Table
from spark_jobs.examples.widening.pipeline import Pipeline, snapshots_behind
from spark_jobs.examples.widening.tables import Tables

_HEAD = f"{'':>6}  layer  {'table':<20}{'rows':>9}{'snapshots':>11}{'files':>7}  behind"


def lines(seconds: float, tables: Tables, pipeline: Pipeline) -> Iterator[str]:
    """One line a table below a line that says what is what."""
    to_widen = max(
        snapshots_behind(pipeline.orders, tables.orders),
        snapshots_behind(pipeline.shipments, tables.shipments),
    )
    to_sum_up = snapshots_behind(pipeline.totals, tables.wide)
    shown = ((1, tables.orders, None), (1, tables.shipments, None), (2, tables.wide, to_widen))
    yield _HEAD
    for layer, table, behind in (*shown, (3, tables.totals, to_sum_up)):
        yield _line(f"{seconds:.0f} s" if table is tables.orders else "", layer, table, behind)


def _line(time: str, layer: int, table: Table, behind: int | None) -> str:
    plan = table.plan(table.schema.primary_keys or None)
    rows = plan.row_count
    if table.schema.primary_keys:  # of its rows files may hold several versions
        rows = sum(batch.num_rows for batch in table.to_batches(table.schema.primary_keys))
    late = "" if behind is None else f"{behind} snapshots"
    numbers = f"{rows:>9}{table.snapshots.latest_id() or 0:>11}{len(plan.entries):>7}"
    return f"{time:>6}  {layer:>5}  {table.identifier!s:<20}{numbers}  {late}"
