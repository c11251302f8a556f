"""Read a file of an older (or newer) schema as the schema that is asked for. Spec: 09, 4.

Columns are matched by field id, never by name: an added column is null in old files, a
dropped one is not read, a renamed or moved one is found, one of another type is cast.
Inside ROW the same holds for its members; ARRAY elements and MAP values follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from core.arrow import arrow_field, arrow_schema, arrow_type
from core.errors import UnsupportedError
from core.schema.casts import cast_column, check_cast
from core.types import (
    ArrayType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    type_to_text,
)

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs

_nulls: Any = pa.nulls  # its stubs want the type spelled out


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """How the columns `targets` come out of a file that holds `sources`.

    `sources[i]` is the file's column for `targets[i]`, None where the file has none.
    """

    targets: tuple[DataField, ...]
    sources: tuple[DataField | None, ...]

    @property
    def file_fields(self) -> tuple[DataField, ...]:
        """The columns to read from the file."""
        return tuple(source for source in self.sources if source is not None)

    @property
    def is_identity(self) -> bool:
        return all(
            source is not None and source.name == target.name and _same(source.type, target.type)
            for source, target in zip(self.sources, self.targets, strict=True)
        )

    def apply(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch of `file_fields` as a batch of `targets`, rows unchanged in number and order."""
        return pa.RecordBatch.from_arrays(self.apply_columns(batch), schema=arrow_schema(self.targets))

    def apply_columns(self, batch: pa.RecordBatch) -> list[Column]:
        """The columns of `apply`."""
        columns = []
        for target, source in zip(self.targets, self.sources, strict=True):
            if source is None:
                columns.append(_nulls(batch.num_rows, arrow_type(target.type)))
            else:
                columns.append(_evolve(batch.column(source.name), source.type, target.type))
        return columns


def map_fields(targets: Sequence[DataField], file_fields: Sequence[DataField]) -> FieldMapping:
    """The mapping from all columns of a file's schema to the columns that a read wants.

    Raises:
        UnsupportedError: a type has changed in a way that we do not cast; both are named.
    """
    by_id = {field.id: field for field in file_fields}
    sources = tuple(by_id.get(target.id) for target in targets)
    for target, source in zip(targets, sources, strict=True):
        if source is not None:
            _check(source.type, target.type, target.name)
    return FieldMapping(tuple(targets), sources)


def _same(source: DataType, target: DataType) -> bool:
    """Whether values need no change; names and nullability inside a type are part of its Arrow form."""
    return source.with_nullability(True) == target.with_nullability(True)


def _check(source: DataType, target: DataType, name: str) -> None:
    match source, target:
        case RowType(), RowType():
            for mapped, field in _members(source, target):
                if mapped is not None:
                    _check(mapped.type, field.type, f"{name}.{field.name}")
        case ArrayType(), ArrayType():
            _check(source.element, target.element, f"{name}.element")
        case MapType(), MapType():
            if not _same(source.key, target.key):
                raise _refused(source, target, name)
            _check(source.value, target.value, f"{name}.value")
        case (MultisetType(), _) | (_, MultisetType()) | (VectorType(), _) | (_, VectorType()):
            if not _same(source, target):
                raise _refused(source, target, name)
        case _:
            check_cast(source, target)


def _refused(source: DataType, target: DataType, name: str) -> UnsupportedError:
    feature = f"cast from {type_to_text(source)} to {type_to_text(target)}"
    return UnsupportedError("this change of a column's type is not read", feature=feature, where=name)


def _members(source: RowType, target: RowType) -> list[tuple[DataField | None, DataField]]:
    by_id = {field.id: field for field in source.fields}
    return [(by_id.get(field.id), field) for field in target.fields]


def _evolve(column: Column, source: DataType, target: DataType) -> Column:
    if _same(source, target):
        return column
    match source, target:
        case RowType(), RowType():
            return _evolve_row(column, source, target)
        case ArrayType(), ArrayType():
            elements = _evolve(column.values, source.element, target.element)
            return _with_child(column, arrow_type(target), elements)
        case MapType(), MapType():
            kind: Any = arrow_type(target)
            items = _evolve(column.items, source.value, target.value)
            entries = pa.StructArray.from_arrays(
                [column.keys, items], fields=[kind.key_field, kind.item_field]
            )
            return _with_child(column, kind, entries)
        case _:
            return cast_column(column, source, target)


def _evolve_row(column: Column, source: RowType, target: RowType) -> Column:
    children = []
    for mapped, field in _members(source, target):
        if mapped is None:
            children.append(_nulls(len(column), arrow_type(field.type)))
        else:
            children.append(_evolve(column.field(mapped.name), mapped.type, field.type))
    fields = [arrow_field(field) for field in target.fields]
    return pa.StructArray.from_arrays(children, fields=fields, mask=column.is_null())


def _with_child(column: Column, kind: pa.DataType, child: Column) -> Column:
    """The same lists over other elements; `child` has all elements, whatever slice `column` is."""
    return pa.Array.from_buffers(
        kind, len(column), column.buffers()[:2], column.null_count, column.offset, children=[child]
    )


def retyped(old: DataType, new: DataType) -> bool:
    """Whether values inside have another type; members that were added or dropped do not count."""
    match old, new:
        case RowType(), RowType():
            now = {field.id: field.type for field in new.fields}
            return any(field.id in now and retyped(field.type, now[field.id]) for field in old.fields)
        case ArrayType(), ArrayType():
            return retyped(old.element, new.element)
        case MultisetType(), MultisetType():
            return retyped(old.element, new.element)
        case MapType(), MapType():
            return retyped(old.key, new.key) or retyped(old.value, new.value)
    return old.with_nullability(True) != new.with_nullability(True)
