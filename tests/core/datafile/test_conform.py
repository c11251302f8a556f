"""Columns of a decoder in the canonical form of their type."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from core.datafile.conform import conform
from core.errors import FormatError
from core.types import DataField, parse_type

FINE = pa.array([0, 987_654_321, None, -1], pa.timestamp("ns"))


def read_as(column: Any, text: str) -> Any:
    field = DataField(0, "at", parse_type(text))
    return conform(pa.record_batch([column], names=["at"]), [field]).column("at")


@pytest.mark.parametrize(("text", "unit"), [("TIMESTAMP(3)", 10**6), ("TIMESTAMP(6)", 10**3)])
def test_digits_finer_than_the_column_keeps_are_cut_off(text: str, unit: int) -> None:
    """The newest Paimon's Spark leaves them in ORC files."""
    found = read_as(FINE, text)
    assert found.cast(pa.int64()).to_pylist() == [0, 987_654_321 // unit, None, -1]
    inside = pa.ListArray.from_arrays([0, 4], FINE)
    assert read_as(inside, f"ARRAY<{text}>").values.equals(found)


def test_what_is_no_value_of_the_column_is_damage() -> None:
    with pytest.raises(FormatError, match="does not hold its type"):
        read_as(pa.array([1 << 40]), "INT")
