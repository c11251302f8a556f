"""How long a table of 100,000 live files takes to plan, and what memory it needs.

    python -m bench.plan [directory] [--files N]

Makes (once a size, in `directory` or build/bench) an append table of 100 partitions whose manifests
hold a third more ADD entries than files live, and the DELETE entries for that third, with statistics
of 11 columns in three files. Then, in a fresh process, reads lists and manifests and cancels, and
plans a whole read.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import peak_mib, report, report_peak, run_apart
from core.binary import BinaryRow, encode_row
from core.binary.row import EMPTY_ROW
from core.catalog import open_catalog
from core.manifest import DataFileMeta, FileKind, FileSource, ManifestEntry, ManifestWriter
from core.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.stats.simple_stats import EMPTY_STATS, SimpleStats
from core.table import Table
from core.types import DataField, Timestamp, parse_type

PARTITIONS = 100

TYPES = tuple(
    map(
        parse_type,
        [
            "INT",
            "BIGINT",
            "INT",
            "INT",
            "BIGINT",
            "DOUBLE",
            "DOUBLE",
            "STRING",
            "STRING",
            "TIMESTAMP(6)",
            "INT",
        ],
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.plan")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warehouse = Path(given.directory).absolute() / f"plan-{given.files}"
    if given.measure:
        measure(open_catalog(str(warehouse)).get_table("bench.files"))
        return
    if not (warehouse / "bench.db/files/snapshot/snapshot-1").exists():
        started = time.perf_counter()
        make_table(str(warehouse), given.files)
        print(f"made the table in {time.perf_counter() - started:.1f} s", flush=True)
    run_apart("bench.plan", given.directory, "--files", given.files, "--measure")


def measure(table: Table) -> None:
    idle = peak_mib()
    entries = len(table.manifests.read_entries(table.manifests.manifests(_latest(table))))
    report("decode manifests and cancel", entries, "entries", lambda: _live(table))
    report("plan", _live(table), "files", lambda: len(table.plan().splits))
    report_peak(idle)


def _latest(table: Table) -> Snapshot:
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    return snapshot


def _live(table: Table) -> int:
    return len(table.manifests.live_entries(_latest(table)))


def make_table(warehouse: str, live: int, *, name: str = "files", clustered: bool = False) -> None:
    """`clustered`: files come partition by partition, else each manifest has all partitions."""
    catalog = open_catalog(warehouse)
    catalog.create_database("bench", ignore_if_exists=True)
    fields = [DataField(i, f"c{i}", data_type) for i, data_type in enumerate(TYPES)]
    table = catalog.create_table(
        f"bench.{name}", fields, partition_keys=["c0"], options={"manifest.target-file-size": "1 gb"}
    )
    writer = ManifestWriter(table.io, table.paths, table.schema.partition_types, table.options)
    deleted = live // 3
    adds = list(_adds(live + deleted, clustered))
    half = len(adds) // 2
    base = [*writer.write_manifests(adds[:half]), *writer.write_manifests(adds[half:])]
    deletes = (ManifestEntry(FileKind.DELETE, e.partition, 0, -1, e.file) for e in adds[::4][:deleted])
    delta = writer.write_manifests(deletes)
    print(f"manifests of {', '.join(f'{m.file_size / 1e6:.1f} MB' for m in base + delta)}", flush=True)
    lists = writer.write_list(base).name, writer.write_list(delta).name
    table.snapshots.create(first_snapshot(*lists, live))


def _adds(count: int, clustered: bool) -> Iterator[ManifestEntry]:
    for number in range(count):
        place = number * PARTITIONS // count if clustered else number % PARTITIONS
        partition = encode_row(TYPES[:1], [place])
        yield ManifestEntry(FileKind.ADD, partition, 0, -1, file_meta(number, partition))


def file_meta(number: int, partition: BinaryRow) -> DataFileMeta:
    """A file of 1,000 rows with statistics of all columns; neighbours share no rows."""
    low, high = number * 1000, number * 1000 + 999
    time_micros = Timestamp(1_700_000_000_000 + number, 0)
    texts = f"customer-{number % 977:08d}", f"note of order {number:012d}"
    lows = [number % PARTITIONS, low, 1, number % 91, low * 7, number / 7, 0.5, *texts, time_micros, 0]
    highs = [number % PARTITIONS, high, 9, number % 91 + 5, high * 7, number / 3, 0.9, *texts, time_micros, 1]
    stats = SimpleStats(encode_row(TYPES, lows), encode_row(TYPES, highs), (0,) * len(TYPES))
    return DataFileMeta(
        file_name=f"data-{number * 2654435761 % 2**32:08x}-4c1e-4f7b-9a55-{number:012x}-0.parquet",
        file_size=1_000_000 + number % 99_991,
        row_count=1000,
        min_key=EMPTY_ROW,
        max_key=EMPTY_ROW,
        key_stats=EMPTY_STATS,
        value_stats=stats,
        min_sequence_number=low,
        max_sequence_number=high,
        schema_id=0,
        level=0,
        creation_time_millis=1_700_000_000_000 + number,
        delete_row_count=0,
        file_source=FileSource.APPEND,
    )


def first_snapshot(base: str, delta: str, live: int) -> Snapshot:
    """Snapshot 1 of a table of so many files."""
    return Snapshot(
        id=1,
        schema_id=0,
        base_manifest_list=base,
        delta_manifest_list=delta,
        commit_user="bench",
        commit_identifier=BATCH_COMMIT_IDENTIFIER,
        commit_kind=CommitKind.APPEND,
        time_millis=1_700_000_000_000,
        total_record_count=live * 1000,
        delta_record_count=live * 1000,
    )


if __name__ == "__main__":
    main()
