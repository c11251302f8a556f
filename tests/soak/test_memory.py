"""Whole tables put into other files, within memory that the system enforces. In make soak alone: 400 MB each.

The short form is `tests/core/write/test_external_sort.py`, which sorts more rows than its memory holds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core import open_catalog
from tests.memory import sparing
from tests.soak.test_concurrent_commits import LONG

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not LONG, reason="half a minute: make soak runs it")]

ROWS, RUNS, WIDTH = 100_000, 4, 1000  # 400 MB of text, that zstd makes small
MOST = 224 << 20  # bytes on top of the process: a sort, and the row groups that its writer collects


@pytest.mark.parametrize(("work", "options", "key"), [("sort", {"bucket": "-1"}, []), ("rescale", {}, ["k"])])
def test_what_is_sorted_on_disk_needs_a_fraction_of_the_rows(
    tmp_path: Path, work: str, options: dict[str, str], key: list[str]
) -> None:
    make(tmp_path, options, key)
    done = sparing("-m", "tests.core.read.limited", str(MOST), str(tmp_path), "db.t", work)
    assert int(done.stdout.split()[0]) == ROWS * RUNS


def make(root: Path, options: dict[str, str], key: list[str]) -> None:
    """A table in four commits, whose numbers alternate."""
    catalog = open_catalog(str(root))
    catalog.create_database("db")
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), ("value", pa.binary())])
    options = {"bucket": "1", "write-only": "true", **options}
    table = catalog.create_table("db.t", schema, primary_keys=key, options=options)
    for run in range(RUNS):
        values = pa.array([bytes([97 + run]) * WIDTH] * ROWS)
        with table.new_write() as write:
            write.write(pa.table([pa.array(np.arange(ROWS) * RUNS + run), values], schema=schema))
            table.new_commit("test").commit(write.prepare_commit())
