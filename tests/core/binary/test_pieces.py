from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.binary.pieces import text_hashes
from tests.strategies import texts


@given(st.lists(texts(), max_size=20), st.data())
def test_texts_have_equal_hashes_if_they_are_equal(values: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(values)))
    hashes = text_hashes(pa.array(values, pa.string()).slice(start)).tolist()
    by_text = dict(zip(values[start:], hashes, strict=True))
    assert [by_text[value] for value in values[start:]] == hashes
    assert len(set(by_text.values())) == len(by_text)
