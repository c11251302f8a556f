from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.tableindex import KeyIndex

BATCHES = st.lists(st.lists(st.binary(max_size=3), max_size=20, unique=True), max_size=5)


def few_hashes(keys: list[bytes]) -> np.ndarray:  # type: ignore[type-arg]
    """So few that most keys share theirs with others."""
    return np.array([len(key) - 1 for key in keys], np.int32)


@given(BATCHES, st.sampled_from([1, 10, 10**9]))
def test_keys_are_numbered_as_in_a_dict_though_their_hashes_clash(
    batches: list[list[bytes]], in_memory: int
) -> None:
    index, known = KeyIndex(in_memory, in_memory), dict[bytes, int]()
    for batch in batches:
        found = index.find(pa.array(batch, pa.binary()), few_hashes(batch)).tolist()
        assert found == [known.get(key, -1) for key in batch]
        new = [key for key in batch if key not in known]
        numbers = index.add(pa.array(new, pa.binary()), few_hashes(new)).tolist()
        known |= dict(zip(new, numbers, strict=True))
    assert sorted(known.values()) == list(range(len(index)))


def test_keys_are_found_after_they_were_merged_into_the_many() -> None:
    index = KeyIndex()
    keys = pa.array([str(i).encode() for i in range(150_000)])
    hashes = (np.arange(150_000, dtype=np.int64) * 7919 % 50_000).astype(np.int32)
    for start in range(0, 150_000, 40_000):
        index.add(keys.slice(start, 40_000), hashes[start : start + 40_000])
    assert np.array_equal(index.find(keys, hashes), np.arange(150_000))
