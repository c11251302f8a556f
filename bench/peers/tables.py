"""The tables that peers and we are measured on, written once by Java Paimon. The form is `TableSpec`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bench.peers.environments import java_command
from bench.rows import random_rows
from core.catalog import open_catalog
from core.manifest.file_meta import DataFileMeta
from core.schema import SetOption

# Of 5 commits of distinct keys out of 3.9 times as many, 60 % of the rows are the newest of their key.
_OVERLAPPING = 3.9
_PARQUET = {"file.format": "parquet", "file.compression": "zstd", "write-buffer-size": "1 gb"}
_BUCKETS = {**_PARQUET, "bucket": "4", "write-only": "true"}
_SOURCE_ROWS = 100_000  # that a write is given at once


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Ten columns: key k, ints i, j, bigint l, doubles x, y, strings s, t, timestamp(6) at, boolean b.

    A commit has distinct keys in pseudo-random order; with a primary key each becomes one
    level-0 run a bucket that spans all keys.
    """

    name: str
    rows: int  # of all commits together
    commits: int
    key: str = "bigint"  # or string, of 20 bytes
    primary_key: bool = True
    keys_per_row: float = _OVERLAPPING  # how many keys a commit picks each of its own from
    null_percent: int = 0  # of the values
    options: Mapping[str, str] = field(default_factory=lambda: _BUCKETS)


def tables(scale: float = 1.0) -> dict[str, TableSpec]:
    """All tables by name; `scale` makes them smaller."""
    ten, five = int(10_000_000 * scale), int(5_000_000 * scale)
    sums = {f"fields.{c}.aggregate-function": "sum" for c in ("i", "j", "l", "x", "y")}
    rest = {f"fields.{c}.aggregate-function": "last_non_null_value" for c in ("s", "t", "at", "b")}
    combined = {**_BUCKETS, "merge-engine": "aggregation", **sums, **rest}
    bloom = {**_PARQUET, "bucket": "-1", "write-only": "true", "file-index.bloom-filter.columns": "k"}
    specs = (
        TableSpec("deduplicate", ten, 5),
        TableSpec("deduplicate_small", ten // 10, 5),
        TableSpec("deduplicate_large", ten * 2, 5),
        TableSpec("deduplicate_string", five, 5, key="string"),
        TableSpec("aggregation", five, 5, null_percent=20, options=combined),
        TableSpec(
            "partial_update", five, 5, null_percent=20, options={**_BUCKETS, "merge-engine": "partial-update"}
        ),
        TableSpec("aggregation_small", ten // 10, 5, null_percent=20, options=combined),
        TableSpec(
            "partial_update_small",
            ten // 10,
            5,
            null_percent=20,
            options={**_BUCKETS, "merge-engine": "partial-update"},
        ),
        TableSpec("append", ten, 20, primary_key=False, keys_per_row=20.0, options=bloom),
    )
    return {spec.name: spec for spec in specs}


def make(spec: TableSpec, warehouse: Path) -> None:
    """Write the table below `warehouse`, unless it is there."""
    snapshot = warehouse / f"bench.db/{spec.name}/snapshot/snapshot-{spec.commits}"
    if snapshot.exists():
        return
    started = time.perf_counter()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(asdict(spec), file)
        file.flush()
        subprocess.run([*java_command(), "make", file.name, str(warehouse)], check=True)
    print(f"made {spec.name} of {spec.rows:,} rows in {time.perf_counter() - started:.0f} s", flush=True)


def make_source(warehouse: Path, rows: int) -> Path:
    """The Arrow file of rows to write: distinct keys in random order."""
    path = warehouse / f"rows-{rows}.arrow"
    if not path.exists():
        table = random_rows(np.random.default_rng(1), rows, rows * 2, "bigint")
        with pa.OSFile(f"{path}.tmp", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=_SOURCE_ROWS)
        Path(f"{path}.tmp").rename(path)
    return path


def make_anew(what: Mapping[str, Any], warehouse: Path) -> None:
    """The table that a task is going to change: empty, or a copy of another whose files are the same ones."""
    name = what["table"]
    target = warehouse / f"bench.db/{name}"
    shutil.rmtree(target, ignore_errors=True)
    if "copy_of" in what:
        shutil.copytree(warehouse / f"bench.db/{what['copy_of']}", target, copy_function=_link)
        return
    schema = random_rows(np.random.default_rng(1), 1, 10, "bigint").schema
    keys, options = (["k"], _BUCKETS) if name == "written_keyed" else ([], {**_PARQUET, "bucket": "-1"})
    catalog = open_catalog(str(warehouse))
    catalog.create_database("bench", ignore_if_exists=True)
    catalog.create_table(f"bench.{name}", schema, primary_keys=keys, options=options)


def make_lookup(warehouse: Path, spec: TableSpec) -> None:
    """A table of Java that has a lookup changelog to make: its first run on top, the others on level 0."""
    name = f"lookup_{spec.name}"
    if (warehouse / f"bench.db/{name}/schema/schema-1").exists():
        return
    make_anew({"table": name, "copy_of": spec.name}, warehouse)
    table = open_catalog(str(warehouse)).get_table(f"bench.{name}")
    full = [replace(task, files=(_oldest(task.files),)) for task in table.plan_compaction().tasks]
    table.new_commit("bench").commit([table.run_compaction(task) for task in full])
    table.alter([SetOption("changelog-producer", "lookup")])


def _oldest(files: Iterable[DataFileMeta]) -> DataFileMeta:
    return min(files, key=lambda file: file.min_sequence_number)


def _link(source: str, target: str) -> None:
    """The same file under another name; but Java writes hints in place, and would change the original."""
    (shutil.copy2 if Path(source).name in ("LATEST", "EARLIEST") else os.link)(source, target)


def make_ours(warehouse: Path, spec: TableSpec) -> None:
    """The rows of a table that Java wrote in files of ours: compacted, a run a bucket."""
    name = f"ours_{spec.name}"
    if (warehouse / f"bench.db/{name}/snapshot/snapshot-1").exists():
        return
    catalog = open_catalog(str(warehouse))
    source = catalog.get_table(f"bench.{spec.name}")
    table = catalog.create_table(
        f"bench.{name}",
        source.arrow_schema,
        primary_keys=["k"],
        options={"bucket": "4"},
        ignore_if_exists=True,
    )
    with table.new_write() as write:
        for batch in source.to_batches():
            write.write(batch)
        table.new_commit("bench").commit(write.prepare_commit())
