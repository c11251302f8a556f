"""The live files of a snapshot: those of the commit before with the commit's own, as if all were read."""

from __future__ import annotations

from collections import Counter

import pytest

from console.inspector.cache import cache
from core import Table
from core.io import LocalFileIO
from tests.console.conftest import TABLE, Caller
from tests.tables import compact, put


def row(number: int) -> tuple[object, ...]:
    return ("2026-11-20", number, number, "new")


def test_files_that_grew_commit_by_commit_are_those_that_are_read_at_once(
    alice: Caller, table: Table
) -> None:
    grown = {}
    for number in range(5):
        put(table, row(number))
        if number == 2:
            compact(table)
        page = alice.json(f"{TABLE}/files?limit=200")
        grown[page["as_of"]] = page["items"]
    for snapshot, files in grown.items():
        cache.clear()
        assert alice.items(f"{TABLE}/files?limit=200&at={snapshot}") == files


def test_after_a_commit_only_its_own_manifest_is_read(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.json(f"{TABLE}/files")
    put(table, row(77))
    asked: Counter[str] = Counter()
    read = LocalFileIO.read

    def counted(self: LocalFileIO, path: str) -> bytes:
        asked[path.rpartition("/")[2].rpartition("-")[0].partition("-")[0]] += "manifest-list" not in path
        return read(self, path)

    monkeypatch.setattr(LocalFileIO, "read", counted)
    alice.json(f"{TABLE}/files")
    assert asked["manifest"] == 1
