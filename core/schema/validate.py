"""Whether a schema makes sense; asked at creation and at every change. Spec: 09, 5; 01, 6 and 13."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    CHANGELOG_PRODUCER,
    DATA_EVOLUTION_ENABLED,
    DELETION_VECTORS_ENABLED,
    FULL_COMPACTION_DELTA_COMMITS,
    MERGE_ENGINE,
    ROW_TRACKING_ENABLED,
    ROWKIND_FIELD,
    SEQUENCE_FIELD,
    SNAPSHOT_NUM_RETAINED_MAX,
    SNAPSHOT_NUM_RETAINED_MIN,
    STREAMING_READ_OVERWRITE,
    TARGET_FILE_ROW_NUM,
    ChangelogProducer,
    MergeEngine,
    TableOptions,
)
from core.schema.table_schema import TableSchema
from core.types import BlobType, GeographyType, GeometryType, VariantType, type_to_text
from core.types.data_types import DataField

_SYSTEM_NAMES = frozenset({"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"})
_KEY_PREFIX = "_KEY_"
_POSTPONE = -2


def validate(schema: TableSchema) -> None:
    """Pass a schema that may be written; what is legal is not always what we can read or write.

    Raises:
        InvalidRequestError: the first rule of Paimon that the schema breaks.
    """
    options = TableOptions(schema.options)
    options.check()
    for rule in _RULES:
        for problem in rule(schema, options):
            raise problem


def _columns(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    names = schema.field_names
    if not names:
        yield InvalidRequestError("a table needs a column")
    for name in names:
        if not name:
            yield InvalidRequestError("a column needs a name")
        if names.count(name) > 1:
            yield InvalidRequestError("two columns have the same name", column=name)
        if name in _SYSTEM_NAMES or name.startswith(_KEY_PREFIX):
            yield InvalidRequestError("the name is reserved for columns of the format", column=name)


def _keys(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for kind, keys in (("partition", schema.partition_keys), ("primary", schema.primary_keys)):
        for name in keys:
            if keys.count(name) > 1:
                yield InvalidRequestError(f"a column is named twice in the {kind} key", column=name)
            if _cannot_be_key(schema.field(name)):
                data_type = type_to_text(schema.field(name).type)
                yield InvalidRequestError(f"no type for a {kind} key", column=name, type=data_type)
    if schema.primary_keys and not schema.trimmed_primary_keys:
        yield InvalidRequestError(
            "the primary key needs a column beyond the partition keys",
            primary_key=", ".join(schema.primary_keys),
        )


def _buckets(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    bucket, given = options.get(BUCKET), schema.options.get("bucket-key", "").strip()
    if bucket == 0 or bucket < _POSTPONE:
        yield InvalidRequestError("bucket must be positive, -1 or -2", bucket=bucket)
    if bucket == _POSTPONE and not schema.primary_keys:
        yield InvalidRequestError("bucket -2 needs a primary key", bucket=bucket)
    if bucket < 0 and given:
        yield InvalidRequestError(
            "bucket-key needs a fixed number of buckets", bucket=bucket, bucket_key=given
        )
    if bucket > 0 and not schema.bucket_keys:
        yield InvalidRequestError("an append table with buckets needs the option bucket-key", bucket=bucket)
    if bucket == -1 and not schema.primary_keys and options.get(FULL_COMPACTION_DELTA_COMMITS) is not None:
        yield InvalidRequestError("full-compaction.delta-commits needs buckets", bucket=bucket)


def _bucket_keys(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for name in schema.bucket_keys if schema.options.get("bucket-key") else ():
        if _cannot_be_key(schema.field(name)):
            data_type = type_to_text(schema.field(name).type)
            yield InvalidRequestError("no type for a bucket key", column=name, type=data_type)
        if name in schema.partition_keys:
            yield InvalidRequestError("a bucket key cannot be a partition key", column=name)
        if schema.primary_keys and name not in schema.primary_keys:
            yield InvalidRequestError("a bucket key must be part of the primary key", column=name)


def _changelog(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    producer = options.get(CHANGELOG_PRODUCER)
    if producer is not ChangelogProducer.NONE and not schema.primary_keys:
        yield InvalidRequestError("changelog-producer needs a primary key", changelog_producer=producer)
    repeats = producer in (ChangelogProducer.FULL_COMPACTION, ChangelogProducer.LOOKUP)
    if options.get(STREAMING_READ_OVERWRITE) and repeats:
        yield InvalidRequestError("streaming-read-overwrite repeats changes", changelog_producer=producer)
    if options.get(DELETION_VECTORS_ENABLED) and producer is ChangelogProducer.FULL_COMPACTION:
        yield InvalidRequestError("deletion vectors go with no such changelog", changelog_producer=producer)


def _merging(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if not schema.primary_keys:
        return
    engine, producer = options.get(MERGE_ENGINE), options.get(CHANGELOG_PRODUCER)
    sequence = options.get(SEQUENCE_FIELD)
    if engine is MergeEngine.FIRST_ROW:
        if producer not in (ChangelogProducer.NONE, ChangelogProducer.LOOKUP):
            yield InvalidRequestError("first-row makes no such changelog", changelog_producer=producer)
        if sequence:
            yield InvalidRequestError("first-row goes without sequence.field", columns=",".join(sequence))
        if options.get(DELETION_VECTORS_ENABLED):
            yield InvalidRequestError("first-row goes without deletion vectors")
    if schema.is_cross_partition and sequence:
        yield InvalidRequestError("sequence.field needs the partition keys in the primary key")
    for name in sequence:
        schema.field(name)
        if sequence.count(name) > 1:
            yield InvalidRequestError("a column is named twice in sequence.field", column=name)
    row_kind = options.get(ROWKIND_FIELD)
    if row_kind is not None:
        schema.field(row_kind)


def _field_options(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for key in schema.options:
        if not key.startswith("fields.") or key.count(".") < 2 or key == "fields.default-aggregate-function":
            continue
        for name in key.split(".")[1].split(","):
            if name not in schema.field_names:
                yield InvalidRequestError("an option names no column", option=key, column=name)


def _retention(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    least, most = options.get(SNAPSHOT_NUM_RETAINED_MIN), options.get(SNAPSHOT_NUM_RETAINED_MAX)
    if least < 1 or least > most:
        yield InvalidRequestError(
            "snapshot.num-retained.min must be from 1 to snapshot.num-retained.max", min=least, max=most
        )
    if options.get(TARGET_FILE_ROW_NUM) < 1:
        yield InvalidRequestError("target-file-row-num must be positive")


def _row_tracking(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    tracked = options.get(ROW_TRACKING_ENABLED)
    if tracked and schema.primary_keys:
        yield InvalidRequestError("row tracking goes without a primary key")
    if tracked and options.get(BUCKET) != -1:
        yield InvalidRequestError("row tracking needs bucket -1", bucket=options.get(BUCKET))
    if options.get(DATA_EVOLUTION_ENABLED) and not tracked:
        yield InvalidRequestError("data-evolution.enabled needs row-tracking.enabled")


def _cannot_be_key(field: DataField) -> bool:
    opaque = (VariantType, BlobType, GeometryType, GeographyType)
    return field.type.is_nested or isinstance(field.type, opaque)


_Rule = Callable[[TableSchema, TableOptions], Iterator[InvalidRequestError]]

_RULES: tuple[_Rule, ...] = (
    _columns,
    _keys,
    _buckets,
    _bucket_keys,
    _changelog,
    _merging,
    _field_options,
    _retention,
    _row_tracking,
)
