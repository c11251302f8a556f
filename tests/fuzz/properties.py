"""`python -m tests.fuzz.properties MINUTES`: the property tests of core in rounds, with new examples in each.

A round begins only if one as long as the longest so far still fits, so the time is kept on any machine; the
first is always run. Examples that fail are kept in build/hypothesis, and come first in the next run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence

ROUND = ("-m", "pytest", "-q", "-n", "2", "-m", "hypothesis", "--hypothesis-show-statistics", "tests/core")
_EXAMPLES = re.compile(r"- (\d+) passing,")
_TESTS = re.compile(r"(\d+) passed")


def main(arguments: Sequence[str]) -> int:
    """0 if no property failed."""
    end = time.monotonic() + 60 * float(arguments[0])
    longest, begin = 0.0, time.monotonic()
    while longest == 0 or begin + longest <= end:
        failed = _round()
        longest, begin = max(longest, time.monotonic() - begin), time.monotonic()
        if failed:
            return failed
    return 0


def _round() -> int:
    """Print what a round ran, all of it if a test failed; 0 if none did."""
    begin = time.monotonic()
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "default"}  # not that of CI, which has no luck
    ran = subprocess.run(
        [sys.executable, *ROUND], env=environment, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        print(ran.stdout, ran.stderr)
    tests, examples = (sum(map(int, each.findall(ran.stdout))) for each in (_TESTS, _EXAMPLES))
    print(f"{tests} property tests, {examples} examples in {time.monotonic() - begin:.0f} s", flush=True)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
