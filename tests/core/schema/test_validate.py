from __future__ import annotations

from typing import Any

import pytest

from core.errors import InvalidRequestError
from core.mergetree.aggregate.registry import _FUNCTIONS
from core.schema import validate
from core.schema.rules.merging import AGGREGATE_FUNCTIONS
from tests.builders import schema

COLUMNS = {
    "p": "INT",
    "k": "INT",
    "v": "STRING",
    "r": "ROW<a INT>",
    "t": "TIMESTAMP(9)",
    "m": "MAP<STRING, STRING>",
}
KEYED: dict[str, Any] = {"primary_keys": ["k"]}
PARTIAL = {"merge-engine": "partial-update"}
GROUP = {"fields.p.sequence-group": "v"}
REMOVES = {"partial-update.remove-record-on-sequence-group": "p"}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"partition_keys": ["p"]},
        {"options": {"bucket": "3", "bucket-key": "k,v"}},
        KEYED,
        {**KEYED, "options": {"bucket": "-2"}},
        {**KEYED, "options": {"bucket": "4", "merge-engine": "first-row", "changelog-producer": "lookup"}},
        {"primary_keys": ["k", "p"], "partition_keys": ["p"], "options": {"sequence.field": "v"}},
        {"primary_keys": ["k", "v"], "options": {"bucket": "2", "bucket-key": "v"}},
        {"options": {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}},
        {"options": {"some.unknown": "x", "fields.k.stats-mode": "none"}},
        {"options": {"file-index.bloom-filter.columns": "v, m[colour]", "file-index.later.columns": "r"}},
        {"options": {"record-level.expire-time": "1 d", "record-level.time-field": "t"}},
        {**KEYED, "options": {**PARTIAL, **GROUP, **REMOVES, "fields.v.aggregate-function": "rbm64"}},
    ],
)
def test_legal_schemas_pass(given: dict[str, Any]) -> None:
    validate(schema(COLUMNS, **given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"partition_keys": ["x"]}, "no such column"),
        ({"primary_keys": ["k", "k"]}, "named twice"),
        ({"primary_keys": ["r"]}, "no type for a primary key"),
        ({"partition_keys": ["r"]}, "no type for a partition key"),
        ({"primary_keys": ["k"], "partition_keys": ["k"]}, "beyond the partition keys"),
    ],
)
def test_keys_that_cannot_be_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(COLUMNS, **given))


@pytest.mark.parametrize(
    "name", ["_ROW_ID", "_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_KEY_x", ""]
)
def test_reserved_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError, match="name"):
        validate(schema({name: "INT"}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bucket": "0"}, "bucket"),
        ({"bucket": "-3"}, "bucket"),
        ({"bucket": "many"}, "option bucket"),
        ({"bucket": "-2"}, "primary key"),
        ({"bucket": "2"}, "bucket-key"),
        ({"bucket-key": "k"}, "bucket-key"),
        ({"bucket": "2", "bucket-key": "x"}, "no such column"),
        ({"bucket": "2", "bucket-key": "r"}, "no type for a bucket key"),
        ({"bucket": "2", "bucket-key": "p"}, "partition key"),
        ({"changelog-producer": "input"}, "primary key"),
        ({"snapshot.num-retained.min": "0"}, "num-retained"),
        ({"snapshot.num-retained.min": "9", "snapshot.num-retained.max": "8"}, "num-retained"),
        ({"target-file-row-num": "0"}, "target-file-row-num"),
        ({"fields.x.stats-mode": "none"}, "column=x"),
        ({"fields.k,x.sequence-group": "v"}, "column=x"),
        ({"row-tracking.enabled": "true", "bucket": "2", "bucket-key": "k"}, "bucket -1"),
        ({"data-evolution.enabled": "true"}, "row-tracking"),
        ({"merge-engine": "magic"}, "merge-engine"),
        ({"changelog.num-retained.min": "9", "changelog.num-retained.max": "8"}, "changelog.num-retained"),
        ({"streaming-read-overwrite": "true"}, "streaming-read-append-overwrite"),
        ({"file.format": "avro"}, "column=t"),
        ({"file.format.per.level": "0:avro"}, "column=t"),
        ({"file-index.bloom-filter.columns": "x"}, "no such column"),
        ({"file-index.bloom-filter.columns": "k,r"}, "column=r"),
        ({"file-index.bsi.columns": "v"}, "column=v"),
        ({"file-index.bitmap.columns": "v[a]"}, "MAP"),
        ({"file-index.bsi.columns": "m[a]"}, r"column=m\[a\]"),
        ({"record-level.expire-time": "1 d"}, "record-level.time-field"),
        ({"record-level.expire-time": "1 d", "record-level.time-field": "v"}, "column=v"),
        ({"scan.fallback-branch": "a", "scan.primary-branch": "b"}, "not both"),
    ],
)
def test_options_of_an_append_table_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(COLUMNS, partition_keys=["p"], options=options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"merge-engine": "first-row", "sequence.field": "v"}, "first-row"),
        ({"merge-engine": "first-row", "changelog-producer": "input"}, "first-row"),
        ({"merge-engine": "first-row", "deletion-vectors.enabled": "true"}, "first-row"),
        ({"sequence.field": "x"}, "no such column"),
        ({"sequence.field": "v,v"}, "named twice"),
        ({"rowkind.field": "x"}, "no such column"),
        ({"deletion-vectors.enabled": "true", "changelog-producer": "full-compaction"}, "deletion vectors"),
        ({"streaming-read-overwrite": "true", "changelog-producer": "lookup"}, "streaming-read-overwrite"),
        ({"row-tracking.enabled": "true"}, "primary key"),
        ({"bucket": "2", "bucket-key": "v"}, "part of the primary key"),
        ({"full-compaction.delta-commits": "2", "changelog-producer": "lookup"}, "delta-commits"),
        ({"sequence.field": "v", "fields.v.aggregate-function": "max"}, "not aggregated"),
        ({**PARTIAL, "ignore-delete": "true", "partial-update.remove-record-on-delete": "true"}, "deletes"),
        ({**PARTIAL, **GROUP, "partial-update.remove-record-on-delete": "true"}, "deletes"),
        ({**PARTIAL, **GROUP, **REMOVES, "ignore-delete": "true"}, "deletes"),
        ({**PARTIAL, **GROUP, "partial-update.remove-record-on-sequence-group": "v"}, "column=v"),
        ({**PARTIAL, "fields.v.aggregate-function": "magic"}, "function=magic"),
        ({"merge-engine": "aggregation", "fields.default-aggregate-function": "magic"}, "function=magic"),
    ],
)
def test_options_of_a_keyed_table_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(COLUMNS, primary_keys=["k"], options=options))


