"""`sum` and `product`. Spec: 06, 4.2.

Values are folded one after another, the n-th of every key at once, as their order matters:
an integer that overflows on the way is refused even if a later value would bring it back, a
DECIMAL that does becomes null and starts anew, and floating point sums depend on it. Whole
numbers too small to overflow are summed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.errors import UnsupportedError
from core.mergetree.aggregate.events import Column, Events, Flags, Folded, Positions, computed, validity
from core.mergetree.aggregate.function import Accumulator, Value
from core.mergetree.aggregate.turns import Turns, sums
from core.schema.casts.kernels import rounded_to
from core.types import DataField, DecimalType, DoubleType, FloatType, IntType, SmallIntType, TinyIntType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Array: TypeAlias = npt.NDArray[Any]
_EXACT = Context(prec=100)
_TERMINATING = Context(prec=400, traps=[Inexact])  # more digits than a quotient of two values has, if it ends


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`sum`, or `product` if `multiplies`, of the values that are not null."""

    field: DataField
    multiplies: bool
    retracts: bool = True
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _Arithmetic(self.field, self.multiplies)

    def fold(self, column: Column, events: Events) -> Folded:
        if self._adds_up(column, events.most):
            return computed(column, self._sums(column, events))
        live = events.live()
        if not self.multiplies and pa.types.is_floating(column.type) and not live.retract.any():
            return computed(column, self._float_sums(column, live))
        valid = live.valid(column)
        if self.multiplies:  # what is taken back before anything is there has no effect
            valid = valid.where(~_leading_retracts(valid))
        if isinstance(self.field.type, DecimalType):
            return computed(column, self._decimals(column, valid))
        return computed(column, self._plain(column, valid))

    def fold_adds(self, column: Column, turns: Turns) -> Column | None:
        if not self.multiplies and pa.types.is_floating(column.type):
            return sums(column, turns, -0.0)
        return sums(column, turns, 0) if self._adds_up(column, turns.most) else None

    def _adds_up(self, column: Column, most: int) -> bool:
        """Whether it is a sum of `most` whole numbers too small to overflow: then order is no matter."""
        if self.multiplies or not pa.types.is_integer(column.type) or most == 0:
            return False
        bounds = pc.min_max(column).as_py()
        largest = max(abs(bounds["min"] or 0), abs(bounds["max"] or 0))
        return bool(largest * most < 1 << column.type.bit_width - 1)

    def _sums(self, column: Column, events: Events) -> Column:
        live = events.live()
        values = pc.fill_null(column, 0).to_numpy(zero_copy_only=False).take(live.row)
        if live.retract.any():
            values = np.where(live.retract, -values, values)
        state = np.zeros(events.keys, dtype=values.dtype)
        state[live.key.take(live.starts)] = live.sums(values)
        return pa.array(state, arrow_type(self.field.type), mask=_without_value(column, live))

    def _float_sums(self, column: Column, live: Events) -> Column:
        """A null adds -0.0, which leaves every number as it is, be it 0.0 or -0.0."""
        values = pc.fill_null(column, -0.0).to_numpy(zero_copy_only=False)
        state = np.full(live.keys, -0.0, dtype=values.dtype)
        with np.errstate(all="ignore"):
            for keys, rows, _ in live.turns():
                state[keys] = state.take(keys) + values.take(rows)
        return pa.array(state, arrow_type(self.field.type), mask=_without_value(column, live))

    def _plain(self, column: Column, events: Events) -> Column:
        kind: Any = arrow_type(self.field.type)
        values = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
        state = np.zeros(events.keys, dtype=values.dtype)
        with np.errstate(all="ignore"):
            for turn, (keys, rows, retract) in enumerate(events.turns()):
                step = self._step if turn else self._start
                state[keys] = step(state[keys], values[rows], retract)
        return pa.array(state, kind, mask=events.counts() == 0)

    def _start(self, left: Array, right: Array, retract: Flags) -> Array:
        if not isinstance(self.field.type, (FloatType, DoubleType)):
            self._check(retract & (right == np.iinfo(right.dtype).min))
        return np.where(retract, -right, right)

    def _step(self, left: Array, right: Array, retract: Flags) -> Array:
        if isinstance(self.field.type, (FloatType, DoubleType)):
            forward = left * right if self.multiplies else left + right
            if not retract.any():
                return np.asarray(forward)
            back = left / right if self.multiplies else left - right
            return np.where(retract, back, forward)
        if self.multiplies:
            return self._exact_product(left, right, retract)
        return self._exact_sum(left, right, retract)

    def _exact_sum(self, left: Array, right: Array, retract: Flags) -> Array:
        added, taken = left + right, left - right
        # Overflow shows in the sign, as two's complement wraps around.
        beyond = np.where(
            retract, ((left ^ right) & (left ^ taken)) < 0, ((left ^ added) & (right ^ added)) < 0
        )
        self._check(beyond)
        return np.where(retract, taken, added)

    def _exact_product(self, left: Array, right: Array, retract: Flags) -> Array:
        lowest = np.iinfo(left.dtype).min
        if np.any(retract & (right == 0)):
            raise _refused(self.field, "dividing the product by zero")
        divisor = np.where(right == 0, 1, right)
        quotient = np.where((left == lowest) & (divisor == -1), left, _truncated(left, divisor))
        product = left * right
        safe = np.where(left == 0, 1, left)
        wrong = (left != 0) & (_truncated(product, safe) * safe != product) | (left == -1) & (right == lowest)
        wrong |= (left != 0) & (_truncated(product, safe) != right)
        self._check(~retract & wrong)
        return np.where(retract, quotient, product)

    def _check(self, beyond: Flags) -> None:
        if np.any(beyond):
            raise _refused(self.field, "values beyond the range of its type in an aggregate")

    def _decimals(self, column: Column, events: Events) -> Column:
        decimal = self.field.type
        assert isinstance(decimal, DecimalType)
        wide = pa.decimal256(decimal.precision, decimal.scale)
        values = column.cast(wide)
        state = pa.nulls(events.keys, wide)
        for keys, rows, retract in events.turns():
            left, right = state.take(_positions(keys)), values.take(_positions(rows))
            stepped = self._decimal_step(left, right, pa.array(retract), decimal).cast(wide)
            state = pc.replace_with_mask(state, pa.array(_mask(events.keys, keys)), _in_order(stepped, keys))
        return state.cast(pa.decimal128(decimal.precision, decimal.scale))

    def _decimal_step(self, left: Any, right: Any, retract: Any, decimal: DecimalType) -> Any:
        if self.multiplies:
            result = self._decimal_product(left, right, decimal)
            if pc.any(retract).as_py():
                result = pc.if_else(retract, self._quotients(left, right, retract, decimal), result)
        else:
            result = pc.if_else(retract, pc.subtract(left, right), pc.add(left, right))
            result = _null_beyond(result, decimal).cast(pa.decimal256(76, decimal.scale))
        taken_back = pa.scalar(None, right.type) if self.multiplies else pc.negate(right)
        first = pc.if_else(retract, taken_back, right)
        return pc.if_else(pc.is_null(left), first.cast(result.type), result)

    def _decimal_product(self, left: Any, right: Any, decimal: DecimalType) -> Any:
        # Arrow wants a digit more than two factors of 38 digits can need; it does not look at their values.
        factors = [_declared(side, pa.decimal256(37, decimal.scale)) for side in (left, right)]
        product = _declared(pc.multiply(*factors), pa.decimal256(76, 2 * decimal.scale))
        rounded = rounded_to(_null_beyond(product, decimal), decimal.scale)
        return _null_beyond(rounded.cast(pa.decimal256(76, decimal.scale)), decimal)

    def _quotients(self, left: Any, right: Any, retract: Any, decimal: DecimalType) -> Any:
        """One by one, as a quotient may need more digits than Arrow has before it is rounded."""
        clear = _Arithmetic(self.field, self.multiplies)
        pairs = zip(left.to_pylist(), right.to_pylist(), retract.to_pylist(), strict=True)
        values = [clear.retract(a, b) if taken_back else None for a, b, taken_back in pairs]
        return pa.array(values, pa.decimal256(76, decimal.scale))


