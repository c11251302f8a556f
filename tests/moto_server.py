"""Another server of S3 for tests: moto, fetched once below build/peers, which keeps all in its memory."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.interop.peers import ROOT, built_once, make_environment
from tests.ports import LOOPBACK, free_port
from tests.s3_server import BUCKET, PATIENCE


@contextmanager
def moto_server(folder: Path) -> Iterator[Mapping[str, str]]:
    """Catalog options of an empty `warehouse` on a server of the loopback that runs as long as the block.

    Raises:
        PeerUnavailableError: it is not here, and there is no package registry to fetch it from.
    """
    lock = ROOT / "requirements-moto.lock"
    place = built_once("moto", [lock], lambda made: make_environment(made / "venv", lock))
    port = free_port()
    address = f"http://{LOOPBACK}:{port}"
    with (folder / "log").open("w") as log:
        command = [str(place / "venv/bin/moto_server"), "-H", LOOPBACK, "-p", str(port)]
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        _make_bucket(f"{address}/{BUCKET}", process, folder / "log")
        yield {
            "warehouse": f"s3://{BUCKET}/warehouse",
            "s3.endpoint": address,
            "s3.access-key": "any",
            "s3.secret-key": "any-secret",
            "s3.region": "us-east-1",
            "s3.path.style.access": "true",
        }
    finally:
        process.terminate()
        process.wait()


def _make_bucket(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError):
            urllib.request.urlopen(urllib.request.Request(address, method="PUT"), timeout=10).close()
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()[-4000:]}")
