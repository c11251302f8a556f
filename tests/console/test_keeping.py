"""What a second process of the console, or a restarted one, reads from the disk instead of the store."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from console.accounts.models import User
from console.inspector import keeping, live
from console.inspector.cache import cache
from console.inspector.disk import DiskCache
from console.inspector.labels import HIDDEN
from console.warehouses.measuring import measure
from console.warehouses.models import Warehouse
from core import Table
from core.io import LocalFileIO
from tests.console.conftest import TABLE, Caller, person
from tests.console.test_live import row
from tests.tables import compact, put

FILES = f"{TABLE}/files?limit=200"


@pytest.fixture
def kept(settings: Any, tmp_path: Path) -> Iterator[DiskCache]:
    settings.METADATA_DISK_BYTES, settings.METADATA_FOLDER = 1 << 24, tmp_path / "metadata"
    found = keeping.disk()
    assert found is not None
    yield found
    found.settle()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Manifests and their lists that the store was asked for."""
    names: Counter[str] = Counter()
    read = LocalFileIO.read

    def counted(self: LocalFileIO, path: str) -> bytes:
        if "/manifest/" in path:
            names[path.rpartition("/")[2]] += 1
        return read(self, path)

    monkeypatch.setattr(LocalFileIO, "read", counted)
    return names


def restart(kept: DiskCache) -> None:
    """As a process that has just started: what is in memory is gone, what waits for the disk was written."""
    kept.settle()
    cache.clear()


def manifests(table: Table) -> list[Path]:
    return sorted(p for p in Path(table.paths.manifest_dir).iterdir() if "-list-" not in p.name)


def test_a_restarted_console_asks_the_store_for_no_manifest(
    alice: Caller, table: Table, kept: DiskCache, asked: Counter[str]
) -> None:
    before = alice.json(FILES)
    assert asked
    restart(kept)
    asked.clear()
    assert alice.json(FILES) == before
    assert asked == {}


def test_what_an_administrator_read_shows_a_viewer_no_value(
    alice: Caller, vera: Caller, table: Table, kept: DiskCache
) -> None:
    shown = alice.items(FILES)
    restart(kept)
    hidden = vera.items(FILES)
    assert kept.counts().hits
    assert {f["min_key"] for f in hidden} == {HIDDEN} != {f["min_key"] for f in shown}


def test_a_damaged_entry_is_fetched_again(
    alice: Caller, table: Table, kept: DiskCache, asked: Counter[str], settings: Any
) -> None:
    before = alice.json(FILES)
    restart(kept)
    for path in (settings.METADATA_FOLDER / "entries").glob("*/*"):
        path.write_bytes(path.read_bytes()[:-7])
    asked.clear()
    assert alice.json(FILES) == before
    assert asked
    restart(kept)
    asked.clear()
    assert alice.json(FILES) == before
    assert asked == {}


def test_other_credentials_see_what_the_store_shows_them(
    alice: Caller, table: Table, lake: Warehouse, kept: DiskCache, asked: Counter[str]
) -> None:
    alice.json(FILES)
    restart(kept)
    lake.credentials = {"s3.secret-key": "another"}
    lake.save()
    asked.clear()
    alice.json(FILES)
    assert asked


def test_a_manifest_that_was_lost_is_told_of_although_it_is_kept(
    alice: Caller, table: Table, kept: DiskCache
) -> None:
    alice.json(FILES)
    restart(kept)
    lost = manifests(table)[0]
    lost.unlink()
    alice.json(FILES)  # from the disk, which is looked at afterwards
    keeping.settle()
    reply = alice.get(FILES)
    assert reply.status_code != 200
    assert reply.json()["damage"]["name"] == lost.name


def test_a_manifest_that_made_no_sense_is_read_again_when_it_was_mended(
    alice: Caller, table: Table, kept: DiskCache
) -> None:
    path = manifests(table)[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-40] + bytes(40))
    assert alice.get(FILES).status_code != 200
    restart(kept)
    path.write_bytes(whole)
    assert alice.json(FILES)["items"]


def test_a_plan_asks_the_store(alice: Caller, table: Table, kept: DiskCache, asked: Counter[str]) -> None:
    alice.json(FILES)
    restart(kept)
    asked.clear()
    alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {"strategy": "full"}})
    assert asked


def test_live_files_of_large_snapshots_are_those_that_are_read_at_once(
    alice: Caller,
    table: Table,
    kept: DiskCache,
    asked: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    monkeypatch.setattr(live, "LEAST_FILES", 1)
    pages = {}
    for number in range(4):
        put(table, row(number))
        if number == 2:
            compact(table)
        page = alice.json(FILES)
        pages[page["as_of"]] = page["items"]
        restart(kept)
    asked.clear()
    assert {at: alice.items(f"{FILES}&at={at}") for at in pages} == pages
    assert asked == {}
    settings.METADATA_DISK_BYTES = 0
    cache.clear()
    assert {at: alice.items(f"{FILES}&at={at}") for at in pages} == pages


def test_pages_read_what_the_worker_kept(
    alice: Caller,
    table: Table,
    lake: Warehouse,
    kept: DiskCache,
    asked: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "LEAST_FILES", 1)
    measure(lake, "db", "t")
    restart(kept)
    asked.clear()
    assert alice.items(FILES)
    assert {name for name in asked if "-list-" not in name} == set()


def test_staff_of_everything_are_shown_what_it_holds_and_saves(
    alice: Caller, table: Table, kept: DiskCache, settings: Any
) -> None:
    def shown(user: User | None) -> str:
        client = Client()
        client.force_login(user)
        return re.sub(r"<[^>]+>", " ", client.get("/staff/").content.decode())

    kept.put("a", b"kept")
    kept.get("a")
    assert re.search(r"answered from it\s+1\s", shown(alice.user))
    assert "answered from it" not in shown(person("steve", "admin", warehouse="lake"))
    settings.METADATA_DISK_BYTES = 0
    assert "answered from it" not in shown(alice.user)
