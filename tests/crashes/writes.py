"""Writers and overwrites of every kind of table, for tests of crashes.

Each commits once, however often it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.commit import TableCommit
from core.compact import Strategy
from core.schema.changes import SetOption
from core.table import Table
from core.types import RowKind
from tests.crashes import Case, home, new_table
from tests.tables import arrow, prepare, put, remove

USER, IDENTIFIER = "job", 7
COLUMNS = {"id": "INT NOT NULL", "v": "STRING"}
BY_DAY = {"dt": "STRING NOT NULL", **COLUMNS}

# --- tables ------------------------------------------------------------------------------------------


def filled(*keys: str, columns: dict[str, str] = COLUMNS, **options: str) -> Table:
    """Two commits, which share keys."""
    table = new_table(columns, keys, **options)
    put(table, *[(i, f"a{i}") for i in range(9)])
    put(table, *[(i, f"b{i}") for i in range(0, 9, 3)])
    return table


def plain() -> Table:
    table = filled("id", bucket="2")
    remove(table, (1, None), (2, None))
    return table


def compacting() -> Table:
    """Its writers compact: a commit is two snapshots."""
    table = filled("id", num_sorted_run__compaction_trigger="3")
    return with_compactions(table)


def unaware() -> Table:
    return filled(bucket="-1")


def bucketed() -> Table:
    return filled(bucket="2", bucket_key="id")


def hashed() -> Table:
    """Keys have buckets that an index tells."""
    return filled("id", bucket="-1", dynamic_bucket__target_row_num="4")


def moving() -> Table:
    """Keys move from partition to partition."""
    table = new_table({"p": "STRING", **COLUMNS}, ["id"], partition=["p"], bucket="-1")
    put(table, *[("x", i, "a") for i in range(4)])
    return table


def moved() -> Table:
    """Keys of two partitions; some have moved from the one to the other."""
    table = moving()
    put(table, *[("y", i, "b") for i in range(2, 7)])
    return table


def told_as_moved() -> Table:
    """The same with a changelog."""
    return moved().alter([SetOption("changelog-producer", "input")])


def told_as_written() -> Table:
    return filled("id", changelog_producer="input")


def told_by_lookup() -> Table:
    return with_compactions(filled("id", changelog_producer="lookup"))


def told_by_full_compaction() -> Table:
    options = {"full_compaction__delta_commits": "1"}
    return with_compactions(filled("id", changelog_producer="full-compaction", **options))


def marked_by_writers() -> Table:
    """Writers mark by vectors what their rows replace."""
    table = filled("id", deletion_vectors__enabled="true")
    put(with_compactions(table), (2, "c"), (5, "c"))
    return with_compactions(table)


def indexed() -> Table:
    """Indexes in files of their own, beside the data files."""
    indexes = {"file_index__bloom_filter__columns": "v", "file_index__bitmap__columns": "v"}
    return filled(bucket="-1", file_index__in_manifest_threshold="1 b", **indexes)


def elsewhere() -> Table:
    """Data files lie outside of the table, in two places."""
    roots = f"file://{home()}/one,file://{home()}/two"
    options = {"data_file__external_paths": roots, "data_file__external_paths__strategy": "round-robin"}
    return filled(bucket="-1", target_file_row_num="3", **options)


def with_blobs() -> Table:
    """Each blob column lies in files of its own."""
    options = {"row_tracking__enabled": "true", "data_evolution__enabled": "true"}
    table = new_table({"id": "INT", "b": "BLOB"}, bucket="-1", **options)
    put(table, (1, b"one"), (2, None))
    return table


def with_variants() -> Table:
    table = new_table({"id": "INT", "v": "VARIANT", "e": "VECTOR<FLOAT, 2>"}, bucket="-1")
    put(table, (1, VARIANT, [1.0, 2.0]), (2, None, None))
    return table


VARIANT = (b"\x0c\x07", b"\x01\x00\x00")  # the number 7


def partitioned() -> Table:
    table = new_table(BY_DAY, ["dt", "id"], partition=["dt"])
    put(table, *[(day, i, "a") for day in ("d1", "d2") for i in range(4)])
    put(table, *[(day, i, "b") for day in ("d1", "d2", "d3") for i in range(2)])
    remove(table, ("d1", 1, None))
    return table


def branched() -> Table:
    table = plain()
    table.branches.create("dev")
    put(table.with_branch("dev"), (7, "b"))
    return table


def with_compactions(table: Table) -> Table:
    """The table for writers that compact."""
    return table.alter([SetOption("write-only", "false")])


# --- what is done to them ------------------------------------------------------------------------------


def commit_once(
    table: Table, rows: Sequence[tuple[Any, ...]], kinds: Sequence[RowKind] | None = None
) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(prepare(table, rows, kinds), IDENTIFIER)


def overwrite_once(
    table: Table,
    partition: dict[str, str] | None,
    rows: Sequence[tuple[Any, ...]] = (("d1", 5, "new"), ("d1", 6, "new")),
) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        with table.new_write(overwrite=True) as writer:
            writer.write(arrow(table, rows))
            commit.overwrite(writer.prepare_commit(), partition, IDENTIFIER)


def write(table: Table) -> None:
    commit_once(table, [(0, "new"), (99, "new")])


def write_deletes(table: Table) -> None:
    commit_once(table, [(0, None), (3, "new")], [RowKind.DELETE, RowKind.INSERT])


def write_and_lift(table: Table) -> None:
    """A write that compacts; where it died in between, the compaction is left to do."""
    write(table)
    _compact(table, Strategy.MINOR)


def write_and_compact(table: Table) -> None:
    write(table)
    _compact(table, Strategy.FULL)


def _compact(table: Table, strategy: Strategy) -> None:
    messages = [table.run_compaction(task) for task in table.plan_compaction(strategy=strategy).tasks]
    if any(not message.is_empty for message in messages):
        TableCommit(table, "compactor").commit(messages)


def write_to_branch(table: Table) -> None:
    write(table.with_branch("dev"))


def move(table: Table) -> None:
    commit_once(table, [("y", 1, "moved"), ("y", 8, "new")])


def write_blobs(table: Table) -> None:
    commit_once(table, [(3, b"three"), (4, b"")])


def write_variants(table: Table) -> None:
    commit_once(table, [(3, VARIANT, [3.0, 4.0])])


def overwrite(table: Table) -> None:
    overwrite_once(table, {"dt": "d1"})


def overwrite_what_comes(table: Table) -> None:
    overwrite_once(table, None)


def overwrite_all(table: Table) -> None:
    overwrite_once(table, {})


MOVING = (("y", 1, "moved"), ("y", 4, "stays"), ("y", 8, "new"))  # the first leaves x, which is not replaced


def overwrite_where_keys_move_to(table: Table) -> None:
    overwrite_once(table, {"p": "y"}, MOVING)


def overwrite_what_keys_move_to(table: Table) -> None:
    overwrite_once(table, None, MOVING)


def overwrite_wherever_keys_are(table: Table) -> None:
    overwrite_once(table, {}, MOVING)


def truncate(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.truncate(IDENTIFIER)


def truncate_partitions(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.truncate_partitions([{"dt": "d1"}, {"dt": "d3"}], IDENTIFIER)


CASES = [
    Case(plain, write),
    Case(plain, write_deletes),
    Case(compacting, write_and_lift),
    Case(unaware, write),
    Case(bucketed, write),
    Case(hashed, write),
    Case(moving, move),
    Case(told_as_written, write_deletes),
    Case(told_by_lookup, write_and_lift),
    Case(told_by_full_compaction, write_and_compact),
    Case(marked_by_writers, write_and_lift),
    Case(indexed, write),
    Case(elsewhere, write),
    Case(with_blobs, write_blobs),
    Case(with_variants, write_variants),
    Case(branched, write_to_branch),
    Case(partitioned, overwrite),
    Case(partitioned, overwrite_what_comes),
    Case(partitioned, overwrite_all),
    Case(moved, overwrite_where_keys_move_to),
    Case(moved, overwrite_what_keys_move_to),
    Case(moved, overwrite_wherever_keys_are),
    Case(told_as_moved, overwrite_where_keys_move_to),
    Case(partitioned, truncate_partitions),
    Case(plain, truncate),
]
