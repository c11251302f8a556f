from __future__ import annotations

import pytest

from core.catalog.partitions import partitions_of
from core.catalog.rest.home import commit_statistics, merge_changes
from core.errors import UnsupportedError
from core.schema.changes import AddColumn, UpdateColumnType
from core.types import STRING, BigIntType
from tests.builders import schema
from tests.tables import compact, new_table, put


def test_statistics_of_all_commits_add_up_to_what_the_partitions_hold() -> None:
    columns = {"d": "STRING NOT NULL", "k": "INT NOT NULL", "v": "STRING"}
    table = new_table(columns, ["d", "k"], partition=["d"], bucket="1")
    put(table, ("a", 1, "x"), ("b", 1, "x"))
    put(table, ("a", 1, "y"))
    compact(table)
    sums: dict[str, list[int]] = {}
    for snapshot in table.snapshots.iter_all():
        for one in commit_statistics(table, snapshot):
            before = sums.setdefault(one.spec["d"], [0, 0, 0])
            for place, number in enumerate((one.record_count, one.file_size_in_bytes, one.file_count)):
                before[place] += number
    held = [(p.spec["d"], p.statistics) for p in partitions_of(table)]
    assert sums == {d: [s.record_count, s.file_size_in_bytes, s.file_count] for d, s in held}


def test_a_merge_is_told_as_changes() -> None:
    old = schema({"k": "INT", "v": "STRING"})
    merged = schema({"k": "BIGINT", "v": "STRING", "w": "STRING"})
    assert merge_changes(old, merged) == [
        UpdateColumnType(("k",), BigIntType(), keep_nullability=False),
        AddColumn(("w",), STRING),
    ]
    assert merge_changes(old, old) == []


def test_a_merge_inside_a_column_is_refused_by_name() -> None:
    old, merged = (schema({"r": text}) for text in ("ROW<a INT>", "ROW<a INT, b INT>"))
    with pytest.raises(UnsupportedError, match="nested"):
        merge_changes(old, merged)
