"""What a job is asked: the spec file, both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.jobs.json_fields import (
    Fields,
    boolean,
    bucket_number,
    enum_of,
    integer,
    list_of,
    map_of,
    matching,
    one_of,
    partition_spec,
    text,
    text_map,
    wrong,
)
from core.jobs.resources import Resources, read_resources, resources_to_json

SPEC_VERSION = 1
_USER_PREFIX = "lakescope-"
_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VIEW_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def commit_user(job_id: str) -> str:
    """The commit user of a job: every snapshot that the job makes carries it, also after a retry."""
    return f"{_USER_PREFIX}{job_id}"


def job_of_commit_user(user: str) -> str | None:
    """The id of the job that committed as `user`; None if no job of ours did."""
    return user[len(_USER_PREFIX) :] if user.startswith(_USER_PREFIX) else None


class SourceFormat(StrEnum):
    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


class WriteMode(StrEnum):
    APPEND = "append"  # on a primary-key table: upsert
    OVERWRITE = "overwrite"


class CompactStrategy(StrEnum):
    FULL = "full"  # every bucket to its top level
    MINOR = "minor"  # what the universal rule picks


@dataclass(frozen=True, slots=True)
class PathSource:
    """Files that Spark reads: one file, a folder or a glob."""

    path: str
    format: SourceFormat
    options: Mapping[str, str] = field(default_factory=dict)  # of Spark's reader, e.g. header for csv


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A Spark SQL query over the given views; no catalog is visible to it."""

    sql: str
    views: Mapping[str, PathSource] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WriteJob:
    """Add the rows of `source` to the table, or replace partitions by them."""

    source: PathSource | QuerySource
    mode: WriteMode = WriteMode.APPEND
    static_partition: Mapping[str, str | None] | None = None
    # for overwrite: None replaces exactly the partitions that the new rows touch,
    # {} the whole table, {"dt": "2026-11-20"} that partition even if no row is written to it
    row_kind_column: str | None = None  # column of the source holding +I, -U, +U or -D

    def __post_init__(self) -> None:
        if self.static_partition is not None and self.mode is not WriteMode.OVERWRITE:
            raise InvalidRequestError(
                "a static partition belongs to mode overwrite",
                field="write.static_partition",
                found=f"mode {self.mode.value}",
            )


@dataclass(frozen=True, slots=True)
class CompactJob:
    """Merge the files of buckets; the rows of the table stay the same."""

    strategy: CompactStrategy = CompactStrategy.FULL
    partitions: tuple[Mapping[str, str | None], ...] | None = None  # specs, may be partial; None: all
    buckets: tuple[int, ...] | None = None  # None: all


@dataclass(frozen=True, slots=True)
class RollbackJob:
    """Remove the snapshots newer than the target. Exactly one of `snapshot` and `tag` is given."""

    snapshot: int | None = None
    tag: str | None = None
    guard: bool = True  # keep the present state in a tag and a branch first
    history: tuple[str, ...] | None = None
    # `id~identity` of the target and of all snapshots to be removed, oldest first, as the plan
    # saw them: the job refuses to start if the table's latest snapshot is none of these.

    def __post_init__(self) -> None:
        if (self.snapshot is None) == (self.tag is None):
            raise InvalidRequestError(
                "give exactly one of snapshot and tag as the target", field="rollback.snapshot"
            )


