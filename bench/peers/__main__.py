"""Workloads beside the peers, interleaved: each run of a driver is a process of its own.

    python -m bench.peers [P1 P4 ...] [--directory D] [--rounds N] [--runs N] [--scale F]

A round runs each driver once on each workload; a driver does the task `runs` times in its
process. Printed are the medians over all rounds: of the first runs (cold: imports, and Java's
compiler), of the others (warm), of their CPU seconds, and of the peak of memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from bench.commit import TABLES as COMMIT_TABLES
from bench.commit import make_tables as make_commit_tables
from bench.peers.environments import DRIVERS
from bench.peers.metadata_tables import make_metadata_tables
from bench.peers.tables import make, make_ours, tables
from bench.peers.tasks import Task, tasks

Runs = list[dict[str, float]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.peers")
    parser.add_argument("workloads", nargs="*", help="such as P4; all if none is given")
    parser.add_argument("--directory", default="build/bench/peers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3, help="in each process")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="smaller tables, in a directory of their own"
    )
    given = parser.parse_args()
    chosen = [t for t in tasks().values() if not given.workloads or t.name.split()[0] in given.workloads]
    warehouse = Path(f"{given.directory}-{given.scale:g}" if given.scale != 1 else given.directory).absolute()
    _make_tables(chosen, warehouse, given.scale)
    for task in chosen:
        _compare(task, warehouse, given.rounds, given.runs)


def _make_tables(chosen: Iterable[Task], warehouse: Path, scale: float) -> None:
    warehouse.mkdir(parents=True, exist_ok=True)
    specs = tables(scale)
    for name in sorted({str(task.what["table"]) for task in chosen}):
        if name in specs:
            make(specs[name], warehouse)
        elif name == "ours_deduplicate":
            make_ours(warehouse, specs["deduplicate"])
        elif name in COMMIT_TABLES:
            make_commit_tables(warehouse, int(100_000 * scale))
        else:
            make_metadata_tables(warehouse, scale)


def _compare(task: Task, warehouse: Path, rounds: int, runs: int) -> None:
    took: dict[str, list[Runs]] = defaultdict(list)
    for _ in range(rounds):
        for driver in task.drivers:
            took[driver].append(_run(driver, task, warehouse, runs))
    print(f"\n{task.name} ({rounds} rounds of {runs} runs)")
    print(
        f"  {'':10}{'warm s':>9}{'min':>9}{'max':>9}{'CPU s':>9}{'cold s':>9}{'peak MiB':>10}{'result':>13}"
    )
    for driver in task.drivers:
        print(f"  {driver:10}{_line(took[driver])}", flush=True)


def _run(driver: str, task: Task, warehouse: Path, runs: int) -> Runs:
    """What each run took; the last line holds the peak. No runs where the driver failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({**task.what, "warehouse": str(warehouse), "runs": runs}, file)
        file.flush()
        done = subprocess.run([*DRIVERS[driver](), file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  {driver} failed: {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _line(rounds: list[Runs]) -> str:
    done: list[Any] = [runs for runs in rounds if runs]
    if not done:
        return "failed"
    warm = [run for runs in done for run in (runs[1:-1] or runs[:1])]
    walls = [run["wall"] for run in warm]
    numbers = (median(walls), min(walls), max(walls), median(run["cpu"] for run in warm))
    cold, peak = (
        median(runs[0]["wall"] for runs in done),
        median(runs[-1]["peak_kib"] for runs in done) / 1024,
    )
    return f"{''.join(f'{n:9.3f}' for n in (*numbers, cold))}{peak:10.0f}{done[0][0]['result']:13,}"


if __name__ == "__main__":
    main()
