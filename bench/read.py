"""Rows a second, CPU and peak memory of planning and merge-reading a primary-key table.

    python -m bench.read [directory] [--rows N] [--key bigint|string|composite]

Makes (once a size and key, in `directory` or build/bench) a table of 4 buckets in 5 commits whose
level-0 runs all span the whole key range, the newest rows hiding some two in five of the older
ones; then, in a fresh process each, merges it batch by batch: all ten columns, and two.
Rates count input rows, that is rows that have to be decoded.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.catalog import open_catalog
from core.table import Table

BUCKETS, COMMITS, ROUNDS = 4, 5, 5
KEYS = {"bigint": ["k"], "string": ["k"], "composite": ["k", "l"]}


def main() -> None:
    given = _arguments()
    warehouse = Path(given.directory).absolute() / f"read-{given.key}-{given.rows}"
    if given.measure:
        _measure(open_catalog(str(warehouse)).get_table("bench.merge"), given.measure)
        return
    if not (warehouse / f"bench.db/merge/snapshot/snapshot-{COMMITS}").exists():
        started = time.perf_counter()
        _make(str(warehouse), given.rows, given.key)
        print(f"made {given.rows:,} rows in {time.perf_counter() - started:.1f} s")
    for what in ("all", "two"):
        command = [sys.executable, "-m", "bench.read", given.directory, "--measure", what]
        subprocess.run([*command, "--rows", str(given.rows), "--key", given.key], check=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.read")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--key", choices=sorted(KEYS), default="bigint")
    parser.add_argument("--measure", choices=["all", "two"], help=argparse.SUPPRESS)
    return parser.parse_args()


def _make(warehouse: str, rows: int, key: str) -> None:
    random = np.random.default_rng(1)
    catalog = open_catalog(warehouse)
    catalog.create_database("bench", ignore_if_exists=True)
    options = {"bucket": str(BUCKETS), "write-only": "true"}
    first = _rows(random, 1, rows, key)
    table = catalog.create_table("bench.merge", first.schema, primary_keys=KEYS[key], options=options)
    for _ in range(COMMITS):
        with table.new_write() as write:
            write.write(_rows(random, rows // COMMITS, rows, key))
            table.new_commit("bench").commit(write.prepare_commit())


def _rows(random: np.random.Generator, count: int, range_of_keys: int, key: str) -> pa.Table:
    keys = random.choice(range_of_keys * 4 // 5, count, replace=False)
    ids = pa.array(keys)
    text = pa.array([f"user-{number:015d}" for number in keys.tolist()]) if key == "string" else ids
    return pa.table(
        {
            "k": text,
            "i": random.integers(0, 1000, count).astype(np.int32),
            "j": random.integers(0, 10**9, count).astype(np.int32),
            "l": keys % 1000,
            "x": random.random(count),
            "y": np.round(random.random(count), 2),
            "s": pa.array(random.integers(0, 1000, count)).cast(pa.string()),
            "t": pa.array(random.integers(0, 10**7, count)).cast(pa.string()),
            "at": pa.array(random.integers(0, 10**15, count)).cast(pa.timestamp("us")),
            "b": random.integers(0, 2, count).astype(np.bool_),
        }
    )


def _measure(table: Table, what: str) -> None:
    columns = None if what == "all" else ["k", "x"]
    idle = _peak_mib()
    plan = table.plan(columns)
    _report("plan", len(plan.entries), "files", lambda: len(table.plan(columns).splits))
    _report(f"merge read, {what} columns", plan.row_count, "rows", lambda: _count(table, columns))
    print(f"  peak {_peak_mib():.0f} MiB, of which {idle:.0f} before the first read")


def _count(table: Table, columns: list[str] | None) -> int:
    return sum(batch.num_rows for batch in table.to_batches(columns))


def _peak_mib() -> float:
    """Of this process alone: getrusage also counts what its parent had when it forked."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _report(what: str, inputs: int, unit: str, run: Callable[[], int]) -> None:
    walls, cpus, result = [], [], 0
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        result = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    wall, cpu = float(np.median(walls[1:])), float(np.median(cpus[1:]))
    print(
        f"{what}: {wall:.3f} s, {cpu:.3f} CPU-s (first {walls[0]:.3f} s), "
        f"{inputs / cpu:,.0f} of {inputs:,} {unit} a CPU-second, {result:,} left"
    )


if __name__ == "__main__":
    main()
