"""Real Paimon beside us: Java 0.9.0 and pypaimon 2.1.0, fetched once below build/peers and run as programs;
and the newest Java Paimon, where somebody has put its jars (see `newest_paimon`).

A peer writes the tables of a description (see `describe.py`) and dumps what it reads back, in the JSON
convention of tests/corpora/README.md. Tests take the fixtures `java` and `pypaimon` of tests/conftest.py,
which skip with the reason where a peer cannot be had.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.interop.errors import PeerFailedError, PeerUnavailableError
from tests.interop.session import Driver, Session

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "peers"
DRIVERS = Path(__file__).parent / "drivers"
# Empty, in place of those in Hadoop's jars: Paimon reads all of them anew for each ORC table that it opens,
# which is ten times the work of the table; on a local disk it needs none of what they say.
HADOOP_CONFIGURATION = DRIVERS / "hadoop"

Description = Mapping[str, Any]
Dump = dict[str, dict[str, Any]]


class Peer(Protocol):
    """One real Paimon of a fixed version; its driver starts when it is first asked, see `session.py`."""

    version: str

    def write(self, description: Description, warehouse: Path) -> None:
        """Carry out a description (see `describe.py`) on a warehouse folder, made if missing.

        Raises:
            PeerFailedError: an operation failed; the message names the table and the operation.
        """
        ...

    def dump(self, warehouse: Path, parts: Sequence[str] = ("latest",)) -> Dump:
        """What the peer reads of each table, by `database.table`: parts of corpora/README.md's layout."""
        ...

    def session(self, warehouse: Path) -> Session:
        """For many changes and reads of one warehouse, in any order."""
        ...

    def close(self) -> None:
        """End the driver."""
        ...


@dataclass(frozen=True, slots=True)
class DrivenPaimon:
    """A peer by way of its driver."""

    driver: Driver
    version: str

    def write(self, description: Description, warehouse: Path) -> None:
        done = self._ask(warehouse, {"write": description})
        if done["failed"]:
            raise PeerFailedError(done["told"][-4000:])

    def dump(self, warehouse: Path, parts: Sequence[str] = ("latest",)) -> Dump:
        return self._ask(warehouse, {"dump": list(parts)})

    def read(self, warehouse: Path, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """An answer to each request: a table read with dynamic options, as a system table or a stream.

        A request has `table` and may have `options`, `system` (`audit_log`) and `stream`. An answer has
        `columns` and `rows`; of a stream `plans`, the rows of each plan in order, and the `next` snapshot.
        What the peer cannot read is `{"error": ...}`.
        """
        answers: list[dict[str, Any]] = self._ask(warehouse, {"reads": list(requests)})["answers"]
        return answers

    def session(self, warehouse: Path) -> Session:
        return Session(self.driver, warehouse)

    def close(self) -> None:
        self.driver.close()

    def _ask(self, warehouse: Path, request: Mapping[str, Any]) -> dict[str, Any]:
        hidden = {f"{scheme}{warehouse}": "${WAREHOUSE}" for scheme in ("file://", "file:", "")}
        answer = self.driver.ask({**request, "warehouse": str(warehouse)}, hidden)
        if "error" in answer:
            raise PeerFailedError(answer["error"])
        return answer


@dataclass(frozen=True, slots=True)
class JavaPaimon(DrivenPaimon):
    """Java Paimon, through its public table API."""

    java: Path
    class_path: str


@dataclass(frozen=True, slots=True)
class PyPaimon(DrivenPaimon):
    """pypaimon 2.1.0, in a virtual environment of its own."""

    python: Path


def _java(javac: Path, class_path: str, version: str) -> JavaPaimon:
    java = javac.parent / "java"
    opens = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("nio", "lang", "util")]
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # it runs for minutes at most
    options = ["-Duser.timezone=UTC", "-Xmx1g", "-Djava.io.tmpdir={scratch}", *quick, *opens]
    command = [str(java), *options, "-cp", f"{HADOOP_CONFIGURATION}:{class_path}", "PaimonDriver"]
    return JavaPaimon(Driver(command, {}), version, java, class_path)


def java_paimon() -> JavaPaimon:
    """Java Paimon, its driver compiled.

    Raises:
        PeerUnavailableError: no JDK, no PySpark (whose jars it needs), or no package registry.
    """
    javac = find_javac()
    jars = _pyspark_jars()
    sources = _driver("java09")
    lock = ROOT / "requirements-paimon-java.lock"

    def build(folder: Path) -> None:
        _fetch_bridge_jar(lock, folder)
        _compile(javac, sources, f"{folder}/*:{jars}/*", folder)

    folder = built_once("java09", [lock, *sources], build)
    return _java(javac, f"{folder}:{folder}/*:{jars}/*", "0.9.0")


