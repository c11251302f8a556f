"""Sorting beyond memory: whatever the memory, what Python's sort makes of the rows."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequestError
from core.options import TableOptions
from core.write.external_sort import ExternalSort, sort_of

ROW = st.tuples(st.none() | st.integers(-3, 3), st.text("ab\0", max_size=3))


def as_batch(rows: Sequence[tuple[Any, ...]], first: int) -> pa.RecordBatch:
    return pa.record_batch(
        {
            "a": pa.array([row[0] for row in rows], pa.int64()),
            "b": pa.array([row[1] for row in rows], pa.string()),
            "n": pa.array(range(first, first + len(rows)), pa.int64()),
        }
    )


def rows_in_order(sort: ExternalSort) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for batch in sort.rows() for row in batch.to_pylist()]


@given(st.lists(ROW, max_size=60), st.sampled_from([1, 200, 10**6]), st.integers(2, 4), st.integers(1, 20))
def test_rows_come_in_order_and_equal_ones_as_they_came(
    rows: list[tuple[Any, ...]], memory: int, fan_in: int, size: int
) -> None:
    with ExternalSort(["a", "b"], memory, fan_in=fan_in) as sort:
        for start in range(0, len(rows), size):
            sort.add(as_batch(rows[start : start + size], start))
        found = rows_in_order(sort)
    numbered = [(*row, n) for n, row in enumerate(rows)]
    assert found == sorted(numbered, key=lambda row: (row[0] is not None, row[0] or 0, row[1]))


def test_equal_rows_beyond_memory_are_merged_in_pieces() -> None:
    with ExternalSort(["a"], 100_000, fan_in=3, codec=pa.Codec("zstd")) as sort:
        for start in range(0, 50_000, 5_000):
            numbers = np.arange(start, start + 5_000)
            sort.add(pa.record_batch({"a": pa.array(numbers % 2), "n": pa.array(numbers)}))
        batches = list(sort.rows())
        assert sort.spilled_runs > 4
    assert max(batch.num_rows for batch in batches) < 50_000
    numbers = np.concatenate([batch.column("n").to_numpy() for batch in batches])
    assert np.array_equal(numbers, [*range(0, 50_000, 2), *range(1, 50_000, 2)])


def test_a_sort_leaves_nothing_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ExternalSort(["a"], 1) as sort:
        sort.add(as_batch([(2, "x"), (1, "y")], 0))
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_rows_that_fit_into_memory_touch_no_disk() -> None:
    with ExternalSort(["a"], 10**6) as sort:
        sort.add(as_batch([(2, "x"), (1, "y")], 0))
        assert rows_in_order(sort) == [(1, "y", 1), (2, "x", 0)]
        assert sort.spilled_runs == 0


@pytest.mark.parametrize("codec", ["zstd", "lz4", "none"])
def test_runs_are_compressed_as_the_options_say(codec: str) -> None:
    with sort_of(TableOptions({"spill-compression": codec}), ["a"], 1) as sort:
        sort.add(as_batch([(2, "x"), (1, "y")], 0))
        assert rows_in_order(sort) == [(1, "y", 1), (2, "x", 0)]


def test_an_unknown_compression_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="expected=zstd, lz4 or none"):
        sort_of(TableOptions({"spill-compression": "lzo"}), ["a"], 1)
