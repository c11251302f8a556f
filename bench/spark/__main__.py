"""Writes, merge reads and compactions in Spark, ours beside the newest Paimon's own connector, interleaved.

    python -m bench.spark [WORKLOAD ...] [--rows N] [--rounds N] [--runs N] [--directory D]

The folder with Paimon's bundle is named by LAKESCOPE_PAIMON_JARS, see CONTRIBUTING. Each Spark is a process
with `local[2]`; a round runs both, one after the other, on each workload, `runs` times in its process: the
first run is cold for Java's compiler, the others are warm. Printed, and kept in `spark-results.json`, are
medians of rows a second and of CPU seconds (JVM and Python together); the start of Spark stands apart.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench.peers.tables import make, make_anew, make_source, tables
from tests.interop.peers import ROOT
from tests.interop.spark_paimon import find_bundle, spark_environment, spark_python

DRIVER = str(Path(__file__).parent / "driver.py")
ROWS = 10_000_000
# Workload -> what a driver does, and how many times more rows a second than Paimon's connector are asked for.
WORKLOADS: Mapping[str, tuple[Mapping[str, Any], float | None]] = MappingProxyType(
    {
        "write-keyed": ({"do": "write", "table": "written_keyed"}, 1.5),
        "write-append": ({"do": "write", "table": "written_append"}, 1.5),
        "merge-read": ({"do": "read", "table": "deduplicate"}, 1.0),
        "compact": ({"do": "compact", "table": "compacted", "copy_of": "deduplicate"}, 2.0),
    }
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.spark")
    parser.add_argument("workloads", nargs="*", help=f"all of them without any: {', '.join(WORKLOADS)}")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=2, help="in each process")
    parser.add_argument(
        "--directory", default="build/bench/peers", help="of the tables, as bench.peers has it"
    )
    given = parser.parse_args()
    scale = given.rows / ROWS
    warehouse = Path(f"{given.directory}-{scale:g}" if scale != 1 else given.directory).absolute()
    warehouse.mkdir(parents=True, exist_ok=True)
    for name in given.workloads or WORKLOADS:
        what, goal = WORKLOADS[name]
        task = {**what, "warehouse": str(warehouse), "rows": given.rows, "runs": given.runs}
        figures = _compared(_ready(task, warehouse, scale), warehouse, given.rounds)
        _show(name, figures, goal, given.rounds)
        _keep(warehouse / "spark-results.json", name, figures, given.rounds)


def _ready(task: dict[str, Any], warehouse: Path, scale: float) -> dict[str, Any]:
    """The task with its rows or table made."""
    if task["do"] == "write":
        task["source"] = str(_parquet(make_source(warehouse, task["rows"])))
    else:
        make(tables(scale)["deduplicate"], warehouse)
    return {**task, "jar": str(find_bundle()[0])}


def _parquet(source: Path) -> Path:
    """The same rows as a file that both Sparks read by themselves."""
    path = source.with_suffix(".parquet")
    if not path.exists():
        with pa.memory_map(str(source)) as file:
            pq.write_table(pa.ipc.open_file(file).read_all(), f"{path}.tmp", row_group_size=1_000_000)
        Path(f"{path}.tmp").rename(path)
    return path


def _compared(task: dict[str, Any], warehouse: Path, rounds: int) -> dict[str, dict[str, float]]:
    took: dict[str, list[list[dict[str, float]]]] = defaultdict(list)
    for _ in range(rounds):
        for connector in ("lakescope", "paimon"):
            _make_anew(task, warehouse)
            took[connector].append(_run(connector, task))
    return {connector: _figures(task, lines) for connector, lines in took.items()}


def _make_anew(task: Mapping[str, Any], warehouse: Path) -> None:
    """A table for each run that changes one."""
    if task["do"] == "read":
        return
    base = warehouse / f"bench.db/{task['table']}"
    for number in range(task["runs"]):
        make_anew(task, warehouse)
        target = base.with_name(f"{base.name}_{number}")
        shutil.rmtree(target, ignore_errors=True)
        base.rename(target)


def _run(connector: str, task: Mapping[str, Any]) -> list[dict[str, float]]:
    """What the start and each run took."""
    theirs = connector == "paimon"
    python = str(spark_python()) if theirs else sys.executable
    environment = spark_environment() if theirs else {**os.environ, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task))
        done = subprocess.run(
            [python, DRIVER, connector, str(path)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{connector} failed:\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _figures(task: Mapping[str, Any], rounds: list[list[dict[str, float]]]) -> dict[str, float]:
    warm = [run for _, *runs in rounds for run in (runs[1:] or runs)]
    return {
        "start": median(start["wall"] for start, *_ in rounds),
        "cold": median(runs[0]["wall"] for _, *runs in rounds),
        "warm": median(run["wall"] for run in warm),
        "cpu": median(run["cpu"] for run in warm),
        "cold_cpu": median(runs[0]["cpu"] for _, *runs in rounds),
        "rows_a_second": task["rows"] / median(run["wall"] for run in warm),
        "result": rounds[0][1]["result"],
    }


def _show(name: str, figures: Mapping[str, Mapping[str, float]], goal: float | None, rounds: int) -> None:
    print(f"\n{name} ({rounds} rounds)")
    print(f"  {'':10}{'start s':>9}{'cold s':>9}{'warm s':>9}{'CPU s':>9}{'rows/s':>12}{'result':>13}")
    for connector, found in figures.items():
        seconds = "".join(f"{found[key]:9.2f}" for key in ("start", "cold", "warm", "cpu"))
        print(f"  {connector:10}{seconds}{found['rows_a_second']:12,.0f}{found['result']:13,}")
    ours, theirs = figures["lakescope"], figures["paimon"]
    times = {key: theirs[key] / ours[key] for key in ("warm", "cold", "cpu")}
    told = ", ".join(f"{value:.2f}x {key}" for key, value in times.items())
    print(f"  times less than Paimon's: {told}; asked for: {goal}x", flush=True)


def _keep(path: Path, name: str, figures: Mapping[str, Any], rounds: int) -> None:
    kept = json.loads(path.read_text()) if path.exists() else {}
    when = datetime.now(UTC).isoformat(timespec="minutes")
    kept[name] = {"measured": when, "rounds": rounds, "connectors": figures}
    path.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
