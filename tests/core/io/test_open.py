from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidRequestError, UnsupportedError
from core.io import LocalFileIO, MemoryFileIO, ObstoreFileIO, file_io_for
from core.io.open import absolute_path, s3_settings, scheme_of
from core.io.webhdfs import HdfsFileIO


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/data/wh", LocalFileIO),
        ("file:/data/wh", LocalFileIO),
        ("file:///data/wh", LocalFileIO),
        ("s3://bucket/wh", ObstoreFileIO),
        ("s3a://bucket/wh", ObstoreFileIO),
        ("memory://x/wh", MemoryFileIO),
        ("hdfs://name:8020/wh", HdfsFileIO),
    ],
)
def test_the_scheme_decides_on_the_store(path: str, kind: type) -> None:
    assert type(file_io_for(path)) is kind


@pytest.mark.parametrize("path", ["cosn://bucket/wh", "obs://bucket/wh"])
def test_a_scheme_that_we_do_not_serve_is_named(path: str) -> None:
    with pytest.raises(UnsupportedError, match=path.partition(":")[0]):
        file_io_for(path)


def test_options_of_paimon_and_hadoop_set_up_s3() -> None:
    options = {
        "s3.access-key": "a",
        "fs.s3a.secret.key": "b",
        "s3.endpoint": "http://localhost:1",
        "s3.path.style.access": "true",
        "warehouse": "s3://x",
    }
    assert s3_settings(options) == {
        "access_key_id": "a",
        "secret_access_key": "b",
        "endpoint": "http://localhost:1",
        "virtual_hosted_style_request": "false",
    }


@pytest.mark.parametrize("path", ["/a:/b", "/we://ird", "a/b:c", "a/s3://b"])
def test_a_colon_behind_a_slash_makes_no_scheme(path: str) -> None:
    assert scheme_of(path) == "file"


@pytest.mark.parametrize("path", ["/data//wh", "file:/data/wh", "file:///data/wh", "s3://bucket/wh"])
def test_an_address_that_says_all_stays_as_it_is(path: str) -> None:
    assert absolute_path(path) == path


def test_addresses_that_depend_on_the_process_are_made_absolute() -> None:
    assert absolute_path("wh/") == f"{Path.cwd()}/wh"
    assert absolute_path("./~") == f"{Path.cwd()}/~"
    assert absolute_path("file://localhost/data/wh") == "file:///data/wh"


@pytest.mark.parametrize(
    "path", ["file:", "file:data", "s3://", "s3:", "s3:///wh", "memory:", "file://host/wh"]
)
def test_an_address_of_no_place_here_is_refused(path: str) -> None:
    with pytest.raises((InvalidRequestError, UnsupportedError), match=path):
        absolute_path(path)
