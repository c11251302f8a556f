"""What the parquet writer makes of Paimon's types, as pyarrow and the bytes tell. Spec: 04, A2 and A3."""

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.arrow import arrow_schema, from_python
from core.datafile.compression import Compression
from core.datafile.parquet_footer import TimestampLogicalType, TimeUnit, annotate_timestamps
from core.datafile.parquet_writer import ParquetFileWriter
from core.datafile.sink import Sink
from core.errors import FormatError
from core.io import LocalFileIO
from core.types import DataField, Timestamp, parse_type

TS = Timestamp(1_600_000_000_123, 456_789)
MICROS = Timestamp(1_600_000_000_123, 456_000)
MILLIS = Timestamp(1_600_000_000_123, 0)


def write(path, types: list[str], rows: list[list[object]], *, groups: int = 1, **options: object) -> bytes:
    fields = [DataField(i, f"f{i}", parse_type(t)) for i, t in enumerate(types)]
    arrays = [from_python([row[i] for row in rows], f.type) for i, f in enumerate(fields)]
    table = pa.Table.from_arrays(arrays, schema=arrow_schema(fields))
    writer = ParquetFileWriter(LocalFileIO(), str(path), fields, Compression(**options), table)
    for _ in range(groups):
        writer.write_group(table)
    size = writer.close()
    assert path.stat().st_size == size
    return path.read_bytes()


def column(path, index: int = 0):
    return pq.ParquetFile(path).schema.column(index)


@pytest.mark.parametrize(
    ("text", "value", "physical", "logical"),
    [
        ("TINYINT", 1, "INT32", "Int(bitWidth=8, isSigned=true)"),
        ("DECIMAL(9, 2)", Decimal("1.25"), "INT32", "Decimal(precision=9, scale=2)"),
        ("DECIMAL(18, 2)", Decimal("1.25"), "INT64", "Decimal(precision=18, scale=2)"),
        ("DECIMAL(20, 2)", Decimal("1.25"), "FIXED_LEN_BYTE_ARRAY", "Decimal(precision=20, scale=2)"),
        ("DATE", 1, "INT32", "Date"),
        ("TIME", 1, "INT32", "Time(isAdjustedToUTC=true, timeUnit=milliseconds)"),
        ("BYTES", b"x", "BYTE_ARRAY", "None"),
        ("VARCHAR(3)", "x", "BYTE_ARRAY", "String"),
        ("TIMESTAMP(9)", TS, "INT96", "None"),
        ("TIMESTAMP(9) WITH LOCAL TIME ZONE", TS, "INT96", "None"),
    ],
)
def test_types_are_stored_as_paimon_does(tmp_path, text, value, physical, logical):
    write(tmp_path / "f", [text], [[value], [None]])
    stored = column(tmp_path / "f")
    assert (stored.physical_type, str(stored.logical_type)) == (physical, logical)


