"""Rows taken from all over a large buffer are those that Arrow takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from core.mergetree import scattered
from core.mergetree.scattered import taken_in_slices

TEXTS = ["", "a", "twelve bytes", "thirteen byte", "é" * 9, "x" * 100, "\0"]


def table(kind: pa.DataType, values: list[Any]) -> pa.Table:
    column: Any = pa.array([values[0], *values * 5, values[1]], pa.string()).cast(kind).slice(1)
    return pa.Table.from_arrays([column, pa.array(np.arange(len(column)))], ["t", "n"])


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
@pytest.mark.parametrize("values", [TEXTS, [*TEXTS, None], [None, None]])
def test_texts_of_any_length_are_taken(
    kind: pa.DataType, values: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scattered, "_IN_CACHE", 0)
    rows = table(kind, values)
    positions = np.random.default_rng(1).permutation(len(rows)).astype(np.intp)
    found = list(taken_in_slices(rows, positions, 4))
    assert max(batch.num_rows for batch in found) <= 4
    assert pa.Table.from_batches(found).equals(rows.take(positions))


def test_no_rows_are_no_batches() -> None:
    assert not list(taken_in_slices(table(pa.string(), TEXTS), np.zeros(0, np.intp), 4))
