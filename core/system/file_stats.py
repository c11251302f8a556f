"""Keys and statistics of data files as the texts of `$files`. Spec: 03, 5; 04, B.

Files of one layout (`core.scan.stats_layout`) are decoded together, then brought to the table's
schema by field id: what a file does not have reads as all null there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.binary import decode_rows
from core.errors import FormatError, UnsupportedError
from core.manifest import EntryColumns
from core.scan.stats_layout import Rows, StatsLayout, grouped, places, stats_layouts
from core.schema import SchemaStore, TableSchema
from core.schema.casts import cast_column
from core.system.text import Column, joined, named, text_column
from core.types import DataType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def key_texts(schemas: SchemaStore, schema: TableSchema, entries: EntryColumns, column: str) -> Column:
    """`[k1, k2]` a file; null where the table has no primary key."""
    if not schema.primary_keys:
        return pa.nulls(len(entries), pa.string())
    parts = []
    for schema_id, rows in grouped(entries.column("schema_id").combine_chunks()):
        keys = pc.take(entries.column(column).combine_chunks(), pa.array(rows))
        fields = schemas.get(schema_id).key_fields()
        values = decode_rows([field.type for field in fields], keys)
        texts = [text_column(field.type, value) for field, value in zip(fields, values, strict=True)]
        parts.append((rows, joined(texts, "[", "]", len(rows))))
    return _scattered(parts, len(entries))


def stats_texts(schemas: SchemaStore, schema: TableSchema, entries: EntryColumns, which: str) -> Column:
    """`{a=1, b=null}` a file, names sorted; `which` is `min`, `max` or `nulls`."""
    parts = []
    for layout in stats_layouts(schemas, entries):
        part = entries.take(layout.rows)
        texts = _null_counts(layout, part) if which == "nulls" else _bounds(schema, layout, part, which)
        unknown = pa.nulls(len(part), pa.string())
        absent = (
            pc.cast(part.column("row_count").combine_chunks(), pa.string()) if which == "nulls" else unknown
        )
        shown = {
            field.name: texts.get(field.id, unknown if field.id in layout.held else absent)
            for field in schema.fields
        }
        parts.append((layout.rows, named(shown, len(part))))
    return _scattered(parts, len(entries))


def _bounds(schema: TableSchema, layout: StatsLayout, part: EntryColumns, which: str) -> dict[int, Column]:
    """Texts of minima or maxima by field id, in the types of the table's schema."""
    types = [field.type.with_nullability(True) for field in layout.fields]
    values = decode_rows(types, part.column(f"value_stats_{which}").combine_chunks())
    targets = {field.id: field.type.with_nullability(True) for field in schema.fields}
    return {
        field.id: text_column(targets[field.id], _cast(value, data_type, targets[field.id]))
        for field, data_type, value in zip(layout.fields, types, values, strict=True)
        if field.id in targets
    }


def _cast(values: Column, source: DataType, target: DataType) -> Column:
    """The values as the type that the column has now; unknown where no cast leads there."""
    if source == target:
        return values
    try:
        return cast_column(values, source, target)
    except (UnsupportedError, FormatError):
        # No such cast, or a text that was cut for the statistics and is no number any more.
        return pa.array([], arrow_type(target)).take(pa.nulls(len(values), pa.int32()))


def _null_counts(layout: StatsLayout, part: EntryColumns) -> dict[int, Column]:
    lists = part.column("value_stats_nulls").combine_chunks()
    if not layout.fields:
        return {}
    # A fixed size fills up what a writer left out.
    counts = pc.list_slice(lists, 0, len(layout.fields), return_fixed_size_list=True)
    return {
        field.id: pc.cast(pc.list_element(counts, index), pa.string())
        for index, field in enumerate(layout.fields)
    }


def _scattered(parts: Sequence[tuple[Rows, Column]], rows: int) -> Column:
    """The texts of all groups, each at its row."""
    if not parts:
        return pa.nulls(rows, pa.string())
    texts = pa.concat_arrays([texts for _, texts in parts])
    return texts.take(places([part for part, _ in parts]))


def key_columns(
    schemas: SchemaStore, schema: TableSchema, entries: EntryColumns, column: str
) -> list[Column]:
    """The smallest or largest key of each file, a column a key field, in the types of `schema`."""
    targets = [field.type.with_nullability(False) for field in schema.key_fields()]
    parts: list[list[Column]] = [[] for _ in targets]
    order = []
    for schema_id, rows in grouped(entries.column("schema_id").combine_chunks()):
        sources = [field.type.with_nullability(False) for field in schemas.get(schema_id).key_fields()]
        values = decode_rows(sources, pc.take(entries.column(column).combine_chunks(), pa.array(rows)))
        order.append(rows)
        for part, value, source, target in zip(parts, values, sources, targets, strict=True):
            part.append(cast_column(value, source, target))
    if not order:
        return [pa.array([], arrow_type(target)) for target in targets]
    back = places(order)
    return [pa.concat_arrays(part).take(back) for part in parts]
