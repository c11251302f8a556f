"""Rows a second, CPU and peak memory of writing and committing Parquet tables.

    python -m bench.write [directory] [--rows N] [--key bigint|string|composite]

Writes the same rows, in batches of 100,000 that are made beforehand, into an append table and
into a primary-key table of 4 buckets, each in a fresh process and each round into a new table.
The peak includes the rows to write: the line above it says what they take.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa

from bench.measure import peak_mib, report, report_peak, run_apart
from bench.rows import arguments, new_table, random_rows

BUCKETS = 4
BATCH_ROWS = 100_000


def main() -> None:
    parser = arguments("bench.write")
    parser.add_argument("--measure", choices=["append", "primary key"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    directory = Path(given.directory).absolute()
    if given.measure:
        _measure(directory, given.rows, given.key, 0 if given.measure == "append" else BUCKETS)
        return
    for what in ("append", "primary key"):
        run_apart("bench.write", given.directory, "--measure", what, "--rows", given.rows, "--key", given.key)


def _measure(directory: Path, rows: int, key: str, buckets: int) -> None:
    source = random_rows(np.random.default_rng(1), rows, rows * 2, key)
    batches = source.to_batches(max_chunksize=BATCH_ROWS)
    directory.mkdir(parents=True, exist_ok=True)
    scratch = Path(mkdtemp(prefix="write-", dir=directory))
    idle = peak_mib()
    try:
        what = f"write, primary key in {buckets} buckets" if buckets else "write, append"
        report(
            what,
            rows,
            "rows",
            lambda: _write(scratch, batches, key, buckets),
            after=lambda: shutil.rmtree(scratch / "bench.db"),
        )
        print(f"  the rows take {source.nbytes / 2**20:.0f} MiB")
        report_peak(idle)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _write(warehouse: Path, batches: list[pa.RecordBatch], key: str, buckets: int) -> int:
    """Rows committed."""
    table = new_table(warehouse, "written", key, buckets=buckets)
    with table.new_write() as write:
        for batch in batches:
            write.write(pa.Table.from_batches([batch]))
        (snapshot,) = table.new_commit("bench").commit(write.prepare_commit())
    return snapshot.total_record_count or 0


if __name__ == "__main__":
    main()
