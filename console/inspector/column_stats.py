"""What manifests know of the columns of data files: nulls, bounds, and whether a bound may be cut."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from console.inspector.labels import HIDDEN
from console.inspector.opening import OpenTable
from core.binary import EMPTY_ROW, BinaryRow, decode_field
from core.datafile.write_stats import stats_rules
from core.errors import PaimonError
from core.manifest import DataFileMeta, EntryColumns
from core.options import TableOptions
from core.schema import TableSchema
from core.types import DataField, DataType, cast_text, type_to_text

_READ = (
    "schema_id", "level", "value_stats_min", "value_stats_max", "value_stats_nulls", "value_stats_cols",
    "write_cols",
)  # fmt: skip
_EMPTY = EMPTY_ROW.to_bytes()


def of_file(opened: OpenTable, meta: DataFileMeta) -> list[dict[str, Any]]:
    """What is known of each column of the file, by the schema it was written with.

    Raises:
        PaimonError: that schema is lost, or a bound is damaged.
    """
    stats, kind = meta.value_stats, _kind(opened, meta)
    return [kind.told(field, stats.min_values, stats.max_values, stats.null_counts) for field in kind.written]


def of_files(
    opened: OpenTable, entries: EntryColumns, rows: pa.ChunkedArray[Any], ids: Collection[int]
) -> list[list[dict[str, Any]]]:
    """For each of the rows of a page what is known of the columns of these ids, in this order.

    A column that a file does not have is left out, as are all where the schema it was written with is lost.
    """
    columns: dict[str, Any] = {name: entries.column(name).take(rows) for name in _READ}
    part = pa.table(columns)
    kinds: dict[Any, _Kind | None] = {}
    found: list[list[dict[str, Any]]] = []
    for row in part.to_pylist():
        key = (row["schema_id"], row["level"], _named(row["value_stats_cols"]), _named(row["write_cols"]))
        if key not in kinds:
            kinds[key] = _readable(opened, *key)
        kind = kinds[key]
        found.append([] if kind is None else _of_row(kind, row, ids))
    return found


def _of_row(kind: _Kind, row: dict[str, Any], ids: Collection[int]) -> list[dict[str, Any]]:
    low, high = (BinaryRow.from_bytes(row[f"value_stats_{name}"] or _EMPTY) for name in ("min", "max"))
    fields = (kind.by_id.get(i) for i in ids)
    try:
        return [kind.told(f, low, high, row["value_stats_nulls"] or ()) for f in fields if f is not None]
    except PaimonError:
        return []  # damaged bounds do not take the file out of its list; its own page names the damage


def _named(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _readable(opened: OpenTable, schema_id: int, level: int, told: Any, written: Any) -> _Kind | None:
    try:
        return _Kind(opened, opened.table.schemas.get(schema_id), level, told, written)
    except PaimonError:
        return None


def _kind(opened: OpenTable, meta: DataFileMeta) -> _Kind:
    schema = opened.table.schemas.get(meta.schema_id)
    return _Kind(opened, schema, meta.level, _named(meta.value_stats_cols), _named(meta.write_cols))


@dataclass(frozen=True)
class _Kind:
    """What files have in common that were written alike: their columns, and of which there are statistics."""

    opened: OpenTable
    schema: TableSchema
    level: int
    stats_cols: tuple[str, ...] | None  # None: of all that were written
    write_cols: tuple[str, ...] | None  # None: all of the schema

    @cached_property
    def written(self) -> tuple[DataField, ...]:
        return _fields(self.schema, self.write_cols)

    @cached_property
    def by_id(self) -> dict[int, DataField]:
        return {field.id: field for field in self.written}

    @cached_property
    def _told(self) -> tuple[DataField, ...]:
        return _fields(self.schema, self.write_cols if self.stats_cols is None else self.stats_cols)

    @cached_property
    def _types(self) -> list[DataType]:
        return [field.type for field in self._told]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {field.id: i for i, field in enumerate(self._told)}

    @cached_property
    def _cut_at(self) -> dict[int, int | None]:
        """The length at which bounds of each field are cut; None: they are not."""
        try:
            modes = stats_rules(self.schema, TableOptions(self.schema.options), self.level).modes
        except PaimonError:
            return {}
        return {f.id: mode.length for f, mode in zip(self.schema.fields, modes, strict=True)}

    @cached_property
    def _names_now(self) -> dict[int, str]:
        return {field.id: field.name for field in self.opened.table.schema.fields}

    def told(
        self, field: DataField, low: BinaryRow, high: BinaryRow, nulls: Sequence[int | None]
    ) -> dict[str, Any]:
        bounds = [self._bound(field, row) for row in (low, high)]
        place = self._places.get(field.id, len(nulls))
        return {
            "id": field.id,
            "name": field.name,
            "name_now": self._names_now.get(field.id),
            "type": type_to_text(field.type),
            "null_count": nulls[place] if place < len(nulls) else None,
            "min": self._text(field, bounds[0]),
            "max": self._text(field, bounds[1]),
            "truncated": self._truncated(field, bounds),
        }

    def _bound(self, field: DataField, row: BinaryRow) -> Any:
        place = self._places.get(field.id)
        if place is None or row == EMPTY_ROW or row.arity != len(self._told):
            return None
        return decode_field(self._types, row, place)

    def _text(self, field: DataField, value: Any) -> str | None:
        if value is None:
            return None
        return cast_text(field.type, value) if self.opened.sight.tells(field.name) else HIDDEN

    def _truncated(self, field: DataField, bounds: Sequence[Any]) -> bool | None:
        if not self.opened.sight.tells(field.name) or all(bound is None for bound in bounds):
            return None
        most = self._cut_at.get(field.id)
        return most is not None and any(isinstance(b, (str, bytes)) and len(b) >= most for b in bounds)


def _fields(schema: TableSchema, names: Sequence[str] | None) -> tuple[DataField, ...]:
    """The columns with these names, in their order; all if there are none."""
    if names is None:
        return schema.fields
    known = {field.name: field for field in schema.fields}
    return tuple(known[name] for name in names if name in known)