@dataclass(frozen=True, slots=True)
class _Arithmetic(Accumulator):
    field: DataField
    multiplies: bool

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        if self.multiplies:
            return self._fitted(_EXACT.multiply(accumulator, value) if self._decimal else accumulator * value)
        return self._fitted(_EXACT.add(accumulator, value) if self._decimal else accumulator + value)

    def retract(self, accumulator: Value, value: Value) -> Value:
        if value is None or (self.multiplies and accumulator is None):
            return accumulator
        if self.multiplies:
            return self._divided(accumulator, value)
        if accumulator is None:
            return self._fitted(-value)
        return self._fitted(_EXACT.subtract(accumulator, value) if self._decimal else accumulator - value)

    @property
    def _decimal(self) -> bool:
        return isinstance(self.field.type, DecimalType)

    def _divided(self, accumulator: Value, value: Value) -> Value:
        if self._decimal:
            return self._exact_quotient(accumulator, value)
        if isinstance(self.field.type, (FloatType, DoubleType)):
            with np.errstate(all="ignore"):
                return self._fitted(float(np.float64(accumulator) / np.float64(value)))
        if value == 0:
            raise _refused(self.field, "dividing the product by zero")
        quotient = abs(accumulator) // abs(value)
        negative = (accumulator < 0) != (value < 0)
        # As Java's, the least number divided by -1 stays what it is.
        return -quotient if negative or quotient == 1 << self._bits - 1 else quotient

    def _exact_quotient(self, accumulator: Decimal, value: Decimal) -> Value:
        if value == 0:
            raise _refused(self.field, "dividing the product by zero")
        try:
            return self._fitted(_TERMINATING.divide(accumulator, value))
        except Inexact:
            raise _refused(self.field, "a quotient without end of the product of a DECIMAL") from None

    def _fitted(self, value: Value) -> Value:
        match self.field.type:
            case DecimalType() as decimal:
                fitted = value.quantize(Decimal(1).scaleb(-decimal.scale), ROUND_HALF_UP, _EXACT)
                return fitted if abs(fitted) < Decimal(10) ** (decimal.precision - decimal.scale) else None
            case FloatType():
                with np.errstate(over="ignore"):
                    return float(np.float32(value))
            case DoubleType():
                return value
            case _:
                if not -(1 << self._bits - 1) <= value < 1 << self._bits - 1:
                    raise _refused(self.field, "values beyond the range of its type in an aggregate")
                return value

    @property
    def _bits(self) -> int:
        return {TinyIntType: 8, SmallIntType: 16, IntType: 32}.get(type(self.field.type), 64)


