"""What a manifest records of a new file. Spec: 02, 3.1; 03, 5."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core.binary import decode_row
from core.datafile.write import FileNames, RollingFileWriter, wall_clock_millis
from core.manifest import DataFileMeta
from core.types import DataType, Timestamp, parse_type
from core.write.layout import level_zero_layout
from tests.tables import arrow, files_of, new_table, put


def only_file(columns: dict[str, str], *rows: tuple[Any, ...], **options: str) -> DataFileMeta:
    table = new_table(columns, bucket="-1", **options)
    put(table, *rows)
    (file,) = files_of(table)
    return file


def value_stats(file: DataFileMeta, *types: str) -> list[tuple[Any, Any, int | None]]:
    kinds: list[DataType] = [parse_type(text) for text in types]
    low = decode_row(kinds, file.value_stats.min_values)
    high = decode_row(kinds, file.value_stats.max_values)
    return list(zip(low, high, file.value_stats.null_counts, strict=True))


def test_bounds_and_nulls_are_over_all_rows() -> None:
    file = only_file({"a": "INT", "b": "STRING"}, (3, None), (1, "x"), (None, "m"))
    assert value_stats(file, "INT", "STRING") == [(1, 3, 1), ("m", "x", 1)]
    assert file.value_stats_cols is None


def test_texts_are_cut_to_16_characters_by_default() -> None:
    file = only_file({"a": "STRING"}, ("a very long string value",))
    assert value_stats(file, "STRING") == [("a very long stri", "a very long strj", 0)]


@pytest.mark.parametrize("length", [1024, 1025, 5000])
def test_texts_have_bounds_however_long_they_are(length: int) -> None:
    low, high = "a" * length, "z" * length
    file = only_file({"a": "STRING"}, ("m",), (high,), (low,), (None,), **{"metadata.stats-mode": "full"})
    assert value_stats(file, "STRING") == [(low, high, 1)]


def test_bytes_have_bounds_as_java_orders_them() -> None:
    file = only_file({"a": "BYTES", "b": "BYTES"}, (b"\xff", None), (b"", None), (b"\x7f", None))
    assert value_stats(file, "BYTES", "BYTES") == [(b"", b"\xff", 0), (None, None, 3)]


def test_an_int96_column_has_bounds_too() -> None:
    low, high = Timestamp(0, 1), Timestamp(5, 2)
    file = only_file({"a": "TIMESTAMP(9)"}, (high,), (low,), (None,))
    assert value_stats(file, "TIMESTAMP(9)") == [(low, high, 1)]


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
def test_a_nan_makes_bounds_unknown(kind: str) -> None:
    assert value_stats(only_file({"a": kind}, (1.0,), (math.nan,)), kind) == [(None, None, 0)]


def test_both_zeros_are_within_the_bounds() -> None:
    ((low, high, _),) = value_stats(only_file({"a": "DOUBLE"}, (0.0,)), "DOUBLE")
    assert (math.copysign(1, low), math.copysign(1, high)) == (-1, 1)


@pytest.mark.parametrize(
    ("form", "kind", "value", "expected"),
    [
        ("parquet", "ARRAY<INT>", [1], []),
        ("orc", "ARRAY<INT>", [1], [(None, None, 1)]),
        ("orc", "BYTES", b"a", [(None, None, 1)]),
        ("parquet", "BYTES", b"a", [(b"a", b"a", 1)]),
    ],
)
def test_statistics_go_as_far_as_footers_of_the_format(
    form: str, kind: str, value: Any, expected: list[Any]
) -> None:
    """As the newest Paimon has them, see `tests/interop/test_same_input.py`."""
    file = only_file({"a": kind}, (value,), (None,), file__format=form)
    assert value_stats(file, *[kind] * len(expected)) == expected
    assert file.value_stats_cols == (None if expected else ())


def test_columns_without_statistics_are_left_out_by_name() -> None:
    options = {"fields__b__stats_mode": "none", "metadata__stats_mode": "full"}
    file = only_file({"a": "INT", "b": "STRING", "c": "STRING"}, (1, "b", "c" * 40), **options)
    assert file.value_stats_cols == ("a", "c")
    assert value_stats(file, "INT", "STRING") == [(1, 1, 0), ("c" * 40, "c" * 40, 0)]


def test_without_dense_storage_they_stay_as_unknown() -> None:
    options = {"metadata__stats_mode": "none", "metadata__stats_dense_store": "false"}
    file = only_file({"a": "INT"}, (1,), **options)
    assert (file.value_stats_cols, value_stats(file, "INT")) == (None, [(None, None, None)])


def test_only_the_first_columns_may_have_statistics() -> None:
    file = only_file({"a": "INT", "b": "INT"}, (1, 2), metadata__stats_keep_first_n_columns="1")
    assert file.value_stats_cols == ("a",)


def test_counts_alone_are_kept_where_asked() -> None:
    assert value_stats(only_file({"a": "INT"}, (1,), metadata__stats_mode="counts"), "INT") == [
        (None, None, 0)
    ]


def test_statistics_of_keys_are_not_cut_by_options() -> None:
    table = new_table({"k": "STRING NOT NULL"}, ["k"], metadata__stats_mode="none")
    put(table, ("a" * 100,), ("b" * 100,))
    (file,) = files_of(table)
    kinds = [parse_type("STRING")]
    assert decode_row(kinds, file.key_stats.min_values) == ("a" * 100,)
    assert decode_row(kinds, file.max_key) == ("b" * 100,)
    assert file.value_stats_cols == ()


def test_the_time_of_creation_is_the_local_wall_clock() -> None:
    before = wall_clock_millis()
    file = only_file({"a": "INT"}, (1,))
    assert before <= file.creation_time_millis <= wall_clock_millis()


def test_rows_that_are_wider_than_the_first_ones_do_not_wait_for_as_many() -> None:
    table = new_table({"v": "STRING"}, bucket="-1", file__block_size="64 kb")
    writer = RollingFileWriter(
        table.io, "memory://wh/b", level_zero_layout(table.schema, table.options), FileNames()
    )
    for text, times in (("x", 100), ("wide" * 1000, 500)):
        for batch in arrow(table, [(text,)] * times).to_batches(max_chunksize=5):
            writer.write(batch)
            assert writer.buffered_bytes <= 3 * 64 * 1024
    (file,) = writer.take()
    assert file.row_count == 600
