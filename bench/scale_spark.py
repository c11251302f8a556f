"""What a compaction of 10,000 buckets costs when Spark really runs it: by phase, the driver's Python and JVM.

    python -m bench.scale_spark [directory] [--buckets N] [--commits N] [--rows N] [--master URL]

Makes a primary-key table of so many buckets, each of which gets a copy of one small file by each commit,
compacts it whole by the job `compact`, and deletes it. docs/scale.md tells what came out.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench.measure import peak_mib, run_apart
from core.catalog import open_catalog
from core.jobs import CompactJob, JobSpec, Progress
from core.table import Table
from core.types import DataField, parse_type
from core.write import CommitMessage
from spark_jobs.jobs import compact
from spark_jobs.report import Reporter
from spark_jobs.session import open_session

_TABLE = "bench.many"
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale_spark")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--buckets", type=int, default=10_000)
    parser.add_argument("--commits", type=int, default=2, help="each makes a file in every bucket")
    parser.add_argument("--rows", type=int, default=20, help="of a bucket, in each commit")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    name = f"many-{given.buckets}-{given.commits}-{given.rows}"
    warehouse = str(Path(given.directory).absolute() / name)
    if given.measure:
        _measure(warehouse, given.master)
        return
    sizes = ("--buckets", given.buckets, "--commits", given.commits, "--rows", given.rows)
    shutil.rmtree(warehouse, ignore_errors=True)
    try:
        _make(warehouse, given.buckets, given.commits, given.rows)
        run_apart("bench.scale_spark", given.directory, *sizes, "--master", given.master, "--measure")
    finally:
        shutil.rmtree(warehouse, ignore_errors=True)


def _make(warehouse: str, buckets: int, commits: int, rows: int) -> None:
    one, many = _empty(warehouse, "bench.one", 1), _empty(warehouse, _TABLE, buckets)
    keys = pa.array(range(rows), pa.int64())
    for number in range(commits):
        with one.new_write() as write:
            write.write(pa.table({"k": keys, "v": pa.repeat(f"value of commit {number}", rows)}))
            (message,) = write.prepare_commit()
        one.new_commit("bench").commit([message])
        started, cpu = time.perf_counter(), time.process_time()
        messages = [_copied(one, many, message, bucket, buckets) for bucket in range(buckets)]
        copied, copied_cpu = time.perf_counter(), time.process_time()
        many.new_commit("bench").commit(messages)
        print(
            f"{buckets:,} files copied in {copied - started:.1f} s, CPU {copied_cpu - cpu:.1f} s; committed "
            f"in {time.perf_counter() - copied:.1f} s, CPU {time.process_time() - copied_cpu:.1f} s; "
            f"peak {peak_mib():,.0f} MiB",
            flush=True,
        )


def _empty(warehouse: str, name: str, buckets: int) -> Table:
    catalog = open_catalog(warehouse)
    catalog.create_database("bench", ignore_if_exists=True)
    columns = {"k": "BIGINT NOT NULL", "v": "STRING"}
    fields = [DataField(i, column, parse_type(text)) for i, (column, text) in enumerate(columns.items())]
    options = {"bucket": str(buckets), "write-only": "true"}
    return catalog.create_table(name, fields, primary_keys=["k"], options=options)


def _copied(one: Table, many: Table, message: CommitMessage, bucket: int, buckets: int) -> CommitMessage:
    """The message of a bucket that gets a copy of the file of another message."""
    (file,) = message.new_files
    there = replace(file, file_name=file.file_name.replace("data-", f"data-{bucket}-", 1))
    place = Path(many.paths.data_file("", bucket, there))
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(one.paths.data_file("", 0, file), place)
    return replace(message, bucket=bucket, total_buckets=buckets, new_files=(there,), made_after="")


class _Clocked(Reporter):
    """Prints what each phase took, when the next begins."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.java: int | None = None  # the process, once there is one
        self._phase = ""
        self._from = self._now()

    def send(self, line: Any) -> None:
        if isinstance(line, Progress) and line.phase != self._phase:
            self.tell(line.phase)

    def tell(self, next_phase: str = "") -> None:
        now = self._now()
        if self._phase:
            wall, python, java = (after - before for after, before in zip(now, self._from, strict=True))
            peaks = f"peaks: Python {peak_mib():,.0f} MiB" + (
                f", JVM {peak_mib(self.java):,.0f} MiB" if self.java else ""
            )
            print(
                f"{self._phase}: {wall:.1f} s, CPU {python:.1f} s Python, {java:.1f} s JVM; {peaks}",
                flush=True,
            )
        self._phase, self._from = next_phase, now

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), _cpu_of(self.java) if self.java else 0.0


def _measure(warehouse: str, master: str) -> None:
    spark = open_session("bench.scale_spark", master=master, settings={"spark.ui.enabled": "false"})
    clocked = _Clocked()
    clocked.java = spark.sparkContext._gateway.proc.pid
    spec = JobSpec(f"bench-{time.time_ns()}", {"warehouse": warehouse}, _TABLE, CompactJob())
    started = time.perf_counter()
    result = compact.run(spark, spec, clocked)
    clocked.tell()
    print(f"all: {time.perf_counter() - started:.1f} s; {dict(result.metrics)}", flush=True)
    spark.stop()


def _cpu_of(process: int) -> float:
    """Seconds of all threads of a process, user and system."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
