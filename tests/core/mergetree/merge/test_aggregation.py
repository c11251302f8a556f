"""Every aggregate function over columns gives what its clear form gives. Spec: 06, 4."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from decimal import Context, Decimal
from typing import Any

import datasketches
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.fileindex.roaring import encode_bitmap
from core.mergetree.key_value import KeyValue
from core.mergetree.merge import Aggregation
from core.types import RowKind
from tests.core.mergetree.merge.windows import REFUSED, clear, columnar, keyed_schema, versions

SMALL = st.none() | st.integers(-3, 3)
INTS = SMALL | st.sampled_from([2**31 - 1, -(2**31), 2**30, 50000])
LONGS = SMALL | st.sampled_from([2**63 - 1, -(2**63), 2**62, 3037000500])
TEXTS = st.none() | st.sampled_from(["", " ", "a", "b", "a,b", "b,,c", "a b", ","])
FLOATS = st.none() | st.floats(width=32)
DECIMALS = st.none() | st.decimals("-999.99", "999.99", places=2)
WIDE_DECIMALS = st.none() | st.decimals("-9999999999999999999", "9999999999999999999", places=18)
WIDE = Context(prec=76)
WIDEST = (
    st.none() | st.integers(1 - 10**38, 10**38 - 1) | st.integers(-20, 20) | st.sampled_from([2, 5, 10**19])
)
ARRAYS = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3)
STRINGS = st.none() | st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)
MAPS = st.none() | st.dictionaries(st.integers(0, 3), SMALL, max_size=3).map(lambda d: list(d.items()))
TIMES = st.sampled_from(["1", "2", "10"])  # in the order of texts: 1, 10, 2
TIMED_ROWS = st.none() | st.tuples(SMALL, st.none() | TIMES)
TIMED = st.none() | st.dictionaries(st.integers(0, 2), TIMED_ROWS, max_size=3).map(lambda d: list(d.items()))
TIMED_FIRST = TIMED.map(lambda m: m and [(k, v and (v[1], str(v[0]))) for k, v in m])
NESTED = st.none() | st.lists(st.none() | st.tuples(SMALL, SMALL), max_size=3)
BITMAPS = st.none() | st.frozensets(st.integers(0, 9)).map(lambda s: encode_bitmap(BitMap(s)))


def sketch_of(kind: str, items: Iterable[int]) -> bytes:
    sketch = datasketches.hll_sketch(8) if kind == "hll" else datasketches.update_theta_sketch(8)
    for item in items:
        sketch.update(item)
    return bytes(sketch.serialize_compact() if kind == "hll" else sketch.compact().serialize())


ITEMS = st.sampled_from([range(0), range(3), range(2, 5), range(40), range(1000), range(900, 2000)])
HLLS = st.none() | ITEMS.map(lambda items: sketch_of("hll", items))
THETAS = st.none() | ITEMS.map(lambda items: sketch_of("theta", items))

# name -> type of the column, its values, options of the column
CASES: dict[str, tuple[str, Any, dict[str, str]]] = {
    "sum of INT": ("INT", INTS, {"aggregate-function": "sum"}),
    "sum of BIGINT": ("BIGINT", LONGS, {"aggregate-function": "sum"}),
    "sum of TINYINT": ("TINYINT", SMALL | st.sampled_from([127, -128, 60]), {"aggregate-function": "sum"}),
    "sum of FLOAT": ("FLOAT", FLOATS, {"aggregate-function": "sum"}),
    "sum of DECIMAL": ("DECIMAL(5, 2)", DECIMALS, {"aggregate-function": "sum"}),
    "sum of DECIMAL(38)": ("DECIMAL(38, 2)", DECIMALS, {"aggregate-function": "sum"}),
    "product of INT": ("INT", INTS, {"aggregate-function": "product"}),
    "product of BIGINT": ("BIGINT", LONGS, {"aggregate-function": "product"}),
    "product of DOUBLE": ("DOUBLE", FLOATS, {"aggregate-function": "product"}),
    "product of DECIMAL": ("DECIMAL(5, 2)", DECIMALS, {"aggregate-function": "product"}),
    "product of DECIMAL(37)": ("DECIMAL(37, 18)", WIDE_DECIMALS, {"aggregate-function": "product"}),
    **{
        f"product of DECIMAL(38, {scale})": (
            f"DECIMAL(38, {scale})",
            WIDEST.map(lambda n, scale=scale: None if n is None else Decimal(n).scaleb(-scale, WIDE)),
            {"aggregate-function": "product"},
        )
        for scale in (0, 18, 38)
    },
    "min": ("FLOAT", FLOATS, {"aggregate-function": "min"}),
    "max": ("FLOAT", FLOATS, {"aggregate-function": "max"}),
    "max of STRING": ("STRING", TEXTS, {"aggregate-function": "max"}),
    "last_value": ("INT", SMALL, {"aggregate-function": "last_value"}),
    "last_non_null_value": ("INT", SMALL, {}),
    "first_value": ("INT", SMALL, {"aggregate-function": "first_value"}),
    "first_non_null_value": ("INT", SMALL, {"aggregate-function": "first_non_null_value"}),
    "bool_and": ("BOOLEAN", st.none() | st.booleans(), {"aggregate-function": "bool_and"}),
    "bool_or": ("BOOLEAN", st.none() | st.booleans(), {"aggregate-function": "bool_or"}),
    "listagg": ("STRING", TEXTS, {"aggregate-function": "listagg", "list-agg-delimiter": ";"}),
    "listagg distinct": ("STRING", TEXTS, {"aggregate-function": "listagg", "distinct": "true"}),
    "collect": ("ARRAY<INT>", ARRAYS, {"aggregate-function": "collect"}),
    "collect distinct": ("ARRAY<STRING>", STRINGS, {"aggregate-function": "collect", "distinct": "true"}),
    "collect of arrays": (
        "ARRAY<ARRAY<INT>>",
        st.none() | st.lists(ARRAYS, max_size=3),
        {"aggregate-function": "collect", "distinct": "true"},
    ),
    "collect of maps": (
        "ARRAY<MAP<INT, INT>>",
        st.none() | st.lists(MAPS.map(lambda m: m if m is None else sorted(m, key=repr)), max_size=3),
        {"aggregate-function": "collect"},
    ),
    "merge_map": ("MAP<INT, INT>", MAPS, {"aggregate-function": "merge_map"}),
    "merge_map_with_keytime": (
        "MAP<INT, ROW<v INT, t STRING>>",
        TIMED,
        {"aggregate-function": "merge_map_with_keytime"},
    ),
    "merge_map_with_keytime, another member": (
        "MAP<INT, ROW<t STRING, v STRING>>",
        TIMED_FIRST,
        {"aggregate-function": "merge_map_with_keytime", "ts-field": "t"},
    ),
    "nested_update": ("ARRAY<ROW<a INT, b INT>>", NESTED, {"aggregate-function": "nested_update"}),
    "nested_update by key": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_update", "nested-key": "a"},
    ),
    "nested_update, limited": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_update", "nested-key": "a", "count-limit": "2"},
    ),
    "nested_update, appended and limited": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_update", "count-limit": "3"},
    ),
    "nested_update without null keys": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_update", "nested-key": "a", "nested-key-null-strategy": "ignore"},
    ),
    "nested_update by sequence": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_update", "nested-key": "a", "nested-sequence-field": "b"},
    ),
    "nested_partial_update": (
        "ARRAY<ROW<a INT, b INT>>",
        NESTED,
        {"aggregate-function": "nested_partial_update", "nested-key": "a"},
    ),
    "rbm32": ("BYTES", BITMAPS, {"aggregate-function": "rbm32"}),
    "hll_sketch": ("BYTES", HLLS, {"aggregate-function": "hll_sketch"}),
    "theta_sketch": ("BYTES", THETAS, {"aggregate-function": "theta_sketch"}),
}
TAKES_BACK = {
    *(
        "sum of INT",
        "sum of BIGINT",
        "sum of TINYINT",
        "sum of FLOAT",
        "sum of DECIMAL",
        "sum of DECIMAL(38)",
    ),
    *("product of INT", "product of BIGINT", "product of DOUBLE", "product of DECIMAL"),
    *(f"product of DECIMAL(38, {scale})" for scale in (0, 18, 38)),
    *("last_value", "last_non_null_value", "collect", "collect distinct", "collect of arrays"),
    *("collect of maps", "merge_map", "nested_update", "nested_update by key"),
    *("nested_update without null keys", "nested_update by sequence"),
}
ADDS = (RowKind.INSERT, RowKind.UPDATE_AFTER)
FEWER = settings(max_examples=settings().max_examples // 4)  # of each of many functions


def both(name: str, rows: list[KeyValue], **more: str) -> tuple[Any, Any]:
    text, _, options = CASES[name]
    of_column = {f"fields.v.{key}": value for key, value in options.items()}
    table = {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    schema = keyed_schema({"v": text}, {"merge-engine": "aggregation", **of_column, **table})
    engine = Aggregation.of(schema)
    return columnar(schema, engine, rows), clear(engine, rows)


@pytest.mark.parametrize("name", sorted(CASES))
@FEWER
@given(data=st.data())
def test_adds_fold_as_in_the_clear_form(name: str, data: st.DataObject) -> None:
    by_column, one_by_one = both(name, data.draw(versions(CASES[name][1], kinds=ADDS)))
    assert by_column == one_by_one


@pytest.mark.parametrize("name", sorted(CASES))
@FEWER
@given(data=st.data())
def test_retracts_fold_as_in_the_clear_form_or_are_refused(name: str, data: st.DataObject) -> None:
    by_column, one_by_one = both(name, data.draw(versions(CASES[name][1])))
    if name in TAKES_BACK:
        assert by_column == one_by_one
    else:
        assert by_column in (one_by_one, REFUSED)


@pytest.mark.parametrize("name", sorted(CASES))
@FEWER
@given(data=st.data())
def test_retracts_are_left_out_where_the_column_ignores_them(name: str, data: st.DataObject) -> None:
    rows = data.draw(versions(CASES[name][1]))
    by_column, one_by_one = both(name, rows, fields__v__ignore_retract="true")
    assert by_column == one_by_one


@pytest.mark.parametrize("name", sorted({*TAKES_BACK, "first_value", "first_non_null_value", "max"}))
@FEWER
@given(data=st.data())
def test_a_delete_can_empty_the_row(name: str, data: st.DataObject) -> None:
    kinds = (RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE)
    rows = data.draw(versions(CASES[name][1], kinds=kinds))
    by_column, one_by_one = both(name, rows, aggregation__remove_record_on_delete="true")
    # What a delete has emptied is not looked at, so it cannot leave its type either.
    assert one_by_one in (by_column, REFUSED)


def version(sequence: int, value: Any, kind: RowKind = RowKind.INSERT) -> KeyValue:
    return KeyValue((1,), sequence, kind, (1, value))


def test_two_deletes_are_retracted_and_leave_a_row_but_a_lone_one_leaves_none() -> None:
    deletes = [version(1, 6, RowKind.DELETE), version(2, 6, RowKind.DELETE)]
    assert both("sum of INT", deletes)[0] == [("1", "-12")]
    assert both("sum of INT", deletes[:1])[0] == []


def test_a_sum_that_leaves_its_type_is_refused_and_does_not_wrap_around() -> None:
    rows = [version(1, 2**31 - 1), version(2, 1)]
    assert both("sum of INT", rows) == (REFUSED, REFUSED)


def test_a_decimal_sum_that_leaves_its_precision_is_null() -> None:
    assert both("sum of DECIMAL", [version(1, Decimal("999.99")), version(2, Decimal("0.01"))])[0] == [
        ("1", "None")
    ]


def product(text: str, *values: str) -> Any:
    """Of some values; the one that starts with `/` is taken back."""
    kinds = [RowKind.DELETE if value.startswith("/") else RowKind.INSERT for value in values]
    rows = [
        version(i, Decimal(value.removeprefix("/")), kind)
        for i, (value, kind) in enumerate(zip(values, kinds, strict=True))
    ]
    schema = keyed_schema({"v": text}, {"fields.v.aggregate-function": "product"})
    by_column, one_by_one = (
        columnar(schema, Aggregation.of(schema), rows),
        clear(Aggregation.of(schema), rows),
    )
    assert by_column == one_by_one
    return by_column if by_column == REFUSED else re.sub(r"Decimal\('(.*)'\)", r"\1", by_column[0][1])


def test_a_decimal_product_is_rounded_half_up_and_null_beyond_its_digits() -> None:
    assert product("DECIMAL(38, 2)", "1.15", "0.10") == "0.12"
    assert product("DECIMAL(38, 0)", "9999999999999999999", "9999999999999999999") == f"{(10**19 - 1) ** 2}"
    assert product("DECIMAL(38, 0)", "10000000000000000000", "10000000000000000000") == "None"


def test_the_least_number_divided_by_minus_one_stays_as_in_java() -> None:
    rows = [version(1, -(2**63)), version(2, -1, RowKind.DELETE)]
    by_column, one_by_one = both("product of BIGINT", rows)
    assert by_column == one_by_one == [("1", str(-(2**63)))]


def test_a_decimal_product_is_divided_by_what_is_taken_back() -> None:
    assert product("DECIMAL(9, 2)", "6.25", "/2.50") == "2.50"
    assert product("DECIMAL(9, 2)", "1.00", "/8.00") == "0.13"  # of 0.125
    assert product("DECIMAL(9, 2)", "1.00", "/3.00") == REFUSED  # Java's division has no end either
    assert product("DECIMAL(9, 2)", "1.00", "/0.00") == REFUSED


def test_a_retract_that_a_function_does_not_know_is_refused_with_what_to_do() -> None:
    schema = keyed_schema({"v": "INT"}, {"fields.v.aggregate-function": "max"})
    rows = [version(1, 1), version(2, 1, RowKind.DELETE)]
    with pytest.raises(UnsupportedError, match=r"fields\.v\.ignore-retract.*retracting from max of column v"):
        Aggregation.of(schema)(rows)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("STRING", {"aggregate-function": "hll_sketch"}),
        ("BYTES", {"aggregate-function": "rbm64"}),
        ("STRING", {"aggregate-function": "sum"}),
        ("STRING", {"aggregate-function": "listagg", "distinct": "true", "list-agg-delimiter": ""}),
        ("ARRAY<INT>", {"aggregate-function": "max"}),
        ("INT", {"aggregate-function": "no_such"}),
        ("MAP<INT, ROW<t STRING, v INT>>", {"aggregate-function": "merge_map_with_keytime"}),
        ("MAP<INT, ROW<t STRING>>", {"aggregate-function": "merge_map_with_keytime"}),
        (
            "MAP<INT, ROW<t STRING, v STRING>>",
            {"aggregate-function": "merge_map_with_keytime", "ts-field": "none"},
        ),
        (
            "ARRAY<ROW<a INT, s INT>>",
            {"aggregate-function": "nested_update", "nested-sequence-field": "s"},
        ),
    ],
)
def test_a_function_that_is_not_there_is_refused_by_name(text: str, options: dict[str, str]) -> None:
    schema = keyed_schema({"v": text}, {f"fields.v.{key}": value for key, value in options.items()})
    with pytest.raises(
        UnsupportedError, match=f"aggregate-function {options['aggregate-function']} of column v"
    ):
        Aggregation.of(schema)


def test_the_first_map_is_taken_as_it_is_and_later_ones_by_their_times() -> None:
    first = [(1, None), (2, (5, None)), (3, (6, "b")), (4, (7, "b"))]
    second = [(1, (8, "a")), (2, (9, "a")), (3, (0, "a")), (4, None), (5, (1, None))]
    rows = [version(1, first), version(2, second)]
    expected = [("1", ["(1, (8, 'a'))", "(2, (9, 'a'))", "(3, (6, 'b'))"])]
    assert both("merge_map_with_keytime", rows) == (expected, expected)
    assert both("merge_map_with_keytime", rows[:1])[0] == [("1", sorted(map(str, first)))]


def test_sequence_columns_keep_their_last_value() -> None:
    options = {"sequence.field": "v", "fields.default-aggregate-function": "sum"}
    schema = keyed_schema({"v": "INT", "w": "INT"}, options)
    functions = {name: a.name for name, a in Aggregation.of(schema).functions.items()}
    assert functions == {"v": "last_value", "w": "sum"}


def test_a_limit_that_is_no_number_is_refused_with_its_option() -> None:
    options = {"fields.v.aggregate-function": "nested_update", "fields.v.count-limit": "many"}
    with pytest.raises(InvalidRequestError, match=r"fields\.v\.count-limit.*found=many"):
        Aggregation.of(keyed_schema({"v": "ARRAY<ROW<a INT>>"}, options))


@pytest.mark.parametrize("name", ["rbm32", "hll_sketch", "theta_sketch"])
def test_bytes_that_are_no_set_are_told_when_they_are_joined(name: str) -> None:
    (lone,) = both(name, [version(1, b"no sketch")])[0]
    assert lone == ("1", "b'no sketch'")  # it stays as it was written
    with pytest.raises(FormatError, match=r"sketch|bitmap"):
        both(name, [version(1, b"no sketch"), version(2, b"another")])


def test_sketches_name_the_package_that_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    schema = keyed_schema({"v": "BYTES"}, {"fields.v.aggregate-function": "hll_sketch"})
    with pytest.raises(UnsupportedError, match=r"lakescope\[sketches\].*hll_sketch of column v"):
        Aggregation.of(schema)
