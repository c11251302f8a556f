"""`python -m tests.fuzz SECONDS [TARGET...]`: any bytes, given to each decoder, are values or errors of ours.

Atheris looks for bytes that take new paths through core, which it watches. What it finds stays in
build/fuzz: inputs worth keeping as the corpus of a target, and one that fails under `<target>-crash-...`.
Each target runs in a process of its own for the given time, one for each core, and may hold 2 GiB and be
busy with one input for ten seconds; `<target>.log` holds what it printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.targets import CORPORA, TARGETS

BUILD = Path(__file__).resolve().parents[2] / "build" / "fuzz"
LIMITS = ("-rss_limit_mb=2048", "-timeout=10", "-max_len=65536")
_DONE = re.compile(r"Done (\d+) runs in (\d+) second")


def main(arguments: Sequence[str]) -> int:
    """The number of targets that failed."""
    seconds, *given = arguments
    names = given or sorted(TARGETS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda name: _run(name, seconds), names))
    failed = [name for name, has_passed in zip(names, passed, strict=True) if not has_passed]
    print(f"failed: {', '.join(failed)}" if failed else "no target failed")
    return len(failed)


def _run(name: str, seconds: str) -> bool:
    corpus, log = BUILD / name, BUILD / f"{name}.log"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(CORPORA.get(name, list)()):
        (corpus / f"sample-{number}").write_bytes(sample)
    kept = f"-artifact_prefix={BUILD}/{name}-"
    command = [sys.executable, "-m", "tests.fuzz.one", name, str(corpus), kept, f"-max_total_time={seconds}"]
    with log.open("wb") as told:
        ended = subprocess.run([*command, *LIMITS], stdout=told, stderr=told, check=False).returncode
    text = log.read_text(errors="replace")
    done = _DONE.search(text)
    print(f"{name}: {done[1]} inputs in {done[2]} s" if done else f"{name}: {text[-4000:]}", flush=True)
    return ended == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
