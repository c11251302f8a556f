"""`python -m tests.fuzz SECONDS [TARGET...]`: any bytes, given to each decoder, are values or errors of ours.

Atheris looks for bytes that take new paths through core, which it watches. What it finds stays in build/fuzz:
inputs worth keeping as the corpus of a target, and one that fails under `crash-...`. Each target runs in a
process of its own for the given time, and may hold 2 GiB and be busy with one input for ten seconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.targets import CORPORA, TARGETS

BUILD = Path(__file__).resolve().parents[2] / "build" / "fuzz"
LIMITS = ("-rss_limit_mb=2048", "-timeout=10", "-max_len=65536")


def main(arguments: Sequence[str]) -> int:
    """The number of targets that failed."""
    seconds, *names = arguments
    failed = [name for name in names or sorted(TARGETS) if not _run(name, seconds)]
    print(f"failed: {', '.join(failed)}" if failed else "no target failed")
    return len(failed)


def _run(name: str, seconds: str) -> bool:
    corpus = BUILD / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(CORPORA.get(name, list)()):
        (corpus / f"sample-{number}").write_bytes(sample)
    kept = f"-artifact_prefix={BUILD}/{name}-"
    command = [sys.executable, "-m", "tests.fuzz.one", name, str(corpus), kept, f"-max_total_time={seconds}"]
    return subprocess.run([*command, *LIMITS], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