def test_a_sequence_field_needs_keys_that_stay_in_their_partition() -> None:
    crossing = schema(COLUMNS, primary_keys=["k"], partition_keys=["p"], options={"sequence.field": "v"})
    with pytest.raises(InvalidRequestError, match="partition keys"):
        validate(crossing)


def test_every_function_that_we_compute_may_be_named() -> None:
    assert set(_FUNCTIONS) <= AGGREGATE_FUNCTIONS


@pytest.mark.parametrize(
    ("file_format", "kind"),
    [("orc", "VARIANT"), ("orc", "VECTOR<FLOAT, 2>"), ("avro", "ARRAY<VARIANT>"), ("avro", "GEOMETRY")],
)
def test_a_format_that_has_no_form_for_a_type_is_refused(file_format: str, kind: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"{file_format} files hold no such types"):
        validate(schema({"k": "INT", "x": kind}, options={"file.format": file_format}))


EVOLVING = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"k": "INT", "b": "BLOB"}, {}, "needs data-evolution.enabled"),
        ({"k": "INT", "b": "BLOB"}, {"row-tracking.enabled": "true"}, "needs data-evolution.enabled"),
        ({"a": "BLOB", "b": "BLOB"}, EVOLVING, "needs another column"),
    ],
)
def test_blobs_need_their_surroundings(
    columns: dict[str, str], options: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(columns, options=options))
    validate(schema({"k": "INT", "b": "BLOB"}, options=EVOLVING))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scan.mode": "from-snapshot"}, "exactly one of the options of scan.mode from-snapshot"),
        ({"scan.mode": "from-timestamp", "scan.snapshot-id": "1"}, "scan.mode from-timestamp"),
        ({"scan.mode": "latest", "scan.tag-name": "t"}, "do not go with scan.mode latest"),
        ({"scan.snapshot-id": "1", "scan.timestamp-millis": "2"}, "do not go with"),
        ({"incremental-between": "1,2", "scan.snapshot-id": "1"}, "do not go with"),
        ({"primary-key.nullable": "true"}, "needs a primary key"),
        ({"sequence.snapshot-ordering": "true", "write-only": "true"}, "needs a primary key"),
        ({"table-read.sequence-number.enabled": "true"}, "only rows with a primary key"),
        ({"manifest-sort.enabled": "true"}, "needs partitions"),
        (
            {"clustering.incremental": "true", "bucket": "2", "bucket-key": "k"},
            "bucket-append-ordered = false",
        ),
    ],
)
def test_what_a_plain_table_cannot_have_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(COLUMNS, options=options))


CLUSTERED = {"pk-clustering-override": "true", "clustering.columns": "v", "deletion-vectors.enabled": "true"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sequence.snapshot-ordering": "true"}, "needs write-only"),
        (
            {"sequence.snapshot-ordering": "true", "write-only": "true", "sequence.field": "v"},
            "without sequence.field",
        ),
        ({**CLUSTERED, "clustering.columns": ""}, "needs clustering.columns"),
        ({**CLUSTERED, "deletion-vectors.enabled": "false"}, "needs deletion vectors"),
        ({**CLUSTERED, "merge-engine": "aggregation"}, "needs another merge-engine"),
        ({**CLUSTERED, "sequence.field": "v"}, "without sequence.field"),
        ({**CLUSTERED, "changelog-producer": "lookup"}, "needs another changelog-producer"),
        (
            {**CLUSTERED, "record-level.expire-time": "1 d", "record-level.time-field": "t"},
            "without record-level.expire-time",
        ),
        ({"clustering.incremental": "true"}, "without a primary key"),
    ],
)
def test_orders_that_exclude_each_other_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        validate(schema(COLUMNS, primary_keys=["k"], options=options))


@pytest.mark.parametrize("engine", ["deduplicate", "first-row"])
def test_files_may_be_ordered_by_other_columns_than_the_key(engine: str) -> None:
    validate(schema(COLUMNS, primary_keys=["k"], options={**CLUSTERED, "merge-engine": engine}))


def test_manifests_are_sorted_by_a_partition_key() -> None:
    options = {"manifest-sort.enabled": "true", "manifest-sort.partition-field": "k"}
    with pytest.raises(InvalidRequestError, match="column=k"):
        validate(schema(COLUMNS, partition_keys=["p"], options=options))
