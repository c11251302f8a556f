"""Statistics of rows, and the snapshot that names them. Spec: 01, 11; 08, 14."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from core.errors import CommitConflictError, InvalidRequestError, StorageError
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.schema.changes import AddColumn
from core.snapshot import CommitKind
from core.stats.table_statistics import ColumnStatistics, TableStatistics, read_table_statistics
from core.table import Table
from core.types import IntType
from core.types.timestamp import Timestamp
from tests.core.maintenance.tables import checked, files, is_clean, keyed
from tests.faults import FaultyFileIO
from tests.tables import new_table, put, rows_of


def analyze(table: Table, *columns: str) -> TableStatistics:
    snapshot = apply_analyze(table, plan_analyze(table, columns or None), "analyst")
    assert snapshot is not None
    assert snapshot.commit_kind is CommitKind.ANALYZE
    assert snapshot.statistics is not None
    return read_table_statistics(table.io, table.paths, snapshot.statistics)


def test_merged_rows_are_counted() -> None:
    table = keyed()
    rows = rows_of(table)
    found = analyze(table)
    assert (found.snapshot_id, found.schema_id, found.merged_record_count) == (6, 0, len(rows))
    assert found.columns["v"].distinct_count == len({v for _, v in rows})
    assert rows_of(table.refreshed()) == rows
    assert is_clean(checked(table))


VALUES = {
    "BOOLEAN": ([True, False, None], ("false", "true", 1, 1)),
    "TINYINT": ([-5, 5, None], ("-5", "5", 1, 1)),
    "BIGINT": ([-(2**63), 2**63 - 1, 0], (str(-(2**63)), str(2**63 - 1), 8, 8)),
    "DOUBLE": ([1.5, math.nan, None], ("1.5", "NaN", 8, 8)),
    "FLOAT": ([math.nan, None, math.nan], ("NaN", "NaN", 4, 4)),
    "DECIMAL(10, 2)": ([Decimal("0.50"), Decimal("9.50"), None], ("0.50", "9.50", 8, 8)),
    "DECIMAL(30, 1)": ([Decimal("0.5"), Decimal(10**20), None], ("0.5", f"{10**20}.0", 16, 16)),
    "DATE": ([-1, 2_932_897, None], ("-1", "2932897", 4, 4)),  # in the year 10000
    "TIMESTAMP(9)": (
        [Timestamp(0, 1), Timestamp(1, 2), None],
        ("1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.001000002", 8, 8),
    ),
    "TIMESTAMP(3)": (
        [Timestamp(-1, 0), Timestamp(0, 0), None],
        ("1969-12-31 23:59:59.999", "1970-01-01 00:00:00.000", 8, 8),
    ),
    "STRING": (["中文", "a", None], (None, None, 2, 2)),
    "BYTES": ([b"abc", b"", b"abcdef"], (None, None, 3, 6)),
    "INT": ([None, None, None], (None, None, 4, 4)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_column_of_each_type_is_described(kind: str) -> None:
    values, (least, greatest, average, longest) = VALUES[kind]
    table = new_table({"c": kind}, bucket="-1")
    for value in values:
        put(table, (value,))
    nulls = values.count(None)
    distinct = len({repr(v) for v in values if v is not None})
    expected = ColumnStatistics(0, distinct, least, greatest, nulls, average, longest)
    assert analyze(table).columns == {"c": expected}


def test_columns_are_chosen_and_nested_ones_left_out() -> None:
    table = new_table({"id": "INT", "v": "STRING", "a": "ARRAY<INT>"}, bucket="-1")
    put(table, (1, "x", [1]))
    assert (plan_analyze(table).columns, plan_analyze(table).left_out) == (("id", "v"), ("a",))
    assert analyze(table, "v").columns.keys() == {"v"}
    assert plan_analyze(table, []).columns == ()
    for column in ("a", "none"):
        with pytest.raises(InvalidRequestError, match="column"):
            plan_analyze(table, [column])


def test_the_next_commits_carry_statistics_on_until_the_schema_changes() -> None:
    table = keyed()
    analyze(table)
    named = [put(table, (9, "x"))[-1].statistics]
    table = table.alter([AddColumn(("more",), IntType())])
    named.append(put(table, (9, "x", 1))[-1].statistics)
    assert [name is not None for name in named] == [True, False]


def test_a_schema_that_has_changed_since_the_plan_is_a_conflict() -> None:
    table = keyed()
    plan = plan_analyze(table)
    table.alter([AddColumn(("more",), IntType())])
    with pytest.raises(CommitConflictError, match="schema"):
        apply_analyze(table, plan, "analyst")


def test_a_commit_that_fails_leaves_no_file() -> None:
    table = keyed()
    before = files(table)
    failing = Table(FaultyFileIO(table.io, 1, fails=True), table.location, table.identifier)
    with pytest.raises(StorageError):
        apply_analyze(failing, plan_analyze(failing), "analyst")
    assert files(table) == before


def test_an_empty_table_has_nothing_to_tell() -> None:
    table = new_table({"id": "INT"}, bucket="-1")
    plan = plan_analyze(table)
    assert plan.changes_nothing
    assert apply_analyze(table, plan, "analyst") is None
