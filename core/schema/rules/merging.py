"""How versions of a key are merged, and what changes are told. Spec: 06, 3.4 and 4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import InvalidRequestError
from core.options import (
    CHANGELOG_PRODUCER,
    CLUSTERING_COLUMNS,
    DEFAULT_AGGREGATE_FUNCTION,
    DELETION_VECTORS_ENABLED,
    FULL_COMPACTION_DELTA_COMMITS,
    IGNORE_DELETE,
    MERGE_ENGINE,
    PARTIAL_UPDATE_REMOVE_ON_DELETE,
    PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP,
    PK_CLUSTERING_OVERRIDE,
    PRIMARY_KEY_NULLABLE,
    RECORD_LEVEL_EXPIRE_TIME,
    ROWKIND_FIELD,
    SEQUENCE_FIELD,
    SEQUENCE_SNAPSHOT_ORDERING,
    STREAMING_READ_OVERWRITE,
    WRITE_ONLY,
    ChangelogProducer,
    MergeEngine,
    TableOptions,
)
from core.schema.table_schema import TableSchema

AGGREGATE_FUNCTIONS = frozenset(
    {
        "sum",
        "product",
        "min",
        "max",
        "last_value",
        "last_non_null_value",
        "first_value",
        "first_non_null_value",
        "first_not_null_value",
        "bool_and",
        "bool_or",
        "listagg",
        "collect",
        "merge_map",
        "merge_map_with_keytime",
        "nested_update",
        "nested_partial_update",
        "rbm32",
        "rbm64",
        "hll_sketch",
        "theta_sketch",
        "primary-key",
    }
)
"""Every function that Paimon knows, whether we compute it or not; `primary-key` is what a key column has."""

_GROUP = ".sequence-group"
_TOLD_ON_WRITE = (ChangelogProducer.NONE, ChangelogProducer.INPUT)


def changelog(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    producer = options.get(CHANGELOG_PRODUCER)
    if producer is not ChangelogProducer.NONE and not schema.primary_keys:
        yield InvalidRequestError("changelog-producer needs a primary key", changelog_producer=producer)
    repeats = producer in (ChangelogProducer.FULL_COMPACTION, ChangelogProducer.LOOKUP)
    if options.get(STREAMING_READ_OVERWRITE) and repeats:
        yield InvalidRequestError("streaming-read-overwrite repeats changes", changelog_producer=producer)
    if options.get(STREAMING_READ_OVERWRITE) and not schema.primary_keys:
        yield InvalidRequestError(
            "streaming-read-overwrite needs a primary key", instead="streaming-read-append-overwrite"
        )
    if options.is_set(FULL_COMPACTION_DELTA_COMMITS) and producer is ChangelogProducer.LOOKUP:
        yield InvalidRequestError(
            "full-compaction.delta-commits goes with no such changelog", changelog_producer=producer
        )
    if options.get(DELETION_VECTORS_ENABLED) and producer is ChangelogProducer.FULL_COMPACTION:
        yield InvalidRequestError("deletion vectors go with no such changelog", changelog_producer=producer)


def merge_engine(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if not schema.primary_keys:
        return
    engine, producer = options.get(MERGE_ENGINE), options.get(CHANGELOG_PRODUCER)
    if engine is MergeEngine.FIRST_ROW:
        if producer not in (ChangelogProducer.NONE, ChangelogProducer.LOOKUP):
            yield InvalidRequestError("first-row makes no such changelog", changelog_producer=producer)
        if options.get(SEQUENCE_FIELD):
            yield InvalidRequestError("first-row goes without sequence.field")
        if options.get(DELETION_VECTORS_ENABLED) and not options.get(PK_CLUSTERING_OVERRIDE):
            yield InvalidRequestError("first-row goes without deletion vectors")
    row_kind = options.get(ROWKIND_FIELD)
    if row_kind is not None:
        schema.field(row_kind)


def sequence_field(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    columns = options.get(SEQUENCE_FIELD) if schema.primary_keys else ()
    if columns and schema.is_cross_partition:
        yield InvalidRequestError("sequence.field needs the partition keys in the primary key")
    for name in columns:
        schema.field(name)
        if columns.count(name) > 1:
            yield InvalidRequestError("a column is named twice in sequence.field", column=name)
        if options.of_field(name, "aggregate-function") is not None:
            yield InvalidRequestError("a column of sequence.field is not aggregated", column=name)


def own_order(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    """Versions ordered by snapshot, files by other columns than the key; keys that may be null."""
    if options.get(PRIMARY_KEY_NULLABLE) and not schema.primary_keys:
        yield InvalidRequestError("primary-key.nullable needs a primary key")
    if options.get(SEQUENCE_SNAPSHOT_ORDERING):
        conflicts = (
            ("needs a primary key", not schema.primary_keys),
            ("goes without sequence.field", bool(options.get(SEQUENCE_FIELD))),
            ("needs write-only", not options.get(WRITE_ONLY)),
        )
        yield from _problems(SEQUENCE_SNAPSHOT_ORDERING.key, conflicts)
    if options.get(PK_CLUSTERING_OVERRIDE):
        engine, producer = options.get(MERGE_ENGINE), options.get(CHANGELOG_PRODUCER)
        first_row = engine is MergeEngine.FIRST_ROW
        clashes = (
            ("needs clustering.columns", not options.get(CLUSTERING_COLUMNS)),
            ("needs deletion vectors", not options.get(DELETION_VECTORS_ENABLED) and not first_row),
            ("goes without record-level.expire-time", options.get(RECORD_LEVEL_EXPIRE_TIME) is not None),
            ("needs another merge-engine", engine is not MergeEngine.DEDUPLICATE and not first_row),
            ("goes without sequence.field", bool(options.get(SEQUENCE_FIELD))),
            ("needs another changelog-producer", producer not in _TOLD_ON_WRITE),
        )
        yield from _problems(PK_CLUSTERING_OVERRIDE.key, clashes)


def _problems(option: str, conflicts: Iterable[tuple[str, bool]]) -> Iterator[InvalidRequestError]:
    yield from (InvalidRequestError(f"{option} {what}", option=option) for what, clash in conflicts if clash)


def partial_update(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if options.get(MERGE_ENGINE) is not MergeEngine.PARTIAL_UPDATE:
        return
    groups = [key for key in schema.options if key.startswith("fields.") and key.endswith(_GROUP)]
    remove, ignore = options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE), options.get(IGNORE_DELETE)
    of_groups = options.get(PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP)
    conflicts = (
        (IGNORE_DELETE.key, PARTIAL_UPDATE_REMOVE_ON_DELETE.key, ignore and remove),
        (IGNORE_DELETE.key, PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP.key, ignore and bool(of_groups)),
        ("sequence-group", PARTIAL_UPDATE_REMOVE_ON_DELETE.key, bool(groups) and remove),
    )
    for option, other, clash in conflicts:
        if clash:
            yield InvalidRequestError(
                "two options say different things of deletes", option=option, other=other
            )
    sequence = {
        name for key in groups for name in key.removeprefix("fields.").removesuffix(_GROUP).split(",")
    }
    for name in of_groups:
        if name not in sequence:
            yield InvalidRequestError(
                "the column orders no sequence group",
                option=PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP.key,
                column=name,
            )


def aggregate_functions(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if options.get(MERGE_ENGINE) not in (MergeEngine.AGGREGATION, MergeEngine.PARTIAL_UPDATE):
        return
    given = {DEFAULT_AGGREGATE_FUNCTION.key: options.get(DEFAULT_AGGREGATE_FUNCTION)}
    given |= {
        f"fields.{name}.aggregate-function": options.of_field(name, "aggregate-function")
        for name in schema.field_names
    }
    for option, function in given.items():
        if function is not None and function not in AGGREGATE_FUNCTIONS:
            yield InvalidRequestError("no such aggregate function", option=option, function=function)
