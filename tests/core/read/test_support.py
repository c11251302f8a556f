"""What is not read is refused by name; the list is `core.read.support`."""

from __future__ import annotations

import pytest

from core.errors import UnsupportedError
from core.read.support import check_files, check_readable, unread_features
from tests.builders import schema

OPTIONS = {
    "sequence.snapshot-ordering": ("true", "sequence.snapshot-ordering"),
    "pk-clustering-override": ("true", "pk-clustering-override"),
    "blob-descriptor-field": ("v", "blob-descriptor-field = v (blobs that lie elsewhere)"),
    "type": ("format-table", "type = format-table"),
    "chain-table.enabled": ("true", "chain-table.enabled"),
}


@pytest.mark.parametrize("key", sorted(OPTIONS))
def test_an_option_that_changes_rows_is_refused(key: str) -> None:
    value, feature = OPTIONS[key]
    with pytest.raises(UnsupportedError) as refusal:
        check_readable(schema(primary_keys=["k"], options={key: value}))
    assert refusal.value.fields["feature"] == feature


@pytest.mark.parametrize("text", ["ARRAY<BLOB>", "MAP<INT, BLOB>", "ROW<x BLOB>"])
def test_blobs_inside_of_other_types_are_refused(text: str) -> None:
    with pytest.raises(UnsupportedError) as refusal:
        check_readable(schema({"c": text}))
    assert refusal.value.fields["feature"] == "type BLOB inside of column c"


def test_a_file_format_is_refused_with_the_file() -> None:
    with pytest.raises(UnsupportedError, match=r"file format lance, where=data-1\.lance"):
        check_files(["data-0.parquet", "data-1.lance"])


@pytest.mark.parametrize("engine", ["aggregation", "partial-update"])
def test_an_aggregate_function_that_is_not_there_is_named(engine: str) -> None:
    options = {"fields.k2.sequence-group": "v"} if engine == "partial-update" else {}
    options |= {"merge-engine": engine, "fields.v.aggregate-function": "rbm64"}
    columns = {"k": "INT", "k2": "INT", "v": "BYTES"}
    (feature,) = unread_features(schema(columns, primary_keys=["k"], options=options))
    assert feature == "aggregate-function rbm64 of column v BYTES"


def test_what_changes_no_row_is_read() -> None:
    harmless = {
        "changelog-producer": "lookup",
        "file-index.bloom-filter.columns": "k",
        "deletion-vectors.enabled": "true",
        "force-lookup": "true",
        "ignore-delete": "true",
        "sequence.field": "v",
        "scan.mode": "latest-full",
        "scan.fallback-branch": "b",
        "bucket": "-2",
        "global-index.enabled": "true",
    }
    assert list(unread_features(schema(primary_keys=["k"], options=harmless))) == []


def test_row_tracking_and_every_type_at_any_depth_are_read() -> None:
    columns = {
        "a": "BLOB",
        "b": "VARIANT",
        "c": "VECTOR<FLOAT, 3>",
        "d": "ARRAY<ROW<x VARIANT>>",
        "e": "GEOMETRY",
    }
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    assert list(unread_features(schema(columns, options=options))) == []


def test_merging_options_do_not_matter_to_append_tables() -> None:
    assert list(unread_features(schema(options={"merge-engine": "aggregation"}))) == []
