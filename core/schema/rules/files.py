"""What files hold: formats, indexes, times of records, row ids; and how long snapshots stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    CHANGELOG_NUM_RETAINED_MAX,
    CHANGELOG_NUM_RETAINED_MIN,
    CLUSTERING_INCREMENTAL,
    DATA_EVOLUTION_ENABLED,
    FILE_FORMAT,
    FILE_FORMAT_PER_LEVEL,
    RECORD_LEVEL_EXPIRE_TIME,
    RECORD_LEVEL_TIME_FIELD,
    ROW_TRACKING_ENABLED,
    SCAN_FALLBACK_BRANCH,
    SCAN_PRIMARY_BRANCH,
    SNAPSHOT_NUM_RETAINED_MAX,
    SNAPSHOT_NUM_RETAINED_MIN,
    TARGET_FILE_ROW_NUM,
    TableOptions,
)
from core.schema.table_schema import TableSchema
from core.types import (
    BigIntType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
    inner_types,
    type_to_text,
)
from core.types.data_types import BinaryType, VarBinaryType

_TEXTS = (CharType, VarCharType)
_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_TIMESTAMPS = (TimestampType, LocalZonedTimestampType)
_TIMES = (DateType, TimeType, *_TIMESTAMPS)
_NUMBERS = (*_INTEGERS, FloatType, DoubleType)
_INDEXED: Mapping[str, tuple[type[DataType], ...]] = MappingProxyType(
    {
        "bloom-filter": (*_TEXTS, BinaryType, VarBinaryType, *_NUMBERS, *_TIMES),
        "bitmap": (*_TEXTS, BooleanType, *_NUMBERS, *_TIMES),
        "bsi": (*_INTEGERS, *_TIMES, DecimalType),
        "range-bitmap": (*_TEXTS, BooleanType, *_NUMBERS, *_TIMES, DecimalType),
    }
)
_AVRO_TIMESTAMP = 6  # digits of a second
_PREFIX, _SUFFIX = "file-index.", ".columns"


def formats(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    named = {options.get(FILE_FORMAT).lower(), *map(str.lower, options.get(FILE_FORMAT_PER_LEVEL).values())}
    if "avro" not in named:
        return
    for field in schema.fields:
        for kind in inner_types(field.type):
            if isinstance(kind, _TIMESTAMPS) and kind.precision > _AVRO_TIMESTAMP:
                yield InvalidRequestError(
                    "avro files hold no such timestamps", column=field.name, type=type_to_text(kind)
                )


def file_indexes(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    """Columns exist, and the index has a form for their values. Spec: 05, 4 to 8."""
    for key, value in schema.options.items():
        if not (key.startswith(_PREFIX) and key.endswith(_SUFFIX)):
            continue
        kind = key.removeprefix(_PREFIX).removesuffix(_SUFFIX)
        for name in filter(None, map(str.strip, value.split(","))):
            indexed = _indexed_type(schema, key, name)
            if kind in _INDEXED and not isinstance(indexed, _INDEXED[kind]):
                yield InvalidRequestError(
                    "the index has no form for the column's type",
                    option=key,
                    column=name,
                    type=type_to_text(indexed),
                )


def _indexed_type(schema: TableSchema, option: str, name: str) -> DataType:
    """The type of a column, or of the values of a MAP in it: `tags[colour]`."""
    if name in schema.field_names or not name.endswith("]"):
        return schema.field(name).type
    outer = schema.field(name.partition("[")[0]).type
    if not (isinstance(outer, MapType) and isinstance(outer.key, _TEXTS)):
        raise InvalidRequestError(
            "only keys of a MAP with text keys are indexed",
            option=option,
            column=name,
            type=type_to_text(outer),
        )
    return outer.value


def record_times(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if options.get(RECORD_LEVEL_EXPIRE_TIME) is None:
        return
    name = options.get(RECORD_LEVEL_TIME_FIELD)
    if name is None:
        yield InvalidRequestError(
            "record-level.expire-time needs a column", option=RECORD_LEVEL_TIME_FIELD.key
        )
    elif not isinstance(schema.field(name).type, (IntType, BigIntType, *_TIMESTAMPS)):
        yield InvalidRequestError(
            "no type for a record's time", column=name, type=type_to_text(schema.field(name).type)
        )


def retention(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    pairs = (
        ("snapshot", options.get(SNAPSHOT_NUM_RETAINED_MIN), options.get(SNAPSHOT_NUM_RETAINED_MAX)),
        ("changelog", options.get(CHANGELOG_NUM_RETAINED_MIN), options.get(CHANGELOG_NUM_RETAINED_MAX)),
    )
    for what, least, most in pairs:
        if (least is not None and least < 1) or (least is not None and most is not None and least > most):
            yield InvalidRequestError(
                f"{what}.num-retained.min must be from 1 to {what}.num-retained.max", min=least, max=most
            )
    if options.get(TARGET_FILE_ROW_NUM) < 1:
        yield InvalidRequestError("target-file-row-num must be positive")


def row_tracking(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    tracked = options.get(ROW_TRACKING_ENABLED)
    if tracked and schema.primary_keys:
        yield InvalidRequestError("row tracking goes without a primary key")
    if tracked and options.get(BUCKET) != -1:
        yield InvalidRequestError("row tracking needs bucket -1", bucket=options.get(BUCKET))
    if options.get(DATA_EVOLUTION_ENABLED) and not tracked:
        yield InvalidRequestError("data-evolution.enabled needs row-tracking.enabled")
    if options.get(DATA_EVOLUTION_ENABLED) and options.get(CLUSTERING_INCREMENTAL):
        yield InvalidRequestError("data evolution goes without clustering.incremental")


def other_branches(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    fallback, primary = options.get(SCAN_FALLBACK_BRANCH), options.get(SCAN_PRIMARY_BRANCH)
    if fallback is not None and primary is not None:
        yield InvalidRequestError(
            "a branch comes before or after this one, not both", fallback=fallback, primary=primary
        )
