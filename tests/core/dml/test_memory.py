"""A merge whose source is several times what its process may hold. Linux alone enforces such a limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.io import LocalFileIO
from tests.memory import sparing
from tests.tables import new_table, put, rows_of

ALLOWED = 96 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA is enforced by Linux alone")


def merged(folder: Path, work: str) -> subprocess.CompletedProcess[str]:
    table = new_table({"id": "BIGINT", "v": "STRING"}, bucket="-1", io=LocalFileIO(), warehouse=str(folder))
    put(table, (1, "a"), (2, "b"))
    done = sparing("-m", "tests.core.dml.limited", str(ALLOWED), str(folder), "db.t", work, check=False)
    if done.returncode == 0:
        assert rows_of(table.refreshed()) == sorted(
            [(1, "a"), (2, "w" * 400), (1199998, "w" * 400)], key=repr
        )
    return done


def test_a_source_larger_than_memory_is_merged(tmp_path: Path) -> None:
    done = merged(tmp_path, "merge")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 2 * ALLOWED


def test_the_limit_would_stop_a_source_that_is_held(tmp_path: Path) -> None:
    assert merged(tmp_path, "hold").returncode != 0
