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


@given(st.lists(texts(), min_size=1, max_size=20))
def test_the_hash_of_a_text_does_not_depend_on_those_beside_it(values: list[str]) -> None:
    alone = [text_hashes(pa.array([value], pa.string()))[0] for value in values]
    assert text_hashes(pa.array(values, pa.string())).tolist() == alone
