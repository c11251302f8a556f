"""A run of the pipeline: some seconds of events, then the tables held against what they have to hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.examples.widening.applications import Applications
from spark_jobs.examples.widening.expected import Told, difference, totals, widened
from spark_jobs.examples.widening.layers import lines
from spark_jobs.examples.widening.pipeline import Pipeline
from spark_jobs.examples.widening.tables import Tables

_TICK = 0.5  # seconds between two times that the applications tell something


@dataclass(frozen=True, slots=True)
class Settings:
    """How long and how much."""

    seconds: float = 60.0  # of events; all of them are worked off afterwards
    rate: float = 200.0  # orders a second, of about four events each
    every: float = 5.0  # seconds between two looks at the layers


def run(
    spark: SparkSession, tables: Tables, folder: Path, settings: Settings, say: Callable[[str], None]
) -> bool:
    """Run the pipeline on new tables; whether they then hold what they have to."""
    applications = Applications(tables, settings.seconds, settings.rate)
    with Pipeline(spark, tables, folder) as pipeline:
        _tell(applications, tables, pipeline, settings, say)
        say("the applications are silent; what they told is worked off")
        pipeline.drain()
        _show(settings.seconds, tables, pipeline, say)
    wrong = list(differences(tables, applications.told()))
    for line in wrong or ("both tables hold what follows from the events, row for row",):
        say(line)
    return not wrong


def differences(tables: Tables, told: Told) -> Iterator[str]:
    """What the tables hold that does not follow from the events, or lack; a line a table."""
    wide = widened(told)
    for table, expected in ((tables.wide.refreshed(), wide), (tables.totals, totals(wide))):
        key = table.schema.primary_keys[0]
        found = difference(table.to_arrow(), expected, key)
        if found is not None:
            yield f"{table.identifier}: {found}"


def _tell(
    applications: Applications,
    tables: Tables,
    pipeline: Pipeline,
    settings: Settings,
    say: Callable[[str], None],
) -> None:
    """Let the applications tell their events as they arrive, and show what becomes of them."""
    begin, next_look, has_grown, now = time.monotonic(), settings.every, False, 0.0
    while now < settings.seconds:
        time.sleep(_TICK)
        now = min(time.monotonic() - begin, settings.seconds)
        applications.tell(now)
        pipeline.keep()
        if not has_grown and now >= settings.seconds / 2:
            say("from here on shipments tell a tracking code, too")
            pipeline.grow(applications.begin_tracking)
            has_grown = True
        if now >= next_look:
            _show(now, tables, pipeline, say)
            next_look += settings.every


def _show(seconds: float, tables: Tables, pipeline: Pipeline, say: Callable[[str], None]) -> None:
    for line in lines(seconds, tables, pipeline):
        say(line)
