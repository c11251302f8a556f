"""Stripes that the statistics of an ORC file rule out are not read."""

from __future__ import annotations

from datetime import date, timedelta
from io import BytesIO
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc
from pyroaring import BitMap

from core.datafile.orc import iter_orc
from core.datafile.orc_stats import matching_stripes
from core.datafile.orc_tail import read_tail
from core.predicate import bind, parse_predicate
from core.types import DataField, parse_type

FIELDS = tuple(
    DataField(i, name, parse_type(text))
    for i, (name, text) in enumerate({"n": "BIGINT", "s": "STRING", "d": "DATE", "x": "DOUBLE"}.items())
)
NUMBERS = sorted(Random(1).sample(range(10**9), 20_000))  # evenly spaced ones would take no bytes
WANTED = NUMBERS[10_001]


def sorted_file() -> BytesIO:
    """Many stripes."""
    columns = {
        "n": NUMBERS,
        "s": [f"t{n:09}" for n in NUMBERS],
        "d": [date(2000, 1, 1) + timedelta(days=i) for i in range(len(NUMBERS))],
        "x": [float(n) for n in NUMBERS],
    }
    file = BytesIO()
    orc.write_table(pa.table(columns), file, stripe_size=32 * 1024, compression="zstd")
    return file


def kept(file: BytesIO, where: str) -> list[int]:
    """The stripes that may hold matching rows."""
    tail = read_tail(file)
    assert tail is not None
    asked = [(bind(parse_predicate(where), FIELDS), FIELDS)]
    return [i for i, keep in enumerate(matching_stripes(file, tail, asked)) if keep]


SORTED = sorted_file()


@pytest.mark.parametrize("where", [f"n = {WANTED}", f"s = 't{WANTED:09}'", "d = DATE '2027-05-20'"])
def test_of_sorted_rows_one_stripe_is_left(where: str) -> None:
    assert orc.ORCFile(SORTED).nstripes >= 3
    assert len(kept(SORTED, where)) == 1


def test_bounds_of_floating_numbers_are_not_trusted() -> None:
    assert len(kept(SORTED, f"x = {WANTED}")) == orc.ORCFile(SORTED).nstripes


def test_the_rows_of_a_stripe_keep_their_places() -> None:
    asked = [(bind(parse_predicate(f"n = {WANTED}"), FIELDS), FIELDS)]
    ((position, batch),) = iter_orc(SORTED, FIELDS, max_rows=99_999, predicates=asked)
    assert batch.column("n")[10_001 - position].as_py() == WANTED


def test_stripes_without_a_row_that_is_wanted_are_not_read() -> None:
    ((position, batch),) = iter_orc(SORTED, FIELDS, max_rows=99_999, wanted=BitMap([10_001]))
    assert position <= 10_001 < position + batch.num_rows < len(NUMBERS)


def test_damaged_statistics_rule_nothing_out() -> None:
    tail = read_tail(SORTED)
    assert tail is not None
    data = bytearray(SORTED.getvalue())
    data[tail.statistics_offset : tail.statistics_offset + 40] = bytes(40)
    assert len(kept(BytesIO(bytes(data)), f"n = {WANTED}")) == orc.ORCFile(SORTED).nstripes


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.none() | st.integers(-(2**63), 2**63 - 1), st.integers(1, 4000)), max_size=6),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from(["=", "<", ">=", "<>"]),
)
def test_no_row_that_matches_is_lost(runs: list[tuple[int | None, int]], literal: int, operator: str) -> None:
    numbers = [number for number, count in runs for _ in range(count)]
    file = BytesIO()
    orc.write_table(pa.table({"n": pa.array(numbers, pa.int64())}), file, stripe_size=1024, batch_size=512)
    predicate = bind(parse_predicate(f"n {operator} {literal} OR n IS NULL"), FIELDS)
    batches = iter_orc(file, FIELDS[:1], max_rows=9999, predicates=[(predicate, FIELDS[:1])])
    found = [value for _, batch in batches for value in batch.column("n").to_pylist()]
    holds = {"=": int.__eq__, "<": int.__lt__, ">=": int.__ge__, "<>": int.__ne__}[operator]

    def matching(values: list[int | None]) -> list[int | None]:
        return [value for value in values if value is None or holds(value, literal)]

    assert matching(found) == matching(numbers)
