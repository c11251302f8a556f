from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from core.errors import InvalidRequestError, StorageDeniedError
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


class _Refusing(BaseHTTPRequestHandler):
    """S3 that lets nobody in; the bucket says why."""

    def _refuse(self) -> None:
        code = self.path.split("/")[1].partition("?")[0]
        body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
        self.send_response(401 if code == "NotSigned" else 403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _refuse  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def refusing() -> Iterator[ObstoreFileIO]:
    with HTTPServer(("127.0.0.1", 0), _Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        yield ObstoreFileIO(
            {"endpoint": endpoint, "access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}
        )
        server.shutdown()


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("SignatureDoesNotMatch", "secret key is not that"),
        ("InvalidAccessKeyId", "no such access key"),
        ("ExpiredToken", "has expired"),
        ("AccessDenied", "do not allow this"),
        ("NotSigned", "401"),
    ],
)
def test_a_store_that_lets_nobody_in_is_told_as_that(refusing: ObstoreFileIO, code: str, cause: str) -> None:
    for use in (
        lambda: refusing.read(f"s3://{code}/f"),
        lambda: refusing.list_files(f"s3://{code}/d"),
        lambda: refusing.list_directories(f"s3://{code}/d"),
        lambda: list(refusing.iter_tree(f"s3://{code}/d")),
        lambda: refusing.create(f"s3://{code}/f", b""),
        lambda: refusing.delete(f"s3://{code}/f"),
    ):
        with pytest.raises(StorageDeniedError, match=f"credentials.*{cause}"):
            use()
    with pytest.raises(StorageDeniedError, match="credentials"):  # without a body, which says why
        refusing.exists(f"s3://{code}/f")
