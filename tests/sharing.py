"""How processes of `pytest -n` share the tests: whole files, those that take long before all others.

What stands last is one file in one process, for which the others wait: so it had better be short.
"""

from __future__ import annotations

from collections import Counter

import pytest

# Their servers (Hive's metastore, databases, stores, a console) take half a minute to start: once.
TOGETHER = ("tests/core/catalog/",)
SLOW = 100  # tests that take as long as one that is marked slow


def unit_of(test: str) -> str:
    """What of a test's id names the tests that stay in its process."""
    file = test.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


def longest_first(items: list[pytest.Item]) -> None:
    """The number of tests tells how long a file takes, but for tests that are marked slow."""
    tests = Counter[str]()
    for item in items:
        tests[unit_of(item.nodeid)] += SLOW if item.get_closest_marker("slow") else 1
    items.sort(key=lambda item: (-tests[unit_of(item.nodeid)], unit_of(item.nodeid)))
