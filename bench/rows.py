"""The table that reads, writes and compactions are measured on: ten columns, random keys."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.catalog import open_catalog
from core.table import Table

KEYS = {"bigint": ["k"], "string": ["k"], "composite": ["k", "l"]}


def arguments(module: str) -> argparse.ArgumentParser:
    """What every benchmark over such tables can be told."""
    parser = argparse.ArgumentParser(prog=module)
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--key", choices=sorted(KEYS), default="bigint")
    return parser


def random_rows(random: np.random.Generator, count: int, range_of_keys: int, key: str) -> pa.Table:
    """Rows of distinct keys out of four fifths of `range_of_keys`."""
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


def new_table(warehouse: Path, name: str, key: str, *, buckets: int) -> Table:
    """An empty table: with a primary key if there are buckets, else an append table."""
    catalog = open_catalog(str(warehouse))
    catalog.create_database("bench", ignore_if_exists=True)
    options = {"bucket": str(buckets), "write-only": "true"} if buckets else {}
    schema = random_rows(np.random.default_rng(1), 1, 10, key).schema
    keys = KEYS[key] if buckets else []
    return catalog.create_table(f"bench.{name}", schema, primary_keys=keys, options=options)


def filled_table(warehouse: Path, rows: int, key: str, *, buckets: int, commits: int) -> Table:
    """A table of `rows` rows in `commits` commits, made if it is not there yet.

    Each commit spans the whole range of keys; its rows hide some two in five of the older ones.
    """
    name = f"{'merge' if buckets else 'append'}_{key}_{rows}_{commits}"
    if (warehouse / f"bench.db/{name}/snapshot/snapshot-{commits}").exists():
        return open_table(warehouse, name)
    random, started = np.random.default_rng(1), time.perf_counter()
    table = new_table(warehouse, name, key, buckets=buckets)
    for _ in range(commits):
        with table.new_write() as write:
            write.write(random_rows(random, rows // commits, rows, key))
            table.new_commit("bench").commit(write.prepare_commit())
    print(f"made {rows:,} rows in {time.perf_counter() - started:.1f} s", flush=True)
    return table


def open_table(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_table(f"bench.{name}")
