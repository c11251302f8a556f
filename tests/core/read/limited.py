"""`python -m tests.core.read.limited BYTES WAREHOUSE TABLE WORK [OPTIONS]`: work that may hold so much more.

The system enforces it (RLIMIT_DATA, over all that the process maps for itself), from after the imports on.
It prints the rows and the bytes that came.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from core import Table, open_catalog
from core.maintenance.rescale import plan_rescale
from core.read import RowKinds, read_plan
from core.scan.diff import plan_diff
from core.write import run_task
from core.write.rebucket import rebucket

MERGE_BYTES = 16 << 20


def main(allowed: str, warehouse: str, name: str, work: str, options: str = "{}") -> None:
    table = open_catalog(warehouse).get_data_table(name)
    table.schema = replace(table.schema, options={**table.schema.options, **json.loads(options)})
    limit = _held() + int(allowed)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    rows = size = 0
    for batch in _WORKS[work](table):
        rows, size = rows + batch.num_rows, size + batch.nbytes
    print(rows, size)


def _held() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmData:")[1].split()[0]) * 1024


def _read(table: Table) -> Iterator[pa.RecordBatch]:
    plan = table.plan()
    return read_plan(table, replace(plan, schema=table.schema), merge_bytes=MERGE_BYTES)


def _whole(table: Table) -> Iterator[pa.RecordBatch]:
    """All rows at once: more than is allowed."""
    yield from pa.Table.from_batches(list(_read(table))).to_batches()


def _diff(table: Table) -> Iterator[pa.RecordBatch]:
    plan = plan_diff(table, table.schema, table.snapshots.get(2), table.snapshots.get(4))
    return read_plan(table, plan, merge_bytes=MERGE_BYTES, kinds=RowKinds.ALL)


def _compact(table: Table) -> Iterator[pa.RecordBatch]:
    """Nothing comes of it, but a message that is thrown away; its rows are those of the other works."""
    (task,) = table.plan_compaction().tasks
    message = run_task(table, task, merge_bytes=MERGE_BYTES)
    rows = sum(file.row_count for file in message.compact_after)
    table.new_commit("test").abort([message])
    yield pa.RecordBatch.from_pydict({"k": pa.nulls(rows)})


def _sort(table: Table) -> Iterator[pa.RecordBatch]:
    """The same of rows without a key, that are put in order."""
    (task,) = table.plan_sort_compaction("zorder", ["value", "k"]).tasks
    message = run_task(table, task, merge_bytes=MERGE_BYTES)
    rows = sum(file.row_count for file in message.new_files)
    table.new_commit("test").abort([message])
    yield pa.RecordBatch.from_pydict({"k": pa.nulls(rows)})


def _rescale(table: Table) -> Iterator[pa.RecordBatch]:
    """The same of a bucket that becomes three."""
    (partition,) = plan_rescale(table, 3).partitions
    messages = rebucket(table, partition.task, merge_bytes=MERGE_BYTES)
    rows = sum(file.row_count for message in messages for file in message.new_files)
    table.new_commit("test").abort(messages)
    yield pa.RecordBatch.from_pydict({"k": pa.nulls(rows)})


_WORKS: Mapping[str, Callable[[Table], Iterator[pa.RecordBatch]]] = {
    "read": _read,
    "whole": _whole,
    "diff": _diff,
    "compact": _compact,
    "sort": _sort,
    "rescale": _rescale,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