@pytest.mark.parametrize("beside", ["TIMESTAMP(9)", "INT"])
@pytest.mark.parametrize(
    ("text", "value", "unit", "utc"),
    [
        ("TIMESTAMP(3)", MILLIS, "milliseconds", "false"),
        ("TIMESTAMP(6)", MICROS, "microseconds", "false"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", MILLIS, "milliseconds", "true"),
    ],
)
def test_int64_timestamps_stay_so_beside_int96(tmp_path, beside, text, value, unit, utc):
    other = TS if beside != "INT" else 7
    write(tmp_path / "f", [beside, text], [[other, value]], groups=2)
    stored = column(tmp_path / "f", 1)
    assert stored.physical_type == "INT64"
    assert f"Timestamp(isAdjustedToUTC={utc}, timeUnit={unit}" in str(stored.logical_type)
    assert pq.read_table(tmp_path / "f").num_rows == 2


def test_a_nested_timestamp_is_annotated_in_its_place(tmp_path):
    types = ["ARRAY<ROW<a TIMESTAMP(9), b MAP<INT, TIMESTAMP(3)>, c INT>>", "TIMESTAMP(6)"]
    write(tmp_path / "f", types, [[[(TS, [(1, MILLIS)], 2)], MICROS]])
    read = pq.read_table(tmp_path / "f")
    assert read.schema.field("f0").type.value_type.field("b").type.item_type == pa.timestamp("ms")
    assert read.column("f1").cast(pa.int64()).to_pylist() == [1_600_000_000_123_456]


def test_field_ids_reach_into_nested_types(tmp_path):
    """Spec 04, A2: the example of field 10 `ARRAY<MAP<INT, ARRAY<INT>>>`."""
    fields = [DataField(10, "f", parse_type("ARRAY<MAP<INT, ARRAY<INT>>>"))]
    table = arrow_schema(fields).empty_table()
    writer = ParquetFileWriter(LocalFileIO(), str(tmp_path / "f"), fields, Compression(), table)
    writer.write_group(table)
    writer.close()
    text, base = str(pq.ParquetFile(tmp_path / "f").schema), 536870911
    for field_id in (10, base + 10241, base - 10242, base + 10242, base + 10243):
        assert f"field_id={field_id} " in text


def test_the_parts_of_a_variant_are_required_and_numbered(tmp_path):
    write(tmp_path / "f", ["VARIANT"], [[(b"\x0c\x01", b"\x01\x00\x00")], [None]])
    text = str(pq.ParquetFile(tmp_path / "f").schema)
    assert "required binary field_id=0 value;" in text
    assert "required binary field_id=1 metadata;" in text
    assert pq.read_table(tmp_path / "f").column("f0").null_count == 1


def test_a_timestamp_is_annotated_behind_a_variant(tmp_path):
    """Two parquet columns make one VARIANT."""
    variant = (b"\x0c\x01", b"\x01\x00\x00")
    write(tmp_path / "f", ["VARIANT", "TIMESTAMP(9)", "TIMESTAMP(6)"], [[variant, TS, MICROS]])
    assert "timeUnit=microseconds" in str(column(tmp_path / "f", 3).logical_type)


def test_a_vector_is_stored_as_a_list(tmp_path):
    write(tmp_path / "f", ["VECTOR<FLOAT, 2>"], [[[1.5, 2.5]], [None]])
    assert column(tmp_path / "f").path == "f0.list.element"
    assert pq.read_table(tmp_path / "f").column("f0").to_pylist() == [[1.5, 2.5], None]


def test_repeated_values_get_a_dictionary_and_decimals_never(tmp_path):
    rows = [["a", Decimal("1.00"), i] for i in range(1000)]
    write(tmp_path / "f", ["STRING", "DECIMAL(9, 2)", "INT"], rows)
    group = pq.ParquetFile(tmp_path / "f").metadata.row_group(0)
    encodings = [set(group.column(i).encodings) for i in range(3)]
    assert ["RLE_DICTIONARY" in found for found in encodings] == [True, False, False]


def test_bounds_of_texts_are_told_by_group(tmp_path):
    fields = [DataField(0, "r", parse_type("ROW<s STRING>")), DataField(1, "s", parse_type("STRING"))]
    groups = [["b", "é"], ["a" * 2000], [None], ["c"]]
    first = pa.table({"r": [{"s": "z"}], "s": ["x"]}, arrow_schema(fields))
    writer = ParquetFileWriter(LocalFileIO(), str(tmp_path / "f"), fields, Compression(), first)
    told = [writer.write_group(pa.table({"r": [{"s": "z"}] * len(g), "s": g}, first.schema)) for g in groups]
    writer.close()
    assert told == [{"s"}, set(), {"s"}, {"s"}]
    assert list(writer.told_bounds("s")) == [(b"b", "é".encode()), (b"c", b"c")]
    assert not list(writer.told_bounds("r"))


@pytest.mark.parametrize("kind", ["TINYINT", "SMALLINT", "INT", "BIGINT"])
def test_bounds_of_integers_are_told_by_group(tmp_path, kind):
    fields = [DataField(0, "n", parse_type(kind))]
    groups = [[3, -7, None], [None, None], [120]]
    tables = [
        pa.Table.from_arrays([from_python(g, fields[0].type)], schema=arrow_schema(fields)) for g in groups
    ]
    writer = ParquetFileWriter(LocalFileIO(), str(tmp_path / "f"), fields, Compression(), tables[0])
    assert [writer.write_group(table) for table in tables] == [{"n"}] * 3
    writer.close()
    assert list(writer.told_bounds("n")) == [(-7, 3), (120, 120)]


def test_a_group_reaches_the_store_at_once_and_not_page_by_page(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(Sink, "write", lambda self, data: sizes.append(len(data)) or len(data))
    fields = [DataField(i, f"f{i}", parse_type("INT")) for i in range(20)]
    array = from_python(list(range(1000)), fields[0].type)
    table = pa.Table.from_arrays([array] * 20, schema=arrow_schema(fields))
    writer = ParquetFileWriter(LocalFileIO(), str(tmp_path / "f"), fields, Compression("none"), table)
    writer.write_group(table)
    assert len(sizes) <= 2
    assert sum(sizes) > 20 * 4000
    writer.discard()


def test_a_discarded_file_does_not_appear(tmp_path):
    fields = [DataField(0, "f", parse_type("INT"))]
    table = arrow_schema(fields).empty_table()
    writer = ParquetFileWriter(LocalFileIO(), str(tmp_path / "f"), fields, Compression(), table)
    writer.write_group(table)
    writer.discard()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tail", [b"", b"PAR1", b"\xff\xff\x00\x00PAR1", b"\x00\x00\x00\x00PAR2"])
def test_what_is_no_footer_is_a_format_error(tail):
    with pytest.raises(FormatError):
        annotate_timestamps(tail, {0: TimestampLogicalType(TimeUnit.MILLIS, utc=False)})
