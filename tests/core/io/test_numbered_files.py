from __future__ import annotations

from core.io import MemoryFileIO
from core.io.numbered_files import listed_ids


def test_only_whole_numbers_count_and_they_come_in_order() -> None:
    io = MemoryFileIO()
    for name in (
        "snapshot-10",
        "snapshot-9",
        "LATEST",
        "EARLIEST",
        ".snapshot-11.3f.tmp",
        "snapshot-123f.tmp",
        "snapshot-",
        "snapshot-٣",
        "changelog-1",
    ):
        io.write(f"memory://b/snapshot/{name}", b"")
    assert listed_ids(io, "memory://b/snapshot", "snapshot-") == [9, 10]
