"""System tables of three writers, brought to the columns and text forms of the newest Paimon.

One fact is printed in three ways: Java 0.9.0 shows a partition as `[a]` and a file by its bare name,
pypaimon 2.1.0 shows `k=a` and statistics as JSON, pypaimon-rust 0.4.0 names a column otherwise. Each
writer's habits are one table below. A column that an answer lacks, or that a copy of the warehouse cannot
keep (`NOT_KEPT`), is absent from the normalised answer: compare the columns that it has, and rows as a
multiset.

Spec: 04, B.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Answer = dict[str, Any]  # columns and rows
Values = tuple[str | None, ...]  # of one partition, as `partition.legacy-name = true` prints them

NEWEST: Mapping[str, tuple[str, ...]] = {
    "snapshots": (
        *("snapshot_id", "schema_id", "commit_user", "commit_identifier", "commit_kind", "commit_time"),
        *("base_manifest_list", "delta_manifest_list", "changelog_manifest_list", "total_record_count"),
        *("delta_record_count", "changelog_record_count", "watermark", "next_row_id", "operation"),
        "writer_version",
    ),
    "schemas": (
        *("schema_id", "fields", "partition_keys", "primary_keys", "options", "comment", "update_time"),
    ),
    "options": ("key", "value"),
    "manifests": (
        *("file_name", "file_size", "num_added_files", "num_deleted_files", "schema_id"),
        *("min_partition_stats", "max_partition_stats", "min_row_id", "max_row_id"),
    ),
    "files": (
        *("partition", "bucket", "file_path", "file_format", "schema_id", "level", "record_count"),
        *("file_size_in_bytes", "min_key", "max_key", "null_value_counts", "min_value_stats"),
        *("max_value_stats", "min_sequence_number", "max_sequence_number", "creation_time"),
        *("deleteRowCount", "file_source", "first_row_id", "write_cols"),
    ),
    "partitions": (
        *("partition", "record_count", "file_size_in_bytes", "file_count", "last_update_time"),
        *("created_at", "created_by", "updated_by", "options", "total_buckets", "done"),
        "deleted_record_count",
    ),
    "buckets": (
        *("partition", "bucket", "record_count", "file_size_in_bytes", "file_count", "last_update_time"),
    ),
    "tags": (
        *("tag_name", "snapshot_id", "schema_id", "commit_time", "record_count", "create_time"),
        "time_retained",
    ),
    "branches": ("branch_name", "create_time"),
    "consumers": ("consumer_id", "next_snapshot_id"),
    "table_indexes": (
        *("partition", "bucket", "index_type", "file_name", "file_size", "row_count", "dv_ranges"),
        *("row_range_start", "row_range_end", "index_field_id", "index_field_name"),
    ),
    "file_key_ranges": (
        *("partition", "bucket", "file_path", "file_format", "schema_id", "level", "record_count"),
        *("file_size_in_bytes", "min_key", "max_key", "first_row_id"),
    ),
    "aggregation_fields": ("field_name", "field_type", "function", "function_options", "comment"),
    "statistics": ("snapshot_id", "schema_id", "mergedRecordCount", "mergedRecordSize", "colstat"),
}

_FOLDER_TIME = "the time of a folder, which a copy of the warehouse does not keep"
_SECONDS = "pypaimon prints it cut to the second"
_OWN_COUNT = "not _TOTAL_BUCKETS of the manifest but a count of its own"

# Per writer: `table.column`, and why its answer is no evidence.
NOT_KEPT: Mapping[str, Mapping[str, str]] = {
    "java09": {"branches.create_time": _FOLDER_TIME},
    "pypaimon21": {
        "branches.create_time": _FOLDER_TIME,
        "files.creation_time": _SECONDS,
        "buckets.last_update_time": _SECONDS,
        "partitions.total_buckets": _OWN_COUNT,
    },
    "rust04": {"branches.create_time": _FOLDER_TIME, "partitions.total_buckets": _OWN_COUNT},
}


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What it takes to reprint a partition or a file: the table's partition keys and where its files lie."""

    partition_types: Mapping[str, str]  # SQL text of the type, by key in order
    default_name: str  # of a partition without a value
    file_paths: Mapping[str, str] = field(default_factory=dict)  # `${WAREHOUSE}/...`, by file name

    @classmethod
    def of(cls, expected: Mapping[str, Any], warehouse: Path) -> TableFacts:
        """The facts of an expected file of the corpora and the warehouse that it speaks of."""
        schemas = expected["system"]["schemas"]
        latest = dict(zip(schemas["columns"], schemas["rows"][-1], strict=True))
        types = {column["name"]: column["type"] for column in json.loads(latest["fields"])}
        options = json.loads(latest["options"])
        return cls(
            {key: types[key] for key in json.loads(latest["partition_keys"])},
            options.get("partition.default-name", "__DEFAULT_PARTITION__"),
            {
                path.name: f"${{WAREHOUSE}}/{path.relative_to(warehouse)}"
                for path in (warehouse / expected["path"]).rglob("bucket-*/*")
            },
        )


