"""Says at the end how many accidents the tests of crashes have played."""

from __future__ import annotations

from collections import Counter

import pytest

COUNTED = ("deaths", "failures", "processes killed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        counts.update({name: number for name, number in report.user_properties if name in COUNTED})
    if counts:
        told = (f"{number} {name}" for name, number in counts.items())
        terminalreporter.write_line(f"accidents after which the table was whole: {', '.join(told)}")
