"""Workloads beside the peers, interleaved: each run of a driver is a process of its own.

    python -m bench.peers [P1 P4 ...] [--directory D] [--rounds N] [--runs N] [--scale F]

A round runs each driver once on each workload; a driver does the task `runs` times in its
process. Printed are the medians over all rounds: of the first runs (cold: imports, and Java's
compiler), of the others (warm), of their CPU seconds, and of the peak of memory. They are also
kept in `results.json` beside the tables, a workload measured again in place of its old figures;
`python -m bench.peers.page` makes the table of docs/performance.md of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from bench.commit import TABLES as COMMIT_TABLES
from bench.commit import make_tables as make_commit_tables
from bench.peers.environments import DRIVERS
from bench.peers.metadata_tables import make_metadata_tables
from bench.peers.tables import make, make_anew, make_lookup, make_ours, make_source, tables
from bench.peers.tasks import Task, tasks

Runs = list[dict[str, float]]
Figures = dict[str, float]
MEASURES = ("warm", "least", "most", "cpu", "cold", "peak_mib", "result")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.peers")
    parser.add_argument("workloads", nargs="*", help="such as P4; all if none is given")
    parser.add_argument("--directory", default="build/bench/peers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=2, help="in each process")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="smaller tables, in a directory of their own"
    )
    given = parser.parse_args()
    chosen = [t for t in tasks().values() if not given.workloads or t.number in given.workloads]
    warehouse = Path(f"{given.directory}-{given.scale:g}" if given.scale != 1 else given.directory).absolute()
    _make_tables(chosen, warehouse, given.scale)
    for task in chosen:
        runs = 1 if task.changes_table else given.runs
        figures = _compare(_scaled(task, warehouse, given.scale), warehouse, given.rounds, runs)
        _keep(warehouse / "results.json", task, figures, given.rounds, runs)


def _scaled(task: Task, warehouse: Path, scale: float) -> dict[str, Any]:
    what = {**task.what, "name": task.name, "drivers": task.drivers}
    if what["do"] == "write":
        what["rows"] = int(what["rows"] * scale)
        what["source"] = str(make_source(warehouse, what["rows"]))
    return what


def _make_tables(chosen: Iterable[Task], warehouse: Path, scale: float) -> None:
    warehouse.mkdir(parents=True, exist_ok=True)
    specs = tables(scale)
    read = {str(t.what.get("copy_of", t.what["table"])) for t in chosen if t.what["do"] != "write"}
    for name in sorted(read):
        if name in specs:
            make(specs[name], warehouse)
        elif name == "ours_deduplicate":
            make_ours(warehouse, specs["deduplicate"])
        elif name.startswith("lookup_"):
            spec = specs[name.removeprefix("lookup_")]
            make(spec, warehouse)
            make_lookup(warehouse, spec)
        elif name in COMMIT_TABLES:
            make_commit_tables(warehouse, int(100_000 * scale))
        else:
            make_metadata_tables(warehouse, scale)


def _compare(what: dict[str, Any], warehouse: Path, rounds: int, runs: int) -> dict[str, Figures]:
    """The figures of each driver; of one that failed there are none."""
    took: dict[str, list[Runs]] = defaultdict(list)
    for _ in range(rounds):
        for driver in what["drivers"]:
            if what["do"] in ("write", "compact"):
                make_anew(what, warehouse)
            took[driver].append(_run(driver, what, warehouse, runs))
    print(f"\n{what['name']} ({rounds} rounds of {runs} runs)")
    print(
        f"  {'':10}{'warm s':>9}{'min':>9}{'max':>9}{'CPU s':>9}{'cold s':>9}{'peak MiB':>10}{'result':>13}"
    )
    figures = {driver: found for driver, all_runs in took.items() if (found := _figures(all_runs))}
    for driver in what["drivers"]:
        print(f"  {driver:10}{_line(figures.get(driver))}", flush=True)
    return figures


def _keep(path: Path, task: Task, figures: dict[str, Figures], rounds: int, runs: int) -> None:
    kept = json.loads(path.read_text()) if path.exists() else {}
    when = datetime.now(UTC).isoformat(timespec="minutes")
    kept[task.name] = {"measured": when, "rounds": rounds, "runs": runs, "drivers": figures}
    path.write_text(json.dumps(kept, indent=2) + "\n")


def _run(driver: str, what: dict[str, Any], warehouse: Path, runs: int) -> Runs:
    """What each run took; the last line holds the peak. No runs where the driver failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({**what, "warehouse": str(warehouse), "runs": runs}, file)
        file.flush()
        done = subprocess.run(
            [*DRIVERS[driver](), file.name], capture_output=True, text=True, check=False, env=_environment()
        )
    if done.returncode:
        print(f"  {driver} failed: {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _environment() -> dict[str, str]:
    """Ours, but with Python's compiled modules, as installed packages have them: imports are no workload."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _figures(rounds: list[Runs]) -> Figures:
    done: list[Any] = [runs for runs in rounds if runs]
    if not done:
        return {}
    warm = [run for runs in done for run in (runs[1:-1] or runs[:1])]
    walls = [run["wall"] for run in warm]
    cold = median(runs[0]["wall"] for runs in done)
    peak = median(runs[-1]["peak_kib"] for runs in done) / 1024
    cpu = median(run["cpu"] for run in warm)
    numbers = (median(walls), min(walls), max(walls), cpu, cold, peak, done[0][0]["result"])
    return dict(zip(MEASURES, numbers, strict=True))


def _line(figures: Figures | None) -> str:
    if figures is None:
        return "failed"
    seconds = "".join(f"{figures[name]:9.3f}" for name in MEASURES[:5])
    return f"{seconds}{figures['peak_mib']:10.0f}{figures['result']:13,}"


if __name__ == "__main__":
    main()
