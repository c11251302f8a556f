"""A streaming query, stopped at any moment and started again, again and again: every row is there once.

`python -m tests.soak.stopped_streams [STOPS]`, 50 if no number is given; `make soak` does so. After each
tenth stop another query begins, on an empty table, so that first batches are stopped, too.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession

from core.jobs import CompactStrategy
from spark_jobs.examples.widening.kept_query import KeptQuery
from tests.soak.killed_streams import Events, faults, moment, new_tables
from tests.soak.stream_roles import SUMS, compact_once, query, session, table_of

STOPS_A_QUERY = 10
LONGEST = 6.0  # seconds that a query is let run


def stop_again_and_again(spark: SparkSession, folder: Path, chance: random.Random) -> Counter[str]:
    """Play one query; where it was stopped.

    Raises:
        SystemExit: a row is lost, or there twice.
    """
    new_tables(folder)
    events, stopped = Events(folder), Counter[str]()
    kept = KeptQuery(lambda: query(folder, spark, available_now=False))
    for _ in range(STOPS_A_QUERY):
        events.wait(chance.uniform(0, LONGEST))
        kept.restart(lambda: stopped.update([moment(folder)]))
    kept.query.stop()
    KeptQuery(lambda: query(folder, spark, available_now=True)).wait()
    compact_once(spark, folder, CompactStrategy.FULL)
    wrong = faults(table_of(folder, SUMS), events.rows)
    if wrong:
        sys.exit("\n".join(wrong))
    return stopped


def main(stops: int) -> None:
    """Play, and hold the tables against the events."""
    seed, began, stopped = random.randrange(2**32), time.monotonic(), Counter[str]()
    chance, spark = random.Random(seed), session("stopped")
    while stopped.total() < stops:
        with tempfile.TemporaryDirectory(prefix="stopped-streams-") as name:
            stopped += stop_again_and_again(spark, Path(name), chance)
        print(f"{stopped.total()} stopped", flush=True)
    spark.stop()
    print(f"seed {seed}, {time.monotonic() - began:.0f} s, stopped {dict(stopped)}; every event counted once")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
