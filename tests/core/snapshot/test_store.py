from __future__ import annotations

import pytest

from core.errors import AlreadyExistsError, FormatError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.snapshot import ChangelogStore, Snapshot, SnapshotStore, UnreadableSnapshot, encode_snapshot
from tests.builders import NOON, snapshot

PATHS = TablePaths("memory://b/t")


def store(*snapshots: Snapshot) -> tuple[MemoryFileIO, SnapshotStore]:
    io = MemoryFileIO()
    made = SnapshotStore(io, PATHS)
    for value in snapshots:
        made.create(value)
    return io, made


def test_what_is_created_is_read() -> None:
    _, found = store(snapshot(1), snapshot(2))
    assert found.get(2) == snapshot(2)
    assert found.ids() == [1, 2]
    assert (found.latest(), found.earliest()) == (snapshot(2), snapshot(1))


def test_an_empty_table_has_no_snapshot() -> None:
    _, found = store()
    assert found.latest() is found.earliest() is found.latest_id() is None
    assert list(found.iter_all()) == found.newest(5) == []


def test_an_id_is_created_once() -> None:
    _, found = store(snapshot(1))
    with pytest.raises(AlreadyExistsError):
        found.create(snapshot(1, commit_user="other"))


def test_a_snapshot_that_is_not_there_is_named() -> None:
    with pytest.raises(NotFoundError, match="snapshot_id=3"):
        store(snapshot(1))[1].get(3)


def test_a_damaged_file_is_named() -> None:
    io, found = store(snapshot(1))
    io.write(PATHS.snapshot_file(1), b'{"version": 3')
    with pytest.raises(FormatError, match="t/snapshot/snapshot-1"):
        found.get(1)


def test_a_file_under_the_name_of_another_is_refused() -> None:
    io, found = store()
    io.write(PATHS.snapshot_file(4), encode_snapshot(snapshot(5)))
    with pytest.raises(FormatError, match="expected=4, found=5"):
        found.get(4)


def test_the_newest_come_first_and_in_pages() -> None:
    _, found = store(*map(snapshot, range(1, 8)))
    assert [s.id for s in found.newest(3)] == [7, 6, 5]
    assert [s.id for s in found.newest(3, before=5)] == [4, 3, 2]
    assert [s.id for s in found.newest(3, before=2)] == [1]


def test_a_damaged_snapshot_does_not_hide_the_others() -> None:
    io, found = store(*map(snapshot, range(1, 4)))
    io.write(PATHS.snapshot_file(2), b"")
    first, second, third = found.examine()
    assert (first, third) == (snapshot(1), snapshot(3))
    assert isinstance(second, UnreadableSnapshot)
    assert isinstance(second.error, FormatError)


@pytest.mark.parametrize(("offset", "expected"), [(999, None), (1000, 1), (1999, 1), (3000, 3), (10**9, 4)])
def test_the_snapshot_of_a_time_is_the_last_one_before(offset: int, expected: int | None) -> None:
    _, found = store(*map(snapshot, range(1, 5)))
    at_time = found.by_time(NOON + offset)
    assert (at_time.id if at_time else None) == expected


def test_a_snapshot_that_expires_during_the_walk_is_passed_over() -> None:
    class Expiring(MemoryFileIO):
        def read(self, path: str) -> bytes:
            if path.endswith("snapshot-1"):
                self.delete(path)
            return super().read(path)

    io = Expiring()
    found = SnapshotStore(io, PATHS)
    for number in (1, 2, 3):
        found.create(snapshot(number))
    assert [s.id for s in found.iter_all()] == [2, 3]
    found.create(snapshot(1))
    assert found.earliest() == snapshot(2)


def test_changelogs_lie_in_a_directory_of_their_own() -> None:
    io, found = store(snapshot(1))
    kept = ChangelogStore(io, PATHS)
    kept.create(snapshot(9))
    assert kept.ids() == [9]
    assert io.exists(PATHS.changelog_file(9))
    assert found.ids() == [1]
