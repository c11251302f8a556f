"""Blocks side by side against fastavro, row by row. Spec: 02, 1; 04, A3."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.avro import decode_columns, encode_container, iter_batches, open_rows, read_records, read_schema
from core.avro.blocks import BlockGroup, find_rows
from core.avro.container import Block, open_container
from core.errors import FormatError, UnsupportedError
from tests.core.avro.row_by_row import row_by_row
from tests.strategies import byte_strings, integers, texts

CORPORA = Path(__file__).parents[2] / "corpora"


def record(*types: Any, name: str = "record") -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [{"name": f"f{i}", "type": t} for i, t in enumerate(types)],
    }


def container(schema: Any, rows: list[Any], *, codec: str = "null", block_bytes: int = 1) -> bytes:
    """A file with a block for (about) every `block_bytes`."""
    target = io.BytesIO()
    fastavro.writer(target, fastavro.parse_schema(schema), rows, codec=codec, sync_interval=block_bytes)
    return target.getvalue()


def side_by_side(data: bytes, min_lanes: int = 1) -> pa.Table:
    opened = open_container(io.BytesIO(data))
    return find_rows(opened.schema, BlockGroup(opened.blocks), min_lanes).read()


_counter = iter(range(1 << 62))


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2) -> Any:
    """Avro types as Paimon's writers make them."""
    kinds = ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "decimal"]
    kind = draw(st.sampled_from(kinds + ["nullable", "array", "map", "record", "pairs"] * (depth > 0)))
    inner = schemas(depth=depth - 1)
    match kind:
        case "fixed":
            return {"type": "fixed", "name": f"fixed{next(_counter)}", "size": draw(st.integers(1, 9))}
        case "decimal":
            return {
                "type": "bytes",
                "logicalType": "decimal",
                "precision": 38,
                "scale": draw(st.integers(0, 9)),
            }
        case "nullable":
            branch = draw(inner.filter(lambda s: not isinstance(s, list) and s != "null"))
            return draw(st.permutations(["null", branch]))
        case "array":
            return {"type": "array", "items": draw(inner)}
        case "map":
            return {"type": "map", "values": draw(inner)}
        case "pairs":
            fields = [{"name": "key", "type": "int"}, {"name": "value", "type": draw(inner)}]
            items = {"type": "record", "name": f"record{next(_counter)}", "fields": fields}
            return {"type": "array", "items": items, "logicalType": "map"}
        case "record":
            types = draw(st.lists(inner, max_size=3))
            return record(*types, name=f"record{next(_counter)}")
        case _:
            return kind


_PLAIN: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": integers(32),
    "long": integers(64),
    "float": st.floats(width=32, allow_nan=False),
    "double": st.floats(allow_nan=False),
    "bytes": byte_strings(),
    "string": texts(),
}


def values(schema: Any) -> st.SearchStrategy[Any]:
    if isinstance(schema, list):
        return st.one_of([values(branch) for branch in schema])
    if isinstance(schema, str):
        return _PLAIN[schema]
    match schema["type"]:
        case "fixed":
            return st.binary(min_size=schema["size"], max_size=schema["size"])
        case "bytes":
            scale = schema["scale"]
            return st.decimals(-(10**20), 10**20, places=scale)
        case "array":
            return st.lists(values(schema["items"]), max_size=5)
        case "map":
            return st.dictionaries(texts(), values(schema["values"]), max_size=3)
        case _:
            return st.fixed_dictionaries({f["name"]: values(f["type"]) for f in schema["fields"]})


@st.composite
def files(draw: st.DrawFn) -> bytes:
    schema = record(*draw(st.lists(schemas(), min_size=1, max_size=4)))
    if draw(st.booleans()):
        schema = ["null", schema]
    rows = draw(st.lists(values(schema if isinstance(schema, dict) else schema[1]), max_size=12))
    return container(schema, rows, block_bytes=draw(st.sampled_from([1, 30, 10_000])))


class TestSideBySide:
    @given(files(), st.sampled_from([1, 2, 4, 1 << 30]))
    @settings(deadline=None)
    def test_equals_row_by_row(self, data: bytes, min_lanes: int) -> None:
        table = side_by_side(data, min_lanes)
        table.validate(full=True)
        assert table.schema == row_by_row(data).schema
        assert table.to_pylist() == row_by_row(data).to_pylist()

    @given(st.lists(st.lists(st.none() | integers(64), max_size=20), min_size=1, max_size=40))
    def test_null_counts_of_any_size(self, lists: list[list[int | None]]) -> None:
        schema = record({"type": "array", "items": ["null", "long"]})
        data = container(schema, [{"f0": v} for v in lists])
        assert side_by_side(data).column("f0").to_pylist() == lists

    def test_arrays_written_in_several_runs_and_with_their_size(self) -> None:
        # Two items, announced as a negative count with 2 bytes; then one; then the end.
        row = bytes([0x03, 0x04, 0x02, 0x04, 0x02, 0x06, 0x00])
        data = container(record({"type": "array", "items": "int"}), [{"f0": [1]}] * 3)
        data = data.replace(bytes([2, 2, 0]), row).replace(b"\x02\x06" + row, b"\x02\x0e" + row)
        assert side_by_side(data).column("f0").to_pylist() == [[1, 2, 3]] * 3
        assert row_by_row(data).column("f0").to_pylist() == [[1, 2, 3]] * 3

    def test_long_blocks_are_finished_row_by_row(self) -> None:
        short = container(record("long"), [{"f0": i} for i in range(40)])
        long = container(record("long"), [{"f0": i} for i in range(500)], block_bytes=100_000)
        expected = [*range(40), *range(500), *range(40)]
        assert decode_columns([short, long, short]).column("f0").to_pylist() == expected