Work = WriteJob | CompactJob | RollbackJob


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job: where, on which table, and what. `kind` is `write`, `compact` or `rollback`."""

    job_id: str
    catalog: Mapping[str, str]  # what `open_catalog` takes: `warehouse` and options
    table: str  # `db.table` or `db.table$branch_b`
    work: Work
    spark: Resources = field(default_factory=Resources)

    @property
    def kind(self) -> str:
        return _KIND_OF[type(self.work)]

    @property
    def commit_user(self) -> str:
        return commit_user(self.job_id)


def decode_job_spec(data: bytes | str) -> JobSpec:
    """The job that a spec file asks for.

    Raises:
        InvalidRequestError: not JSON, or a field is unknown, missing or wrong; `field` names it.
    """
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the job spec is not JSON", cause=str(error)) from error
    return job_spec_from_json(parsed)


def job_spec_from_json(value: object) -> JobSpec:
    """As `decode_job_spec`, of parsed JSON."""
    spec = Fields.of(value, "")
    version = spec.optional("version", integer) or SPEC_VERSION
    if version != SPEC_VERSION:
        raise InvalidRequestError(
            "unknown version of the job spec", field="version", expected=SPEC_VERSION, found=version
        )
    job_id = spec.take("job_id", matching(_JOB_ID, "letters, digits, '.', '_' and '-'"))
    catalog = spec.take("catalog", text_map)
    if "warehouse" not in catalog:
        raise InvalidRequestError("the catalog has no warehouse", field="catalog.warehouse")
    table = spec.take("table", _table_name)
    kind = spec.take("kind", one_of(tuple(_READ_WORK)))
    work = _READ_WORK[kind](spec.take(kind, Fields.of))
    spark = spec.optional("spark", read_resources) or Resources()
    spec.done()
    return JobSpec(job_id, catalog, table, work, spark)


def job_spec_to_json(spec: JobSpec) -> dict[str, object]:
    """The JSON object of a spec; `job_spec_from_json` turns it back."""
    spark = resources_to_json(spec.spark)
    return {
        "version": SPEC_VERSION,
        "kind": spec.kind,
        "job_id": spec.job_id,
        "catalog": dict(spec.catalog),
        "table": spec.table,
        spec.kind: _plain(spec.work),
        **({"spark": spark} if spark else {}),
    }


def encode_job_spec(spec: JobSpec) -> str:
    """The text of a spec file."""
    return json.dumps(job_spec_to_json(spec), indent=2, ensure_ascii=False)


def _table_name(value: object, path: str) -> str:
    name = text(value, path)
    try:
        identifier = Identifier.parse(name)
    except InvalidRequestError as error:
        raise wrong(path, "database.table", value) from error
    if identifier.system is not None:
        raise wrong(path, "a table, not a system table", value)
    return name


def _source(value: object, path: str) -> PathSource | QuerySource:
    fields = Fields.of(value, path)
    if ("path" in fields.values) == ("sql" in fields.values):
        raise InvalidRequestError("give exactly one of path and sql as the source", field=path)
    if "path" in fields.values:
        return _path_source(value, path)
    sql = fields.take("sql", text)
    views = fields.optional("views", map_of(_path_source)) or {}
    fields.done()
    for name in views:
        if not _VIEW_NAME.fullmatch(name):
            raise wrong(f"{path}.views", "names of letters, digits and _", name)
    return QuerySource(sql, views)


def _path_source(value: object, path: str) -> PathSource:
    fields = Fields.of(value, path)
    source = PathSource(
        path=fields.take("path", text),
        format=fields.take("format", enum_of(SourceFormat)),
        options=fields.optional("options", text_map) or {},
    )
    fields.done()
    return source


def _write_job(fields: Fields) -> WriteJob:
    job = WriteJob(
        source=fields.take("source", _source),
        mode=fields.optional("mode", enum_of(WriteMode)) or WriteMode.APPEND,
        static_partition=fields.optional("static_partition", partition_spec),
        row_kind_column=fields.optional("row_kind_column", text),
    )
    fields.done()
    return job


def _compact_job(fields: Fields) -> CompactJob:
    job = CompactJob(
        strategy=fields.optional("strategy", enum_of(CompactStrategy)) or CompactStrategy.FULL,
        partitions=fields.optional("partitions", list_of(partition_spec)),
        buckets=fields.optional("buckets", list_of(bucket_number)),
    )
    fields.done()
    return job


def _rollback_job(fields: Fields) -> RollbackJob:
    guard = fields.optional("guard", boolean)
    job = RollbackJob(
        snapshot=fields.optional("snapshot", integer),
        tag=fields.optional("tag", text),
        guard=True if guard is None else guard,
        history=fields.optional("history", list_of(text)),
    )
    fields.done()
    return job


_READ_WORK: Mapping[str, Callable[[Fields], Work]] = MappingProxyType(
    {"write": _write_job, "compact": _compact_job, "rollback": _rollback_job}
)
_KIND_OF = {WriteJob: "write", CompactJob: "compact", RollbackJob: "rollback"}


def _plain(value: Work) -> dict[str, Any]:
    return {name: member for name, member in asdict(value).items() if member is not None}
