"""Prints how many tests the JUnit reports named as arguments hold: `N passed, N failed, N skipped`."""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


def count(reports: Iterable[Path]) -> Counter[str]:
    """Tests by outcome over all reports; an error in a fixture counts as failed."""
    found: Counter[str] = Counter()
    for report in reports:
        for suite in ElementTree.parse(report).iter("testsuite"):
            failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped = int(suite.get("skipped", 0))
            found["failed"] += failed
            found["skipped"] += skipped
            found["passed"] += int(suite.get("tests", 0)) - failed - skipped
    return found


if __name__ == "__main__":
    totals = count(path for path in map(Path, sys.argv[1:]) if path.exists())
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
