from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_check_of_a_commit_names_tests_that_exist() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs/commit.md").read_text()))
    folders = [ROOT / "tests/core" / name for name in ("commit", "write", "dml")]
    files = [file for folder in folders for file in folder.glob("*.py")]
    there = {name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text())}
    assert len(named) > 15
    assert named <= there, named - there