def normalised(writer: str, table: str, answer: Answer, facts: TableFacts) -> Answer:
    """A writer's answer in the newest columns and text forms; fewer columns where it has fewer.

    `writer` is a folder of the corpora: java09, pypaimon21 or rust04.
    """
    given = [_RENAMED.get(writer, {}).get(f"{table}.{name}", name) for name in answer["columns"]]
    kept = [name for name in NEWEST[table] if name in given and f"{table}.{name}" not in NOT_KEPT[writer]]
    reprint = [_reprinter(writer, table, name, facts) for name in kept]
    places = [given.index(name) for name in kept]
    rows = [[p(row[i]) for p, i in zip(reprint, places, strict=True)] for row in answer["rows"]]
    return {"columns": kept, "rows": rows}


def partition_row_form(values: Values, facts: TableFacts) -> str:
    """`{a, b}`: how $files, $buckets and $manifests name a partition."""
    types = facts.partition_types.values()
    return "{" + ", ".join(_cast_text(v, t) for v, t in zip(values, types, strict=True)) + "}"


def partition_path_form(values: Values, facts: TableFacts) -> str:
    """`k=a/l=b`: how $partitions names a partition; not escaped, and dates as dates."""
    names = [
        _cast_text(value, sql) if value and value.strip() else facts.default_name
        for value, sql in zip(values, facts.partition_types.values(), strict=True)
    ]
    return "/".join(f"{key}={name}" for key, name in zip(facts.partition_types, names, strict=True))


# --------------------------------------------------------------------- what each writer does otherwise

_Reprint = Callable[[Any, TableFacts], Any]


def _reprinter(writer: str, table: str, column: str, facts: TableFacts) -> Callable[[Any], Any]:
    rule = _REPRINTED[writer].get(f"{table}.{column}")
    return (lambda value: rule(value, facts)) if rule else (lambda value: value)


def _full_path(name: str, facts: TableFacts) -> str:
    return facts.file_paths[name]


def _java_values(text: str, facts: TableFacts) -> Values:
    """`[a, b]`; a single value may itself hold the comma."""
    inner = text[1:-1]
    if len(facts.partition_types) < 2:
        parts = [inner] if facts.partition_types else []
    else:
        parts = inner.split(", ")
    return tuple(None if part == "null" else part for part in parts)


def _pypaimon_values(text: str | None, facts: TableFacts) -> Values:
    """`k=a/l=b` with values unescaped and dates as dates; null is None or __NULL__, no keys are null."""
    pattern = "/".join(f"{re.escape(key)}=(.*)" for key in facts.partition_types)
    found = re.fullmatch(pattern, text or "", re.DOTALL)
    assert found is not None, f"{text!r} does not name {list(facts.partition_types)}"
    types = facts.partition_types.values()
    return tuple(
        None if value in ("None", "__NULL__") else _legacy_text(value, sql)
        for value, sql in zip(found.groups(), types, strict=True)
    )


def _pypaimon_stats(text: str, facts: TableFacts) -> str:
    members = json.loads(text)
    shown = [f"{name}={'null' if members[name] is None else members[name]}" for name in sorted(members)]
    return "{" + ", ".join(shown) + "}"


def _pypaimon_source(text: str | None, facts: TableFacts) -> str | None:
    return None if text is None else {"0": "APPEND", "1": "COMPACT"}[text]


def _row_form(values: Callable[[Any, TableFacts], Values]) -> _Reprint:
    return lambda text, facts: partition_row_form(values(text, facts), facts)


def _path_form(values: Callable[[Any, TableFacts], Values]) -> _Reprint:
    return lambda text, facts: partition_path_form(values(text, facts), facts)


_REPRINTED: Mapping[str, Mapping[str, _Reprint]] = {
    "java09": {
        "files.partition": _row_form(_java_values),
        "files.file_path": _full_path,
        "partitions.partition": _path_form(_java_values),
    },
    "pypaimon21": {
        "files.partition": _row_form(_pypaimon_values),
        "files.file_path": _full_path,
        "files.null_value_counts": _pypaimon_stats,
        "files.min_value_stats": _pypaimon_stats,
        "files.max_value_stats": _pypaimon_stats,
        "files.file_source": _pypaimon_source,
        "partitions.partition": _path_form(_pypaimon_values),
        "buckets.partition": _row_form(_pypaimon_values),
        "table_indexes.partition": _row_form(_pypaimon_values),
        "file_key_ranges.partition": _row_form(_pypaimon_values),
    },
    "rust04": {},
}
_RENAMED: Mapping[str, Mapping[str, str]] = {"rust04": {"files.delete_row_count": "deleteRowCount"}}


# ------------------------------------------------------------------------- the two texts of one value


def _cast_text(legacy: str | None, sql: str) -> str:
    """A value's text after a cast to STRING, from its legacy text: they differ for dates and times."""
    if legacy is None:
        return "null"
    if sql.startswith("DATE"):
        return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=int(legacy)))
    if sql.startswith("TIMESTAMP"):
        moment, _, fraction = legacy.partition(".")
        day, _, time = moment.partition("T")
        digits = int(sql.partition("(")[2].partition(")")[0] or 6)
        seconds = time if time.count(":") == 2 else f"{time}:00"
        return f"{day} {seconds}" + (f".{fraction.ljust(digits, '0')[:digits]}" if digits else "")
    return legacy


def _legacy_text(cast: str, sql: str) -> str:
    if sql.startswith("DATE"):
        return str((datetime.date.fromisoformat(cast) - datetime.date(1970, 1, 1)).days)
    return cast
