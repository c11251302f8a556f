"""What a job is asked: the spec file, both ways, and its JSON Schema.

A kind of job is one row of `KINDS`: its name and the dataclass that says what it may be asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Annotated, Any

from core.errors import InvalidRequestError
from core.jobs import file_jobs as files
from core.jobs import history_jobs as history
from core.jobs import lake_jobs as lake
from core.jobs import layout_jobs as layout
from core.jobs import row_jobs as rows
from core.jobs.declared import AtLeast, meaning_of, members, read_object, refuse_unknown
from core.jobs.json_schema import DRAFT, object_schema
from core.jobs.resources import Resources, resources_to_json
from core.jobs.values import AnyText, JobId, TableName
from core.jobs.work import Work

SPEC_VERSION = 1
_USER_PREFIX = "lakescope-"

KINDS: Mapping[str, type[Work]] = MappingProxyType(
    {
        "write": rows.WriteJob,
        "delete": rows.DeleteJob,
        "update": rows.UpdateJob,
        "merge-into": rows.MergeIntoJob,
        "refresh": lake.RefreshJob,
        "read-view": lake.ReadViewJob,
        "compact": layout.CompactJob,
        "compact-database": layout.CompactDatabaseJob,
        "sort-compact": layout.SortCompactJob,
        "rescale": layout.RescaleJob,
        "analyze": layout.AnalyzeJob,
        "rewrite-file-index": layout.RewriteFileIndexJob,
        "compact-manifests": layout.CompactManifestsJob,
        "drop-partitions": layout.DropPartitionsJob,
        "expire-partitions": layout.ExpirePartitionsJob,
        "mark-partitions-done": layout.MarkPartitionsDoneJob,
        "alter-options": layout.AlterOptionsJob,
        "rollback": history.RollbackJob,
        "restore": history.RestoreJob,
        "expire-snapshots": history.ExpireSnapshotsJob,
        "expire-changelogs": history.ExpireChangelogsJob,
        "create-tag": history.CreateTagJob,
        "replace-tag": history.ReplaceTagJob,
        "rename-tag": history.RenameTagJob,
        "delete-tags": history.DeleteTagsJob,
        "expire-tags": history.ExpireTagsJob,
        "auto-tags": history.AutoTagsJob,
        "create-branch": history.CreateBranchJob,
        "rename-branch": history.RenameBranchJob,
        "delete-branch": history.DeleteBranchJob,
        "fast-forward": history.FastForwardJob,
        "reset-consumer": history.ResetConsumerJob,
        "clear-consumers": history.ClearConsumersJob,
        "expire-consumers": history.ExpireConsumersJob,
        "remove-orphan-files": files.RemoveOrphanFilesJob,
        "remove-missing-files": files.RemoveMissingFilesJob,
        "repair-hints": files.RepairHintsJob,
        "purge": files.PurgeJob,
        "verify": files.VerifyJob,
        "clone": files.CloneJob,
        "migrate": files.MigrateJob,
    }
)
"""Every kind of job, and what it may be asked."""

WITHOUT_TABLE = frozenset({"compact-database"})
"""Kinds that are about more than one table: their specs name none."""

_KIND_OF = {work: kind for kind, work in KINDS.items()}


def commit_user(job_id: str) -> str:
    """The commit user of a job: every snapshot that the job makes carries it, also after a retry."""
    return f"{_USER_PREFIX}{job_id}"


def job_of_commit_user(user: str) -> str | None:
    """The id of the job that committed as `user`; None if no job of ours did."""
    return user[len(_USER_PREFIX) :] if user.startswith(_USER_PREFIX) else None


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job: where, on which table, and what."""

    job_id: str
    catalog: Mapping[str, str]  # what `open_catalog` takes: `warehouse` and options
    table: str  # `db.table` or `db.table$branch_b`; empty for a kind that is about more than one
    work: Work
    spark: Resources = field(default_factory=Resources)

    @property
    def kind(self) -> str:
        """The name of what is to be done, of `KINDS`."""
        return _KIND_OF[type(self.work)]

    @property
    def commit_user(self) -> str:
        return commit_user(self.job_id)


