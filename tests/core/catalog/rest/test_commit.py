from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core import Table
from core.catalog.rest.commit import Verdict, check_commit, commit_snapshot, judge
from core.catalog.rest.requests import CommitTable
from core.errors import AlreadyExistsError, CommitUnknownError, InvalidRequestError, StorageError
from core.snapshot import Snapshot
from tests.builders import snapshot
from tests.tables import new_table, put, rows_of

LATEST = snapshot(4, uuid="u4")


@pytest.mark.parametrize(
    ("asked", "latest", "same_id", "verdict"),
    [
        (CommitTable(snapshot(5), base_snapshot_uuid="u4"), LATEST, None, Verdict.CREATE),
        (CommitTable(snapshot(5)), LATEST, None, Verdict.CREATE),
        (CommitTable(snapshot(1)), None, None, Verdict.CREATE),
        (CommitTable(snapshot(5), base_snapshot_uuid="u3"), LATEST, None, Verdict.CONFLICT),
        (CommitTable(snapshot(1), base_snapshot_uuid="u3"), None, None, Verdict.CONFLICT),
        (CommitTable(snapshot(6)), LATEST, None, Verdict.CONFLICT),
        (CommitTable(snapshot(2)), None, None, Verdict.CONFLICT),
        (CommitTable(LATEST), LATEST, LATEST, Verdict.REPEATED),
        (CommitTable(replace(LATEST, uuid="x")), LATEST, LATEST, Verdict.CONFLICT),
        (CommitTable(snapshot(3)), LATEST, None, Verdict.CONFLICT),
    ],
)
def test_the_id_the_base_and_what_is_there_decide(
    asked: CommitTable, latest: Snapshot | None, same_id: Snapshot | None, verdict: Verdict
) -> None:
    assert judge(asked, latest, same_id) is verdict


@pytest.fixture
def prepared() -> tuple[Table, CommitTable]:
    """A table with one snapshot, and a second one that is written but for its snapshot file."""
    table = new_table({"id": "INT"}, bucket="-1")
    put(table, (1,))
    first, second = table.snapshots.latest(), put(table, (2,))[-1]
    assert first is not None
    table.snapshots.delete(second.id)
    table.snapshots.write_hint(first.id)
    return table, CommitTable(second, base_snapshot_uuid=first.uuid)


def test_a_commit_makes_the_snapshot_visible_and_hinted(prepared: tuple[Table, CommitTable]) -> None:
    table, asked = prepared
    check_commit(table, asked)
    assert commit_snapshot(table, asked)
    assert sorted(rows_of(table)) == [(1,), (2,)]
    assert table.snapshots.hint_report().latest_hint == "2"


def test_the_same_commit_again_succeeds_and_changes_nothing(prepared: tuple[Table, CommitTable]) -> None:
    table, asked = prepared
    assert commit_snapshot(table, asked)
    assert commit_snapshot(table, asked)
    assert table.snapshots.ids() == [1, 2]


def test_of_two_commits_on_one_base_the_second_is_told_to_try_again(
    prepared: tuple[Table, CommitTable],
) -> None:
    table, asked = prepared
    assert commit_snapshot(table, asked)
    assert not commit_snapshot(table, replace(asked, snapshot=replace(asked.snapshot, uuid="other")))
    assert table.snapshots.get(2) == asked.snapshot


def test_a_writer_that_knows_of_no_server_may_be_first(
    prepared: tuple[Table, CommitTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked = prepared
    create = table.snapshots.create

    def beaten(_: Snapshot) -> None:
        create(replace(asked.snapshot, uuid="theirs"))
        raise AlreadyExistsError("taken")

    monkeypatch.setattr(table.snapshots, "create", beaten)
    assert not commit_snapshot(table, asked)
    assert table.snapshots.ids() == [1, 2]


def test_a_store_that_fails_leaves_the_outcome_open_and_the_same_request_tells(
    prepared: tuple[Table, CommitTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, asked = prepared
    create = table.snapshots.create

    def lost(made: Snapshot) -> None:
        create(made)
        raise StorageError("connection reset")

    with monkeypatch.context() as patch:
        patch.setattr(table.snapshots, "create", lost)
        with pytest.raises(CommitUnknownError, match="send it again"):
            commit_snapshot(table, asked)
    assert commit_snapshot(table, asked)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema_id": 7}, "schema"),
        ({"base_manifest_list": "manifest-list-x"}, "same store"),
        ({"delta_manifest_list": "../../x"}, "file names"),
        ({"id": 0}, "counted from 1"),
    ],
)
def test_a_snapshot_that_could_not_be_read_is_refused(
    prepared: tuple[Table, CommitTable], change: dict[str, Any], words: str
) -> None:
    table, asked = prepared
    with pytest.raises(InvalidRequestError, match=words):
        check_commit(table, replace(asked, snapshot=replace(asked.snapshot, **change)))
