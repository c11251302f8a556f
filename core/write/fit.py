"""How the columns of a source fit a table, before a row is read. Pure.

A job writes with explicit casts (Spark's, in ANSI mode: a value that does not fit fails the
job), so a source of text can fill any scalar column. What no cast can do is a blocker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import MappingProxyType

from core.errors import InvalidRequestError
from core.schema.table_schema import TableSchema
from core.types import type_to_text
from core.types.data_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)


class FitKind(StrEnum):
    SAME = "same"
    CAST = "cast"  # values are cast; one that does not fit fails the job
    DEFAULT = "default"  # not in the source: the column's default value
    MISSING = "missing"  # not in the source: null
    REQUIRED = "required"  # not in the source, and NOT NULL
    IMPOSSIBLE = "impossible"  # no cast leads from one type to the other
    UNKNOWN = "unknown"  # in the source, and not in the table


BLOCKERS = frozenset({FitKind.REQUIRED, FitKind.IMPOSSIBLE, FitKind.UNKNOWN})


@dataclass(frozen=True, slots=True)
class ColumnFit:
    """One column of the table, or one of the source that the table has not."""

    column: str
    kind: FitKind
    source: str | None  # the column of the source; its case may differ
    source_type: str | None
    table_type: str | None


@dataclass(frozen=True, slots=True)
class SchemaFit:
    columns: tuple[ColumnFit, ...]  # of the table in its order, then the unknown ones

    @property
    def blockers(self) -> tuple[ColumnFit, ...]:
        return tuple(c for c in self.columns if c.kind in BLOCKERS)

    def check(self) -> None:
        """Raise InvalidRequestError naming the first blocker, if there is any."""
        for column in self.blockers:
            raise InvalidRequestError(
                "the source does not fit the table",
                column=column.column,
                problem=column.kind.value,
                source_type=column.source_type,
                table_type=column.table_type,
                source_columns=", ".join(c.source for c in self.columns if c.source is not None),
            )

    def to_json(self) -> list[dict[str, str | None]]:
        return [{**asdict(column), "kind": column.kind.value} for column in self.columns]


def fit_schema(source: Sequence[DataField], table: TableSchema) -> SchemaFit:
    """How the columns `source` fill the columns of `table`, by name; upper and lower case are alike
    where the exact name does not exist."""
    found = {field.name: _source_of(field.name, source) for field in table.fields}
    used = {field.name for field in found.values() if field is not None}
    fits = [_fit(field, found[field.name]) for field in table.fields]
    unknown = [
        ColumnFit(f.name, FitKind.UNKNOWN, f.name, type_to_text(f.type), None)
        for f in source
        if f.name not in used
    ]
    return SchemaFit((*fits, *unknown))


def _source_of(name: str, source: Sequence[DataField]) -> DataField | None:
    exact = [field for field in source if field.name == name]
    alike = exact or [field for field in source if field.name.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def _fit(field: DataField, source: DataField | None) -> ColumnFit:
    table_type = type_to_text(field.type)
    if source is None:
        return ColumnFit(field.name, _absent(field), None, None, table_type)
    return ColumnFit(
        field.name, _cast(source.type, field.type), source.name, type_to_text(source.type), table_type
    )


def _absent(field: DataField) -> FitKind:
    if field.default_value is not None:
        return FitKind.DEFAULT
    return FitKind.MISSING if field.type.nullable else FitKind.REQUIRED


def _cast(source: DataType, target: DataType) -> FitKind:
    if source.with_nullability(True) == target.with_nullability(True):
        return FitKind.SAME
    return FitKind.CAST if can_cast(source, target) else FitKind.IMPOSSIBLE


_FAMILY: Mapping[type[DataType], str] = MappingProxyType(
    {
        **dict.fromkeys((TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType), "number"),
        DecimalType: "number",
        BooleanType: "boolean",
        **dict.fromkeys((CharType, VarCharType), "text"),
        **dict.fromkeys((BinaryType, VarBinaryType), "bytes"),
        **dict.fromkeys((DateType, TimestampType, LocalZonedTimestampType), "moment"),
        TimeType: "time",
    }
)
_CASTS = frozenset(
    {
        *((family, family) for family in _FAMILY.values()),
        *(("text", family) for family in ("number", "boolean", "moment")),
        *((family, "text") for family in ("number", "boolean", "moment")),
        ("text", "bytes"),
    }
)


def can_cast(source: DataType, target: DataType) -> bool:
    """Whether values of one type can be cast to the other."""
    match source, target:
        case ArrayType(), ArrayType():
            return can_cast(source.element, target.element)
        case MapType(), MapType():
            return can_cast(source.key, target.key) and can_cast(source.value, target.value)
        case MapType(), MultisetType():
            return can_cast(source.key, target.element) and can_cast(source.value, IntType())
        case RowType(), RowType():
            return [f.name for f in source.fields] == [f.name for f in target.fields] and all(
                can_cast(a.type, b.type) for a, b in zip(source.fields, target.fields, strict=True)
            )
    pair = (_FAMILY.get(type(source), "?"), _FAMILY.get(type(target), "!"))
    return pair in _CASTS
