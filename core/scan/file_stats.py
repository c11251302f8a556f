"""Statistics of data files as columns of the read schema. Spec: 03, 5; 09, 4.

Files of one layout (`stats_layout`) are decoded together; each column of the read schema is
then found in them by field id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute

from core.arrow import arrow_type
from core.binary import decode_rows
from core.manifest import EntryColumns
from core.predicate import ColumnStats
from core.scan.stats_layout import Column, Rows, StatsLayout, grouped, places, stats_layouts
from core.schema import SchemaStore
from core.types import BigIntType, CharType, DataField, DataType, IntType, SmallIntType, TinyIntType

pc: Any = pyarrow.compute  # its stubs know no columns whose type is known when it runs
_nulls: Any = pa.nulls

# ORC writers other than ours bound a CHAR as it is filled up with spaces, by which it is not read. A value
# without them is not above its filled form, but below the least of those if what is cut here is missing.
_PADDING = r"(?s) *([\x00-\x1f].*)?$"
_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)  # narrow to wide


def key_stats(
    schemas: SchemaStore, entries: EntryColumns, fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """Statistics of key columns; `_KEY_STATS` holds exactly the trimmed primary key."""

    def layouts() -> Iterator[StatsLayout]:
        for schema_id, rows in grouped(entries.column("schema_id").combine_chunks()):
            yield StatsLayout(rows, schemas.get(schema_id).key_fields(), frozenset())

    return _collect(entries, "key_stats", layouts(), fields)


def value_stats(
    schemas: SchemaStore, entries: EntryColumns, fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """Statistics of any columns: null bounds where nothing is known."""
    return _collect(entries, "value_stats", stats_layouts(schemas, entries), fields)


def _collect(
    entries: EntryColumns, which: str, layouts: Iterator[StatsLayout], fields: Sequence[DataField]
) -> dict[str, ColumnStats]:
    """The statistics of `fields` over all entries, from `<which>_min`, `_max` and `_nulls`."""
    parts: dict[str, list[ColumnStats]] = {field.name: [] for field in fields}
    entries = entries.with_columns([f"{which}_min", f"{which}_max", f"{which}_nulls", "row_count"])
    order: list[Rows] = []
    for layout in layouts:
        order.append(layout.rows)
        decoded = _Decoded.of(entries.take(layout.rows), which, layout)
        for field in fields:
            parts[field.name].append(decoded.of_field(field))
    if not order:
        return {}
    back = places(order)
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

    layout: StatsLayout
    row_count: Column
    minima: Sequence[Column]
    maxima: Sequence[Column]
    null_counts: Sequence[Column]

    @staticmethod
    def of(entries: EntryColumns, which: str, layout: StatsLayout) -> _Decoded:
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
            added_later = self.layout.known and field.id not in self.layout.known
            counts = self.row_count if added_later else _nulls(rows, pa.int64())
            return ColumnStats(unknown, unknown, counts)
        index = ids.index(field.id)
        of_file = self.layout.fields[index]
        if not _bounds_hold(of_file.type, field.type):
            return ColumnStats(unknown, unknown, _nulls(rows, pa.int64()))
        least = self.minima[index].cast(kind)
        if isinstance(of_file.type, CharType):
            least = pc.replace_substring_regex(least, _PADDING, "")
        return ColumnStats(least, self.maxima[index].cast(kind), self.null_counts[index])


def _bounds_hold(source: DataType, target: DataType) -> bool:
    """Whether bounds of the file's values are bounds of the values read: same type, or a wider integer."""
    if source.with_nullability(True) == target.with_nullability(True):
        return True
    if type(source) in _INTEGERS and type(target) in _INTEGERS:
        return _INTEGERS.index(type(source)) <= _INTEGERS.index(type(target))
    return False