@dataclass(frozen=True, slots=True)
class _Head:
    """What every spec has beside the member that its kind names."""

    job_id: Annotated[JobId, "snapshots carry it in their commit user, lakescope-JOB_ID"]
    catalog: Annotated[Mapping[AnyText, AnyText], "what core.open_catalog takes: warehouse, and options"]
    kind: Annotated[str, "what is to be done; a member of that name says the rest"]
    table: Annotated[TableName | None, "database.table, or database.table$branch_NAME"] = None
    version: Annotated[int, AtLeast(1), "of this contract"] = SPEC_VERSION
    spark: Annotated[Resources | None, "what the job gets of the cluster"] = None


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
    if not isinstance(value, dict):
        raise InvalidRequestError("the job spec is no object", found=repr(value)[:100])
    kind = value.get("kind")
    if isinstance(kind, str) and kind not in KINDS:
        expected = " or ".join(KINDS)
        raise InvalidRequestError("no such kind of job", field="kind", expected=expected, found=kind[:100])
    known = {member.name for member in members(_Head)}
    head = read_object(_Head, {name: value[name] for name in value.keys() & known}, "")
    _check_head(head)
    part = value.get(head.kind)
    if part is None:
        raise InvalidRequestError("the job spec lacks a field", field=head.kind)
    work = read_object(KINDS[head.kind], part, head.kind)
    refuse_unknown({name for name in value.keys() - known - {head.kind} if value[name] is not None}, "")
    return JobSpec(head.job_id, head.catalog, head.table or "", work, head.spark or Resources())


def _check_head(head: _Head) -> None:
    if head.version != SPEC_VERSION:
        raise InvalidRequestError(
            "unknown version of the job spec", field="version", expected=SPEC_VERSION, found=head.version
        )
    if not head.catalog.get("warehouse", "").strip():
        raise InvalidRequestError("the catalog has no warehouse", field="catalog.warehouse")
    if (head.table is None) != (head.kind in WITHOUT_TABLE):
        what = "lacks a field" if head.table is None else "names a table, and is about more than one"
        raise InvalidRequestError(f"the job spec {what}", field="table", kind=head.kind)


def job_spec_to_json(spec: JobSpec) -> dict[str, object]:
    """The JSON object of a spec; `job_spec_from_json` turns it back."""
    spark = resources_to_json(spec.spark)
    return {
        "version": SPEC_VERSION,
        "kind": spec.kind,
        "job_id": spec.job_id,
        "catalog": dict(spec.catalog),
        **({"table": spec.table} if spec.table else {}),
        spec.kind: _plain(spec.work),
        **({"spark": spark} if spark else {}),
    }


def encode_job_spec(spec: JobSpec) -> str:
    """The text of a spec file."""
    return json.dumps(job_spec_to_json(spec), indent=2, ensure_ascii=False)


def _plain(value: Work) -> dict[str, Any]:
    members: dict[str, Any] = asdict(value)  # type: ignore[call-overload]  # every Work is a dataclass
    return {name: member for name, member in members.items() if member is not None}


def spec_schema() -> dict[str, object]:
    """The JSON Schema of spec files."""
    definitions: dict[str, Any] = {}
    object_schema(_Head, definitions)
    head = definitions.pop(_Head.__name__)
    parts = {kind: object_schema(work, definitions) for kind, work in KINDS.items()}
    known = head["properties"]
    catalog = {**known["catalog"], "required": ["warehouse"]}
    version = {**known["version"], "maximum": SPEC_VERSION}
    return {
        "$schema": DRAFT,
        "title": "A job on Paimon tables",
        "description": "What `python -m spark_jobs KIND SPEC.json` is asked.",
        "type": "object",
        "properties": {**known, "catalog": catalog, "version": version, **parts},
        "required": head["required"],
        "oneOf": [_kind_schema(kind, list(known)) for kind in KINDS],
        "$defs": definitions,
    }


def _kind_schema(kind: str, head: Sequence[str]) -> dict[str, object]:
    """What the kind asks of the members: the one of its name, and no other kind's."""
    names = [name for name in head if name != "table" or kind not in WITHOUT_TABLE]
    return {
        "title": kind,
        "description": meaning_of(KINDS[kind]),
        "properties": {"kind": {"const": kind}},
        "required": [kind, *({"table"} & set(names))],
        "propertyNames": {"enum": [*names, kind]},
    }
