"""pyarrow alone on the data files of an append table: what decoding them costs at the least."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from bench.peers.driver import main

_OPERATORS = {"=": operator.eq, "<": operator.lt}


def once(task: dict[str, Any]) -> int:
    pa.set_cpu_count(task["threads"])
    files = sorted(Path(task["warehouse"], "bench.db", task["table"]).glob("bucket-*/*.parquet"))
    condition = task.get("filter")
    if condition:
        expression = _OPERATORS[condition["is"]](pc.field(condition["column"]), condition["literal"])
        dataset: Any = ds.dataset([str(file) for file in files], format="parquet")
        return sum(batch.num_rows for batch in dataset.to_batches(filter=expression))
    readers = (pq.ParquetFile(file).iter_batches(64 * 1024) for file in files)
    return sum(batch.num_rows for reader in readers for batch in reader)


if __name__ == "__main__":
    main(once)
