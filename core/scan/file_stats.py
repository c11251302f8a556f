"""Statistics of data files as columns of the read schema. Spec: 03, 5; 09, 4.

A file's statistics are rows laid out by the schema it was written with, of the columns it
was written with, less those without statistics. Files of one such layout are decoded
together; each column of the read schema is then found in them by field id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from core.arrow import arrow_type
from core.binary import EMPTY_ROW, decode_rows
from core.manifest import EntryColumns
from core.predicate import ColumnStats
from core.schema import SchemaStore, TableSchema
from core.types import BigIntType, DataField, DataType, IntType, SmallIntType, TinyIntType

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
pc: Any = pyarrow.compute  # likewise
_nulls: Any = pa.nulls
Rows: TypeAlias = npt.NDArray[np.int64]

_NO_STATS = EMPTY_ROW.to_bytes()
_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)  # narrow to wide


def key_stats(
    schemas: SchemaStore, entries: EntryColumns, fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """Statistics of key columns; `_KEY_STATS` holds exactly the trimmed primary key."""

    def layouts() -> Iterator[_Layout]:
        for schema_id, rows in _groups(entries.column("schema_id").combine_chunks()):
            yield _Layout(rows, schemas.get(schema_id).key_fields(), frozenset())

    return _collect(entries, "key_stats", layouts(), fields)


def value_stats(
    schemas: SchemaStore, entries: EntryColumns, fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """Statistics of any columns: null bounds where nothing is known."""
    return _collect(entries, "value_stats", _value_layouts(schemas, entries), fields)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Files whose statistics have the same columns in the same order."""

    rows: Rows  # of the entries
    fields: tuple[DataField, ...]  # of the statistics, as in the files' schema
    absent_unless: frozenset[int]  # ids of the columns that the files' schema has; others are all null


def _value_layouts(schemas: SchemaStore, entries: EntryColumns) -> Iterator[_Layout]:
    for rows in _rows_by_layout(entries.table):
        first = entries.table.slice(int(rows[0]), 1)
        schema = schemas.get(first.column("schema_id")[0].as_py())
        listed = first.column("value_stats_cols")[0].as_py()
        if listed is None:
            listed = first.column("write_cols")[0].as_py()
        fields = _fields(schema, listed)
        if first.column("value_stats_min")[0].as_py() == _NO_STATS:
            fields = ()
        yield _Layout(rows, fields, frozenset(field.id for field in schema.fields))


def _rows_by_layout(table: pa.Table) -> Iterator[Rows]:
    texts = [pc.cast(table.column("schema_id"), pa.string())]
    for name in ("write_cols", "value_stats_cols"):
        names = table.column(name).combine_chunks()
        # The length tells a null list (all columns) from an empty one; no column name holds U+0000.
        texts.append(pc.cast(pc.fill_null(pc.list_value_length(names), -1), pa.string()))
        texts.append(pc.fill_null(pc.binary_join(names, "\0"), ""))
    texts.append(pc.cast(pc.equal(table.column("value_stats_min"), _NO_STATS), pa.string()))
    whole = [text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text for text in texts]
    for _, rows in _groups(pc.binary_join_element_wise(*whole, "\1")):
        yield rows


def _fields(schema: TableSchema, names: Sequence[str] | None) -> tuple[DataField, ...]:
    """The named columns in that order, or all; system columns (`_ROW_ID`) have no field."""
    if names is None:
        return schema.fields
    known = {field.name: field for field in schema.fields}
    return tuple(known[name] for name in names if name in known)


def _collect(
    entries: EntryColumns, which: str, layouts: Iterator[_Layout], fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """The statistics of `fields` over all entries, from `<which>_min`, `_max` and `_nulls`."""
    parts: dict[str, list[ColumnStats]] = {field.name: [] for field in fields}
    order: list[Rows] = []
    for layout in layouts:
        order.append(layout.rows)
        decoded = _Decoded.of(entries.take(layout.rows), which, layout)
        for field in fields:
            parts[field.name].append(decoded.of_field(field))
    if not order:
        return {}
    back = pa.array(np.argsort(np.concatenate(order), kind="stable"))
    return {name: _joined(stats).take(back) for name, stats in parts.items()}


def _joined(parts: Sequence[ColumnStats]) -> ColumnStats:
    return ColumnStats(
        pa.concat_arrays([part.minimum for part in parts]),
        pa.concat_arrays([part.maximum for part in parts]),
        pa.concat_arrays([part.null_count for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class _Decoded:
    """The statistics of the files of one layout."""

    layout: _Layout
    row_count: Column
    minima: Sequence[Column]
    maxima: Sequence[Column]
    null_counts: Sequence[Column]

    @staticmethod
    def of(entries: EntryColumns, which: str, layout: _Layout) -> _Decoded:
        types = [field.type.with_nullability(True) for field in layout.fields]
        lists = entries.column(f"{which}_nulls").combine_chunks()
        # A fixed size fills up what a writer left out.
        counts = pc.list_slice(lists, 0, max(len(types), 1), return_fixed_size_list=True)
        return _Decoded(
            layout,
            entries.column("row_count").combine_chunks(),
            decode_rows(types, entries.column(f"{which}_min").combine_chunks()),
            decode_rows(types, entries.column(f"{which}_max").combine_chunks()),
            [pc.list_element(counts, index) for index in range(len(types))],
        )

    def of_field(self, field: DataField) -> ColumnStats:
        """A column's statistics; unknown ones are null, those of a column added later say all null."""
        rows = len(self.row_count)
        kind = arrow_type(field.type)
        unknown = _nulls(rows, kind)
        ids = [of_file.id for of_file in self.layout.fields]
        if field.id not in ids:
            added_later = self.layout.absent_unless and field.id not in self.layout.absent_unless
            counts = self.row_count if added_later else _nulls(rows, pa.int64())
            return ColumnStats(unknown, unknown, counts)
        index = ids.index(field.id)
        of_file = self.layout.fields[index]
        if not _bounds_hold(of_file.type, field.type):
            return ColumnStats(unknown, unknown, _nulls(rows, pa.int64()))
        return ColumnStats(
            self.minima[index].cast(kind), self.maxima[index].cast(kind), self.null_counts[index]
        )


def _bounds_hold(source: DataType, target: DataType) -> bool:
    """Whether bounds of the file's values are bounds of the values read: same type, or a wider integer."""
    if source.with_nullability(True) == target.with_nullability(True):
        return True
    if type(source) in _INTEGERS and type(target) in _INTEGERS:
        return _INTEGERS.index(type(source)) <= _INTEGERS.index(type(target))
    return False


def _groups(keys: Column) -> Iterator[tuple[Any, Rows]]:
    """Each distinct value, in the order first seen, with the rows that have it."""
    encoded = keys.dictionary_encode()
    codes = encoded.indices.to_numpy()
    order = np.argsort(codes, kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)))
    for value, rows in zip(encoded.dictionary, np.split(order, ends[:-1]), strict=False):
        yield value.as_py(), rows
