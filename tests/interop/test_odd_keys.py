"""Keys at the edges of their types, written by real Paimon: we find each row where Paimon put it.

For each type there are a primary-key table and a partitioned one. The bucket of each key, the order of
each file and the folder of each partition have to be those that we would choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from core.bucket import assign_buckets
from core.catalog import open_catalog
from core.mergetree import comparable_keys
from core.read.file_reader import FileReader
from core.scan.split import Split
from core.table import Table
from tests.interop import describe
from tests.interop.describe import insert
from tests.interop.peers import Dump, Peer
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop

BUCKETS = 7
KEYS: dict[str, tuple[str, list[Any]]] = {
    "tinyint": ("TINYINT", [-128, -1, 0, 127]),
    "int": ("INT", [-(2**31), -1, 0, 2**31 - 1]),
    "bigint": ("BIGINT", [-(2**63), -1, 0, 2**63 - 1]),
    "float": ("FLOAT", [-0.0, -1.5, 0.001, 9999999.0]),
    "double": ("DOUBLE", [0.0, -1.5, 0.001, 9999999.0]),
    "boolean": ("BOOLEAN", [True, False]),
    "decimal5": ("DECIMAL(5, 2)", ["-999.99", "0.00", "0.01", "-0.01", "100.00"]),
    "decimal18": ("DECIMAL(18, 0)", ["-999999999999999999", "0", "1"]),
    "decimal38": ("DECIMAL(38, 0)", ["-" + "9" * 38, "0", "18446744073709551616"]),
    "fraction38": ("DECIMAL(38, 38)", ["-0." + "9" * 38, "0." + "0" * 38, "0." + "0" * 37 + "1"]),
    "char": ("CHAR(3)", ["abc", "a", ""]),
    "string": ("STRING", ["", "a", "1234567", "12345678", "ü", "中文", "😀", " a b ", "a\tb", "ab\0", "ab"]),
    "bytes": ("BYTES", ["", "AA==", "AAA=", "/w==", "AAECAwQFBgc=", "AAECAwQFBgcI"]),
    "date": ("DATE", ["1969-12-31", "1970-01-01", "0001-01-01", "9999-12-31", "1582-10-04"]),
    "time": ("TIME(3)", ["00:00:00.000", "23:59:59.999"]),
    "timestamp0": ("TIMESTAMP(0)", ["1969-12-31T23:59:59", "0001-01-01T00:00:00", "9999-12-31T23:59:59"]),
    "timestamp3": ("TIMESTAMP(3)", ["1969-12-31T23:59:59.999", "1970-01-01T00:00:00.001"]),
    "timestamp6": ("TIMESTAMP(6)", ["1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999000"]),
    "instant3": (
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        ["1969-12-31T23:59:59.999Z", "2024-01-01T00:00:00.001Z"],
    ),
    "instant6": (
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        ["1969-12-31T23:59:59.999999Z", "2024-01-01T00:00:00.000001Z"],
    ),
}
PARTITIONS = {name: case for name, case in KEYS.items() if name != "bytes"}
ZEROS = [[insert(0.0, 1), insert(-0.0, 2)], [insert(-0.0, 3)]]


def tables() -> Iterator[dict[str, Any]]:
    for name, (kind, keys) in KEYS.items():
        yield keyed(f"key_{name}", kind, [[insert(key, i) for i, key in enumerate(keys)]], BUCKETS)
    for name, (kind, keys) in PARTITIONS.items():
        rows = [insert(key, i) for i, key in enumerate([*keys, None])]
        yield describe.table(
            f"part_{name}",
            [("k", kind), ("v", "INT")],
            partition_keys=["k"],
            options={"bucket": "-1"},
            operations=[describe.write(*rows)],
        )
    yield keyed("zeros", "DOUBLE", ZEROS, 1)


def keyed(name: str, kind: str, commits: list[list[Any]], buckets: int) -> dict[str, Any]:
    return describe.table(
        name,
        [("k", f"{kind} NOT NULL"), ("v", "INT")],
        primary_key=["k"],
        options={"bucket": str(buckets), "write-only": "true"},
        operations=[describe.write(*rows) for rows in commits],
    )


@pytest.fixture(scope="module", params=["java", "pypaimon"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Dump]:
    peer: Peer = request.getfixturevalue(request.param)
    folder = tmp_path_factory.mktemp(f"odd-{request.param}")
    peer.write(describe.warehouse(odd=list(tables())), folder)
    return folder, peer.dump(folder)


def table_of(written: tuple[Path, Dump], name: str) -> Table:
    table = open_catalog(str(written[0])).get_table(f"odd.{name}")
    assert isinstance(table, Table)
    return table


def files(table: Table) -> Iterator[tuple[int, Any]]:
    """The bucket and the keys of each live file."""
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    for entry in table.manifests.live_entries(snapshot).entries():
        split = Split(
            0, entry.partition, entry.bucket, entry.total_buckets, (entry.file,), raw_convertible=False
        )
        batches = FileReader.of(table, table.schema, split).read(entry.file, table.schema.fields)
        yield entry.bucket, pa.Table.from_batches(list(batches)).combine_chunks().column("k").chunk(0)


@pytest.mark.parametrize("name", [description["name"] for description in tables()])
def test_rows_are_those_that_paimon_reads(written: tuple[Path, Dump], name: str) -> None:
    kinds = next(dict(description["fields"]) for description in tables() if description["name"] == name)
    rows = json_rows(table_of(written, name).to_arrow(), kinds)
    assert same_rows(rows, written[1][f"odd.{name}"]["latest"]["rows"])


@pytest.mark.parametrize("name", KEYS)
def test_keys_lie_in_our_buckets_in_our_order(written: tuple[Path, Dump], name: str) -> None:
    table = table_of(written, f"key_{name}")
    for bucket, keys in files(table):
        assert set(assign_buckets([table.schema.fields[0].type], [keys], BUCKETS)) == {bucket}
        ordered = comparable_keys([keys])
        assert np.all(ordered[1:] > ordered[:-1])