def newest_paimon() -> JavaPaimon:
    """Java Paimon 2.0.0 or newer, from the jars in the folder that LAKESCOPE_PAIMON_JARS names.

    They are found by hand, as no package that we could pin carries them: a bundle (paimon-bundle, or the
    one for Spark or Flink), or paimon-core with all it depends on. Hadoop's classes come from PySpark.

    Raises:
        PeerUnavailableError: the variable names no folder with a paimon-*-<version>.jar, or there is no JDK
            or no PySpark.
    """
    named = Path(os.environ.get("LAKESCOPE_PAIMON_JARS") or "/none")
    found = [re.search(r"-([2-9]\.[\d.]+)\.jar$", path.name) for path in sorted(named.glob("paimon-*.jar"))]
    versions = [match[1] for match in found if match]
    if not versions:
        raise PeerUnavailableError(
            "LAKESCOPE_PAIMON_JARS names no folder with jars of Paimon 2.0.0 or newer, "
            "such as paimon-bundle-2.0.0.jar"
        )
    javac = find_javac()
    class_path = f"{named}/*:{_pyspark_jars()}/*"
    sources = _driver("java20")
    jars = sorted(named.glob("*.jar"))
    folder = built_once(
        "java20", [*sources, *jars], lambda folder: _compile(javac, sources, class_path, folder)
    )
    return _java(javac, f"{folder}:{class_path}", versions[0])


def _driver(version: str) -> list[Path]:
    """The sources of the Java driver: what both versions share, and what each does in a way of its own."""
    return sorted(path for name in ("java", version) for path in (DRIVERS / name).glob("*.java"))


def _compile(javac: Path, sources: Sequence[Path], class_path: str, folder: Path) -> None:
    _run([str(javac), "-nowarn", "-cp", class_path, "-d", str(folder), *map(str, sources)])


def pypaimon() -> PyPaimon:
    """pypaimon, its environment made.

    Raises:
        PeerUnavailableError: the environment cannot be made, such as without a package registry.
    """
    lock = ROOT / "requirements-pypaimon.lock"

    def build(folder: Path) -> None:
        make_environment(folder / "venv", lock)

    python = built_once("pypaimon21", [lock], build) / "venv" / "bin" / "python"
    # With the first set it also opens manifests of 0.9.0, which lack a column that it wants.
    environment = {"PATCH_MANIFEST": "1", "TZ": "UTC"}
    return PyPaimon(Driver([str(python), str(DRIVERS / "pypaimon21.py")], environment), "2.1.0", python)


def find_javac() -> Path:
    """The compiler of the JDK in JAVA_HOME or on the PATH."""
    homes = [Path(os.environ["JAVA_HOME"]) / "bin" / "javac"] if os.environ.get("JAVA_HOME") else []
    on_path = shutil.which("javac")
    for candidate in [*homes, *([Path(on_path).resolve()] if on_path else [])]:
        if candidate.exists():
            return candidate
    raise PeerUnavailableError("no javac: set JAVA_HOME to a JDK 17+, or install default-jdk-headless")


def make_environment(venv: Path, lock: Path) -> None:
    """Make a virtual environment with exactly the packages of a hashed lock."""
    _fetch([sys.executable, "-m", "venv", "--without-pip", str(venv)])
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    target = str(venv / "bin" / "python")
    if uv:
        _fetch([uv, "pip", "sync", "--quiet", "--require-hashes", "--python", target, str(lock)])
    else:
        pip = [sys.executable, "-m", "pip", "--python", target, "install", "--quiet", "--no-deps"]
        _fetch([*pip, "--require-hashes", "-r", str(lock)])


def built_once(name: str, inputs: Sequence[Path], build: Callable[[Path], None]) -> Path:
    """The cached folder that `build` filled; built again only when an input has changed.

    A file lock keeps parallel test processes from building it twice. It is built in place, as virtual
    environments cannot be moved, and counts only once its stamp is written.
    """
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in inputs)).hexdigest()[:12]
    folder = CACHE / f"{name}-{digest}"
    stamp = folder / ".built"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            stamp.touch()
    return folder


def _pyspark_jars() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise PeerUnavailableError(
            "Java Paimon takes Hadoop's classes from PySpark: install the extra `spark`"
        )
    return Path(spec.origin).parent / "jars"


def _fetch_bridge_jar(lock: Path, folder: Path) -> None:
    """Take Paimon's jar out of the source package that a lock pins."""
    download = folder / "download"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    _fetch([*pip, "--require-hashes", "-r", str(lock), "-d", str(download)])
    (archive,) = download.glob("*.tar.gz")
    with tarfile.open(archive) as package:
        (jar,) = (
            member for member in package.getmembers() if "/deps/jars/" in member.name and member.isfile()
        )
        content = package.extractfile(jar)
        assert content is not None
        (folder / Path(jar.name).name).write_bytes(content.read())
    shutil.rmtree(download)


def _fetch(command: Sequence[str]) -> None:
    try:
        _run(command)
    except PeerFailedError as error:
        raise PeerUnavailableError(f"a package registry is needed once: {error}") from error


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        shown = [part if len(part) < 200 else f"{part[:80]}..." for part in command]
        raise PeerFailedError(f"exit {done.returncode} of {' '.join(shown)}\n{done.stdout[-4000:]}")


def prepare() -> None:
    """Fetch and build every peer, and say which cannot be had and why."""
    for start in (java_paimon, pypaimon):
        try:
            start()
        except PeerUnavailableError as error:
            print(f"SKIPPED: tests that take {start.__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    prepare()
