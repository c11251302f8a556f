"""Files of CSV and JSON by other hands: what Paimon 2.0.0 reads of them is read, and Arrow's decoders give
what the clear forms do."""

from __future__ import annotations

import json
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.format_table.csv_line import fields_of_line
from core.format_table.json_lines import rows_of
from core.format_table.options import CsvOptions, JsonOptions
from core.types import DataField, parse_type
from tests.core.format_table.tables import format_table

COLUMNS = {"i": "INT", "s": "STRING", "d": "DATE"}


def read(
    data: str, columns: dict[str, str] = COLUMNS, kind: str = "csv", **options: str
) -> list[tuple[object, ...]]:
    table = format_table(columns, file__format=kind, **options)
    table.io.write(f"{table.location}/part-0.{kind}", data.encode())
    return [tuple(row.values()) for row in table.to_arrow().to_pylist()]


def test_fields_that_lack_are_null_and_surplus_ones_are_left_out() -> None:
    found = read("1,a,2024-01-02\n2,b\n\n3,c,2024-01-03,more\n")
    assert sorted((row[:2] for row in found), key=str) == [(1, "a"), (2, "b"), (3, "c"), (None, None)]


@pytest.mark.parametrize(("first", "count"), [("1,a,2024-01-02,x", 2), ("1,a", 2), ("1", 2)])
def test_files_with_more_or_fewer_columns_than_the_table_are_read(first: str, count: int) -> None:
    assert [row[0] for row in read(f"{first}\n{first}\n")] == [1] * count


def test_a_permissive_read_makes_what_is_behind_a_bad_value_null() -> None:
    assert read("x,a,2024-01-02\n2,b,2024-01-02\n3,c,no\n") == [
        (None, None, None),
        (2, "b", date(2024, 1, 2)),
        (3, "c", None),
    ]


def test_a_bad_row_is_dropped_or_fails_the_read_as_the_mode_says() -> None:
    data = "x,a,2024-01-02\n2,b,2024-01-02\n"
    assert [row[0] for row in read(data, csv__mode="DROPMALFORMED")] == [2]
    with pytest.raises(FormatError, match="column=i"):
        read(data, csv__mode="FAILFAST")


def test_as_hive_reads_them_bad_values_are_null_alone_and_texts_are_cut() -> None:
    columns = {"i": "INT", "yes": "BOOLEAN", "b": "BYTES", "c": "VARCHAR(2)", "s": "STRING"}
    data = "1.9,TRUE,YWI=,abc,x\nx,1,é,a,y\n-2.,false,ab,,\n"
    assert read(data, columns, csv__hive_values="true") == [
        (1, True, b"ab", "ab", "x"),
        (None, None, "é".encode(), "a", "y"),
        (-2, False, b"i", None, None),
    ]


def test_options_of_csv_under_their_own_and_their_old_names() -> None:
    data = "i;s;d\n1;'a;\\'b';NULL\n"
    options = {"delimiter": ";", "quote": "'", "header": "true", "nullvalue": "NULL"}
    assert read(data, **options) == [(1, "a;'b", None)]
    assert read(
        data.replace(";", "\t"),
        csv__field_delimiter="\\t",
        csv__quote_character="'",
        csv__include_header="true",
        csv__null_literal="NULL",
    ) == [(1, "a\t'b", None)]


def test_a_file_of_nothing_or_of_a_header_has_no_rows() -> None:
    assert read("") == read("i,s,d\n", csv__include_header="true") == []
    assert read("", kind="json") == []


def test_a_byte_order_mark_is_no_part_of_the_first_value() -> None:
    assert read("\ufeff1,a,2024-01-02\n")[0][:2] == (1, "a")
    assert read('\ufeff{"i":1}\n', {"i": "INT"}, "json") == [(1,)]


FIELD = st.text(st.sampled_from('ab ,"\\é'), max_size=6)


@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=5))
def test_what_is_written_as_csv_reads_line_by_line_as_the_clear_form_has_it(
    rows: list[tuple[str, str]],
) -> None:
    table = format_table({"a": "STRING", "b": "STRING"}, file__format="csv", csv__null_literal="-")
    table.append(pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]}))
    (status,) = table.io.list_files(table.location)
    lines = table.io.read(status.path).decode().split("\n")[:-1]
    assert [tuple(fields_of_line(line, CsvOptions(null_text="-"))) for line in lines] == rows
    assert [tuple(row.values()) for row in table.to_arrow().to_pylist()] == rows


def test_json_of_other_hands_has_numbers_and_booleans() -> None:
    data = '{"i":1,"s":2.50,"d":"2024-01-02"}\n{"s":true,"i":"2","x":[1]}\n\n{"i":null,"s":"c"}\n'
    assert [row[:2] for row in read(data, kind="json")] == [(1, "2.50"), (2, "true"), (None, "c")]


def test_a_line_that_is_no_object_fails_the_read_or_is_left_out() -> None:
    data = '{"i":1}\nno json\n[1]\n{"i":"x"}\n'
    with pytest.raises(FormatError, match=r"part-0.json"):
        read(data, {"i": "INT"}, "json")
    assert read(data, {"i": "INT"}, "json", json__ignore_parse_errors="true") == [(1,), (None,)]


SCALARS = st.one_of(
    st.none(), st.integers(-9, 9), st.text(st.sampled_from('a"\\é1'), max_size=3), st.booleans()
)


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"a": SCALARS, "b": st.lists(SCALARS, max_size=2)}), max_size=4
    )
)
def test_the_decoder_of_json_gives_what_the_clear_form_does(rows: list[dict[str, object]]) -> None:
    block = "".join(json.dumps(row) + "\n" for row in rows)
    columns = {"a": "STRING", "b": "ARRAY<STRING>"}
    fields = [DataField(0, name, parse_type(kind)) for name, kind in columns.items()]
    expected = rows_of(block.encode(), fields, JsonOptions()).to_pylist()
    assert read(block, columns, "json") == [tuple(row.values()) for row in expected]
