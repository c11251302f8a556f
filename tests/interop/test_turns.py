"""Lakescope and another Paimon take turns on one table: random steps, the same rows for every reader.

The steps follow from a seed, so each run does the same. `make interop` takes 50 of them with more seeds and
tables, and with the newest Paimon's Spark SQL too.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interop.peers import JavaPaimon, PyPaimon
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.turns.engines import JAVA, PYPAIMON, Lakescope, Served, SparkSql
from tests.interop.turns.play import Game, Kind

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
STEPS = 50 if LONG else 12
SEEDS = range(3 if LONG else 1)
# Java 0.9.0, rolling back, deletes what commits since have added: a compaction that lifted a file, a restore.
LIFTED = frozenset({"roll back"})
BROUGHT_BACK = frozenset({"restore"})
KINDS = {
    "keyed": Kind(("p", "k"), {"bucket": "2", "num-sorted-run.compaction-trigger": "3"}),
    "append": Kind((), {"bucket": "-1", "compaction.min.file-num": "3"}),
}
KINDS_OF_LONG_RUNS = {
    "keyed_orc": Kind(("p", "k"), {"bucket": "1", "file.format": "orc", "write-only": "true"}),
    "keyed_avro": Kind(("p", "k"), {"bucket": "1", "file.format": "avro"}),
    "changelog": Kind(("p", "k"), {"bucket": "1", "changelog-producer": "lookup"}),
    "buckets": Kind((), {"bucket": "2", "bucket-key": "k", "compaction.min.file-num": "3"}),
}
PLAYED = KINDS | (KINDS_OF_LONG_RUNS if LONG else {})
EVERY_GAME = [pytest.param(kind, seed, id=f"{kind}-{seed}") for kind in PLAYED for seed in SEEDS]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("turns")


@pytest.fixture(scope="module")
def java_engine(java: JavaPaimon, warehouse: Path) -> Served:
    return Served(java.session(warehouse), JAVA, deletes=True)


@pytest.fixture(scope="module")
def pypaimon_engine(pypaimon: PyPaimon, warehouse: Path) -> Served:
    return Served(pypaimon.session(warehouse), PYPAIMON, deletes=False)


@pytest.mark.interop
@pytest.mark.parametrize(("kind", "seed"), EVERY_GAME)
@pytest.mark.parametrize("other", ["java", "pypaimon"])
def test_two_engines_take_turns(
    other: str, kind: str, seed: int, java_engine: Served, pypaimon_engine: Served, warehouse: Path
) -> None:
    ours = Lakescope(warehouse)
    readers = {"ours": ours, "java": java_engine, "pypaimon": pypaimon_engine}
    table = f"turns.{other}_{kind}_{seed}"
    engine = {"java": java_engine, "pypaimon": pypaimon_engine}[other]
    if other == "java" and PLAYED[kind].keys:
        engine = replace(engine, able=engine.able - LIFTED)
    elif other == "java":
        ours = replace(ours, able=ours.able - BROUGHT_BACK)
    Game(ours, engine, readers, seed, table, PLAYED[kind]).play(STEPS)


@pytest.mark.newest
@pytest.mark.parametrize(("kind", "seed"), EVERY_GAME)
def test_the_newest_takes_turns_with_us(
    kind: str, seed: int, spark_paimon: SparkPaimon, pypaimon_engine: Served, warehouse: Path
) -> None:
    ours, spark = Lakescope(warehouse), SparkSql(spark_paimon, warehouse)
    readers = {"ours": ours, "spark": spark, "pypaimon": pypaimon_engine}
    Game(ours, spark, readers, seed, f"turns.spark_{kind}_{seed}", PLAYED[kind]).play(STEPS)
