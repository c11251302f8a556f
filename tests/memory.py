"""Processes that may take only so much memory: what the limit counts is what they use, on any machine."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_STACK = 1 << 20

# No pool sets memory aside, threads are as many everywhere, and a block that is given back goes back to the
# system at once: glibc keeps larger and larger ones otherwise, and which depends on how threads met.
_SPARING = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(128 << 10),
    "OMP_NUM_THREADS": "2",
    "ARROW_IO_THREADS": "2",
}


def sparing(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Python run with these arguments; it sets RLIMIT_DATA for itself, which Linux alone enforces."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **_SPARING},
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_STACK, (_STACK, _STACK)),
        check=check,
        capture_output=True,
        text=True,
    )
