"""How long a commit of one small file to a table of 100,000 live files takes (P15).

    python -m bench.commit [directory] [--files N]

Makes (once a size) two tables of 100 partitions: an append table without buckets, whose commits have
nothing to look at but the lists, and a primary-key table of 4 buckets, whose commits look whether
their partition has the same number of buckets. A round writes one row and commits it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from bench.measure import peak_mib, report, report_peak, run_apart
from bench.plan import PARTITIONS, TYPES, file_meta, first_snapshot
from core.binary import encode_row
from core.catalog import open_catalog
from core.manifest import FileKind, ManifestEntry, ManifestWriter
from core.table import Table
from core.types import DataField

TABLES = {"commit_append": False, "commit_keyed": True}  # whether it has a primary key
_BUCKETS = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.commit")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--measure", choices=TABLES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warehouse = Path(given.directory).absolute() / f"commit-{given.files}"
    if given.measure:
        measure(given.measure, open_catalog(str(warehouse)).get_table(f"bench.{given.measure}"), given.files)
        return
    make_tables(warehouse, given.files)
    for name in TABLES:
        run_apart("bench.commit", given.directory, "--files", given.files, "--measure", name)


def measure(name: str, table: Table, files: int) -> None:
    idle = peak_mib()
    report(name.replace("_", " of one row, "), files, "files", lambda: commit_one(table))
    report_peak(idle)


def commit_one(table: Table) -> int:
    """Write a row to partition 42 and commit it; the number of the snapshot."""
    columns = [
        pa.array([42 if field.name == "c0" else None], field.type)
        if field.nullable and field.name != "c0"
        else pa.array([42], field.type)
        for field in table.arrow_schema
    ]
    with table.new_write() as write:
        write.write(pa.Table.from_arrays(columns, schema=table.arrow_schema))
        (snapshot,) = table.new_commit("bench").commit(write.prepare_commit())
    return snapshot.id


def make_tables(warehouse: Path, files: int) -> None:
    """Write those that are not there yet."""
    for name, keyed in TABLES.items():
        if not (warehouse / f"bench.db/{name}/snapshot/snapshot-1").exists():
            started = time.perf_counter()
            _make(warehouse, name, files, keyed=keyed)
            print(f"made {name} in {time.perf_counter() - started:.1f} s", flush=True)


def _make(warehouse: Path, name: str, files: int, *, keyed: bool) -> None:
    catalog = open_catalog(str(warehouse))
    catalog.create_database("bench", ignore_if_exists=True)
    fields = [DataField(i, f"c{i}", data_type) for i, data_type in enumerate(TYPES)]
    options = {"write-only": "true", "bucket": str(_BUCKETS if keyed else -1)}
    table = catalog.create_table(
        f"bench.{name}",
        fields,
        partition_keys=["c0"],
        primary_keys=["c0", "c1"] if keyed else (),
        options=options,
    )
    writer = ManifestWriter(table.io, table.paths, table.schema.partition_types, table.options)
    base = writer.write_list(writer.write_manifests(list(_entries(files, keyed=keyed)))).name
    table.snapshots.create(first_snapshot(base, writer.write_list([]).name, files))


def _entries(files: int, *, keyed: bool) -> Iterator[ManifestEntry]:
    """Keys of one file after the other, so that those of a bucket share a level."""
    for number in range(files):
        partition = encode_row(TYPES[:1], [number % PARTITIONS])
        file = file_meta(number, partition)
        if not keyed:
            yield ManifestEntry(FileKind.ADD, partition, 0, -1, file)
            continue
        low, high = (encode_row(TYPES[1:2], [number * 1000 + i]) for i in (0, 999))
        file = replace(file, min_key=low, max_key=high, level=5)
        yield ManifestEntry(FileKind.ADD, partition, number // PARTITIONS % _BUCKETS, _BUCKETS, file)


if __name__ == "__main__":
    main()
