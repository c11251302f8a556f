"""Steps of a case that put a whole table into other files, carried out by us: a word and what it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.commit import TableCommit
from core.maintenance.rescale import apply_rescale, plan_rescale
from core.maintenance.rewrite_file_index import apply_rewrite_file_index, plan_rewrite_file_index
from core.schema.changes import SetOption
from core.table import Table

USER = "lakescope-rewrite"


def sort(table: Table, strategy: str, columns: str) -> None:
    tasks = table.plan_sort_compaction(strategy, columns.split(",")).tasks
    TableCommit(table, USER).commit([table.run_compaction(task) for task in tasks])


def rescale(table: Table, buckets: str) -> None:
    apply_rescale(table, plan_rescale(table, int(buckets)), USER)


def index(table: Table, index_type: str, columns: str) -> None:
    """Columns get an index of one type besides those that there are; bitmaps as Java 0.9.0 knows them."""
    start = f"file-index.{index_type}"
    versions = [SetOption(f"{start}.{c}.version", "1") for c in columns.split(",") if index_type == "bitmap"]
    table = table.alter([SetOption(f"{start}.columns", columns), *versions])
    assert apply_rewrite_file_index(table, plan_rewrite_file_index(table), USER) is not None


REWRITES: Mapping[str, Callable[..., None]] = {f.__name__: f for f in (sort, rescale, index)}
