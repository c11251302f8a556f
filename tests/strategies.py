"""Hypothesis: data types, values of them, and pools of awkward ones.

Values are in the internal forms of core: `Timestamp`, days, lists of pairs (see `core.arrow`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from core.types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    Timestamp,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    VectorType,
)

AWKWARD_TEXTS = (
    "",
    " ",
    "null",
    "1234567",  # the longest that fits into a slot
    "12345678",
    "123456789012",  # the longest that fits into an Arrow view
    "1234567890123",
    "a" * 17,
    "中文字符测试",
    "\U0010ffff" * 2 + "z",
    "\ud7ff\ue000",
    "a/b=c%d'`\"\\\n",
)
AWKWARD_BYTES = (b"", b"\0", b"\xff" * 7, b"\xff" * 8, b"\x01\xff\x03", bytes(range(20)))

# Times that Arrow holds at nanosecond precision: 1677 to 2262.
_MILLIS = st.integers(-9_000_000_000_000, 9_000_000_000_000)


def integers(bits: int) -> st.SearchStrategy[int]:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return st.sampled_from([0, 1, -1, low, high]) | st.integers(low, high)


def texts() -> st.SearchStrategy[str]:
    return st.sampled_from(AWKWARD_TEXTS) | st.text(max_size=30)


def byte_strings() -> st.SearchStrategy[bytes]:
    return st.sampled_from(AWKWARD_BYTES) | st.binary(max_size=30)


def decimals(data_type: DecimalType) -> st.SearchStrategy[Decimal]:
    most = 10**data_type.precision - 1
    unscaled = st.sampled_from([0, 1, -1, 127, 128, -128, -129, most, -most]).filter(lambda v: abs(v) <= most)
    return (unscaled | st.integers(-most, most)).map(lambda v: _scaled(v, data_type.scale))


def _scaled(unscaled: int, scale: int) -> Decimal:
    digits = tuple(int(d) for d in str(abs(unscaled)))
    return Decimal((int(unscaled < 0), digits, -scale))


def timestamps(precision: int) -> st.SearchStrategy[Timestamp]:
    """Times without digits beyond the precision."""
    step = 10 ** (9 - precision)
    if step >= 1_000_000:
        return _MILLIS.map(lambda m: Timestamp(m - m % (step // 1_000_000), 0))
    return st.builds(
        lambda m, n: Timestamp(m, n - n % step),
        _MILLIS,
        st.sampled_from([0, 999_999]) | st.integers(0, 999_999),
    )


_SIMPLE: dict[type[DataType], Callable[[], st.SearchStrategy[Any]]] = {
    BooleanType: st.booleans,
    TinyIntType: lambda: integers(8),
    SmallIntType: lambda: integers(16),
    IntType: lambda: integers(32),
    BigIntType: lambda: integers(64),
    FloatType: lambda: st.floats(width=32, allow_nan=False),
    DoubleType: lambda: st.floats(allow_nan=False),
    CharType: texts,
    VarCharType: texts,
    BinaryType: byte_strings,
    VarBinaryType: byte_strings,
    BlobType: byte_strings,
    DateType: lambda: integers(32),
    TimeType: lambda: st.integers(0, 86_399_999),
    VariantType: lambda: st.tuples(byte_strings(), byte_strings()),
}


def values(data_type: DataType, *, nulls: bool = True) -> st.SearchStrategy[Any]:
    """Values of a type; null among them where the type and `nulls` allow it."""
    some = _some_values(data_type)
    return st.none() | some if nulls and data_type.nullable else some


def _some_values(data_type: DataType) -> st.SearchStrategy[Any]:
    simple = _SIMPLE.get(type(data_type))
    if simple is not None:
        return simple()
    match data_type:
        case DecimalType():
            return decimals(data_type)
        case TimestampType() | LocalZonedTimestampType():
            return timestamps(data_type.precision)
        case ArrayType():
            return st.lists(values(data_type.element), max_size=40)
        case VectorType():
            length = data_type.length
            return st.lists(values(data_type.element, nulls=False), min_size=length, max_size=length)
        case MapType():
            pairs = st.tuples(values(data_type.key, nulls=False), values(data_type.value))
            return st.lists(pairs, max_size=4)
        case MultisetType():
            return st.lists(st.tuples(values(data_type.element, nulls=False), integers(32)), max_size=4)
        case RowType():
            return st.tuples(*(values(f.type) for f in data_type.fields))
        case _:
            raise AssertionError(f"no strategy for {data_type}")


_PRECISIONS = st.integers(0, 9)


def decimal_types() -> st.SearchStrategy[DecimalType]:
    precision = st.sampled_from([1, 9, 10, 18, 19, 38]) | st.integers(1, 38)
    return precision.flatmap(lambda p: st.integers(0, p).map(lambda s: DecimalType(p, s)))


def atomic_types() -> st.SearchStrategy[DataType]:
    """Types that keys, partitions and statistics may have."""
    plain = [BooleanType(), TinyIntType(), SmallIntType(), IntType(), BigIntType(), FloatType(), DoubleType()]
    lengths = st.sampled_from([1, 16, MAX_LENGTH])
    kinds: list[st.SearchStrategy[DataType]] = [
        st.sampled_from([*plain, DateType()]),
        decimal_types(),
        *(lengths.map(kind) for kind in (CharType, VarCharType, BinaryType, VarBinaryType)),
        *(_PRECISIONS.map(kind) for kind in (TimeType, TimestampType, LocalZonedTimestampType)),
    ]
    return st.one_of(kinds).flatmap(_any_nullability)


def _any_nullability(data_type: DataType) -> st.SearchStrategy[DataType]:
    return st.booleans().map(data_type.with_nullability)


def data_types(*, variant: bool = True) -> st.SearchStrategy[DataType]:
    """Any type, nested ones included."""
    leaves: st.SearchStrategy[DataType] = atomic_types()
    if variant:
        leaves |= st.sampled_from([VariantType(), BlobType()])
    return st.recursive(leaves, _nested, max_leaves=4)


def _nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    keys = atomic_types().map(lambda t: t.with_nullability(False))
    numbers = st.sampled_from(
        [BooleanType(), TinyIntType(), IntType(), BigIntType(), FloatType(), DoubleType()]
    )
    kinds: list[st.SearchStrategy[DataType]] = [
        inner.map(ArrayType),
        st.builds(MapType, keys, inner),
        keys.map(MultisetType),
        st.builds(VectorType, numbers, st.integers(1, 5)),
        st.lists(inner, max_size=3).map(row_type),
    ]
    return st.one_of(kinds).flatmap(_any_nullability)


def row_type(types: Sequence[DataType]) -> RowType:
    """A ROW of members `f0`, `f1`, ...; ids as in a schema of its own."""
    return RowType(tuple(DataField(i, f"f{i}", t) for i, t in enumerate(types)))


def typed_rows(
    types: st.SearchStrategy[DataType] | None = None, *, max_columns: int = 5, max_rows: int = 8
) -> st.SearchStrategy[tuple[list[DataType], list[tuple[Any, ...]]]]:
    """Some types and rows of values of them."""
    kinds = atomic_types() if types is None else types
    columns = st.lists(kinds, min_size=1, max_size=max_columns)
    return columns.flatmap(
        lambda ts: st.tuples(st.just(ts), st.lists(st.tuples(*map(values, ts)), max_size=max_rows))
    )
