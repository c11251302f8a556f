"""A bucket that is larger than the memory for it is merged all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core import open_catalog

ROWS, RUNS, WIDTH = 100_000, 4, 1000  # 400 MB of text, that zstd makes small
MERGE_BYTES = 16 << 20
MOST = 160 << 20  # bytes that a read may add to the process, threads and decoders included
ROW_GROUPS = 96 << 20  # that a writer collects, puts together and encodes

READ = """
import sys
from dataclasses import replace
from pathlib import Path
from core import open_catalog
from core.read import read_plan

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

table = open_catalog(sys.argv[1]).get_table("db.wide")
plan = table.plan()
options = {**plan.schema.options, "merge-engine": sys.argv[3]}
plan = replace(plan, schema=replace(plan.schema, options=options))
before = peak()
rows = size = 0
for batch in read_plan(table, plan, merge_bytes=int(sys.argv[2])):
    rows, size = rows + batch.num_rows, size + batch.nbytes
print(rows, size, peak() - before)
"""

DIFF = """
import sys
from dataclasses import replace
from pathlib import Path
from core import open_catalog
from core.read import RowKinds, read_plan
from core.scan.changes import plan_diff

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
table.schema = replace(table.schema, options={**table.schema.options, **json.loads(sys.argv[3])})
(task,) = table.plan_compaction().tasks
before = peak()
message = run_task(table, task, merge_bytes=int(sys.argv[2]))
print(sum(file.row_count for file in message.compact_after), peak() - before)
table.new_commit("test").abort([message])
"""


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of one bucket and four runs, whose keys alternate."""
    root = tmp_path_factory.mktemp("warehouse")
    catalog = open_catalog(str(root))
    catalog.create_database("db")
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), ("text", pa.string())])
    options = {"bucket": "1", "write-only": "true", "target-file-size": "1 gb"}
    table = catalog.create_table("db.wide", schema, primary_keys=["k"], options=options)
    for run in range(RUNS):
        keys = np.arange(ROWS) * RUNS + run
        text = pa.array([chr(97 + run) * WIDTH] * ROWS)
        with table.new_write() as write:
            write.write(pa.table([pa.array(keys), text], schema=schema))
            table.new_commit("test").commit(write.prepare_commit())
    assert len(table.plan().splits) == 1
    return root


@pytest.mark.parametrize("engine", ["deduplicate", "partial-update", "aggregation", "first-row"])
def test_a_merge_of_one_bucket_needs_a_fraction_of_the_bucket(warehouse: Path, engine: str) -> None:
    command = [sys.executable, "-c", READ, str(warehouse), str(MERGE_BYTES), engine]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows, size, added = map(int, answer.split())
    assert rows == ROWS * RUNS
    assert size > 2 * MOST
    assert added < MOST


def test_a_diff_of_two_states_needs_a_fraction_of_them(warehouse: Path) -> None:
    command = [sys.executable, "-c", DIFF, str(warehouse), str(MERGE_BYTES)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
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
    command = [sys.executable, "-c", COMPACT, str(warehouse), str(MERGE_BYTES), json.dumps(options)]
    rows, added = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert rows == ROWS * RUNS
    assert added < MOST + outputs * ROW_GROUPS
