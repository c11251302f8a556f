from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InvalidRequestError, NotFoundError, StorageError
from core.io import LocalFileIO
from core.io.local import local_path
from core.io.numbered_files import listed_ids

IO = LocalFileIO()


@pytest.mark.parametrize("path", ["/a/b", "file:/a/b", "file:///a/b"])
def test_a_path_may_carry_its_scheme(path: str) -> None:
    assert local_path(path) == "/a/b"


@pytest.mark.parametrize("crash", ["link", "fsync"])
def test_a_crash_while_creating_leaves_the_name_free(
    crash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*args: object) -> None:
        raise OSError("the power is gone")

    monkeypatch.setattr(os, crash, dies)
    with pytest.raises(StorageError, match="create"):
        IO.create(f"{tmp_path}/snapshot-1", b"content")
    monkeypatch.undo()
    assert not (tmp_path / "snapshot-1").exists()
    IO.create(f"{tmp_path}/snapshot-1", b"content")
    assert os.listdir(tmp_path) == ["snapshot-1"]


def test_until_it_has_its_name_a_file_is_called_as_paimon_calls_temporary_files(tmp_path: Path) -> None:
    output = IO.open_output(f"{tmp_path}/snapshot-7")
    (name,) = os.listdir(tmp_path)
    assert name.startswith(".snapshot-7.")
    assert name.endswith(".tmp")
    output.close()
    assert os.listdir(tmp_path) == ["snapshot-7"]


def test_content_and_name_are_synced_before_create_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    real = os.fsync

    def records(handle: int) -> None:
        synced.append(os.path.isdir(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", records)
    IO.create(f"{tmp_path}/f", b"content")
    assert synced == [False, True]  # the file, then its directory


def test_a_directory_in_the_way_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="read"):
        IO.read(str(tmp_path))


def test_what_may_not_be_looked_at_is_not_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str) -> None:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(os, "stat", denied)
    with pytest.raises(StorageError, match="denied"):
        IO.exists(f"{tmp_path}/f")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    assert not IO.exists(str(tmp_path))
    assert not IO.exists(f"{tmp_path}/none/f")


def test_it_can_be_sent_to_executors() -> None:
    assert pickle.loads(pickle.dumps(IO)) == IO


@pytest.mark.parametrize(("dies_in", "left"), [("fsync", None), ("link", None), ("unlink", b"whole")])
def test_a_process_killed_while_creating_leaves_the_name_free_or_the_file_whole(
    dies_in: str, left: bytes | None, tmp_path: Path
) -> None:
    program = f"""
import os, signal
from core.io import LocalFileIO
os.{dies_in} = lambda *args: os.kill(os.getpid(), signal.SIGKILL)
LocalFileIO().create({f"{tmp_path}/snapshot-1"!r}, b"whole")
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -signal.SIGKILL
    target = tmp_path / "snapshot-1"
    assert (target.read_bytes() if target.exists() else None) == left
    assert listed_ids(IO, str(tmp_path), "snapshot-") == ([] if left is None else [1])


@pytest.mark.parametrize("name", ["x" * 300, "9" * 5000])
def test_what_no_file_can_be_called_is_not_there(name: str, tmp_path: Path) -> None:
    assert not IO.exists(f"{tmp_path}/{name}")
    with pytest.raises(NotFoundError):
        IO.read(f"{tmp_path}/{name}")
    with pytest.raises(StorageError):
        IO.create(f"{tmp_path}/{name}", b"")


def test_no_path_holds_a_zero_character(tmp_path: Path) -> None:
    for call in (IO.read, IO.exists, IO.delete, IO.list_files, IO.create_directory):
        with pytest.raises(InvalidRequestError, match=r"U\+0000"):
            call(f"{tmp_path}/a\0b")


@pytest.mark.parametrize("how", ["write", "create"])
@pytest.mark.parametrize("times", [1, 1000])
def test_a_directory_that_is_removed_before_its_first_file_is_made_again(
    how: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make = [], os.makedirs

    def make_and_lose(path: str, exist_ok: bool) -> None:
        made.append(path)
        make(path, exist_ok=exist_ok)
        if len(made) <= times:
            os.rmdir(path)

    monkeypatch.setattr("core.io.local.os.makedirs", make_and_lose)
    path = f"{tmp_path}/bucket-0/data"
    if times > 100:
        with pytest.raises(NotFoundError):
            getattr(LocalFileIO(), how)(path, b"rows")
        assert len(made) == 10
    else:
        getattr(LocalFileIO(), how)(path, b"rows")
        assert (LocalFileIO().read(path), len(made)) == (b"rows", 2)
