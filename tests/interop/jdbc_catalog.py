"""Real Java Paimon with a catalog in a SQL database: one process a catalog, asked line by line."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.interop.errors import PeerFailedError, PeerUnavailableError
from tests.interop.peers import DRIVERS, HADOOP_CONFIGURATION, JavaPaimon, built_once

_SOURCE = DRIVERS / "catalogs" / "CatalogDriver.java"
# As Debian has them: libpostgresql-jdbc-java, libmariadb-java, libxerial-sqlite-jdbc-java.
_JARS = Path("/usr/share/java")
_DRIVERS = {"postgresql": "postgresql.jar", "mysql": "mariadb-java-client.jar", "sqlite": "sqlite-jdbc.jar"}


@dataclass(frozen=True)
class JavaCatalog:
    """A catalog that Java Paimon has open."""

    process: subprocess.Popen[str]
    log: Path

    def ask(self, *words: str) -> list[str]:
        """What it answers.

        Raises:
            PeerFailedError: it refused; or it has ended, and its log says why.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print("\t".join(words), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("> "):
                answer = line[2:].rstrip("\n")
                if answer.startswith("!"):
                    raise PeerFailedError(answer[1:])
                return answer.split("\t") if answer else []
        raise PeerFailedError(self.log.read_text()[-4000:])


def jdbc_drivers() -> list[Path]:
    """Those that are here."""
    return [jar for name in _DRIVERS.values() if (jar := _JARS / name).exists()]


@contextmanager
def java_catalog(java: JavaPaimon, options: Mapping[str, str], folder: Path) -> Iterator[JavaCatalog]:
    """The catalog of these options, opened by Java.

    Raises:
        PeerUnavailableError: there is no JDBC driver for the database.
    """
    kind = options["uri"].split(":")[1]
    jar = _JARS / _DRIVERS[kind]
    if not jar.exists():
        raise PeerUnavailableError(f"no JDBC driver for {kind}: apt install lib*{kind}*-java")
    compiled = built_once(f"catalogs-{java.version}", [_SOURCE], lambda place: _compile(java, place))
    class_path = f"{HADOOP_CONFIGURATION}:{compiled}:{java.class_path}:{jar}"
    opens = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("nio", "lang", "util")]
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "-Duser.timezone=UTC"]
    places = ("/usr/lib/jni", *map(str, Path("/usr/lib").glob("*-linux-gnu/jni")))
    native = f"-Djava.library.path={':'.join(places)}"  # SQLite itself
    command = [str(java.java), native, *quick, *opens, "-cp", class_path, "CatalogDriver"]
    given = [f"{key}={value}" for key, value in options.items()]
    log = folder / "java.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        )
    with process:  # closes its input, at which it ends
        yield JavaCatalog(process, log)


def _compile(java: JavaPaimon, place: Path) -> None:
    javac = str(java.java.parent / "javac")
    command: Sequence[str] = [javac, "-nowarn", "-cp", java.class_path, "-d", str(place), str(_SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise PeerFailedError(f"{done.stdout}\n{done.stderr}")
