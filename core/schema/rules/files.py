"""What files hold: formats, indexes, times of records, row ids; and how long snapshots stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from core.errors import InvalidRequestError
from core.options import (
    BRANCH_MERGE_ENABLED,
    BUCKET,
    BUCKET_APPEND_ORDERED,
    CHANGELOG_NUM_RETAINED_MAX,
    CHANGELOG_NUM_RETAINED_MIN,
    CLUSTERING_INCREMENTAL,
    DATA_EVOLUTION_ENABLED,
    DELETION_VECTORS_ENABLED,
    FILE_FORMAT,
    FILE_FORMAT_PER_LEVEL,
    MANIFEST_SORT_ENABLED,
    MANIFEST_SORT_PARTITION_FIELD,
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
    BlobType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
    VariantType,
    VectorType,
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
_PLACES = (GeometryType, GeographyType)
_NOT_HELD: Mapping[str, tuple[type[DataType], ...]] = MappingProxyType(
    {"orc": (VariantType, VectorType, *_PLACES), "avro": (VariantType, *_PLACES)}
)
_PREFIX, _SUFFIX = "file-index.", ".columns"


def formats(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    """Of formats by level Paimon asks only this: whether avro holds the digits of a timestamp."""
    named = options.get(FILE_FORMAT).lower()
    later = {text.lower() for text in options.get(FILE_FORMAT_PER_LEVEL).values()}
    for field in schema.fields:
        for kind in inner_types(field.type):
            too_fine = isinstance(kind, _TIMESTAMPS) and kind.precision > _AVRO_TIMESTAMP
            if "avro" in {named, *later} and too_fine:
                yield _not_held("avro", "timestamps", field, kind)
            if isinstance(kind, _NOT_HELD.get(named, ())):
                yield _not_held(named, "types", field, kind)


def _not_held(file_format: str, what: str, field: DataField, kind: DataType) -> InvalidRequestError:
    return InvalidRequestError(
        f"{file_format} files hold no such {what}", column=field.name, type=type_to_text(kind)
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
    blobs = [field.name for field in schema.fields if isinstance(field.type, BlobType)]
    if blobs and not schema.primary_keys and not options.get(DATA_EVOLUTION_ENABLED):
        yield InvalidRequestError("a BLOB column needs data-evolution.enabled", column=blobs[0])
    if blobs and len(blobs) == len(schema.fields):
        yield InvalidRequestError("a table of BLOB columns needs another column", columns=", ".join(blobs))


def clustering(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if not options.get(CLUSTERING_INCREMENTAL):
        return
    if schema.primary_keys:
        yield InvalidRequestError("clustering.incremental goes without a primary key")
    if options.get(BUCKET) != -1 and options.get(BUCKET_APPEND_ORDERED):
        yield InvalidRequestError("clustering.incremental of buckets needs bucket-append-ordered = false")
    if options.get(BUCKET) != -1 and options.get(DELETION_VECTORS_ENABLED):
        yield InvalidRequestError("clustering.incremental of buckets goes without deletion vectors")


def merged_branches(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if not options.get(BRANCH_MERGE_ENABLED):
        return
    if schema.primary_keys:
        yield InvalidRequestError("branch-merge.enabled goes without a primary key")
    if options.get(DELETION_VECTORS_ENABLED):
        yield InvalidRequestError("branch-merge.enabled goes without deletion vectors")


def sorted_manifests(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if not options.get(MANIFEST_SORT_ENABLED):
        return
    if not schema.partition_keys and not options.get(DATA_EVOLUTION_ENABLED):
        yield InvalidRequestError("manifest-sort.enabled needs partitions")
    name = options.get(MANIFEST_SORT_PARTITION_FIELD)
    if name and name not in schema.partition_keys:
        yield InvalidRequestError("manifests are sorted by a partition key", column=name)


def other_branches(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    fallback, primary = options.get(SCAN_FALLBACK_BRANCH), options.get(SCAN_PRIMARY_BRANCH)
    if fallback is not None and primary is not None:
        yield InvalidRequestError(
            "a branch comes before or after this one, not both", fallback=fallback, primary=primary
        )
