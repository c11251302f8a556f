"""Rows a second, CPU and peak memory of planning and merge-reading a primary-key table.

    python -m bench.read [directory] [--rows N] [--key bigint|string|composite]

Makes (once a size and key, in `directory` or build/bench) a table of 4 buckets in 5 commits whose
level-0 runs all span the whole key range, the newest rows hiding some two in five of the older
ones; then, in a fresh process each, merges it batch by batch: all ten columns, and two.
Rates count input rows, that is rows that have to be decoded.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.measure import peak_mib, report, report_peak, run_apart
from bench.rows import arguments, filled_table
from core.table import Table

BUCKETS, COMMITS = 4, 5


def main() -> None:
    parser = arguments("bench.read")
    parser.add_argument("--measure", choices=["all", "two"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    directory = Path(given.directory).absolute()
    table = filled_table(directory, given.rows, given.key, buckets=BUCKETS, commits=COMMITS)
    if given.measure:
        _measure(table, given.measure)
        return
    for what in ("all", "two"):
        run_apart("bench.read", given.directory, "--measure", what, "--rows", given.rows, "--key", given.key)


def _measure(table: Table, what: str) -> None:
    columns = None if what == "all" else ["k", "x"]
    idle = peak_mib()
    plan = table.plan(columns)
    report("plan", len(plan.entries), "files", lambda: len(table.plan(columns).splits))
    report(f"merge read, {what} columns", plan.row_count, "rows", lambda: _count(table, columns))
    report_peak(idle)


def _count(table: Table, columns: list[str] | None) -> int:
    return sum(batch.num_rows for batch in table.to_batches(columns))


if __name__ == "__main__":
    main()
