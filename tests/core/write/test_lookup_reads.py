"""How much of older files a compaction reads to look a few keys up: counted in bytes, not in time."""

from __future__ import annotations

import io
import random
from collections import Counter
from typing import IO, Any

import pytest

from core.compact import Strategy
from core.io import MemoryFileIO
from core.table import Table
from tests.tables import compact, files_of, new_table, put, rows_of

ROWS = 30_000
COLUMNS = {"id": "INT NOT NULL", "k": "STRING NOT NULL", "v": "STRING"}


class CountingFileIO(MemoryFileIO):
    """Counts the bytes that are read of each file."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        self.counts[path] += length
        return super().read_range(path, offset, length)

    def open_input(self, path: str) -> IO[bytes]:
        counts = self.counts

        class Counted(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                found = super().read(size)
                counts[path] += len(found)
                return found

            def readinto(self, buffer: Any) -> int:
                count = super().readinto(buffer)
                counts[path] += count
                return count

        return Counted(self.read(path))


def large(store: CountingFileIO, **options: str) -> Table:
    """One file of many row groups on the top level."""
    given = {"changelog_producer": "lookup", "file__block_size": "96 kb", "file__compression": "none"}
    table = new_table(COLUMNS, ["k", "id"], io=store, **(given | options))
    made = random.Random(1)
    put(table, *[(i, "tenant", f"{made.getrandbits(256):064x}") for i in range(ROWS)])
    compact(table)
    store.counts.clear()
    return table


@pytest.mark.parametrize("options", [{}, {"deletion_vectors__enabled": "true"}], ids=["told", "marked"])
def test_keys_far_apart_read_their_row_groups_alone(options: dict[str, str]) -> None:
    store = CountingFileIO()
    table = large(store, **options)
    (before,) = files_of(table)
    put(table, *[(i, "tenant", "new") for i in (1, ROWS // 2, ROWS - 2, ROWS + 5)])
    compact(table, Strategy.MINOR)
    (read,) = [n for path, n in store.counts.items() if path.endswith(before.file_name)]
    assert read < before.file_size / 5
    assert before in files_of(table)
    (snapshot,) = [s for s in table.snapshots.iter_all() if s.id == table.snapshots.latest_id()]
    assert snapshot.changelog_record_count == 7
    assert len(rows_of(table)) == ROWS + 1


def test_many_keys_in_a_narrow_range_read_that_range() -> None:
    store = CountingFileIO()
    table = large(store)
    (before,) = files_of(table)
    put(table, *[(i, "tenant", "new") for i in range(2000, 3500)])
    compact(table, Strategy.MINOR)
    read = sum(n for path, n in store.counts.items() if path.endswith(before.file_name))
    assert read < before.file_size / 5
