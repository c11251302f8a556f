"""`python -m tests.fuzz.properties MINUTES`: the property tests of core in rounds, with new examples in each.

A round begins only if one as long as the longest so far still fits, so the time is kept on any machine; the
first is always run. Examples that fail are kept in build/hypothesis, and come first in the next run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from time import monotonic

ROUND = ("-m", "pytest", "-q", "-n", "2", "-m", "hypothesis", "--hypothesis-show-statistics", "tests/core")
_EXAMPLES = re.compile(r"- (\d+) passing,")
_STATISTICS = re.compile(r"^=+ Hypothesis Statistics =+$.*?^(?==)", re.DOTALL | re.MULTILINE)
_TESTS = re.compile(r"(\d+) passed")


def main(arguments: Sequence[str]) -> int:
    """0 if no property failed."""
    end = monotonic() + 60 * float(arguments[0])
    longest, begin = 0.0, monotonic()
    while longest == 0 or begin + longest <= end:
        failed = _round()
        longest, begin = max(longest, monotonic() - begin), monotonic()
        if failed:
            return failed
    return 0


def _round() -> int:
    """Print what a round ran, and each test that failed; 0 if none did."""
    begin = monotonic()
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "fuzz"}  # not that of CI, which has no luck
    ran = subprocess.run(
        [sys.executable, *ROUND], env=environment, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        print(_STATISTICS.sub("", ran.stdout), ran.stderr)
    tests, examples = (sum(map(int, each.findall(ran.stdout))) for each in (_TESTS, _EXAMPLES))
    print(f"{tests} property tests, {examples} examples in {monotonic() - begin:.0f} s", flush=True)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