@given(st.lists(st.tuples(texts(), integers(64)), max_size=20), st.sampled_from(["zstd", "null", "deflate"]))
def test_decode_reverses_encode(rows: list[tuple[str, int]], codec: str) -> None:
    records = [{"f0": text, "f1": number} for text, number in rows]
    assert decode_columns([encode_container(record("string", "long"), records, codec)]).to_pylist() == records


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_every_codec_is_read(codec: str) -> None:
    rows = [{"f0": "text" * i} for i in range(9)]
    assert decode_columns([container(record("string"), rows, codec=codec)]).to_pylist() == rows


def _avro_files(*patterns: str) -> list[Path]:
    found = (path for pattern in patterns for path in sorted(CORPORA.glob(pattern)))
    return [p for p in found if p.is_file() and "damaged" not in p.parts and p.read_bytes()[:4] == b"Obj\x01"]


class TestCorpora:
    """Metadata and data files of Java, pypaimon and rust."""

    @pytest.mark.parametrize("writer", ["java09", "java09bsi", "pypaimon21", "rust04"])
    def test_metadata_decodes_alike_both_ways(self, writer: str) -> None:
        paths = _avro_files(f"{writer}/*/*/manifest/*")
        assert paths
        for path in paths:
            data = path.read_bytes()
            assert side_by_side(data).equals(row_by_row(data)), path

    def test_small_metadata_is_the_same_as_records(self) -> None:
        lists = [
            path.read_bytes()
            for path in _avro_files("*/*/*/manifest/manifest-list-*", "*/*/*/manifest/index-manifest-*")
        ]
        assert lists
        for data in lists:
            assert read_records(data) == decode_columns([data]).to_pylist()

    def test_rows_cut_in_two_read_as_they_are(self) -> None:
        mark = ("_FILE", "_MIN_SEQUENCE_NUMBER")
        wanted = ["_KIND", "_FILE._FILE_NAME", "_FILE._LEVEL", "_FILE._SCHEMA_ID", "_FILE._NO_SUCH"]
        for path in _avro_files("*/*/*/manifest/manifest-*-0"):
            data = path.read_bytes()
            for halves, whole in zip(open_rows([data], mark), open_rows([data]), strict=True):
                for columns in (None, wanted, wanted[:2], wanted[2:], ["_FILE", "_KIND"]):
                    assert halves.read(columns).equals(whole.read(columns)), (path, columns)

    def test_data_files_hold_what_fastavro_reads(self) -> None:
        paths = _avro_files("**/*.avro")
        assert paths
        for path in paths:
            data = path.read_bytes()
            rows = list(fastavro.reader(io.BytesIO(data)))
            table = side_by_side(data)
            assert table.column_names == list(rows[0] if rows else table.column_names), path
            assert repr(table.to_pylist()) == repr(row_by_row(data).to_pylist()), path
            assert table.num_rows == len(rows), path

    def test_files_of_many_schemas_are_one_table(self) -> None:
        paths = _avro_files("*/*/*/manifest/manifest-*")
        lists = [p.read_bytes() for p in paths if p.name.startswith("manifest-list-")]
        table = decode_columns(lists)
        alone = [decode_columns([data]).column("_FILE_NAME").to_pylist() for data in lists]
        assert table.column("_FILE_NAME").to_pylist() == [name for names in alone for name in names]


class TestColumnsAndBatches:
    DATA = container(record("long", "string"), [{"f0": i, "f1": f"t{i}"} for i in range(50)])

    def test_only_wanted_columns_come_in_the_wanted_order(self) -> None:
        batches = list(iter_batches(self.DATA, ["f1", "unknown", "f0"]))
        assert [b.schema.names for b in batches] == [["f1", "f0"]]
        assert batches[0].column("f0").to_pylist() == list(range(50))

    def test_rows_without_columns_still_count(self) -> None:
        assert sum(b.num_rows for b in iter_batches(self.DATA, [])) == 50

    def test_batches_are_cut_by_size(self) -> None:
        batches = list(iter_batches(io.BytesIO(self.DATA), group_bytes=40))
        assert len(batches) > 5
        assert [v for b in batches for v in b.column("f0").to_pylist()] == list(range(50))

    def test_no_files_are_an_empty_table_and_empty_files_keep_their_columns(self) -> None:
        assert decode_columns([]).num_rows == 0
        assert decode_columns([container(record("long"), [])]).schema == pa.schema([("f0", pa.int64())])

    def test_the_schema_is_the_writers(self) -> None:
        assert [f["name"] for f in read_schema(self.DATA)["fields"]] == ["f0", "f1"]


