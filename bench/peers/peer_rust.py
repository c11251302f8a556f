"""pypaimon-rust 0.4.0 alone, as a driver; run by the interpreter of its own environment."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from driver import main
from pypaimon_rust.datafusion import PaimonCatalog

_METHODS = {"=": "equal", "<": "lessThan"}


def once(task: dict[str, Any]) -> int:
    table = PaimonCatalog({"warehouse": task["warehouse"]}).get_table(f"bench.{task['table']}")
    if task["do"] == "snapshots":
        return len(table.list_snapshots())
    if task["do"] == "write":
        return _write(table, task["source"])
    builder = table.new_read_builder()
    if task.get("columns"):
        builder = builder.with_projection(task["columns"])
    condition = task.get("filter")
    if condition:
        method, literals = _METHODS[condition["is"]], [condition["literal"]]
        predicate = {"method": method, "field": condition["column"], "literals": literals}
        builder = builder.with_filter(predicate)
    splits = builder.new_scan().plan().splits()
    if task["do"] == "plan":
        return len(splits)  # it does not say how many files they have
    read = builder.new_read()
    batches = read.read(splits) if task.get("whole") else read.read_arrow(splits)
    return sum(batch.num_rows for batch in batches)


def _write(table: Any, source: str) -> int:
    builder = table.new_batch_write_builder()
    write, commit, count = builder.new_write(), builder.new_commit(), 0
    with pa.memory_map(source) as file:
        rows = pa.ipc.open_file(file)
        for i in range(rows.num_record_batches):
            batch = rows.get_batch(i)
            count += batch.num_rows
            write.write_arrow(batch)
        commit.commit(write.prepare_commit())
    return count


if __name__ == "__main__":
    main(once)
