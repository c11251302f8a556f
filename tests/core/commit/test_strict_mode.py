"""What others may do since the last safe snapshot of a commit. Spec: 08, 3, check 9."""

from __future__ import annotations

from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError
from core.table import Table
from tests.tables import compact, new_table, prepare, put, rows_of

KEYS = {"p": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}
MINE = ("a", 1, "mine")


def table(safe: int = 1) -> Table:
    """A table with two partitions whose writers have read snapshot 1."""
    made = new_table(KEYS, ["p", "id"], partition=["p"])
    put(made, ("a", 1, "x"), ("b", 1, "x"))
    return strict(made, safe)


def strict(made: Table, safe: int) -> Table:
    return made.with_options({"commit.strict-mode.last-safe-snapshot": str(safe)})


def append(made: Table, user: str = "me") -> Any:
    return TableCommit(made, user).commit(prepare(made, [MINE]))


def replace_partition(made: Table, name: str, user: str) -> Any:
    return TableCommit(made, user).overwrite(prepare(made, [(name, 1, user)]), {"p": name})


def refused(made: Table, act: Any) -> dict[str, object]:
    with pytest.raises(CommitConflictError) as error:
        act(made)
    assert error.value.fields["check"] == "strict mode"
    return error.value.fields


def test_an_overwrite_of_the_same_partition_is_a_conflict() -> None:
    made = table()
    replace_partition(made, "a", "other")
    assert refused(made, append)["kind"] == "OVERWRITE"


def test_a_compaction_of_the_same_partition_is_a_conflict() -> None:
    made = table()
    put(made, ("a", 2, "x"))
    compact(made, user="other")
    assert refused(strict(made, 2), append)["kind"] == "COMPACT"


def test_what_happens_to_another_partition_is_none() -> None:
    made = table()
    replace_partition(made, "b", "other")
    append(made)
    assert MINE in rows_of(made)


def test_appends_of_others_clash_with_an_overwrite_alone() -> None:
    made = table()
    put(made, ("a", 3, "x"), user="other")
    append(made)
    assert refused(made, lambda t: replace_partition(t, "a", "me"))["kind"] == "APPEND"


def test_own_snapshots_are_no_conflict() -> None:
    made = table()
    replace_partition(made, "a", "me")
    append(made)


@pytest.mark.parametrize("safe", [-1, 2])
def test_what_came_before_the_safe_snapshot_does_not_count(safe: int) -> None:
    made = table(safe)
    replace_partition(made, "a", "other")
    append(made)


def test_a_snapshot_that_expired_cannot_be_judged() -> None:
    made = table()
    put(made, ("b", 3, "x"))
    put(made, ("b", 4, "x"))
    made.snapshots.delete(2)
    assert refused(made, append)["snapshot_id"] == 2
