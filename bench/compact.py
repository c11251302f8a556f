"""Rows a second, CPU and peak memory of full compactions.

    python -m bench.compact [directory] [--rows N] [--key bigint|string|composite]

Makes (once a size and key) the table of `bench.read`, 4 buckets whose 5 runs overlap, and an
append table of 20 small files. Each round plans a full compaction and runs all of its tasks, one
after the other; nothing is committed and the new files are deleted, so that rounds are equal.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.measure import peak_mib, report, report_peak, run_apart
from bench.rows import arguments, filled_table
from core.table import Table
from core.write import CommitMessage

TABLES = {"append": {"buckets": 0, "commits": 20}, "primary key": {"buckets": 4, "commits": 5}}


def main() -> None:
    parser = arguments("bench.compact")
    parser.add_argument("--measure", choices=sorted(TABLES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    directory = Path(given.directory).absolute()
    if given.measure:
        table = filled_table(directory, given.rows, given.key, **TABLES[given.measure])
        _measure(table, given.measure)
        return
    for what, shape in TABLES.items():
        filled_table(directory, given.rows, given.key, **shape)  # in a process that is not measured
        run_apart(
            "bench.compact", given.directory, "--measure", what, "--rows", given.rows, "--key", given.key
        )


def _measure(table: Table, what: str) -> None:
    idle = peak_mib()
    rows = sum(task.row_count for task in table.plan_compaction().tasks)
    made: list[CommitMessage] = []

    def compact() -> int:
        made[:] = [table.run_compaction(task) for task in table.plan_compaction().tasks]
        return sum(file.row_count for message in made for file in message.compact_after)

    report(f"compact, {what}", rows, "rows", compact, after=lambda: table.new_commit("bench").abort(made))
    report_peak(idle)


if __name__ == "__main__":
    main()
