"""Data files of each format become the same batches. Spec: 04, A3."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from core.arrow import arrow_schema
from core.avro import encode_container
from core.datafile.conform import conform
from core.datafile.read import (
    BATCH_BYTES,
    RowFilter,
    decoding_errors,
    iter_data_file,
    proves_no_deletes,
    read_data_file,
)
from core.errors import FormatError, NotFoundError, UnsupportedError
from core.io.local import LocalFileIO
from core.predicate import bind, parse_predicate, to_expression
from core.types import DataField, parse_type

IO = LocalFileIO()
FIELDS = (DataField(0, "id", parse_type("BIGINT")), DataField(1, "name", parse_type("STRING")))


def fields(**types: str) -> tuple[DataField, ...]:
    return tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(types.items()))


def table(rows: int = 10) -> pa.Table:
    return pa.table({"extra": [0.5] * rows, "name": [f"n{i}" for i in range(rows)], "id": range(rows)})


def write(path: Path, data: pa.Table, **options: object) -> str:
    match path.suffix:
        case ".parquet":
            pq.write_table(data, path, **options)
        case ".orc":
            orc.write_table(data, path, **options)
        case ".avro":
            members = [{"name": "id", "type": ["null", "long"]}, {"name": "name", "type": ["null", "string"]}]
            schema = {"type": "record", "name": "record", "fields": members}
            path.write_bytes(encode_container(schema, data.select(["id", "name"]).to_pylist()))
    return str(path)


def read(path: str, wanted: Sequence[DataField], **options: object) -> pa.Table:
    return pa.Table.from_batches(read_data_file(IO, path, wanted, **options), arrow_schema(wanted))


def row_filter(where: str, over: Sequence[DataField] = FIELDS[:1]) -> RowFilter:
    predicate = bind(parse_predicate(where), over)
    return RowFilter(tuple(over), to_expression(predicate), predicate)


@pytest.mark.parametrize("extension", ["parquet", "orc", "avro"])
def test_the_columns_asked_for_come_in_that_order(tmp_path: Path, extension: str) -> None:
    path = write(tmp_path / f"data-1.{extension}", table())
    assert read(path, FIELDS).to_pydict() == table().select(["id", "name"]).to_pydict()


@pytest.mark.parametrize("extension", ["parquet", "orc"])
def test_batches_have_at_most_the_rows_asked_for(tmp_path: Path, extension: str) -> None:
    path = write(tmp_path / f"data-1.{extension}", table(1000))
    sizes = [batch.num_rows for batch in read_data_file(IO, path, FIELDS, max_rows=300)]
    assert sizes == [300, 300, 300, 100]


def test_wide_rows_come_in_smaller_batches(tmp_path: Path) -> None:
    wide = pa.table({"id": range(256), "name": ["x" * 200_000] * 256})
    path = write(tmp_path / "data-1.parquet", wide, use_dictionary=False)
    assert max(batch.nbytes for batch in read_data_file(IO, path, FIELDS)) < wide.nbytes


def test_long_texts_of_a_dictionary_come_in_smaller_batches(tmp_path: Path) -> None:
    names = pa.DictionaryArray.from_arrays(np.zeros(10_000, np.int32), ["x" * 10_000]).cast(pa.string())
    path = write(tmp_path / "data-1.parquet", pa.table({"id": range(10_000), "name": names}))
    batches = list(iter_data_file(IO, path, FIELDS, dictionaries=True))
    assert pa.types.is_dictionary(batches[0][1].schema.field("name").type)
    assert max(conform(batch, FIELDS).nbytes for _, batch in batches) <= BATCH_BYTES


def test_few_texts_may_come_as_a_dictionary_which_has_the_same_values(tmp_path: Path) -> None:
    names = [None if i % 5 == 0 else f"n{i % 3}" for i in range(1000)]
    path = write(tmp_path / "data-1.parquet", pa.table({"id": range(1000), "name": names}))
    _, batch = next(iter_data_file(IO, path, FIELDS, dictionaries=True))
    assert pa.types.is_dictionary(batch.schema.field("name").type)
    assert conform(batch, FIELDS).equals(read(path, FIELDS).to_batches()[0])


def test_a_dictionary_without_the_value_that_a_row_names_is_told() -> None:
    damaged = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int32()), ["a"], safe=False)
    with pytest.raises(FormatError, match="out of bounds"):
        conform(pa.record_batch({"name": damaged}), FIELDS[1:])


def test_many_texts_come_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table(1000), dictionary_pagesize_limit=1024)
    _, batch = next(iter_data_file(IO, path, FIELDS, dictionaries=True))
    assert batch.schema == arrow_schema(FIELDS)


def test_want_of_memory_is_not_told_as_a_damaged_file() -> None:
    with pytest.raises(MemoryError, match="malloc failed"), decoding_errors("f.parquet"):
        raise pa.ArrowMemoryError("malloc failed")


def test_row_groups_that_the_filter_rules_out_are_not_decoded(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table(100), row_group_size=10)
    rows = read(path, FIELDS, row_filters=[row_filter("id = 42")])
    assert rows.column("id").to_pylist() == list(range(40, 50))


def test_a_filter_that_rules_out_everything_gives_no_batch(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table(), row_group_size=10)
    assert list(read_data_file(IO, path, FIELDS, row_filters=[row_filter("id > 100")])) == []


def test_a_filter_over_another_type_than_the_files_skips_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table(), row_group_size=10)
    as_text = row_filter("id = 'x'", fields(id="STRING"))
    assert read(path, FIELDS, row_filters=[as_text]).num_rows == 10


def test_a_column_that_the_file_lacks_is_null(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table(2))
    assert read(path, fields(id="BIGINT", later="INT")).column("later").to_pylist() == [None, None]


@pytest.mark.parametrize("extension", ["parquet", "orc", "avro"])
def test_rows_count_though_the_file_has_none_of_the_columns(tmp_path: Path, extension: str) -> None:
    path = write(tmp_path / f"data-1.{extension}", table(3))
    assert read(path, fields(later="INT")).num_rows == 3


def test_orc_integers_become_times_and_nanoseconds_become_the_columns_unit(tmp_path: Path) -> None:
    data = pa.table(
        {"t": pa.array([1500], pa.int32()), "ts": pa.array([datetime(2020, 1, 1)], pa.timestamp("ns"))}
    )
    rows = read(write(tmp_path / "data-1.orc", data), fields(t="TIME(3)", ts="TIMESTAMP(3)"))
    assert rows.schema.types == [pa.time32("ms"), pa.timestamp("ms")]


def test_a_column_of_another_type_is_a_format_error_that_names_it(tmp_path: Path) -> None:
    path = write(tmp_path / "data-1.parquet", table())
    with pytest.raises(FormatError, match="column=name") as error:
        read(path, fields(name="INT"))
    assert error.value.fields["path"] == path


@pytest.mark.parametrize("extension", ["parquet", "orc", "avro"])
def test_a_damaged_file_is_a_format_error_with_its_path(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"data-1.{extension}"
    write(path, table())
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FormatError) as error:
        read(str(path), FIELDS)
    assert error.value.fields["path"] == str(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"data-1\.parquet"):
        read(f"{tmp_path}/data-1.parquet", FIELDS)


def test_a_format_we_do_not_read_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError) as error:
        read("/x/data-1.lance", FIELDS)
    assert error.value.fields["feature"] == "file format lance"


def test_int96_dates_beyond_nanoseconds_are_refused_instead_of_wrapped(tmp_path: Path) -> None:
    far = pa.table({"ts": pa.array([datetime(2020, 1, 1), datetime(9999, 1, 1)], pa.timestamp("us"))})
    path = write(tmp_path / "data-1.parquet", far, use_deprecated_int96_timestamps=True)
    with pytest.raises(UnsupportedError, match="2262"):
        read(path, fields(ts="TIMESTAMP(9)"))


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        ("CHAR(5)", ["x    ", None, "abcde", " y   "], ["x", None, "abcde", " y"]),
        ("STRING", ["x    "], ["x    "]),
        ("ARRAY<CHAR(3)>", [["a  ", None], None, []], [["a", None], None, []]),
        ("MAP<CHAR(2), CHAR(2)>", [[("a ", "b "), ("cc", None)], None], [[("a", "b"), ("cc", None)], None]),
        ("MULTISET<CHAR(2)>", [[("a ", 2)]], [[("a", 2)]]),
        ("ROW<c CHAR(2), n INT>", [{"c": "a ", "n": 1}, None], [{"c": "a", "n": 1}, None]),
    ],
)
def test_orc_pads_a_char_and_paimon_does_not_show_it(
    tmp_path: Path, kind: str, stored: list[object], expected: list[object]
) -> None:
    wanted = fields(c=kind)
    column = pa.array(stored, arrow_schema(wanted).field("c").type)
    path = write(tmp_path / "data-1.orc", pa.table({"c": column}))
    assert read(path, wanted).column("c").to_pylist() == expected


def test_orc_dates_beyond_nanoseconds_are_refused_by_name(tmp_path: Path) -> None:
    far = pa.table({"ts": pa.array([datetime(9999, 1, 1)], pa.timestamp("us"))})
    with pytest.raises(UnsupportedError, match="2262"):
        read(write(tmp_path / "data-1.orc", far), fields(ts="TIMESTAMP(6)"))


@pytest.mark.parametrize(
    ("kinds", "proved"),
    [([0, 0], True), ([2, 2], True), ([0, 3], False), ([0, 2], False), ([3], False), ([1], False)],
)
def test_the_footer_proves_that_there_are_no_deletes(tmp_path: Path, kinds: list[int], proved: bool) -> None:
    path = write(tmp_path / "data-1.parquet", pa.table({"_VALUE_KIND": pa.array(kinds, pa.int8())}))
    assert proves_no_deletes(IO, path) is proved


def test_without_statistics_nothing_is_proved(tmp_path: Path) -> None:
    kinds = pa.table({"_VALUE_KIND": pa.array([0], pa.int8())})
    assert not proves_no_deletes(IO, write(tmp_path / "data-1.parquet", kinds, write_statistics=False))
    assert not proves_no_deletes(IO, write(tmp_path / "data-1.orc", kinds))
