"""Values of any depth, written as one schema and read as a later one, against a scalar reader. Spec: 09, 4.

A ROW inside of ARRAY, MAP and ROW gains, loses, renames, moves and retypes members; each file format is
read, and the clear form says what each value becomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python, to_python
from core.datafile.file_format import FileFormat
from core.datafile.read import read_data_file
from core.datafile.write import FileLayout, FileNames, RollingFileWriter
from core.datafile.write_stats import stats_rules
from core.io import MemoryFileIO
from core.options import TableOptions
from core.schema import TableSchema
from core.schema.evolution import map_fields
from core.types import ArrayType, DataField, DataType, IntType, MapType, RowType, parse_type
from tests.strategies import values

Convert = Callable[[Any], Any]
LEAVES = [parse_type(text) for text in ("INT", "STRING", "DATE", "DECIMAL(9, 2)", "BOOLEAN")]
RETYPED: dict[str, list[tuple[str, Convert]]] = {
    "INT": [("BIGINT", lambda v: v), ("STRING", str), ("DOUBLE", float)],
    "BOOLEAN": [("INT", int), ("STRING", lambda v: str(v).lower())],
}


@dataclass(frozen=True)
class Change:
    """What a type has become, and what a value of it becomes."""

    type: DataType
    convert: Convert


def old_types(depth: int, ids: Any) -> st.SearchStrategy[DataType]:
    leaves = st.sampled_from(LEAVES)
    if depth == 0:
        return leaves
    inner = st.deferred(lambda: old_types(depth - 1, ids))
    rows = st.lists(inner, min_size=1, max_size=3).map(
        lambda types: RowType(tuple(DataField(next(ids), f"m{i}", kind) for i, kind in enumerate(types)))
    )
    return st.one_of(
        rows, rows, inner.map(ArrayType), inner.map(lambda v: MapType(IntType(nullable=False), v))
    )


@st.composite
def changes(draw: st.DrawFn, kind: DataType, ids: Any) -> Change:
    match kind:
        case RowType():
            kept = draw(st.permutations([f for f in kind.fields if draw(st.integers(0, 3))] or kind.fields))
            return _row(draw, kind, kept, ids)
        case ArrayType():
            inner = draw(changes(kind.element, ids))
            return Change(ArrayType(inner.type), lambda v: [each(inner, e) for e in v])
        case MapType():
            inner = draw(changes(kind.value, ids))
            return Change(MapType(kind.key, inner.type), lambda v: [(k, each(inner, e)) for k, e in v])
    name, convert = draw(st.sampled_from([("", None), *RETYPED.get(str_of(kind), [])]))
    return Change(parse_type(name), convert) if convert else Change(kind, lambda v: v)


def _row(draw: st.DrawFn, kind: RowType, kept: list[DataField], ids: Any) -> Change:
    members: list[tuple[DataField, Convert]] = []
    places = {f.id: place for place, f in enumerate(kind.fields)}
    for number, member in enumerate(kept):
        inner, place = draw(changes(member.type, ids)), places[member.id]
        name = draw(st.sampled_from([member.name, f"renamed{number}"]))
        members.append((replace(member, name=name, type=inner.type), reader(inner, place)))
    if draw(st.booleans()):  # under the name of a member that was dropped, perhaps
        names = [f"m{i}" for i in range(9) if f"m{i}" not in {f.name for f, _ in members}]
        added = DataField(next(ids), names[0], parse_type(draw(st.sampled_from(["INT", "ARRAY<STRING>"]))))
        members.insert(draw(st.integers(0, len(members))), (added, lambda row: None))
    return Change(RowType(tuple(f for f, _ in members)), lambda row: tuple(get(row) for _, get in members))


def reader(inner: Change, place: int) -> Convert:
    return lambda row: each(inner, row[place])


def each(change: Change, value: Any) -> Any:
    return None if value is None else change.convert(value)


def str_of(kind: DataType) -> str:
    return type(kind).__name__.removesuffix("Type").upper()


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[DataField], list[DataField], list[Any], list[Any]]:
    """Columns as they were and as they are, rows as they were written, and as they are to be read."""
    ids = count(1)
    kind = draw(old_types(3, ids))
    old = [DataField(0, "c", kind)]
    change = draw(changes(kind, ids))
    rows = draw(st.lists(values(kind), min_size=1, max_size=5))
    return old, [DataField(0, "c", change.type)], rows, [each(change, row) for row in rows]


@pytest.mark.parametrize("file_format", [FileFormat.PARQUET, FileFormat.ORC, FileFormat.AVRO])
@settings(max_examples=settings().max_examples // 4)
@given(history=histories())
def test_values_are_read_as_their_type_has_become(
    file_format: FileFormat, history: tuple[list[DataField], list[DataField], list[Any], list[Any]]
) -> None:
    old, new, rows, expected = history
    mapping = map_fields(new, old)
    read = [mapping.apply(batch) for batch in stored(old, rows, file_format)]
    table = pa.Table.from_batches(read, schema=arrow_schema(new))
    assert repr(to_python(table.column("c"), new[0].type)) == repr(expected)


def stored(fields: list[DataField], rows: list[Any], file_format: FileFormat) -> list[pa.RecordBatch]:
    """The rows as they come out of a file, in batches that are slices of larger ones."""
    io = MemoryFileIO()
    schema = TableSchema(id=0, fields=tuple(fields), highest_field_id=99)
    rules = stats_rules(schema, TableOptions({}), 0)
    layout = FileLayout(schema_id=0, fields=tuple(fields), stats=rules, format=file_format)
    writer = RollingFileWriter(io, "memory://t", layout, FileNames())
    writer.write(pa.RecordBatch.from_arrays([from_python(rows, fields[0].type)], schema=arrow_schema(fields)))
    (file,) = writer.take()
    return list(read_data_file(io, f"memory://t/{file.file_name}", fields, max_rows=2))
