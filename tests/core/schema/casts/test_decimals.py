"""Decimals are rounded as Python's decimal module does it, also where Arrow's own division is wrong."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.arrow import from_python, to_python
from core.schema.casts import cast_column
from core.types import STRING, BigIntType, DecimalType, DoubleType

EXACT = Context(prec=200)


@st.composite
def decimals(draw: st.DrawFn) -> tuple[Decimal, DecimalType]:
    """A value of a type; many near the powers of two at which words of a number end."""
    kind = DecimalType(38, draw(st.integers(0, 38)))
    near = st.builds(
        lambda bits, by, k: (2**bits + by) * 10**k,
        st.integers(1, 126),
        st.integers(-2, 2),
        st.integers(0, 20),
    )
    unscaled = draw(st.integers(0, 10**38 - 1) | near.filter(lambda number: number < 10**38))
    return Decimal(draw(st.sampled_from([1, -1])) * unscaled).scaleb(-kind.scale, EXACT), kind


@given(decimals(), st.integers(0, 38))
@example((Decimal(99999999999999999999999999995 * 10**9), DecimalType(38, 0)), 0)
def test_a_smaller_scale_rounds_half_up_and_what_does_not_fit_is_null(
    case: tuple[Decimal, DecimalType], scale: int
) -> None:
    value, source = case
    target = DecimalType(38, scale)
    rounded = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)
    assert to_python(cast_column(from_python([value], source), source, target), target) == [
        fit(rounded, scale)
    ]


def fit(rounded: Decimal, scale: int) -> Decimal | None:
    """What DECIMAL(38, scale) makes of a number; `abs` would round it to 28 digits first."""
    return rounded if rounded.copy_abs() < Decimal(10) ** (38 - scale) else None


@given(decimals())
def test_an_integer_is_the_low_bits_of_the_whole_number(case: tuple[Decimal, DecimalType]) -> None:
    value, source = case
    whole = int(value.quantize(Decimal(1), ROUND_DOWN, EXACT))
    low = (whole + 2**63) % 2**64 - 2**63
    assert cast_column(from_python([value], source), source, BigIntType()).to_pylist() == [low]


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 38))
def test_a_double_is_the_decimal_of_its_shortest_text(number: float, scale: int) -> None:
    target = DecimalType(38, scale)
    rounded = Decimal(repr(number)).quantize(
        Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(prec=800, Emax=999)
    )
    assert to_python(cast_column(from_python([number], DoubleType()), DoubleType(), target), target) == [
        fit(rounded, scale)
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_double_reads_back_as_it(number: float) -> None:

    (text,) = cast_column(from_python([number], DoubleType()), DoubleType(), STRING).to_pylist()
    assert float(text) == number
    assert ("E" in text) == (number != 0 and not 1e-3 <= abs(number) < 1e7)


def test_the_value_that_arrow_rounds_wrongly() -> None:
    source, target = DecimalType(38, 18), DecimalType(38, 0)
    value = Decimal("21474836479.999999999999999999")
    assert to_python(cast_column(from_python([value], source), source, target), target) == [
        Decimal(21474836480)
    ]


@pytest.mark.parametrize("target", [DecimalType(38, 38), DecimalType(1, 0)])
def test_nothing_of_no_rows_is_nothing(target: DecimalType) -> None:
    assert len(cast_column(from_python([], DoubleType()), DoubleType(), target)) == 0
