"""Real servers of SQL for tests, of the programs of the system, each in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.interop.errors import PeerUnavailableError
from tests.ports import LOOPBACK, free_port

USER, PASSWORD = "paimon", "pass'word/@: %"
_PATIENCE = 180  # seconds until it has to answer

Options = Mapping[str, str]


@contextmanager
def postgres_server() -> Iterator[Options]:
    """Catalog options of a PostgreSQL on the loopback, which runs as long as the block.

    Raises:
        PeerUnavailableError: it is not installed.
    """
    programs, port = _postgres_programs(), free_port()
    with _folder("postgres" if os.geteuid() == 0 else None) as folder:  # it does not run as root
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            shutil.chown(secret, "postgres", "postgres")
        made = [programs / "initdb", f"--pgdata={folder}/data", f"--username={USER}", f"--pwfile={secret}"]
        _run(_as_postgres([*map(str, made), "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8"]))
        where = [f"-D{folder}/data", f"-p{port}", f"-k{folder}", "-h", LOOPBACK, "-c", "fsync=off"]
        command = _as_postgres([str(programs / "postgres"), *where])

        def answers() -> bool:
            import psycopg  # the tests of one part alone want it

            with suppress(psycopg.Error):
                sign_in = {"user": USER, "password": PASSWORD, "dbname": "postgres"}
                psycopg.connect(host=LOOPBACK, port=port, **sign_in).close()
                return True
            return False

        with _running(command, folder, answers):
            yield {"uri": f"jdbc:postgresql://{LOOPBACK}:{port}/postgres", **_SIGN_IN}


@contextmanager
def mariadb_server() -> Iterator[Options]:
    """Catalog options of a MariaDB on the loopback, which runs as long as the block.

    Raises:
        PeerUnavailableError: it is not installed.
    """
    install, server = shutil.which("mariadb-install-db"), shutil.which("mariadbd")
    if install is None or server is None:
        raise PeerUnavailableError("MariaDB is not here: apt install mariadb-server-core")
    port, user = free_port(), f"--user={'root' if os.geteuid() == 0 else os.environ.get('USER', '')}"
    with _folder(None) as folder:
        place = f"--datadir={folder}/data"
        quoted = PASSWORD.replace("'", "''")
        (folder / "start.sql").write_text(
            "CREATE DATABASE lake;\n"  # one statement a line
            f"CREATE USER {USER} IDENTIFIED BY '{quoted}';\n"
            f"GRANT ALL ON lake.* TO {USER};\n"
        )
        _run([install, "--no-defaults", place, user, "--auth-root-authentication-method=normal"])
        files = [f"--socket={folder}/s", f"--pid-file={folder}/pid", f"--init-file={folder}/start.sql"]
        where = [place, f"--port={port}", f"--bind-address={LOOPBACK}", *files, "--skip-name-resolve"]

        def answers() -> bool:
            import pymysql  # the tests of one part alone want it

            with suppress(pymysql.Error):
                sign_in = {"user": USER, "password": PASSWORD, "database": "lake"}
                pymysql.connect(host=LOOPBACK, port=port, **sign_in).close()
                return True
            return False

        with _running([server, "--no-defaults", user, *where], folder, answers):
            yield {"uri": f"jdbc:mysql://{LOOPBACK}:{port}/lake", **_SIGN_IN}


def _postgres_programs() -> Path:
    """The folder of initdb and postgres, which Debian keeps off the PATH."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else []
    for folder in folders + sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    raise PeerUnavailableError("PostgreSQL is not here: apt install postgresql")


def _as_postgres(command: list[str]) -> list[str]:
    """As the user of Debian's package, if we are root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


_SIGN_IN = {"jdbc.user": USER, "jdbc.password": PASSWORD}


@contextmanager
def _folder(owner: str | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="lakescope-sql-"))
    if owner is not None:
        shutil.chown(folder, owner, owner)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(command: Sequence[str], folder: Path, answers: Callable[[], bool]) -> Iterator[None]:
    """A server in a process group of its own, once it answers."""
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder, start_new_session=True)
    try:
        end = time.monotonic() + _PATIENCE
        while not answers():
            assert process.poll() is None, log.read_text()[-4000:]
            assert time.monotonic() < end, log.read_text()[-4000:]
            time.sleep(0.1)
        yield
    finally:
        with suppress(ProcessLookupError):  # asked to end, it would wait for clients that keep connections
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _run(command: Sequence[str]) -> None:
    made = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert made.returncode == 0, f"{made.stdout}\n{made.stderr}"
