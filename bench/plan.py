"""How long a table of 100,000 live files takes to plan, and what memory it needs.

    python -m bench.plan [directory]

Makes (once, in `directory` or build/bench) an append table of 100 partitions whose manifests
hold 133,000 ADD and 33,000 DELETE entries with statistics of 11 columns in three files, then
reads lists and manifests and cancels, several times in a fresh process.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from core.binary import BinaryRow, encode_row
from core.binary.row import EMPTY_ROW
from core.catalog import open_catalog
from core.manifest import DataFileMeta, FileKind, FileSource, ManifestEntry, ManifestWriter
from core.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.stats.simple_stats import EMPTY_STATS, SimpleStats
from core.types import DataField, Timestamp, parse_type

LIVE, DELETED, PARTITIONS, ROUNDS = 100_000, 33_000, 100, 7

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
    warehouse = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/bench/plan")).absolute()
    if not (warehouse / "bench.db/files/snapshot/snapshot-1").exists():
        started = time.perf_counter()
        make_table(str(warehouse))
        print(f"made the table in {time.perf_counter() - started:.1f} s")
    command = [sys.executable, "-m", "bench.plan", "--measure", str(warehouse)]
    subprocess.run(command, check=True)


def measure(warehouse: str) -> None:
    table = open_catalog(warehouse).get_table("bench.files")
    idle = _peak_mib()
    for number in range(ROUNDS):
        started, cpu = time.perf_counter(), time.process_time()
        snapshot = table.snapshots.latest()
        assert snapshot is not None
        manifests = table.manifests.manifests(snapshot)
        listed = time.perf_counter()
        entries = table.manifests.read_entries(manifests)
        decoded = time.perf_counter()
        live = entries.live().adds()
        done = time.perf_counter()
        cpu = time.process_time() - cpu
        assert len(live) == LIVE
        print(
            f"round {number}: {len(entries):,} entries, {len(live):,} live"
            f" in {done - started:.3f} s, {cpu:.3f} s of CPU"
            f" (lists {listed - started:.3f}, decode {decoded - listed:.3f}, cancel {done - decoded:.3f})"
        )
        del entries, live
    print(f"peak RSS {_peak_mib():.0f} MiB, of which {idle:.0f} MiB before the first plan")


def make_table(warehouse: str) -> None:
    catalog = open_catalog(warehouse)
    catalog.create_database("bench", ignore_if_exists=True)
    fields = [DataField(i, f"c{i}", data_type) for i, data_type in enumerate(TYPES)]
    table = catalog.create_table(
        "bench.files", fields, partition_keys=["c0"], options={"manifest.target-file-size": "1 gb"}
    )
    writer = ManifestWriter(table.io, table.paths, table.schema.partition_types, table.options)
    third = (LIVE + DELETED) // 2
    adds = list(_adds())
    base = [*writer.write_manifests(adds[:third]), *writer.write_manifests(adds[third:])]
    deletes = (ManifestEntry(FileKind.DELETE, e.partition, 0, -1, e.file) for e in adds[::4][:DELETED])
    delta = writer.write_manifests(deletes)
    print(f"manifests of {', '.join(f'{m.file_size / 1e6:.1f} MB' for m in base + delta)}")
    table.snapshots.create(_snapshot(writer.write_list(base).name, writer.write_list(delta).name))


def _adds() -> Iterator[ManifestEntry]:
    for number in range(LIVE + DELETED):
        partition = encode_row(TYPES[:1], [number % PARTITIONS])
        yield ManifestEntry(FileKind.ADD, partition, 0, -1, _file(number, partition))


def _file(number: int, partition: BinaryRow) -> DataFileMeta:
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


def _snapshot(base: str, delta: str) -> Snapshot:
    return Snapshot(
        id=1,
        schema_id=0,
        base_manifest_list=base,
        delta_manifest_list=delta,
        commit_user="bench",
        commit_identifier=BATCH_COMMIT_IDENTIFIER,
        commit_kind=CommitKind.APPEND,
        time_millis=1_700_000_000_000,
        total_record_count=LIVE * 1000,
    )


def _peak_mib() -> float:
    """Of this process alone: getrusage also counts what its parent had when it forked."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main()
