"""The aggregate function of a column: by name, from the table's options. Spec: 06, 4.

To add a function, write its two forms and name it in `_FUNCTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.errors import InvalidRequestError, UnsupportedError
from core.mergetree.aggregate.collect import Collect
from core.mergetree.aggregate.function import AggregateFunction
from core.mergetree.aggregate.maps import MergeMap, MergeMapWithKeyTime
from core.mergetree.aggregate.nested import NO_LIMIT, NestedKey, NestedPartialUpdate, NestedUpdate, NullKeys
from core.mergetree.aggregate.numbers import Arithmetic
from core.mergetree.aggregate.pick import Extreme, FirstValue, LastNonNullValue, LastValue
from core.mergetree.aggregate.text import ListAgg
from core.mergetree.aggregate.unions import Unions, bitmaps, hll_sketches, theta_sketches
from core.options import TableOptions
from core.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DataField,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)

Factory = Callable[[DataField, TableOptions], AggregateFunction | None]

_NUMBERS = (TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType, DecimalType)
_UNORDERED = (ArrayType, MapType, MultisetType, RowType)


def aggregate_function(name: str, field: DataField, options: TableOptions) -> AggregateFunction:
    """The function of a column.

    Raises:
        UnsupportedError: no such function, or not for the column's type; `feature` names both.
    """
    factory = _FUNCTIONS.get(name)
    function = factory(field, options) if factory else None
    if function is None:
        feature = f"aggregate-function {name} of column {field.name} {type_to_text(field.type)}"
        raise UnsupportedError("this table is not read by this version", feature=feature)
    return function


def ignores_retracts(field: DataField, options: TableOptions) -> bool:
    """`fields.<column>.ignore-retract`."""
    return _flag(options, field, "ignore-retract")


def _flag(options: TableOptions, field: DataField, name: str) -> bool:
    return (options.of_field(field.name, name) or "false").strip().lower() == "true"


def _arithmetic(multiplies: bool) -> Factory:
    def make(field: DataField, options: TableOptions) -> AggregateFunction | None:
        return Arithmetic(field, multiplies) if isinstance(field.type, _NUMBERS) else None

    return make


def _extreme(largest: bool) -> Factory:
    def make(field: DataField, options: TableOptions) -> AggregateFunction | None:
        return None if isinstance(field.type, _UNORDERED) else Extreme(largest)

    return make


def _logical(largest: bool) -> Factory:
    """Of booleans, the smallest is their conjunction and the largest their disjunction."""

    def make(field: DataField, options: TableOptions) -> AggregateFunction | None:
        return Extreme(largest) if isinstance(field.type, BooleanType) else None

    return make


def _list_agg(field: DataField, options: TableOptions) -> AggregateFunction | None:
    delimiter = options.of_field(field.name, "list-agg-delimiter")
    separator, distinct = "," if delimiter is None else delimiter, _flag(options, field, "distinct")
    if not isinstance(field.type, VarCharType) or (distinct and not separator):
        return None  # without a delimiter the parts of what is joined could not be told apart again
    return ListAgg(separator, distinct)


def _collect(field: DataField, options: TableOptions) -> AggregateFunction | None:
    return Collect(_flag(options, field, "distinct")) if isinstance(field.type, ArrayType) else None


def _nested_key(field: DataField, options: TableOptions) -> NestedKey | None:
    """None for a column that is no table, a key that names no column, or a strategy that we do not know."""
    if not isinstance(field.type, ArrayType) or not isinstance(field.type.element, RowType):
        return None
    columns = _names(options.of_field(field.name, "nested-key"))
    strategy = (options.of_field(field.name, "nested-key-null-strategy") or "merge").strip().lower()
    row = field.type.element
    known = set(columns) <= {member.name for member in row.fields} and strategy in set(NullKeys)
    return NestedKey(row, columns, NullKeys(strategy)) if known else None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _limit(field: DataField, options: TableOptions) -> int:
    text = options.of_field(field.name, "count-limit")
    if text is None:
        return NO_LIMIT
    if not text.strip().isdecimal():
        key = f"fields.{field.name}.count-limit"
        raise InvalidRequestError(f"bad value of option {key}", expected="a number of rows", found=text)
    return int(text)


def _nested_update(field: DataField, options: TableOptions) -> AggregateFunction | None:
    key = _nested_key(field, options)
    if key is None:
        return None
    sequence = _names(options.of_field(field.name, "nested-sequence-field"))
    if sequence and not (key.columns and set(sequence) <= {member.name for member in key.row.fields}):
        return None
    return NestedUpdate(key, _limit(field, options), sequence)


def _nested_partial_update(field: DataField, options: TableOptions) -> AggregateFunction | None:
    key = _nested_key(field, options)
    return NestedPartialUpdate(key) if key is not None and key.columns else None


def _merge_map_with_key_time(field: DataField, options: TableOptions) -> AggregateFunction | None:
    """None for a map whose values have no time: a text, the last member unless an option names another."""
    row = field.type.value if isinstance(field.type, MapType) else None
    if not isinstance(row, RowType) or len(row.fields) < 2:
        return None
    names = [member.name for member in row.fields]
    name = options.of_field(field.name, "ts-field") or names[-1]
    if name not in names or not isinstance(row.fields[names.index(name)].type, VarCharType):
        return None
    return MergeMapWithKeyTime(names.index(name))


def _unions(name: str, make: Callable[[], Unions]) -> Factory:
    def of(field: DataField, options: TableOptions) -> AggregateFunction | None:
        if not isinstance(field.type, VarBinaryType):
            return None
        try:
            return make()
        except ModuleNotFoundError as error:
            raise UnsupportedError(
                "sketches are joined by a package that is not installed: pip install 'lakescope[sketches]'",
                feature=f"aggregate-function {name} of column {field.name}",
            ) from error

    return of


_FUNCTIONS: Mapping[str, Factory] = MappingProxyType(
    {
        "sum": _arithmetic(multiplies=False),
        "product": _arithmetic(multiplies=True),
        "min": _extreme(largest=False),
        "max": _extreme(largest=True),
        "last_value": lambda field, options: LastValue(),
        "last_non_null_value": lambda field, options: LastNonNullValue(),
        "first_value": lambda field, options: FirstValue(skips_null=False),
        "first_non_null_value": lambda field, options: FirstValue(skips_null=True),
        "first_not_null_value": lambda field, options: FirstValue(skips_null=True),
        "bool_and": _logical(largest=False),
        "bool_or": _logical(largest=True),
        "listagg": _list_agg,
        "collect": _collect,
        "merge_map": lambda field, options: MergeMap() if isinstance(field.type, MapType) else None,
        "merge_map_with_keytime": _merge_map_with_key_time,
        "nested_update": _nested_update,
        "nested_partial_update": _nested_partial_update,
        "rbm32": _unions("rbm32", bitmaps),
        "hll_sketch": _unions("hll_sketch", hll_sketches),
        "theta_sketch": _unions("theta_sketch", theta_sketches),
    }
)
