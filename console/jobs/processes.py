"""What runs on this host: by Linux's `/proc`, as slim images have no `ps`; elsewhere by `ps`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PROC = Path("/proc")


def lives(process: int) -> bool:
    """Whether there is such a process; one that is dead, and not yet collected by its parent, is none."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _state(process).startswith("Z")


def command_of(process: int) -> str:
    """Its program and arguments; empty where there is no such process, or a dead one."""
    if not _has_proc():
        return _shown_by_ps("command=", process)
    return _read(process, "cmdline").replace("\0", " ").rstrip()


def _state(process: int) -> str:
    if not _has_proc():
        return _shown_by_ps("stat=", process)
    return _read(process, "stat").rpartition(")")[2].lstrip()  # a program's name may hold brackets


def _has_proc() -> bool:
    return (PROC / "self" / "stat").exists()


def _read(process: int, file: str) -> str:
    try:
        return (PROC / str(process) / file).read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""  # it has ended


def _shown_by_ps(column: str, process: int) -> str:
    shown = subprocess.run(
        ["ps", "-ww", "-o", column, "-p", str(process)], capture_output=True, text=True, check=False
    )
    return shown.stdout
