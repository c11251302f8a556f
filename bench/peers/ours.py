"""Ours, as a driver."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.peers.driver import main, without_pandas

without_pandas()

import pyarrow as pa  # noqa: E402  pandas had to be kept out first

from bench.commit import commit_one  # noqa: E402
from core.catalog import open_catalog  # noqa: E402
from core.table import Table  # noqa: E402
from core.write import CommitMessage  # noqa: E402


def once(task: dict[str, Any]) -> int:
    table = open_catalog(task["warehouse"]).get_table(f"bench.{task['table']}")
    assert isinstance(table, Table)
    if task["do"] == "commit":
        return commit_one(table)
    if task["do"] == "snapshots":
        return sum(snapshot.total_record_count is not None for snapshot in table.snapshots.iter_all())
    if task["do"] == "write":
        return _write(table, task["source"], task["writers"])
    if task["do"] == "compact":
        return _compact(table, task["threads"])
    columns, condition = task.get("columns"), task.get("filter")
    text = "{column} {is} {literal}".format(**condition) if condition else None
    if task["do"] == "plan":
        return len(table.plan(columns, text).entries)
    if task.get("whole"):
        return table.to_arrow(columns, text, threads=task["threads"]).num_rows
    return sum(batch.num_rows for batch in table.to_batches(columns, text, threads=task["threads"]))


def _write(table: Table, source: str, writers: int) -> int:
    """Each writer takes every so manieth batch, as tasks of Spark would; all are one commit."""

    def written(first: int) -> list[CommitMessage]:
        with table.new_write() as write, pa.memory_map(source) as file:
            rows = pa.ipc.open_file(file)
            for i in range(first, rows.num_record_batches, writers):
                write.write(pa.Table.from_batches([rows.get_batch(i)]))
            return write.prepare_commit()

    with ThreadPoolExecutor(writers) as pool:
        messages = [message for made in pool.map(written, range(writers)) for message in made]
    (snapshot,) = table.new_commit("bench").commit(messages)
    return snapshot.total_record_count or 0


def _compact(table: Table, threads: int) -> int:
    with ThreadPoolExecutor(threads) as pool:
        messages = list(pool.map(table.run_compaction, table.plan_compaction().tasks))
    table.new_commit("bench").commit(messages)
    return sum(file.row_count for message in messages for file in message.compact_after)


if __name__ == "__main__":
    main(once)
