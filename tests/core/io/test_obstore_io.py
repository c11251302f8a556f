from __future__ import annotations

import pickle

import pytest

from core.errors import InvalidRequestError
from core.io import MemoryFileIO, ObstoreFileIO


def test_buckets_are_stores_of_their_own() -> None:
    io = MemoryFileIO()
    io.write("memory://one/f", b"1")
    io.write("memory://two/f", b"2")
    assert (io.read("memory://one/f"), io.read("memory://two/f")) == (b"1", b"2")


def test_settings_travel_and_open_stores_do_not() -> None:
    io = ObstoreFileIO({"region": "eu-central-1", "access_key_id": "a", "secret_access_key": "b"})
    io._locate("s3://bucket/key")
    copy = pickle.loads(pickle.dumps(io))
    assert copy.settings == io.settings
    assert copy._stores == {}


def test_hadoops_names_of_s3_are_one_store() -> None:
    io = ObstoreFileIO({"region": "eu-central-1"})
    assert io._locate("s3a://bucket/a/b")[0] is io._locate("s3://bucket/c")[0]
    assert io._locate("s3a://bucket/a/b")[1] == "a/b"


def test_an_input_is_seekable_from_all_three_ends() -> None:
    io = MemoryFileIO()
    io.write("memory://b/f", b"0123456789")
    with io.open_input("memory://b/f") as file:
        assert file.read(2) == b"01"
        assert file.seek(-3, 2) == 7
        assert file.read() == b"789"
        file.seek(4)
        file.seek(1, 1)
        assert file.read(1) == b"5"


def test_a_memory_store_stays_in_its_process() -> None:
    with pytest.raises(TypeError, match="process"):
        pickle.dumps(MemoryFileIO())


def test_a_directory_is_not_renamed_into_another_bucket() -> None:
    io = MemoryFileIO()
    io.write("memory://one/d/f", b"1")
    with pytest.raises(InvalidRequestError, match="bucket"):
        io.rename_directory("memory://one/d", "memory://two/d")
    assert io.exists("memory://one/d/f")
