"""What the driver of a compaction of 10,000 buckets needs: plan, tasks, messages, commit.

    python -m bench.scale [directory] [--buckets N] [--files N]

Makes (once a size) a primary-key table with so many level-0 files in each bucket, statistics of 11 columns
in every file. No file has rows: what executors do is left out, and each is said to have made one file of all
those of its bucket. The commit undoes itself. docs/scale.md tells what follows.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from bench.measure import peak_mib, run_apart
from bench.plan import TYPES, file_meta, first_snapshot
from core.binary import encode_row
from core.binary.row import EMPTY_ROW
from core.catalog import open_catalog
from core.commit import TableCommit
from core.compact import CompactionTask
from core.manifest import DataFileMeta, FileKind, ManifestEntry, ManifestWriter
from core.stats.simple_stats import SimpleStats
from core.table import Table
from core.types import DataField
from core.write import CommitMessage, decode_messages, encode_message, plan_compaction

T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--buckets", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=10, help="in each bucket")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warehouse = Path(given.directory).absolute() / f"scale-{given.buckets}-{given.files}"
    if given.measure:
        measure(open_catalog(str(warehouse)).get_data_table("bench.buckets"))
        return
    if not (warehouse / "bench.db/buckets/snapshot/snapshot-1").exists():
        make_table(str(warehouse), given.buckets, given.files)
    sizes = ("--buckets", given.buckets, "--files", given.files)
    run_apart("bench.scale", given.directory, *sizes, "--measure")


def measure(table: Table) -> None:
    idle = peak_mib()
    plan, seconds = _timed(lambda: plan_compaction(table))
    files = plan.files_before
    _tell("plan", seconds, files, "file", idle)
    sent, seconds = _timed(lambda: [pickle.dumps(task) for task in plan.tasks])
    _tell("tasks pickled", seconds, len(sent), "task", idle, sum(map(len, sent)))
    answers, seconds = _timed(lambda: [encode_message(made_of(task)) for task in plan.tasks])
    _tell(
        "messages encoded, one by one as executors do",
        seconds,
        len(sent),
        "task",
        idle,
        sum(map(len, answers)),
    )
    messages, seconds = _timed(lambda: decode_messages(answers))
    _tell("messages decoded", seconds, len(sent), "task", idle)
    (snapshot,), seconds = _timed(lambda: TableCommit(table, "bench").commit(messages))
    _tell("commit", seconds, files, "file", idle)
    table.io.delete(table.paths.snapshot_file(snapshot.id))


def made_of(task: CompactionTask) -> CommitMessage:
    """The message of a task that made one file."""
    rows = sum(file.row_count for file in task.files)
    name = task.files[0].file_name.replace("data-", "data-c", 1)
    made = replace(task.files[0], file_name=name, level=task.output_level, row_count=rows)
    return CommitMessage(
        partition=task.partition,
        bucket=task.bucket,
        total_buckets=task.total_buckets,
        compact_before=task.files,
        compact_after=(made,),
    )


def _timed(run: Callable[[], T]) -> tuple[T, float]:
    """A result, and the CPU seconds that it took: all of this is done by one thread."""
    started = time.process_time()
    return run(), time.process_time() - started


def _tell(what: str, seconds: float, count: int, unit: str, idle: float, size: int | None = None) -> None:
    bytes_each = "" if size is None else f", {size / count:,.0f} bytes a {unit}"
    each = f"{seconds / count * 1e6:,.0f} us a {unit}"
    print(
        f"{what}: {seconds:.2f} CPU-s, {each}{bytes_each}; peak {peak_mib() - idle:.0f} MiB more", flush=True
    )


def make_table(warehouse: str, buckets: int, files: int) -> None:
    catalog = open_catalog(warehouse)
    catalog.create_database("bench", ignore_if_exists=True)
    fields = [DataField(i, f"c{i}", replace(data_type, nullable=i != 1)) for i, data_type in enumerate(TYPES)]
    options = {"write-only": "true", "bucket": str(buckets)}
    table = catalog.create_table("bench.buckets", fields, primary_keys=["c1"], options=options)
    writer = ManifestWriter(table.io, table.paths, table.schema.partition_types, table.options)
    lists = (
        writer.write_list(writer.write_manifests(_entries(buckets, files))).name,
        writer.write_list([]).name,
    )
    table.snapshots.create(first_snapshot(*lists, buckets * files))


def _entries(buckets: int, files: int) -> Iterator[ManifestEntry]:
    for number in range(buckets * files):
        yield ManifestEntry(FileKind.ADD, EMPTY_ROW, number % buckets, buckets, _level_0(number))


def _level_0(number: int) -> DataFileMeta:
    """All files of a bucket overlap, as those of upserts do."""
    low, high = (encode_row(TYPES[1:2], [value]) for value in (0, 10**9))
    return replace(
        file_meta(number, EMPTY_ROW),
        min_key=low,
        max_key=high,
        key_stats=SimpleStats(low, high, (0,)),
    )


if __name__ == "__main__":
    main()
