"""The drivers: ours, Java Paimon 0.9.0, pypaimon 2.1.0, pypaimon-rust 0.4.0 and pyarrow alone.

The peers' environments are made once below build/peers; a package registry is needed for that.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tests.interop.peers import ROOT, built_once, find_javac, java_paimon, make_environment, pypaimon

HERE = Path(__file__).parent
HEAP = "-Xmx6g"


@cache
def java_command() -> list[str]:
    """Starts the driver in Java; its arguments are missing."""
    paimon, driver = java_paimon(), HERE / "java" / "BenchDriver.java"

    def build(folder: Path) -> None:
        compiler = [str(find_javac()), "-nowarn", "-cp", paimon.class_path]
        subprocess.run([*compiler, "-d", str(folder), str(driver)], check=True)

    folder = built_once("bench-java09", [driver], build)
    opens = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("nio", "lang", "util")]
    options = [HEAP, "-Duser.timezone=UTC", *opens, "-cp", f"{folder}:{paimon.class_path}"]
    return [str(paimon.java), *options, "BenchDriver"]


@cache
def rust_python() -> Path:
    """The interpreter of an environment with pypaimon-rust alone."""
    lock = ROOT / "requirements-pypaimon-rust.lock"

    def build(folder: Path) -> None:
        make_environment(folder / "venv", lock)

    return built_once("rust04", [lock], build) / "venv" / "bin" / "python"


DRIVERS: Mapping[str, Callable[[], list[str]]] = MappingProxyType(
    {
        "ours": lambda: [sys.executable, "-m", "bench.peers.ours"],
        "java": lambda: [*java_command(), "run"],
        "pypaimon": lambda: [str(pypaimon().python), str(HERE / "peer_pypaimon.py")],
        "rust": lambda: [str(rust_python()), str(HERE / "peer_rust.py")],
        "pyarrow": lambda: [sys.executable, "-m", "bench.peers.raw_pyarrow"],
    }
)
"""What starts a driver; the path of its task is missing."""
