"""A bucket that is larger than the memory for it is merged all the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core import open_catalog
from tests.memory import sparing

ROWS, RUNS, WIDTH = 100_000, 4, 1000  # 400 MB of text, that zstd makes small
FEWER_ROWS = 40_000
LITTLE = 4 << 20  # that a merge may buffer
BOUND = 6 * LITTLE + (8 << 20)  # as core.read.reader says
STRIPE = 2 << 20  # of ORC, with what a writer adds to a block before it looks at its size
MERGE_BYTES = 16 << 20
MOST = 160 << 20  # bytes that a diff may add to the process, threads and decoders included
ROW_GROUPS = 96 << 20  # that a writer collects, puts together and encodes

READ = """
import resource
import sys
from dataclasses import replace
from pathlib import Path
import pyarrow as pa
from core import open_catalog
from core.read import read_plan

warehouse, name, engine, work, merge_bytes, threads, allowed = sys.argv[1:]

def batches(name):
    table = open_catalog(warehouse).get_data_table(name)
    plan = table.plan()
    options = {**plan.schema.options, "merge-engine": engine}
    plan = replace(plan, schema=replace(plan.schema, options=options))
    return read_plan(table, plan, merge_bytes=int(merge_bytes), threads=int(threads))

for _ in batches(name + "_small"):  # so that all that is loaded once is loaded
    pass
held = int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (held + int(allowed),) * 2)
found = batches(name)
rows = size = 0
for batch in pa.Table.from_batches(found).to_batches() if work == "whole" else found:
    rows, size = rows + batch.num_rows, size + batch.nbytes
print(rows, size)
"""

DIFF = """
import sys
from dataclasses import replace
from pathlib import Path
from core import open_catalog
from core.read import RowKinds, read_plan
from core.scan.diff import plan_diff

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

table = open_catalog(sys.argv[1]).get_table("db.wide")
options = {**table.schema.options, "merge-engine": "partial-update"}  # common files decide about rows
schema = replace(table.schema, options=options)
plan = plan_diff(table, schema, table.snapshots.get(2), table.snapshots.get(4))
before = peak()
rows = size = 0
for batch in read_plan(table, plan, merge_bytes=int(sys.argv[2]), kinds=RowKinds.ALL):
    rows, size = rows + batch.num_rows, size + batch.nbytes
print(rows, size, peak() - before)
"""

COMPACT = """
import json
import sys
from dataclasses import replace
from pathlib import Path
from core import open_catalog
from core.write import run_task

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

table = open_catalog(sys.argv[1]).get_table("db.wide")
table.schema = replace(table.schema, options={**table.schema.options, **json.loads(sys.argv[2])})
(task,) = table.plan_compaction().tasks
before = peak()
message = run_task(table, task)
print(sum(file.row_count for file in message.compact_after), peak() - before)
table.new_commit("test").abort([message])
"""


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `db.wide` is a table of one bucket."""
    root = tmp_path_factory.mktemp("warehouse")
    open_catalog(str(root)).create_database("db")
    create(root, "wide", ROWS)
    return root


def create(root: Path, name: str, rows: int, **options: str) -> None:
    """A table of four runs a bucket, whose keys alternate, and a small one beside it."""
    catalog = open_catalog(str(root))
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), ("value", pa.binary())])
    options = {"bucket": "1", "write-only": "true", "target-file-size": "1 gb", **options}
    for full_name, count in ((f"db.{name}", rows), (f"db.{name}_small", 20)):
        table = catalog.create_table(full_name, schema, primary_keys=["k"], options=options)
        for run in range(RUNS):
            keys = pa.array(np.arange(count) * RUNS + run)
            values = pa.array([bytes([97 + run]) * WIDTH] * count)
            with table.new_write() as write:
                write.write(pa.table([keys, values], schema=schema))
                table.new_commit("test").commit(write.prepare_commit())
        assert len(table.plan().splits) == int(options["bucket"])


def limited(
    warehouse: Path, name: str, engine: str, allowed: int, work: str = "stream", threads: int = 1
) -> tuple[int, int]:
    """The rows and bytes of a read that may take `allowed` bytes more of the system than a small read has."""
    asked = [str(warehouse), f"db.{name}", engine, work, str(LITTLE), str(threads), str(allowed)]
    done = sparing("-c", READ, *asked)
    rows, size = map(int, done.stdout.split())
    return rows, size


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["deduplicate", "partial-update", "aggregation", "first-row"])
def test_a_merge_of_one_bucket_needs_no_more_than_its_bound(warehouse: Path, engine: str) -> None:
    rows, size = limited(warehouse, "wide", engine, BOUND)
    assert rows == ROWS * RUNS
    assert size > 4 * BOUND


def test_the_bound_is_too_little_for_the_bucket(warehouse: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        limited(warehouse, "wide", "deduplicate", BOUND, "whole")
    assert "MemoryError" in failed.value.stderr


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"file.format": "avro"}, 0),
        ({"file.format": "orc", "file.compression": "none", "file.block-size": "1 mb"}, 2 * RUNS * STRIPE),
    ],
    ids=["avro", "orc"],
)
def test_a_bucket_of_blocks_or_stripes_too(warehouse: Path, options: dict[str, str], more: int) -> None:
    name = options["file.format"]
    create(warehouse, name, FEWER_ROWS, **options)
    rows, size = limited(warehouse, name, "deduplicate", BOUND + more)
    assert rows == FEWER_ROWS * RUNS
    assert size > 3 * (BOUND + more)


def test_two_threads_need_no_more_than_two_bounds(warehouse: Path) -> None:
    create(warehouse, "two", ROWS * 3 // 5, bucket="2")
    rows, size = limited(warehouse, "two", "deduplicate", 2 * BOUND, threads=2)
    assert rows == ROWS * 3 // 5 * RUNS
    assert size > 3 * 2 * BOUND


def test_a_diff_of_two_states_needs_a_fraction_of_them(warehouse: Path) -> None:
    answer = sparing("-c", DIFF, str(warehouse), str(MERGE_BYTES)).stdout
    rows, size, added = map(int, answer.split())
    assert rows == ROWS * 2  # of six runs, two in the older state
    assert size > MOST
    assert added < MOST


@pytest.mark.parametrize(
    ("options", "outputs"),
    [({}, 1), ({"merge-engine": "partial-update", "changelog-producer": "lookup"}, 2)],
)
def test_a_compaction_of_one_bucket_needs_a_fraction_of_the_bucket(
    warehouse: Path, options: dict[str, str], outputs: int
) -> None:
    options = {**options, "write-buffer-size": str(MERGE_BYTES)}
    rows, added = map(int, sparing("-c", COMPACT, str(warehouse), json.dumps(options)).stdout.split())
    assert rows == ROWS * RUNS
    assert added < MOST + outputs * ROW_GROUPS
