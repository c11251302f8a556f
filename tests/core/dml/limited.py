"""`python -m tests.core.dml.limited BYTES WAREHOUSE TABLE WORK`: a merge that may hold so much more.

The system enforces it (RLIMIT_DATA, over all that the process maps for itself), from after the imports on.
It prints the bytes of the source.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from core import open_catalog
from core.dml import Column, Matched, NotMatched

ROWS, BATCHES = 5_000, 120
SCHEMA = pa.schema([("id", pa.int64()), ("v", pa.string())])


def batches(sizes: list[int]) -> Iterator[pa.RecordBatch]:
    """Every other key of the table, each once, and many more."""
    wide = pa.array(["w" * 400] * ROWS)
    for number in range(BATCHES):
        ids = pa.array(2 * np.arange(number * ROWS, (number + 1) * ROWS))
        sizes.append(ids.nbytes + wide.nbytes)
        yield pa.record_batch([ids, wide], schema=SCHEMA)


def main(allowed: str, warehouse: str, name: str, work: str) -> None:
    table = open_catalog(warehouse).get_data_table(name)
    assert pa.array([row["id"] for row in table.to_arrow().to_pylist()])  # imports, and threads, come with it
    held = int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (held + int(allowed),) * 2)
    sizes: list[int] = []
    rows = pa.RecordBatchReader.from_batches(SCHEMA, batches(sizes))
    if work == "hold":
        pa.Table.from_batches([batch.take(list(range(ROWS))) for batch in rows])
    clauses = [Matched({"v": Column("source.v")}), NotMatched(condition="`source.id` = 1199998")]
    commit = table.new_commit("u")
    commit.commit(table.apply_changes(table.plan_merge(rows, ["id"], clauses)))
    print(sum(sizes))


if __name__ == "__main__":
    main(*sys.argv[1:])
