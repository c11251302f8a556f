"""The schema of incoming rows merged into that of a table: `write.merge-schema`. Spec: 09, 3.

Nothing of the table goes away or moves: columns that the rows lack stay, new ones come last and
are nullable. A type that differs stays too, and the values are cast when they are written, unless
types are to be widened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

from core.errors import InvalidRequestError
from core.schema.create import FieldIds
from core.schema.table_schema import TableSchema
from core.types import (
    ArrayType,
    BinaryType,
    CharType,
    DataField,
    DataType,
    DecimalType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)
from core.types.casts import CastKind, cast_kind

Fields: TypeAlias = tuple[DataField, ...]

_SIZED = (CharType, VarCharType, BinaryType, VarBinaryType)
_PRECISE = (TimeType, TimestampType, LocalZonedTimestampType)


@dataclass(frozen=True, slots=True)
class MergeRules:
    """How far a table follows what is written to it."""

    type_widening: bool = False  # the type of a column that exists becomes that of the rows
    explicit_casts: bool = False  # also where values may change: DOUBLE to INT, STRING to DATE
    case_sensitive: bool = True  # whether `V` is another column than `v`


DEFAULT_RULES = MergeRules()


class Refusal(StrEnum):
    """Why a type is not replaced by that of the rows."""

    TYPES = "types"
    SCALE = "scale"
    LENGTH = "length"
    PRECISION = "precision"


_REFUSALS = MappingProxyType(
    {
        Refusal.TYPES: "the types do not merge",
        Refusal.SCALE: "decimals of different scale do not merge",
        Refusal.LENGTH: "the new type has a smaller length",
        Refusal.PRECISION: "the new type has a smaller precision",
    }
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A column of the table whose type the incoming rows have otherwise, and which keeps it."""

    path: tuple[str, ...]
    table_type: DataType
    rows_type: DataType
    refusal: Refusal | None  # None: types are not to be widened, so values are cast


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a merge would make of a schema; nothing of it is written."""

    schema: TableSchema  # the next one; the same object where the table can hold the columns already
    disagreements: tuple[Disagreement, ...]  # in the order of the table's columns

    @property
    def refused(self) -> tuple[Disagreement, ...]:
        """For any of these `merge_schema` would raise."""
        return tuple(one for one in self.disagreements if one.refusal is not None)


def propose_merge(
    schema: TableSchema, incoming: Sequence[DataField], rules: MergeRules, *, time_millis: int
) -> Proposal:
    """As `merge_schema`, but tells of all types that do not merge instead of raising at the first.

    Raises:
        InvalidRequestError: two columns of one name.
    """
    merge = _Merge(rules, FieldIds(schema.highest_field_id), collects=True)
    changed = _merged(schema, merge, incoming, time_millis)
    return Proposal(changed, tuple(merge.disagreements))


def retyped_keys(before: TableSchema, after: TableSchema) -> tuple[str, ...]:
    """Keys that have another type afterwards: rows of one key would lie in two buckets or partitions.

    Paimon's own writers let that happen.
    """
    keys = dict.fromkeys((*before.primary_keys, *before.partition_keys, *before.bucket_keys))
    return tuple(key for key in keys if before.field(key).type != after.field(key).type)


def merge_schema(
    schema: TableSchema, incoming: Sequence[DataField], rules: MergeRules, *, time_millis: int
) -> TableSchema:
    """The next schema, with id + 1, that can hold the incoming columns; the same object if it does already.

    Ids of the incoming fields do not matter, nor whether they are nullable.

    Raises:
        InvalidRequestError: two types that do not merge; names the column and both of them.
    """
    return _merged(schema, _Merge(rules, FieldIds(schema.highest_field_id)), incoming, time_millis)


def _merged(
    schema: TableSchema, merge: _Merge, incoming: Sequence[DataField], time_millis: int
) -> TableSchema:
    fields = merge.fields(schema.fields, tuple(incoming), ())
    if fields == schema.fields:
        return schema
    return replace(
        schema,
        version=3,
        id=schema.id + 1,
        fields=fields,
        highest_field_id=merge.ids.highest,
        time_millis=time_millis,
    )


@dataclass(frozen=True, slots=True)
class _Merge:
    rules: MergeRules
    ids: FieldIds
    collects: bool = False  # types that do not merge are noted, and those of the table stay
    disagreements: list[Disagreement] = field(default_factory=list)

    def fields(self, base: Fields, update: Fields, path: tuple[str, ...]) -> Fields:
        found = {self._key(f.name): f for f in update}
        self._check_distinct(base, update, path)
        kept = tuple(self._merged_field(f, found.get(self._key(f.name)), path) for f in base)
        known = {self._key(f.name) for f in base}
        return (*kept, *(self._new_field(f) for f in update if self._key(f.name) not in known))

    def _merged_field(self, base: DataField, update: DataField | None, path: tuple[str, ...]) -> DataField:
        if update is None:
            return base
        return replace(base, type=self.types(base.type, update.type, (*path, base.name)))

    def _new_field(self, field: DataField) -> DataField:
        """Nullable, as older rows have no value; the ids inside come before its own."""
        inner = self.ids.renumbered_type(field.type)
        self.ids.highest += 1
        return replace(field, id=self.ids.highest, type=inner.with_nullability(True))

    def types(self, base: DataType, update: DataType, path: tuple[str, ...]) -> DataType:
        """What becomes of `base`; whether it is nullable stays as it is."""
        match base, update:
            case RowType(), RowType():
                return replace(base, fields=self.fields(base.fields, update.fields, path))
            case ArrayType(), ArrayType():
                return replace(base, element=self.types(base.element, update.element, (*path, "element")))
            case MultisetType(), MultisetType():
                return replace(base, element=self.types(base.element, update.element, (*path, "element")))
            case MapType(), MapType():
                key = self.types(base.key, update.key, (*path, "key"))
                return replace(base, key=key, value=self.types(base.value, update.value, (*path, "value")))
        wanted = update.with_nullability(base.nullable)
        if wanted == base:
            return base
        if not self.rules.type_widening:
            self.disagreements.append(Disagreement(path, base, wanted, None))
            return base
        found = self._widened(base, wanted)
        if not isinstance(found, Refusal):
            return found
        if not self.collects:
            raise _unmerged(_REFUSALS[found], base, wanted, path)
        self.disagreements.append(Disagreement(path, base, wanted, found))
        return base

    def _widened(self, base: DataType, update: DataType) -> DataType | Refusal:
        if isinstance(base, DecimalType) and isinstance(update, DecimalType):
            if base.scale != update.scale:
                return Refusal.SCALE
            return replace(base, precision=max(base.precision, update.precision))
        if not self._may_cast(base, update):
            return Refusal.TYPES
        for size, refusal in _SIZES:
            before, after = size(base), size(update)
            if before is None or after is None or self.rules.explicit_casts or before <= after:
                continue
            return refusal
        return update

    def _may_cast(self, base: DataType, update: DataType) -> bool:
        kind = cast_kind(base, update)
        return kind is CastKind.IMPLICIT or (kind is CastKind.EXPLICIT and self.rules.explicit_casts)

    def _key(self, name: str) -> str:
        return name if self.rules.case_sensitive else name.lower()

    def _check_distinct(self, base: Fields, update: Fields, path: tuple[str, ...]) -> None:
        for fields in (base, update):
            name, count = Counter(self._key(f.name) for f in fields).most_common(1)[0] if fields else ("", 0)
            if count > 1:
                raise InvalidRequestError("two columns have the same name", column=".".join((*path, name)))


def _length(data_type: Any) -> int | None:
    return data_type.length if isinstance(data_type, _SIZED) else None


def _precision(data_type: Any) -> int | None:
    return data_type.precision if isinstance(data_type, _PRECISE) else None


_SIZES: tuple[tuple[Callable[[DataType], int | None], Refusal], ...] = (
    (_length, Refusal.LENGTH),
    (_precision, Refusal.PRECISION),
)


def _unmerged(what: str, base: DataType, update: DataType, path: tuple[str, ...]) -> InvalidRequestError:
    return InvalidRequestError(
        what, column=".".join(path), table=type_to_text(base), rows=type_to_text(update)
    )
