"""Compactions of every kind of table, for tests of crashes. None of them changes a row."""

from __future__ import annotations

from core.commit import TableCommit
from core.compact import Strategy
from core.schema.changes import SetOption
from core.table import Table
from tests.crashes import Case, new_table
from tests.crashes.statements import marked
from tests.crashes.writes import (
    BY_DAY,
    COLUMNS,
    elsewhere,
    hashed,
    indexed,
    partitioned,
    plain,
    told_by_full_compaction,
    unaware,
    with_compactions,
)
from tests.tables import compact, put

USER, BATCH = "compactor", 2**63 - 1


def tracked() -> Table:
    """Rows have ids, which a compaction stores with them."""
    table = new_table(COLUMNS, bucket="-1", row_tracking__enabled="true")
    for i in range(3):
        put(table, (i, "a"))
    return table


def two_columns() -> Table:
    table = new_table({"a": "INT", "b": "INT"}, bucket="-1")
    put(table, *[(i * 7 % 9, i) for i in range(9)])
    put(table, *[(i, i * 5 % 9) for i in range(9)])
    return table


def clustering(**options: str) -> Table:
    """Sorted a part at a time: a large run on the top level, and four small ones that wait."""
    order = {"clustering__columns": "id", "clustering__incremental": "true"}
    table = new_table(COLUMNS, bucket="-1", **order, **options)
    put(table, *[(i, "x" * 20) for i in range(1000, 0, -1)])
    compact(table)
    for i in range(4):
        put(table, (9 - i, "new"), (i, "new"))
    return table


def clustering_days() -> Table:
    """The same in two partitions, one of which has only new files."""
    order = {"clustering__columns": "id,v", "clustering__incremental": "true"}
    table = new_table(BY_DAY, partition=["dt"], bucket="-1", **order)
    put(table, *[("d1", i, "a") for i in range(9, 0, -1)])
    compact(table)
    for i in range(5):
        put(table, *[(day, 9 - i, "new") for day in ("d1", "d2")])
    return table


def clustering_marked() -> Table:
    """Rows of files on both levels are deleted."""
    table = clustering(deletion_vectors__enabled="true")
    for gone in ("id = 9", "id = 500"):
        TableCommit(table, "before").commit(table.apply_changes(table.plan_delete(gone)))
    return table


def clustering_tracked() -> Table:
    """Rows have ids, which go with them."""
    return clustering(row_tracking__enabled="true")


def clustering_anew() -> Table:
    """All rows lie in one sorted run, but of columns that the table is no longer clustered by."""
    table = clustering()
    compact(table)
    return table.alter([SetOption("clustering.columns", "v")])


def waiting() -> Table:
    """Rows of level 0 that wait to be told in a changelog, and to mark what they replace."""
    marking = {"deletion_vectors__enabled": "true", "deletion_vectors__merge_on_read": "true"}
    table = new_table(COLUMNS, ["id"], changelog_producer="lookup", **marking)
    table = with_compactions(table)
    put(table, *[(i, "a") for i in range(2000)])
    put(table.with_options({"write-only": "true"}), (1, "b"), (5000, "b"))
    return table


def expiring() -> Table:
    """Rows whose time has come, on the top level."""
    options = {"record_level__expire_time": "1 d", "record_level__time_field": "at"}
    table = new_table({"id": "INT NOT NULL", "at": "INT NOT NULL"}, ["id"], **options)
    put(table, (1, 1000), (2, 2_000_000_000))
    return table


def compact_once(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([BATCH]):
        compact(table, Strategy.FULL, USER)


def lift(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([BATCH]):
        compact(table, Strategy.MINOR, USER)


def sort_once(table: Table, strategy: str, columns: list[str]) -> None:
    if TableCommit(table, USER).filter_committed([BATCH]):
        tasks = table.plan_sort_compaction(strategy, columns).tasks
        TableCommit(table, USER).commit([table.run_compaction(task) for task in tasks])


def sort_by_order(table: Table) -> None:
    sort_once(table, "order", [table.schema.fields[-1].name])


def sort_by_zorder(table: Table) -> None:
    sort_once(table, "zorder", [field.name for field in table.schema.fields])


def sort_by_hilbert(table: Table) -> None:
    sort_once(table, "hilbert", [field.name for field in table.schema.fields])


KEEPING_ROWS = [
    Case(plain, compact_once),
    Case(unaware, compact_once),
    Case(partitioned, compact_once),
    Case(hashed, compact_once),
    Case(tracked, compact_once),
    Case(marked, compact_once),
    Case(indexed, compact_once),
    Case(elsewhere, compact_once),
    Case(told_by_full_compaction, compact_once),
    Case(waiting, lift),
    Case(clustering, lift),
    Case(clustering_days, lift),
    Case(clustering_marked, lift),
    Case(clustering_marked, compact_once),
    Case(clustering_tracked, compact_once),
    Case(clustering_anew, compact_once),
    Case(unaware, sort_by_order),
    Case(marked, sort_by_order),
    Case(tracked, sort_by_order),
    Case(elsewhere, sort_by_order),
    Case(two_columns, sort_by_zorder),
    Case(two_columns, sort_by_hilbert),
]
CASES = [*KEEPING_ROWS, Case(expiring, compact_once)]
