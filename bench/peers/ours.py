"""Ours, as a driver."""

from __future__ import annotations

from typing import Any

from bench.peers.driver import main, without_pandas

without_pandas()

from bench.commit import commit_one  # noqa: E402  pandas had to be kept out first
from core.catalog import open_catalog  # noqa: E402


def once(task: dict[str, Any]) -> int:
    table = open_catalog(task["warehouse"]).get_table(f"bench.{task['table']}")
    if task["do"] == "commit":
        return commit_one(table)
    if task["do"] == "snapshots":
        return sum(snapshot.total_record_count is not None for snapshot in table.snapshots.iter_all())
    columns, condition = task.get("columns"), task.get("filter")
    text = "{column} {is} {literal}".format(**condition) if condition else None
    if task["do"] == "plan":
        return len(table.plan(columns, text).entries)
    if task.get("whole"):
        return table.to_arrow(columns, text).num_rows
    return sum(batch.num_rows for batch in table.to_batches(columns, text))


if __name__ == "__main__":
    main(once)
