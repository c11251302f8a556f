"""What is looked at after a job: each look fails where the table is not as it should be."""

from __future__ import annotations

import pytest

from core.errors import CommitConflictError, FormatError
from core.maintenance.reach import NamedFiles
from core.table import Table
from spark_jobs.jobs.verified import made_snapshots, nothing_lost, same_rows
from tests.tables import compact, data_paths, new_table, put


def table_with(*values: int) -> Table:
    table = new_table({"v": "INT"}, bucket="-1")
    for value in values:
        put(table, (value,))
    return table


def test_a_file_that_is_missing_is_told() -> None:
    table = table_with(1)
    (path,) = data_paths(table)
    latest = table.snapshots.latest()
    assert made_snapshots(table, [latest])["files_present"] == 1
    table.io.delete(path)
    with pytest.raises(FormatError, match="missing") as told:
        made_snapshots(table, [latest])
    assert told.value.fields["path"] == path


def test_a_file_that_was_cut_is_told() -> None:
    table = table_with(1)
    (path,) = data_paths(table)
    table.io.write(path, b"PAR1")
    with pytest.raises(FormatError, match="another size"):
        made_snapshots(table, [table.snapshots.latest()])


def test_a_snapshot_whose_id_is_another_by_now_is_a_conflict() -> None:
    table = table_with(1)
    made = table.snapshots.latest()
    table.snapshots.delete(1)
    table.snapshots.write_hint(1)
    put(table, (2,))
    with pytest.raises(CommitConflictError):
        made_snapshots(table, [made])


def test_a_deleted_file_that_is_needed_is_told() -> None:
    table = table_with(1)
    name = next(iter(data_paths(table))).rpartition("/")[2]
    assert nothing_lost(table, NamedFiles.none())["files_deleted_and_needed"] == 0
    with pytest.raises(FormatError, match="needed was deleted"):
        nothing_lost(table, NamedFiles.of_rows([("data", name, f"x/{name}", 1)]))


def test_rows_of_a_compaction_are_counted_before_and_after() -> None:
    table = table_with(1, 2, 3)
    made = compact(table)
    facts = same_rows(table, made, merges=False)
    assert (facts["rows_before"], facts["rows_after"], facts["files_before"], facts["files_after"]) == (
        3,
        3,
        3,
        1,
    )


def test_a_snapshot_with_other_rows_is_told() -> None:
    table = table_with(1, 2)
    with pytest.raises(FormatError, match="number of rows changed"):
        same_rows(table, put(table, (3,)), merges=True)
