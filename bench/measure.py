"""How long something takes and what memory it needs, told in one form by every benchmark."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROUNDS = 5


def report(
    what: str, inputs: int, unit: str, run: Callable[[], int], *, after: Callable[[], None] | None = None
) -> None:
    """Print the medians of some rounds of `run`, less the first, and the rates by wall and CPU.

    Args:
        what: is measured.
        inputs: how many of `unit` one round takes in.
        unit: rows, files, entries.
        run: one round; gives the number of its results.
        after: undoes a round, outside of the time measured.
    """
    walls, cpus, result = [], [], 0
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        result = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        if after is not None:
            after()
    wall, cpu = median(walls[1:]), median(cpus[1:])
    print(
        f"{what}: {wall:.3f} s, {cpu:.3f} CPU-s (first {walls[0]:.3f} s), {inputs / wall:,.0f} {unit}/s,"
        f" {inputs / cpu:,.0f} a CPU-second, of {inputs:,}; {result:,} left",
        flush=True,
    )


def report_peak(idle_mib: float) -> None:
    """Print the most memory that this process had, beside what it had before it began."""
    print(f"  peak RSS {peak_mib():.0f} MiB, of which {idle_mib:.0f} before the first round", flush=True)


def peak_mib(process: int | str = "self") -> float:
    """Of one process alone: getrusage also counts what its parent had when it forked."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def run_apart(module: str, *arguments: object) -> None:
    """Run a benchmark in a process of its own, whose peak is then its own too."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    subprocess.run(command, check=True)
