"""Compiles the newest Java Paimon's bundle for Spark from a clone of its source, for LAKESCOPE_PAIMON_JARS.

    python -m tests.interop.build_newest CLONE [--tag release-2.0.0] [--into FOLDER]

CLONE is a git repository of Apache Paimon, bare or not, that has the tag; nothing in it is changed. It takes
Maven, a JDK 17+ and a Maven repository; CONTRIBUTING says what the jar is for. The build is Paimon's own but
for its tests, whose dependencies are most of what it would fetch, and for Spark's module for Hive, which
Maven Central did not serve: that is taken from the PySpark which the tests run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

from tests.interop.errors import PeerFailedError, PeerUnavailableError
from tests.interop.peers import CACHE, find_javac
from tests.interop.spark_paimon import SPARK, spark_python

POM = "http://maven.apache.org/POM/4.0.0"
MODULE = f"paimon-spark/paimon-spark-{SPARK}"
LEFT_OUT = ("docs", "paimon-python")  # large, and no modules of Maven's
OPTIONS = ("--batch-mode", "--no-transfer-progress", "-Pspark4,fast-build", "-Dmaven.test.skip=true")


def build(clone: Path, tag: str, into: Path) -> Path:
    """The jar, compiled into a folder that is made if missing.

    Raises:
        PeerUnavailableError: the clone, its tag, git, Maven, a JDK or a package index is missing; the message
            says which.
        PeerFailedError: Maven failed; the message names its log and what it complains of.
    """
    git = [_program("git"), "-C", str(clone)]
    _look_for(tag, clone, git)
    maven, java_home, spark_hive = _program("mvn"), find_javac().parent.parent, _spark_hive()
    into.mkdir(parents=True, exist_ok=True)
    log = into / "maven.log"
    with tempfile.TemporaryDirectory(prefix="source-", dir=into.parent) as name:
        source = Path(name)
        _export([*git, "archive", tag, "--", ".", *(f":!{path}" for path in LEFT_OUT)], source)
        for pom in source.rglob("pom.xml"):
            change_dependencies(pom, spark_hive)
        _run_maven(maven, source, java_home, log)
        pattern = f"paimon-spark-{SPARK}_2.13-*.jar"
        jars = list((source / MODULE / "target").glob(pattern))
        if len(jars) != 1:
            raise PeerFailedError(f"Maven made {len(jars)} jars like {pattern} in {MODULE}: see {log}")
        return Path(shutil.copy(jars[0], into))


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        package = {"mvn": "maven"}.get(name, name)
        raise PeerUnavailableError(f"no {name} on the PATH: install the package {package}")
    return found


def _look_for(tag: str, clone: Path, git: Sequence[str]) -> None:
    command = [*git, "rev-parse", "--quiet", "--verify", f"{tag}^{{commit}}"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise PeerUnavailableError(
            f"{clone} is no git repository with the tag {tag}: clone Apache Paimon with its tags there"
        )


def _export(command: Sequence[str], to: Path) -> None:
    with subprocess.Popen(command, stdout=subprocess.PIPE) as archive:
        assert archive.stdout is not None
        with tarfile.open(fileobj=archive.stdout, mode="r|") as files:
            files.extractall(to, filter="data")
    if archive.returncode:
        raise PeerFailedError(f"exit {archive.returncode} of {' '.join(command)}")


def _spark_hive() -> Path:
    (jar,) = spark_python().parents[1].glob("lib/python3*/site-packages/pyspark/jars/spark-hive_2.13-*.jar")
    return jar


def change_dependencies(pom: Path, spark_hive: Path) -> None:
    """Take what only its tests depend on out of a module, and let Spark's Hive be a jar.

    Maven fetches what tests depend on even when it is told to skip them.
    """
    ElementTree.register_namespace("", POM)
    tree = ElementTree.parse(pom)
    for dependencies in tree.iter(f"{{{POM}}}dependencies"):
        for dependency in list(dependencies):
            artifact = dependency.findtext(f"{{{POM}}}artifactId", "")
            is_used = dependency.find(f"{{{POM}}}version") is not None  # not only told of to other modules
            if dependency.findtext(f"{{{POM}}}scope") == "test":
                dependencies.remove(dependency)
            elif artifact.startswith("spark-hive_") and is_used:
                for name, text in (("scope", "system"), ("systemPath", str(spark_hive))):
                    ElementTree.SubElement(dependency, f"{{{POM}}}{name}").text = text
    tree.write(pom, encoding="utf-8", xml_declaration=True)


def _run_maven(maven: str, source: Path, java_home: Path, log: Path) -> None:
    with log.open("w") as told:
        done = subprocess.run(
            [maven, *OPTIONS, "--projects", MODULE, "--also-make", "package"],
            cwd=source,
            env={**os.environ, "JAVA_HOME": str(java_home)},
            stdout=told,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        errors = [line for line in log.read_text().splitlines() if line.startswith("[ERROR]")]
        raise PeerFailedError(
            f"Maven ended with {done.returncode}, see {log}; a package that its repository does not serve is "
            f"named below:\n" + "\n".join(errors[:20])
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.interop.build_newest")
    parser.add_argument("clone", type=Path, help="a git repository of Apache Paimon")
    parser.add_argument("--tag", default="release-2.0.0")
    parser.add_argument("--into", type=Path, default=CACHE / "paimon-newest", help="the folder of the jar")
    given = parser.parse_args()
    try:
        jar = build(given.clone, given.tag, given.into.absolute())
    except (PeerUnavailableError, PeerFailedError) as error:
        raise SystemExit(str(error)) from error
    print(f"{jar}\nexport LAKESCOPE_PAIMON_JARS={jar.parent}")


if __name__ == "__main__":
    main()