class TestDamage:
    DATA = container(
        record("long", "string", ["null", "int"]),
        [{"f0": i, "f1": "x" * i, "f2": None} for i in range(100)],
    )

    @given(st.data())
    @settings(deadline=None)
    def test_any_damage_is_a_format_error_or_other_rows(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.DATA) - 1))
        byte = data.draw(st.integers(0, 255))
        damaged = self.DATA[:at] + bytes([byte]) + self.DATA[at + 1 :]
        for min_lanes in (1, 1 << 30):
            try:
                side_by_side(damaged, min_lanes)
            except (FormatError, UnsupportedError):
                continue

    def test_a_cut_file_names_its_place(self) -> None:
        with pytest.raises(FormatError, match="source=1"):
            decode_columns([self.DATA, self.DATA[:-20]])

    @pytest.mark.parametrize("copies", [1, 3])
    def test_damaged_rows_name_their_place(self, copies: int) -> None:
        bad = self.DATA.replace(b"\x02\x02x\x00", b"\x02\x02x\x08")
        assert bad != self.DATA
        with pytest.raises(FormatError, match=f"source={copies}"):
            decode_columns([self.DATA] * copies + [bad])

    @pytest.mark.parametrize("data", [b"", b"PAR1", b"Obj\x01", b"Obj\x01" + b"\xff" * 40])
    def test_what_is_no_container_is_a_format_error(self, data: bytes) -> None:
        with pytest.raises(FormatError):
            decode_columns([data])

    def test_a_null_row_is_a_format_error(self) -> None:
        data = container(["null", record("int")], [{"f0": 1}, None])
        for min_lanes in (1, 100):
            with pytest.raises(FormatError, match="null"):
                side_by_side(data, min_lanes)

    def test_text_that_is_not_utf8_is_a_format_error(self) -> None:
        data = container(record("string"), [{"f0": "abcdefghijklmnop"}] * 40).replace(b"abc", b"\xff\xff\xff")
        for min_lanes in (1, 100):
            with pytest.raises(FormatError):
                side_by_side(data, min_lanes)

    def test_an_unknown_codec_is_named(self) -> None:
        data = self.DATA.replace(b"\x08null", b"\x08lz4x")
        with pytest.raises(UnsupportedError, match="lz4x"):
            decode_columns([data])

    @pytest.mark.parametrize("kind", [["int", "string"], {"type": "enum", "name": "e", "symbols": ["a"]}])
    def test_what_paimon_never_writes_is_unsupported(self, kind: Any) -> None:
        row = {"f0": 1 if isinstance(kind, list) else "a"}
        with pytest.raises(UnsupportedError, match="Avro"):
            decode_columns([container(record(kind), [row])])


@pytest.mark.parametrize(
    ("kind", "logical", "arrow"),
    [
        ("int", "date", pa.date32()),
        ("int", "time-millis", pa.time32("ms")),
        ("long", "timestamp-millis", pa.timestamp("ms")),
        ("long", "local-timestamp-micros", pa.timestamp("us")),
        ("long", "unknown", pa.int64()),
    ],
)
def test_logical_types_become_arrow_types(kind: str, logical: str, arrow: pa.DataType) -> None:
    schema = record({"type": kind, "logicalType": logical})
    for min_lanes in (1, 100):
        table = find_rows(schema, BlockGroup([Block(1, b"\x0e")]), min_lanes).read()
        assert table.schema.types == [arrow]
        assert table.column(0).combine_chunks().view(
            pa.int32() if kind == "int" else pa.int64()
        ).to_pylist() == [7]


@pytest.mark.parametrize("size", [2**62, 2**70, 2**40])
def test_a_size_beyond_the_file_is_a_cut_file_and_takes_no_memory(size: int) -> None:
    zigzag, number = size << 1, b""
    while zigzag > 0x7F:
        number, zigzag = number + bytes([zigzag & 0x7F | 0x80]), zigzag >> 7
    data = b"Obj\x01" + b"\x02" + number + bytes([zigzag]) + b"avro.schema"
    with pytest.raises(FormatError):
        decode_columns([data])


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz", "zstandard", "snappy"])
def test_a_block_that_would_fill_the_memory_is_refused(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.avro.container.BLOCK_BYTES", 1 << 20)
    bomb = container(record("bytes"), [{"f0": bytes(2 << 20)}], codec=codec)
    with pytest.raises(FormatError, match=r"an Avro block: packed bytes hold more.*1048576 or less"):
        decode_columns([bomb])


def test_two_members_of_one_name_are_refused() -> None:
    written = container(record("long", "long"), [{"f0": 1, "f1": 2}])
    with pytest.raises(FormatError, match="two members of one name"):
        decode_columns([written.replace(b'"f1"', b'"f0"')])
