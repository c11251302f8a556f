"""The table of docs/performance.md, made of the figures that `bench.peers` kept.

    python -m bench.peers.page [--results F] [--write docs/performance.md]

Printed, or put between the two marks of the page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.peers.tasks import Goal, Task, tasks

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PEERS = ("java", "pypaimon", "rust", "pyarrow")
NAMES = {"java": "Java", "pypaimon": "pypaimon", "rust": "rust", "pyarrow": "pyarrow"}
HEAD = ("#", "workload", "ours", *NAMES.values(), "times less than", "goals met")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.peers.page")
    parser.add_argument("--results", default="build/bench/peers/results.json")
    parser.add_argument("--write", help="a page with the marks")
    given = parser.parse_args()
    table = made_of(json.loads(Path(given.results).read_text()))
    if not given.write:
        print(table)
        return
    page = Path(given.write)
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        parser.error(f"{page} lacks {BEGIN} or {END}")
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def made_of(results: Mapping[str, Any]) -> str:
    """A Markdown table: a row for each workload that was measured, in their order."""
    rows = [HEAD, ("---",) * len(HEAD)]
    found = [(task, results[task.name]) for task in tasks().values() if task.name in results]
    rounds = max((result["rounds"] for _, result in found), default=0)
    for task, result in found:
        row = _row(task, result["drivers"])
        fewer = "" if result["rounds"] == rounds else f" (rounds: {result['rounds']})"
        rows.append((row[0], row[1] + fewer, *row[2:]))
    days = sorted({result["measured"][:10] for result in results.values()})
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"Measured {' to '.join(days)}, medians of {rounds} rounds where no other number stands.\n\n{text}"


def _row(task: Task, figures: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    number, _, what = task.name.partition(" ")
    ours = figures.get("ours")
    if ours is None:
        return (number, what, "failed", *("" for _ in PEERS), "", "**no**")
    own = f"{_seconds(ours['cpu'])}, {ours['warm']:.2f} s, {ours['peak_mib']:.0f} MiB"
    others = (_seconds(figures[peer]["cpu"]) if peer in figures else "–" for peer in PEERS)
    ratios = ", ".join(f"{NAMES[p]} {_times(figures[p]['cpu'] / ours['cpu'])}" for p in PEERS if p in figures)
    return (number, what, own, *others, ratios, "; ".join(_judged(task, figures)))


def _judged(task: Task, figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """A goal a part: what was found beside what was asked."""
    for goal in task.goals:
        if goal.peer in figures:
            yield _said(goal, figures[goal.peer][goal.measure] / figures["ours"][goal.measure])
    if task.most_mib is not None:
        found = figures["ours"]["peak_mib"]
        yield f"{_met(found <= task.most_mib)} (at most {task.most_mib} MiB)"


def _said(goal: Goal, found: float) -> str:
    by = {"cpu": "", "warm": " by the clock", "cold": " cold"}[goal.measure]
    peer = f"{NAMES[goal.peer]}{by} {_times(found)}"
    asked = [f"asked {_times(goal.times)}: {_met(found >= goal.times)}"] if goal.times else []
    if goal.stretch is not None:
        asked.append(f"stretch {_times(goal.stretch)}: {'yes' if found >= goal.stretch else 'no'}")
    return f"{peer} ({', '.join(asked)})"


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.3f}"


if __name__ == "__main__":
    main()
