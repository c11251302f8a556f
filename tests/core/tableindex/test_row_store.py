from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.tableindex import GrowingArray, RowStore

SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string())])


def rows(start: int, count: int) -> pa.RecordBatch:
    numbers = range(start, start + count)
    return pa.record_batch(
        [pa.array(numbers, pa.int64()), pa.array([str(n) for n in numbers])], schema=SCHEMA
    )


@given(st.lists(st.integers(0, 5), max_size=6), st.sampled_from([1, 100, 10**9]), st.data())
def test_rows_are_found_by_number_in_memory_and_in_files(
    sizes: list[int], memory_bytes: int, data: st.DataObject
) -> None:
    store = RowStore(SCHEMA, memory_bytes)
    for size in sizes:
        store.append(rows(len(store), size))
    total = sum(sizes)
    wanted = data.draw(st.lists(st.integers(-1, total - 1), max_size=8))
    found = store.take(np.array(wanted, np.int64))
    assert found.to_pylist() == [{"a": None, "b": None} if n < 0 else {"a": n, "b": str(n)} for n in wanted]
    seen = [(start, batch.column(0).to_pylist()) for start, batch in store.batches()]
    assert [n for _, part in seen for n in part] == list(range(total))
    assert all(part[0] == start for start, part in seen if part)


def test_values_stay_while_an_array_moves_into_a_file() -> None:
    values = GrowingArray(np.int64)
    for start in (0, 1000, 400_000):
        values.append(np.arange(start, start + 400_000))
        values[np.array([0, len(values) - 1])] = -start
    assert len(values) == 1_200_000
    assert values[np.array([0, 5, 799_999, 1_199_999])].tolist() == [-400_000, 5, -1000, -400_000]
