"""Rows of any types that are written, and compacted, are read back as they were. Spec: 04, A3."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python, to_python
from core.commit import TableCommit
from core.identifier import Identifier
from core.io import MemoryFileIO
from core.io.paths import TablePaths
from core.schema import TableSchema
from core.schema.store import SchemaStore
from core.table import Table
from core.types import (
    MAX_LENGTH,
    ArrayType,
    CharType,
    DataField,
    DataType,
    DoubleType,
    FloatType,
    IntType,
    MapType,
    MultisetType,
    VarCharType,
    VariantType,
    VectorType,
)
from core.write import TableWrite
from tests.strategies import atomic_types, row_type, typed_rows, values
from tests.tables import compact, files_of


def is_free(data_type: DataType) -> bool:
    """Whether any value of the type's kind fits: texts have no length to keep."""
    return not isinstance(data_type, (CharType, VarCharType)) or data_type.length == MAX_LENGTH


ATOMIC = atomic_types().filter(is_free)
KEYS = ATOMIC.map(lambda t: t.with_nullability(False))
VECTORS = st.builds(VectorType, st.sampled_from([FloatType(), DoubleType(), IntType()]), st.integers(1, 4))
NESTED = st.recursive(
    st.one_of(ATOMIC, VECTORS, st.just(VariantType())),
    lambda inner: st.one_of(
        inner.map(ArrayType),
        st.builds(MapType, KEYS, inner),
        KEYS.map(MultisetType),
        st.lists(inner, min_size=1, max_size=3).map(row_type),
    ),
    max_leaves=3,
)


def new_table(types: list[DataType], keys: tuple[str, ...], bucket: str) -> Table:
    """A table of such columns with ids that stay apart in nested rows too; `n` numbers the rows."""
    io = MemoryFileIO()
    fields = (DataField(0, "n", IntType(nullable=False)),)
    fields += tuple(DataField(100 * (i + 1), f"c{i}", t) for i, t in enumerate(types))
    schema = TableSchema(
        id=0, fields=fields, highest_field_id=9999, primary_keys=keys, options={"bucket": bucket}
    )
    SchemaStore(io, TablePaths("memory://wh/db.db/t")).create(schema)
    return Table(io, "memory://wh/db.db/t", Identifier("db", "t"))


def write(table: Table, rows: list[tuple[Any, ...]]) -> None:
    fields = table.schema.fields
    columns = [from_python([row[i] for row in rows], f.type) for i, f in enumerate(fields)]
    with TableWrite(table) as writer:
        writer.write(pa.Table.from_arrays(columns, schema=arrow_schema(fields)))
        TableCommit(table, "u").commit(writer.prepare_commit())


def read(table: Table) -> list[str]:
    rows = table.to_arrow()
    columns = [to_python(rows.column(f.name), f.type) for f in table.schema.fields]
    return sorted(repr(row) for row in zip(*columns, strict=True))


@settings(max_examples=settings().max_examples // 3)
@given(typed_rows(NESTED, max_columns=3, max_rows=5))
def test_an_append_table_gives_back_what_it_was_given(
    typed: tuple[list[DataType], list[tuple[Any, ...]]],
) -> None:
    types, rows = typed
    table = new_table(types, (), "-1")
    numbered = [(n, *row) for n, row in enumerate(rows)]
    write(table, numbered)
    write(table, numbered)
    assert read(table) == sorted(map(repr, numbered * 2))
    compact(table)
    assert read(table) == sorted(map(repr, numbered * 2))


@settings(max_examples=settings().max_examples // 4)
@given(typed_rows(NESTED, max_columns=3, max_rows=5))
def test_a_primary_key_table_gives_back_the_newest_rows(
    typed: tuple[list[DataType], list[tuple[Any, ...]]],
) -> None:
    types, rows = typed
    table = new_table(types, ("n",), "2")
    write(table, [(n, *row) for n, row in enumerate(reversed(rows))])
    newest = [(n, *row) for n, row in enumerate(rows)]
    write(table, newest)
    assert read(table) == sorted(map(repr, newest))
    compact(table)
    assert read(table) == sorted(map(repr, newest))
    assert {file.level for file in files_of(table)} <= {5}


@settings(max_examples=settings().max_examples // 4)
@given(st.data())
def test_keys_of_any_type_are_found_again(data: st.DataObject) -> None:
    kind = data.draw(KEYS)
    drawn = data.draw(st.lists(values(kind, nulls=False), max_size=6))
    keys = [key + 0.0 if isinstance(key, float) else key for key in drawn]  # -0.0 and 0.0 are one key
    table = new_table([kind], ("c0",), "3")
    write(table, list(enumerate(keys)))
    write(table, [(n + 100, key) for n, key in enumerate(keys)])
    newest = {repr(key): (n + 100, key) for n, key in enumerate(keys)}
    assert read(table) == sorted(map(repr, newest.values()))
    compact(table)
    assert read(table) == sorted(map(repr, newest.values()))


@pytest.mark.parametrize("bucket", ["-1", "1"])
def test_no_rows_make_no_file(bucket: str) -> None:
    table = new_table([], ("n",) if bucket == "1" else (), bucket)
    write(table, [])
    assert files_of(table) == []
