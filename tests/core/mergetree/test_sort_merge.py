"""Laws of the streaming merge: windows hide nothing, and merging in two steps is merging at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.mergetree.merge.deduplicate import newest_rows
from core.mergetree.sort_merge import MergeLimits, Window, iter_kept, iter_sorted, iter_windows

SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string()), ("seq", pa.int64()), ("kind", pa.int8())])
KEY = ("a", "b")
Row = tuple[int, str, int, int]

RUN = st.lists(
    st.tuples(
        st.integers(0, 3), st.text("xy\0", max_size=2), st.integers(0, 50), st.sampled_from([0, 1, 2, 3])
    ),
    max_size=15,
).map(lambda rows: sorted(rows, key=lambda r: r[:3]))
LIMITS = st.builds(MergeLimits, st.integers(1, 5), st.integers(1, 200))


def stream(rows: list[Row], size: int = 2) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        columns = [
            pa.array(values, kind) for values, kind in zip(zip(*part, strict=True), SCHEMA.types, strict=True)
        ]
        yield pa.record_batch(columns, schema=SCHEMA)


def newest(window: Window) -> np.ndarray:
    sequence = window.column("seq").to_numpy()
    return newest_rows(window.keys, [sequence], window.column("kind").to_numpy())


def rows_of(batches: Iterator[pa.RecordBatch]) -> list[Row]:
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def merge(runs: list[list[Row]], limits: MergeLimits) -> list[Row]:
    return rows_of(iter_sorted(iter_windows([stream(r) for r in runs], KEY, limits), newest))


def newest_of(rows: list[Row]) -> list[Row]:
    """The oracle: a dict of the newest version a key."""
    found: dict[tuple[int, bytes], Row] = {}
    for row in rows:
        key = (row[0], row[1].encode())
        order = lambda r: (r[2], r[3] in (0, 2))  # noqa: E731
        if key not in found or order(row) >= order(found[key]):
            found[key] = row
    return [found[key] for key in sorted(found)]


@given(st.lists(RUN, min_size=1, max_size=4), LIMITS)
def test_a_windowed_merge_equals_a_dict_of_newest_rows(runs: list[list[Row]], limits: MergeLimits) -> None:
    assert merge(runs, limits) == newest_of([row for run in runs for row in run])


@given(st.lists(RUN, min_size=2, max_size=4), LIMITS, st.data())
def test_merging_in_two_steps_equals_merging_at_once(
    runs: list[list[Row]], limits: MergeLimits, data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, len(runs)))
    first = merge(runs[:count], limits)
    assert merge([first, *runs[count:]], limits) == merge(runs, limits)


@given(st.lists(RUN, min_size=1, max_size=4), LIMITS)
def test_masks_keep_the_rows_that_sorting_keeps(runs: list[list[Row]], limits: MergeLimits) -> None:
    kept = rows_of(iter_kept(iter_windows([stream(r) for r in runs], KEY, limits), newest))
    assert sorted(kept) == sorted(merge(runs, limits))


def test_an_unsorted_run_is_named_instead_of_merged_wrongly() -> None:
    run = [(2, "", 0, 0), (1, "", 1, 0)]
    with pytest.raises(FormatError, match="not sorted"):
        merge([run], MergeLimits(10, 1000))


def test_a_window_never_holds_more_than_the_limits_allow() -> None:
    runs = [[(i, "", i, 0) for i in range(400)] for _ in range(3)]
    windows = list(iter_windows([stream(r, size=10) for r in runs], KEY, MergeLimits(40, 10**9)))
    assert len(windows) >= 10
    assert max(len(w.keys) for w in windows) <= 3 * (40 + 10)


def test_one_key_with_more_versions_than_the_limit_is_still_one_window() -> None:
    run = [(1, "", i, 0) for i in range(100)] + [(2, "", 0, 0)]
    assert merge([run], MergeLimits(5, 10**9)) == [(1, "", 99, 0), (2, "", 0, 0)]


def test_memory_does_not_grow_with_the_runs() -> None:
    """Four runs, 128 MB together, merged in buffers of 4 MB together."""
    limits = MergeLimits.for_runs(4, total_bytes=4 << 20)
    numbers, text = pa.array(np.arange(4096)), pa.array(["x" * 48] * 4096)
    baseline, peak, total = pa.total_allocated_bytes(), 0, 0

    def run(number: int) -> Iterator[pa.RecordBatch]:
        nonlocal peak, total
        for start in range(0, 1 << 19, 4096):
            keys = pc.add(pc.multiply(numbers, 4), start * 4 + number)
            batch = pa.record_batch({"k": keys, "text": text.take(numbers)})  # memory of its own
            total += batch.nbytes
            peak = max(peak, pa.total_allocated_bytes() - baseline)
            yield batch

    windows = iter_windows([run(i) for i in range(4)], ["k"], limits)
    rows = sum(batch.num_rows for batch in iter_kept(windows, lambda w: newest_rows(w.keys)))
    assert rows == 4 << 19
    assert total > 120_000_000
    assert peak < 12 << 20
