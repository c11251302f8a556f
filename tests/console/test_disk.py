"""The cache on disk: what was put there comes back whole, from any process, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from console.inspector.disk import DiskCache

KEY = bytes(32)


def cache_at(folder: Path, *, limit: int = 1 << 20, secret: bytes = KEY, age: int = 7) -> DiskCache:
    return DiskCache(folder, limit=limit, age=timedelta(days=age), secret=secret)


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "entries").glob("*/*"))


def grow_old(path: Path, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


def test_what_one_process_put_another_gets(tmp_path: Path) -> None:
    cache_at(tmp_path).put("a", b"one")
    other = cache_at(tmp_path)
    assert (other.get("a"), other.get("b")) == (b"one", None)
    other.put("a", b"two")
    assert cache_at(tmp_path).get("a") == b"two"


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[:-1],
        lambda data: data[:10],
        lambda _: b"",
        lambda data: data + b"\0",
        lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: data[:4] + (2**60).to_bytes(8) + data[12:],
        lambda data: b"LSM\x02" + data[4:],
    ],
    ids=[
        "cut",
        "no head",
        "empty",
        "longer",
        "a bit of it",
        "a bit of the head",
        "its length",
        "its version",
    ],
)
def test_a_damaged_entry_is_dropped_and_never_believed(
    harm: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    cache = cache_at(tmp_path)
    cache.put("a", b"a manifest of some length" * 9)
    [path] = entries(tmp_path)
    path.write_bytes(harm(path.read_bytes()))
    assert cache.get("a") is None
    assert (entries(tmp_path), cache.counts().damaged) == ([], 1)


def test_an_entry_says_of_which_name_and_which_installation_it_is(tmp_path: Path) -> None:
    cache = cache_at(tmp_path)
    cache.put("a", b"of a")
    [of_a] = entries(tmp_path)
    cache.put("b", b"of b")
    [of_b] = set(entries(tmp_path)) - {of_a}
    of_b.write_bytes(of_a.read_bytes())
    assert cache.get("b") is None
    assert cache_at(tmp_path, secret=bytes(31) + b"\1").get("a") is None


def test_nothing_that_is_kept_can_be_read_on_the_disk(tmp_path: Path) -> None:
    cache_at(tmp_path).put("s3://lake/secret-name", b"a value of a row")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(b"value of" not in path.read_bytes() and "secret" not in str(path) for path in files)
    assert {oct(path.stat().st_mode)[-3:] for path in entries(tmp_path)} == {"600"}


def test_what_was_used_longest_ago_goes_when_there_is_too_much(tmp_path: Path) -> None:
    cache = cache_at(tmp_path, limit=100_000)
    for number in range(8):
        cache.put(f"{number}", bytes(10_000))
        grow_old(next(p for p in entries(tmp_path) if time.time() - p.stat().st_mtime < 3600), 5 - number / 2)
    assert cache.get("0") is not None  # which makes it the last that was used
    cache.put("8", bytes(10_000))
    cache.put("9", bytes(10_000))
    assert [n for n in range(10) if cache.get(f"{n}") is None] == [1, 2]
    assert cache.kept().bytes <= 100_000 * 7 / 8
    assert cache.counts().swept == 2


def test_what_nobody_used_for_its_age_is_gone(tmp_path: Path) -> None:
    cache = cache_at(tmp_path, age=7)
    cache.put("a", b"old")
    grow_old(entries(tmp_path)[0], 8)
    assert cache.get("a") is None
    cache.sweep()
    assert cache.kept() == (0, 0)


def test_the_first_write_of_a_process_sweeps(tmp_path: Path) -> None:
    cache_at(tmp_path).put("a", b"old")
    grow_old(entries(tmp_path)[0], 8)
    cache_at(tmp_path).put("b", b"new")
    assert len(entries(tmp_path)) == 1


def test_writers_that_are_killed_leave_whole_entries_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "import itertools, sys; from pathlib import Path; from tests.console.test_disk import cache_at\n"
        "cache = cache_at(Path(sys.argv[1]), limit=1 << 24)\n"
        "print('go', flush=True)\n"
        "for n in itertools.count(): cache.put(f'{n % 7}', bytes([n % 251]) * 300_000)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "console.settings"}
    cache = cache_at(tmp_path, limit=1 << 24)
    with ExitStack() as running:
        writers = [
            running.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, env=environment))
            for _ in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for writer in writers:
            time.sleep(0.1)
            seen = [cache.get(f"{n}") for n in range(7)]
            assert all(data is None or (len(set(data)) == 1 and len(data) == 300_000) for data in seen)
            writer.kill()
    assert cache.counts().damaged == 0
    for half in (tmp_path / "half").iterdir():
        grow_old(half, 1)
    cache.sweep()
    assert list((tmp_path / "half").iterdir()) == []


def test_a_disk_that_takes_nothing_fails_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    cache = cache_at(folder)
    cache.put("a", b"one")
    cache.sweep()
    assert (cache.get("a"), cache.kept(), cache.counts().unwritten) == (None, (0, 0), 0)


def test_more_than_can_be_written_is_not_waited_for(tmp_path: Path) -> None:
    cache = cache_at(tmp_path, limit=1 << 30)
    waiting = [cache.put_later(f"{n}", bytes(30 << 20)) for n in range(3)]
    assert waiting[2] is None
    cache.settle()
    assert [cache.has(f"{n}") for n in range(3)] == [True, True, False]


def test_what_all_processes_counted_adds_up(tmp_path: Path) -> None:
    first, second = cache_at(tmp_path), cache_at(tmp_path)
    first.put("a", b"one")
    first.get("a")
    second.get("a")
    second.get("b")
    first.counts()
    found = second.counts()
    assert (found.hits, found.misses, found.written) == (2, 1, 1)