def _null_beyond(decimals: Any, decimal: DecimalType) -> Any:
    """The decimals, null where they have more digits before the point than the type."""
    digits = decimal.precision - decimal.scale
    if digits + decimals.type.scale >= 76:
        return decimals  # none has room for more
    bound = pa.scalar(Decimal(10) ** digits, pa.decimal256(76, decimals.type.scale))
    return pc.if_else(pc.less(pc.abs(decimals), bound), decimals, pa.scalar(None, decimals.type))


def _declared(decimals: Any, kind: pa.DataType) -> Any:
    """The same numbers under another type; the caller knows that they fit."""
    return pa.Array.from_buffers(kind, len(decimals), decimals.buffers(), offset=decimals.offset)


def _without_value(column: Column, events: Events) -> Flags:
    """Whether a key has no event with a value."""
    none = np.ones(events.keys, dtype=np.bool_)
    keys = events.key.take(events.starts)
    none[keys] = events.sums(validity(column).take(events.row)) == 0 if column.null_count else False
    return none


def _leading_retracts(events: Events) -> Flags:
    """Retracts before a key's first add."""
    added = np.cumsum(~events.retract)
    counts = events.counts()
    before = np.concatenate([[0], added])[np.cumsum(counts) - counts]
    return np.asarray(added - before[events.key] == 0)


def _truncated(left: Array, right: Array) -> Array:
    """Division towards zero."""
    quotient = left // right
    return np.where((left % right != 0) & ((left < 0) != (right < 0)), quotient + 1, quotient)


def _positions(numbers: Positions) -> Any:
    return pa.array(numbers)


def _mask(count: int, keys: Positions) -> Flags:
    mask = np.zeros(count, dtype=np.bool_)
    mask[keys] = True
    return mask


def _in_order(values: Any, keys: Positions) -> Any:
    """Values in the order of their keys, as a mask takes them."""
    return values.take(pa.array(np.argsort(keys, kind="stable")))


def _refused(field: DataField, what: str) -> UnsupportedError:
    return UnsupportedError("rows cannot be aggregated", feature=f"{what}: column {field.name}")
