"""$audit_log, $binlog and $ro of tables that we write: kinds, pairs of updates, top levels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.errors import InvalidRequestError
from core.system import open_system_table
from core.system.binlog import _packed, _with_whole_updates
from core.table import Table
from core.types import DataField, RowKind, parse_type
from tests.tables import compact, new_table, put, remove

COLUMNS = {"k": "INT", "v": "INT"}
INSERT, OLD, NEW, DELETE = RowKind


def read(table: Table, system: str, options: dict[str, str] | None = None, **how: Any) -> list[Any]:
    source = open_system_table(table, system).with_options(options or {})
    return sorted((tuple(row.values()) for row in source.to_arrow(**how).to_pylist()), key=repr)


def changed() -> Table:
    """Two rows, then an update of 1 and a delete of 2."""
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10), (2, 20))
    put(table, (1, 11), (2, 20), kinds=[NEW, DELETE])
    return table


def merged_by(engine: str, table: Table) -> Table:
    """The same files as those of a table with another engine, which we do not write yet."""
    options = {**table.schema.options, "merge-engine": engine}
    table.schemas.create(replace(table.schema, id=table.schema.id + 1, options=options))
    return table.refreshed()


def test_the_audit_log_of_a_state_keeps_kinds_and_deletes() -> None:
    assert read(changed(), "audit_log") == [("+U", 1, 11), ("-D", 2, 20)]


def test_a_full_compaction_forgets_deletes() -> None:
    table = changed()
    compact(table)
    assert read(table, "audit_log") == [("+U", 1, 11)]


def test_the_audit_log_of_a_range_has_every_change() -> None:
    expected = [("+I", 1, 10), ("+I", 2, 20), ("+U", 1, 11), ("-D", 2, 20)]
    assert read(changed(), "audit_log", {"incremental-between": "0,2"}) == expected


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"columns": ["rowkind"]}, [("+U",), ("-D",)]),
        ({"columns": ["v", "rowkind"]}, [(11, "+U"), (20, "-D")]),
        ({"filter": "rowkind = '-D'"}, [("-D", 2, 20)]),
        ({"filter": "v = 11", "columns": ["k"]}, [(1,)]),
        ({"snapshot_id": 1}, [("+I", 1, 10), ("+I", 2, 20)]),
    ],
)
def test_the_audit_log_is_projected_filtered_and_travels(how: dict[str, Any], expected: list[Any]) -> None:
    assert read(changed(), "audit_log", **how) == expected


def test_rows_of_an_append_table_are_inserts() -> None:
    table = new_table(COLUMNS, bucket="-1")
    put(table, (1, 10))
    assert read(table, "audit_log") == [("+I", 1, 10)]
    assert read(table, "binlog") == [("+I", [1], [10])]


@pytest.mark.parametrize("engine", ["deduplicate", "aggregation"])
def test_sequence_numbers_are_shown_when_asked_for(engine: str) -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10), (2, 20))
    put(table, (1, 11))
    table = merged_by(engine, table)
    shown = {"table-read.sequence-number.enabled": "true"}
    assert read(table, "audit_log", shown) == [("+I", 1, 2, 20), ("+I", 2, 1, 11)]
    source = open_system_table(table, "audit_log").with_options(shown)
    assert source.schema.field_names == ("rowkind", "_SEQUENCE_NUMBER", "k", "v")


@pytest.mark.parametrize("engine", ["aggregation", "partial-update"])
def test_a_row_that_engines_combine_is_an_insert(engine: str) -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10))
    put(table, (1, 11), kinds=[NEW])
    assert read(merged_by(engine, table), "audit_log") == [("+I", 1, 11)]


def test_a_diff_tells_of_rows_that_are_gone() -> None:
    table = changed()
    put(table, (3, 30))
    compact(table)
    diff = {"incremental-between": "1,4", "incremental-between-scan-mode": "diff"}
    assert read(table, "audit_log", diff) == [("+I", 3, 30), ("+U", 1, 11), ("-D", 2, 20)]


def diff(table: Table, first: int) -> list[Any]:
    between = f"{first},{table.snapshots.latest_id()}"
    return read(table, "audit_log", {"incremental-between": between, "incremental-between-scan-mode": "diff"})


def test_what_a_state_had_deleted_is_not_gone_again() -> None:
    table = changed()
    compact(table)
    assert diff(table, 2) == []


def test_an_update_to_the_same_values_is_no_difference() -> None:
    table = changed()
    put(table, (3, 30), (1, 11))
    compact(table)
    assert diff(table, 2) == [("+I", 3, 30)]


def test_a_row_that_came_and_went_is_a_delete_while_that_is_stored() -> None:
    table = changed()
    put(table, (3, 30))
    compact(table)
    remove(table, (3, 30))
    assert diff(table, 2) == [("-D", 3, 30)]
    compact(table)
    assert diff(table, 2) == []


LAST_BUT_TWO = {"incremental-between": "3,4"}  # -D 2, +I 4, and two updates


def with_changelog(corpora: Path) -> Table:
    """Written by Java Paimon with changelog-producer = lookup."""
    return open_catalog(str(corpora / "java09")).get_data_table("changelog.lookup")


def test_an_update_is_one_row_of_the_binlog(corpora: Path) -> None:
    assert read(with_changelog(corpora), "binlog", LAST_BUT_TWO) == [
        ("+I", [4], ["d"], [4]),
        ("+U", [1, 1], ["a", "a2"], [1, 1]),
        ("+U", [3, 3], ["c", "c"], [3, 3]),
        ("-D", [2], ["b"], [2]),
    ]


def test_the_binlog_of_a_state_packs_nothing() -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10), (2, 21), kinds=[OLD, NEW])  # side by side, and no pair
    assert read(table, "binlog") == [("+U", [2], [21]), ("-U", [1], [10])]


def test_the_binlog_is_projected_and_filtered_by_kind(corpora: Path) -> None:
    how = {"columns": ["v"], "filter": "rowkind = '-D'"}
    assert read(with_changelog(corpora), "binlog", LAST_BUT_TWO, **how) == [(["b"],)]


def batch(*rows: tuple[RowKind, int]) -> pa.RecordBatch:
    values = pa.array([v for _, v in rows], pa.int32())
    kinds = pa.array([k for k, _ in rows], pa.int8())
    return pa.RecordBatch.from_arrays([values, kinds], names=["v", "_VALUE_KIND"])


ROWS = [(INSERT, 1), (OLD, 2), (NEW, 3), (OLD, 4), (OLD, 5), (NEW, 6), (NEW, 7), (DELETE, 8), (OLD, 9)]
PAIRED = [("+I", [1]), ("+U", [2, 3]), ("-U", [4]), ("+U", [5, 6]), ("+U", [7]), ("-D", [8]), ("-U", [9])]


@pytest.mark.parametrize("size", range(1, 10))
def test_updates_are_paired_wherever_batches_end(size: int) -> None:
    batches = (batch(*ROWS[i : i + size]) for i in range(0, len(ROWS), size))
    array = {"v": DataField(0, "v", parse_type("ARRAY<INT>"))}
    packed = [_packed(rows, array, pairs=True) for rows in _with_whole_updates(batches)]
    assert [tuple(row.values()) for rows in packed for row in rows.to_pylist()] == PAIRED


def test_read_optimized_shows_the_top_level() -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10), (2, 20))
    assert read(table, "ro") == []
    compact(table)
    remove(table, (2, 20))
    assert read(table, "ro") == [(1, 10), (2, 20)]
    assert read(table, "ro", filter="v > 10") == [(2, 20)]
    assert read(table, "ro", {"scan.snapshot-id": "1"}) == []
    compact(table)
    assert read(table, "ro") == [(1, 10)]


def test_an_append_table_is_read_optimized_as_it_is() -> None:
    table = new_table(COLUMNS, bucket="-1")
    put(table, (1, 10))
    assert read(table, "ro") == [(1, 10)]


def test_read_optimized_shows_no_changes() -> None:
    with pytest.raises(InvalidRequestError, match="not what has changed"):
        read(changed(), "ro", {"incremental-between": "0,1"})


def test_metadata_tables_take_options_too() -> None:
    table = changed()
    assert len(read(table, "files", {"scan.snapshot-id": "1"})) == 1
    assert len(read(table, "files")) == 2


def in_partitions() -> Table:
    table = new_table({"p": "INT", "k": "INT", "v": "INT"}, ["p", "k"], partition=["p"])
    put(table, *((p, k, k) for p in range(4) for k in range(5)))
    put(table, *((p, 0, 9) for p in range(4)))
    return table


@pytest.mark.parametrize("system", ["ro", "audit_log", "binlog"])
def test_threads_read_the_same_rows(system: str) -> None:
    table = in_partitions()
    compact(table)
    one, more = (read(table, system, threads=threads) for threads in (1, 3))
    assert len(one) == 20
    assert one == more


@pytest.mark.parametrize("system", ["ro", "audit_log", "binlog"])
def test_less_than_one_thread_is_refused_before_the_first_batch(system: str) -> None:
    with pytest.raises(InvalidRequestError, match="thread"):
        open_system_table(in_partitions(), system).to_batches(threads=0)


def test_a_table_of_metadata_takes_threads_as_tables_of_rows_do() -> None:
    batches = open_system_table(in_partitions(), "snapshots").to_batches(threads=3)
    assert sum(batch.num_rows for batch in batches) == 2
