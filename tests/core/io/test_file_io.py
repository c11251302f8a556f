"""What every store promises, on each of our stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import AlreadyExistsError, FormatError, NotFoundError, UnsupportedError
from core.io import FileIO, LocalFileIO, MemoryFileIO
from core.io.obstore_io import ObstoreFileIO

AWKWARD = "a%3Ab=中 +&~#x"  # a partition directory as escaping leaves it, and worse


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[FileIO, str]:
    """A store and an empty directory in it."""
    return (LocalFileIO(), str(tmp_path)) if request.param == "local" else (MemoryFileIO(), "memory://w/d")


def test_a_store_is_a_file_io(store: tuple[FileIO, str]) -> None:
    assert isinstance(store[0], FileIO)


def test_what_is_written_is_read(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/{AWKWARD}/f", b"one")
    io.write(f"{root}/{AWKWARD}/f", b"two")
    assert io.read(f"{root}/{AWKWARD}/f") == b"two"


def test_create_refuses_a_name_that_is_taken(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.create(f"{root}/snapshot-1", b"first")
    with pytest.raises(AlreadyExistsError, match="snapshot-1"):
        io.create(f"{root}/snapshot-1", b"second")
    assert io.read(f"{root}/snapshot-1") == b"first"


def test_of_many_that_create_one_name_exactly_one_wins(store: tuple[FileIO, str]) -> None:
    io, root = store

    def creates(number: int) -> bool:
        try:
            io.create(f"{root}/s/snapshot-1", str(number).encode())
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(creates, range(32)))
    assert won.count(True) == 1
    assert io.read(f"{root}/s/snapshot-1") == str(won.index(True)).encode()
    assert [s.path for s in io.list_files(f"{root}/s")] == [f"{root}/s/snapshot-1"]


def test_ranges_are_read_in_the_order_asked(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/f", bytes(range(100)))
    assert io.read_ranges(f"{root}/f", [(90, 2), (0, 3)]) == [b"\x5a\x5b", b"\x00\x01\x02"]
    assert io.read_ranges(f"{root}/f", []) == []


def test_a_range_past_the_end_is_a_cut_file(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/f", b"0123456789")
    with pytest.raises(FormatError, match="cut"):
        io.read_range(f"{root}/f", 8, 5)


@pytest.mark.parametrize("operation", ["read", "status", "open_input"])
def test_a_missing_file_is_not_found(store: tuple[FileIO, str], operation: str) -> None:
    io, root = store
    with pytest.raises(NotFoundError, match="nothing"):
        getattr(io, operation)(f"{root}/nothing")
    assert not io.exists(f"{root}/nothing")


def test_listing_shows_files_and_directories_apart(store: tuple[FileIO, str]) -> None:
    io, root = store
    for name in ("b", "a", f"{AWKWARD}/x", "z/y/w"):
        io.write(f"{root}/{name}", b"12")
    assert [(s.path, s.size) for s in io.list_files(root)] == [(f"{root}/a", 2), (f"{root}/b", 2)]
    assert io.list_directories(root) == sorted([AWKWARD, "z"])
    everything = [f"{root}/a", f"{root}/{AWKWARD}/x", f"{root}/b", f"{root}/z/y/w"]
    assert [s.path for s in io.list_files(root, recursive=True)] == sorted(everything)
    assert sorted(s.path for s in io.iter_tree(root)) == sorted(everything)


def test_a_directory_that_is_not_there_lists_as_empty(store: tuple[FileIO, str]) -> None:
    io, root = store
    assert io.list_files(f"{root}/none") == io.list_directories(f"{root}/none") == []
    assert list(io.iter_tree(f"{root}/none")) == []


def test_an_output_appears_only_when_it_is_closed(store: tuple[FileIO, str]) -> None:
    io, root = store
    output = io.open_output(f"{root}/d/f")
    output.write(b"x" * 100_000)
    assert not io.exists(f"{root}/d/f")
    output.close()
    assert io.status(f"{root}/d/f").size == 100_000


def test_an_output_left_by_an_error_never_appears(store: tuple[FileIO, str]) -> None:
    io, root = store

    def fails_half_way() -> None:
        with io.open_output(f"{root}/f") as output:
            output.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails_half_way()
    assert io.list_files(root) == []


def test_an_output_that_is_forgotten_never_appears(store: tuple[FileIO, str]) -> None:
    io, root = store
    output = io.open_output(f"{root}/f")
    output.write(b"half")
    del output
    assert io.list_files(root) == []


def test_pyarrow_writes_and_reads_through_the_store(store: tuple[FileIO, str]) -> None:
    io, root = store
    table = pa.table({"k": pa.array(range(50_000)), "v": pa.array(["text"] * 50_000)})
    with io.open_output(f"{root}/f.parquet") as output:
        pq.write_table(table, output, row_group_size=10_000)
    with io.open_input(f"{root}/f.parquet") as source:
        assert pq.read_table(source, columns=["k"]).equals(table.select(["k"]))


def test_deleting_what_is_not_there_is_no_error(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/d/f", b"")
    io.delete(f"{root}/d/f")
    io.delete(f"{root}/d/f")
    io.delete_directory(f"{root}/other")
    assert not io.exists(f"{root}/d/f")


def test_a_directory_is_deleted_with_all_below(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/d/e/f", b"")
    io.write(f"{root}/dd", b"")
    io.delete_directory(f"{root}/d")
    assert [s.path for s in io.iter_tree(root)] == [f"{root}/dd"]


def test_a_directory_is_renamed_with_all_below(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/old/e/f", b"1")
    io.rename_directory(f"{root}/old", f"{root}/new")
    assert [s.path for s in io.iter_tree(root)] == [f"{root}/new/e/f"]
    io.write(f"{root}/old/g", b"1")
    with pytest.raises(AlreadyExistsError):
        io.rename_directory(f"{root}/old", f"{root}/new")


def test_a_file_is_renamed_and_whole(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.write(f"{root}/_temporary/x", b"1")
    io.rename_file(f"{root}/_temporary/x", f"{root}/a/b/y")
    assert [s.path for s in io.iter_tree(root)] == [f"{root}/a/b/y"]
    with pytest.raises(NotFoundError):
        io.rename_file(f"{root}/_temporary/x", f"{root}/z")


def test_on_a_disk_a_name_that_is_taken_stays_what_it_is(tmp_path: Path) -> None:
    io = LocalFileIO()
    for name in ("old", "new"):
        io.write(f"{tmp_path}/{name}", name.encode())
    with pytest.raises(AlreadyExistsError):
        io.rename_file(f"{tmp_path}/old", f"{tmp_path}/new")
    assert io.read(f"{tmp_path}/new") == b"new"


def test_an_empty_directory_can_be_listed(store: tuple[FileIO, str]) -> None:
    io, root = store
    io.create_directory(f"{root}/empty.db")
    io.create_directory(f"{root}/empty.db")
    assert io.list_directories(root) == ["empty.db"]


@pytest.mark.parametrize(
    ("io", "path"),
    [
        (LocalFileIO(), "s3://bucket/data-1.parquet"),
        (LocalFileIO(), "hdfs://name/data-1.parquet"),
        (ObstoreFileIO(), "file:///etc/hostname"),
        (ObstoreFileIO(), "/etc/hostname"),
        (ObstoreFileIO(), "oss://bucket/data-1.parquet"),
        (MemoryFileIO(), "s3://bucket/data-1.parquet"),
    ],
)
def test_a_path_of_another_kind_of_store_is_refused_by_name(io: FileIO, path: str) -> None:
    for read in (io.read, io.open_input, io.status):
        with pytest.raises(UnsupportedError, match="another kind of store"):
            read(path)
