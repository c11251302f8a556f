"""One request asks the store for each small file once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from console.inspector.remembering import asking_once
from core import Table
from core.errors import NotFoundError
from core.io import LocalFileIO
from tests.console.conftest import TABLE, Caller
from tests.tables import put


def test_a_page_asks_for_nothing_twice(alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.json(TABLE)
    asked: Counter[str] = Counter()
    read, listing = LocalFileIO.read, LocalFileIO.list_files

    def read_once(self: LocalFileIO, path: str) -> bytes:
        asked[path] += 1
        return read(self, path)

    def list_once(self: LocalFileIO, directory: str, **how: Any) -> Any:
        asked[directory] += 1
        return listing(self, directory, **how)

    monkeypatch.setattr(LocalFileIO, "read", read_once)
    monkeypatch.setattr(LocalFileIO, "list_files", list_once)
    alice.json(TABLE)
    assert asked
    # The catalog looks for a schema itself, to see that there is a table.
    assert {path for path, times in asked.items() if times > 1} <= {table.paths.schema_dir}


def test_each_request_sees_what_was_committed_before_it(alice: Caller, table: Table) -> None:
    before = alice.json(TABLE)["latest"]["id"]
    put(table, ("2026-11-20", 77, 7, "new"))
    assert alice.json(TABLE)["latest"]["id"] == before + 1


def test_what_is_gone_is_looked_for_anew(table: Table) -> None:
    seen = asking_once(table)
    ids = seen.snapshots.ids()
    table.snapshots.delete(ids[0])
    assert seen.snapshots.ids() == ids
    with pytest.raises(NotFoundError):
        seen.snapshots.get(ids[0])
    assert seen.snapshots.ids() == ids[1:]


def test_a_file_that_its_listing_shows_unchanged_is_not_read_again(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.json(f"{TABLE}/snapshots")
    read: list[str] = []
    monkeypatch.setattr(LocalFileIO, "read", lambda self, path: read.append(path))
    alice.json(f"{TABLE}/snapshots")
    assert not read


def test_a_snapshot_whose_id_was_used_again_is_read_anew(alice: Caller, table: Table) -> None:
    put(table, ("2026-11-20", 78, 7, "first"))
    before = alice.json(TABLE)["latest"]
    table.snapshots.delete(before["id"])
    table.snapshots.delete_hint()
    put(table, ("2026-11-20", 79, 7, "second"))
    after = alice.json(TABLE)["latest"]
    assert (after["id"], after["ref"] == before["ref"]) == (before["id"], False)


def test_which_snapshot_is_the_latest_is_asked_without_a_listing(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    listing = LocalFileIO.list_files

    def noted(self: LocalFileIO, directory: str, **how: Any) -> Any:
        listed.append(directory.rpartition("/")[2])
        return listing(self, directory, **how)

    monkeypatch.setattr(LocalFileIO, "list_files", noted)
    before = alice.json(f"{TABLE}/files")["as_of"]
    put(table, ("2026-11-20", 80, 7, "later"))
    assert alice.json(f"{TABLE}/files")["as_of"] != before
    assert set(listed) == {"schema"}


@pytest.mark.parametrize("hint", [b"1", b"999", b"nothing"])
def test_a_hint_that_is_wrong_hides_no_snapshot(alice: Caller, table: Table, hint: bytes) -> None:
    right = alice.json(f"{TABLE}/files")["as_of"]
    table.io.write(f"{table.paths.snapshot_dir}/LATEST", hint)
    assert alice.json(f"{TABLE}/files")["as_of"] == right


def test_a_table_that_is_not_there_is_not_found(alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}_not/files").status_code == 404
    assert alice.get(f"{TABLE}/files?branch=none").status_code == 404
