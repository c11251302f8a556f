"""Where a batch read starts, by the options of a table. Spec: 09, 6."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import InvalidRequestError, NotFoundError
from core.read import RowKinds
from core.schema import AddColumn
from core.snapshot import Tag
from core.table import Table
from core.types import RowKind, parse_type
from tests.tables import compact, new_table, put, remove, rows_of

COLUMNS = {"k": "INT", "v": "INT"}


def table_of_five(**options: str) -> Table:
    """Snapshots 1 and 2 insert, 3 compacts, 4 updates 1 and 5 deletes 2; tags a on 2 and b on 5."""
    table = new_table(COLUMNS, ["k"], **options)
    put(table, (1, 10), (2, 20))
    put(table, (3, 30))
    compact(table)
    put(table, (1, 11))
    remove(table, (2, 20))
    for name, number in (("a", 2), ("b", 5)):
        table.tags.create(Tag(name, table.snapshots.get(number)))
    return table


def read(table: Table, **options: str) -> list[Any]:
    return rows_of(
        table.with_options({k.replace("__", ".").replace("_", "-"): v for k, v in options.items()})
    )


TWO = [(1, 10), (2, 20), (3, 30)]
FIVE = [(1, 11), (3, 30)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, FIVE),
        ({"scan__snapshot_id": "1"}, TWO[:2]),
        ({"scan__tag_name": "a"}, TWO),
        ({"scan__version": "a"}, TWO),
        ({"scan__version": "1"}, TWO[:2]),
        ({"scan__mode": "from-snapshot-full", "scan__snapshot_id": "2"}, TWO),
        ({"scan__mode": "compacted-full"}, TWO),
        ({"scan__mode": "latest"}, FIVE),
        ({"scan__mode": "latest-delta"}, []),
        ({"scan__timestamp": "2999-01-01"}, FIVE),
        ({"scan__file_creation_time_millis": "0"}, FIVE),
        ({"scan__file_creation_time_millis": "32503680000000"}, []),
        ({"scan__creation_time_millis": "0"}, FIVE),
    ],
)
def test_each_start_sees_its_rows(options: dict[str, str], expected: list[Any]) -> None:
    assert read(table_of_five(), **options) == expected


def test_a_snapshot_that_only_a_tag_holds_is_read() -> None:
    table = table_of_five()
    for number in (1, 2, 3):
        table.snapshots.delete(number)
    assert read(table, scan__snapshot_id="2") == TWO
    with pytest.raises(NotFoundError, match="earliest=4, latest=5"):
        read(table, scan__snapshot_id="3")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"incremental_between": "1,4"}, [(1, 11), (3, 30)]),
        ({"incremental_between": "0,1"}, [(1, 10), (2, 20)]),
        ({"incremental_between": "3,3"}, []),
        ({"incremental_between": "4,5"}, []),  # deletes are for $audit_log
        ({"incremental_between": "a,b"}, [(1, 11)]),
        ({"incremental_between": "a,b", "incremental_between_tag_to_snapshot": "true"}, [(1, 11)]),
        ({"incremental_between": "1,5", "incremental_between_scan_mode": "diff"}, [(1, 11), (3, 30)]),
        ({"incremental_between": "0,5", "incremental_between_scan_mode": "diff"}, FIVE),
        ({"incremental_between_timestamp": "0,32503680000000"}, [(1, 10), (1, 11), (2, 20), (3, 30)]),
        ({"incremental_between_timestamp": "0,1"}, []),
        ({"incremental_between": "1,5", "incremental_between_scan_mode": "changelog"}, []),
    ],
)
def test_changes_between_two_points(options: dict[str, str], expected: list[Any]) -> None:
    assert read(table_of_five(), **options) == expected


@pytest.mark.parametrize(
    ("between", "message"),
    [("5,1", "end=1"), ("1", "found=1"), ("a,5", "two tags or two ids"), ("x,y", "two tags or two ids")],
)
def test_ends_that_make_no_range_are_refused(between: str, message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        read(table_of_five(), incremental_between=between)


def test_a_range_with_an_expired_snapshot_says_what_there_is() -> None:
    table = table_of_five()
    table.snapshots.delete(1)
    with pytest.raises(NotFoundError, match="snapshot_id=1, earliest=2, latest=5"):
        read(table, incremental_between="0,3")


def test_changes_up_to_an_automatic_tag_start_at_the_one_before() -> None:
    table = table_of_five()
    for name, number in (("2024-01-01", 1), ("2024-01-02", 5)):
        table.tags.create(Tag(name, table.snapshots.get(number)))
    assert read(table, incremental_to_auto_tag="2024-01-02") == [(1, 11), (3, 30)]
    assert read(table, incremental_to_auto_tag="2024-01-01") == []


def test_a_row_written_again_as_it_was_is_no_difference() -> None:
    table = new_table(COLUMNS, ["k"], sequence__field="v")
    put(table, (1, 10), (2, 20))
    put(table, (1, 10), (2, 19))  # the same, and one that is older
    assert read(table, incremental_between="1,2", incremental_between_scan_mode="diff") == []


def test_a_filter_on_values_is_asked_of_what_has_changed() -> None:
    diff = table_of_five().with_options({"incremental-between": "a,b"})
    assert rows_of(diff, filter="v = 10") == []
    assert rows_of(diff, filter="v = 11", columns=["k"]) == [(1,)]
    assert rows_of(diff, filter="k = 3") == []


def test_an_append_table_tells_of_the_rows_that_were_added() -> None:
    table = new_table(COLUMNS, bucket="-1")
    put(table, (1, 10))
    put(table, (2, 20))
    assert read(table, incremental_between="1,2", incremental_between_scan_mode="diff") == [(2, 20)]
    assert read(table, incremental_between="0,2") == [(1, 10), (2, 20)]


def partitioned() -> Table:
    """Partition 1 on main, 1 and 2 on branch b."""
    table = new_table({"p": "INT", "k": "INT", "v": "INT"}, ["p", "k"], partition=["p"])
    table.branches.create("b")
    put(table, (1, 1, 10))
    put(table.with_branch("b"), (1, 1, 99), (2, 1, 20))
    return table


def test_a_partition_that_is_missing_comes_from_the_fallback_branch() -> None:
    table = partitioned()
    both = table.with_options({"scan.fallback-branch": "b"})
    assert rows_of(both) == [(1, 1, 10), (2, 1, 20)]
    assert rows_of(both, filter="v > 15") == [(2, 1, 20)]  # not the partition 1 of the branch
    splits = [split for split in both.plan().splits if split.branch]
    assert [batch.to_pylist() for split in splits for batch in both.read_split(split)] == [
        [{"p": 2, "k": 1, "v": 20}]
    ]


def test_the_primary_branch_comes_first() -> None:
    assert read(partitioned(), scan__primary_branch="b") == [(1, 1, 99), (2, 1, 20)]


def test_a_branch_with_other_columns_is_no_fallback() -> None:
    table = partitioned()
    branch = table.with_branch("b")
    branch.schemas.commit_changes([AddColumn(("w",), parse_type("INT"))], has_snapshots=True)
    with pytest.raises(InvalidRequestError, match="do not have the same columns"):
        read(table, scan__fallback_branch="b")


def test_the_option_branch_leads_to_a_branch() -> None:
    assert read(partitioned(), branch="b") == [(1, 1, 99), (2, 1, 20)]


def test_keywords_come_before_options() -> None:
    table = table_of_five().with_options({"scan.snapshot-id": "1"})
    assert rows_of(table, snapshot_id=2) == TWO


def test_a_split_of_changes_can_be_read_with_its_kinds() -> None:
    table = table_of_five()
    (split,) = table.with_options({"incremental-between": "4,5"}).plan().splits
    assert list(table.read_split(split)) == []
    (batch,) = table.read_split(split, ["k"], kinds=RowKinds.ALL)
    assert batch.to_pylist() == [{"k": 2, "_VALUE_KIND": RowKind.DELETE}]


def test_update_kinds_do_not_matter_to_plain_reads() -> None:
    table = new_table(COLUMNS, ["k"])
    put(table, (1, 10), (1, 11), kinds=[RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER])
    assert read(table, incremental_between="0,1") == [(1, 11)]
