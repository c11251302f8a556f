"""pypaimon 2.1.0, as a driver; run by the interpreter of its own environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from driver import main
from pypaimon import CatalogFactory
from pypaimon.schema.data_types import PyarrowFieldParser

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/interop/drivers"))
from pypaimon21 import accept_old_manifests

accept_old_manifests()


def once(task: dict[str, Any]) -> int:
    table = CatalogFactory.create({"warehouse": task["warehouse"]}).get_table(f"bench.{task['table']}")
    if task["do"] == "commit":
        return _commit_one(table)
    if task["do"] == "snapshots":
        return len(table.snapshot_manager().list_snapshots())
    if task["do"] == "write":
        return _write(table, task["source"])
    builder = table.new_read_builder()
    if task.get("columns"):
        builder = builder.with_projection(task["columns"])
    condition = task.get("filter")
    if condition:
        predicates = builder.new_predicate_builder()
        build = predicates.equal if condition["is"] == "=" else predicates.less_than
        builder = builder.with_filter(build(condition["column"], condition["literal"]))
    splits = builder.new_scan().plan().splits()
    if task["do"] == "plan":
        return sum(len(split.files) for split in splits)
    read = builder.new_read()
    if task.get("whole"):
        return int(read.to_arrow(splits).num_rows)
    return sum(batch.num_rows for batch in read.to_arrow_batch_reader(splits))


def _commit_one(table: Any) -> int:
    """Write a row to partition 42 and commit it."""
    fields = list(PyarrowFieldParser.from_paimon_schema(table.fields))
    columns = [pa.array([42 if field.name in ("c0", "c1") else None], field.type) for field in fields]
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(pa.Table.from_arrays(columns, schema=pa.schema(fields)))
    commit.commit(write.prepare_commit())
    write.close()
    commit.close()
    return 1


def _write(table: Any, source: str) -> int:
    builder = table.new_batch_write_builder()
    write, commit, count = builder.new_write(), builder.new_commit(), 0
    with pa.memory_map(source) as file:
        rows = pa.ipc.open_file(file)
        for i in range(rows.num_record_batches):
            batch = rows.get_batch(i)
            count += batch.num_rows
            write.write_arrow(pa.Table.from_batches([batch]))
        commit.commit(write.prepare_commit())
    return count


if __name__ == "__main__":
    main(once)
