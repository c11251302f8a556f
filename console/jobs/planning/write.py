"""Write: how the source's columns fit the table, and what an overwrite would replace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.inspector.cache import computed
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from console.inspector.typed import plain_of
from console.jobs.notices import notice
from console.jobs.planning.concerned import concerned, way_back
from console.jobs.planning.draft import Asked, Draft
from console.jobs.planning.places import SourceError, check_source
from console.jobs.planning.sources import Source, look_at
from console.jobs.planning.write_files import check_files_write, replaced_files
from console.jobs.proposing import propose, rules_of
from console.jobs.refusals import told
from core.arrow import fields_from_arrow
from core.errors import InvalidRequestError, UnsupportedError
from core.snapshot import Snapshot
from core.types import DataField, type_to_text
from core.write.fit import ColumnFit, FitKind, fit_schema
from core.write.partition_spec import parse_partition_spec
from core.write.support import check_writable

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_VERDICTS = {
    FitKind.SAME: "ok",
    FitKind.CAST: "cast",
    FitKind.DEFAULT: "missing",
    FitKind.MISSING: "missing",
    FitKind.REQUIRED: "incompatible",
    FitKind.IMPOSSIBLE: "incompatible",
    FitKind.UNKNOWN: "extra",
}
_BLOCKERS = {
    FitKind.REQUIRED: "column-required",
    FitKind.IMPOSSIBLE: "column-impossible",
    FitKind.UNKNOWN: "column-unknown",
}


def plan_write(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a write would add and replace.

    Raises:
        UnsupportedError: the table cannot be written by this release.
        InvalidRequestError: a partition that is none.
    """
    table = opened.table
    params, given = asked.params, asked.params["source"]
    plain = plain_of(opened)
    files = None if plain is None else check_files_write(plain, params)
    if files is None:
        check_writable(table.schema, table.options, table.home)
    overwrite = params["mode"] == "overwrite"
    try:
        check_source(given, asked.access)
        source = looked_at(given) if given["kind"] == "path" else Source(None)
        unreadable = []
    except SourceError as error:
        source, unreadable = Source(None), [notice("source-unreadable", reason=error)]
    fits, blockers, change = _fits(opened, source, params)
    unknown = "merge-unknown" if params.get("merge_schema") else "fit-unknown"
    warnings = [] if source.schema is not None or unreadable else [notice(unknown)]
    replaced: dict[str, Any] = dict.fromkeys(_REPLACED, 0)
    if overwrite:
        partition = params.get("partition")
        replaced = replaced_files(files, partition) if files else _replaced(opened, latest, partition)
    if overwrite and replaced["files_removed"] is None:
        warnings.append(notice("partitions-unknown"))
    affected = concerned(opened, latest)
    if files is not None:
        warnings.append(notice("files-for-good" if overwrite else "files-twice"))
    if overwrite:
        warnings += [notice("writer-clashes", ref=user) for user in affected["writers_affected"]]
    return Draft(
        level=(2 if files else 1) if overwrite else 0,  # files that are replaced do not come back
        work=_work(params, overwrite),
        effects={
            "kind": "write",
            "mode": params["mode"],
            "schema_fit": fits,
            "schema_change": change,
            "source_files": source.files,
            "source_rows": source.rows,
            "source_bytes": source.bytes,
            **replaced,
            "partitions": replaced["partitions"] if overwrite else None,
            **affected,
        },
        kept=_kept(overwrite, has_history=files is None),
        undo=way_back(opened, latest),
        warnings=warnings,
        blockers=[*unreadable, *blockers],
    )


def _kept(overwrite: bool, *, has_history: bool) -> list[str]:
    return [
        *([] if overwrite else ["rows"]),
        *(["history", "tags"] if has_history else []),
        "options",
    ]


def looked_at(given: dict[str, Any]) -> Source:
    """As `look_at`, once for all who ask at the same time."""
    return computed(("source", json.dumps(given, sort_keys=True)), lambda: look_at(given))


_REPLACED = ("files_removed", "bytes_removed", "rows_removed", "partitions")


def _work(params: dict[str, Any], overwrite: bool) -> dict[str, Any]:
    given = params["source"]
    if given["kind"] == "path":
        source = {name: given[name] for name in ("path", "format", "options") if given.get(name)}
    else:
        source = {"sql": given["query"], "views": given.get("views") or {}}
    work = {"source": source, "mode": params["mode"], "row_kind_column": params.get("row_kind_column")}
    if overwrite:
        work["static_partition"] = params.get("partition")
    work |= {name: True for name in ("merge_schema", "type_widening", "explicit_casts") if params.get(name)}
    return {name: value for name, value in work.items() if value is not None}


def _fits(
    opened: OpenTable, source: Source, params: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any] | None]:
    """How each column fits, what forbids the write, and what becomes of the table's schema."""
    schema = opened.table.schema
    if source.schema is None:
        return [_unknown(field.name, type_to_text(field.type)) for field in schema.fields], [], None
    columns = pa.schema([field for field in source.schema if field.name != params.get("row_kind_column")])
    try:
        fields = fields_from_arrow(columns)
        if params.get("merge_schema"):
            return _merged(opened, fields, params)
        fit = fit_schema(fields, schema)
    except (UnsupportedError, InvalidRequestError) as error:
        return [], [notice("source-unreadable", reason=told(error))], None
    blockers = [
        notice(
            _BLOCKERS[c.kind],
            ref=c.column,
            column=c.column,
            source_type=c.source_type,
            table_type=c.table_type,
        )
        for c in fit.blockers
    ]
    return [_shown(column) for column in fit.columns], blockers, None


def _merged(
    opened: OpenTable, fields: Sequence[DataField], params: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any] | None]:
    """The same of a write that merges the schema first."""
    proposed = propose(opened, fields, rules_of(params))
    fits = [_shown(column) for column in proposed.fit.columns]
    if proposed.schema.id == proposed.diff["from"]:
        return fits, proposed.problems, None
    names = ("from", "to", "summary", "rows")
    return fits, proposed.problems, {name: proposed.diff[name] for name in names}


def _unknown(column: str, table_type: str) -> dict[str, Any]:
    return {
        "column": column,
        "source_type": None,
        "table_type": table_type,
        "verdict": "unknown",
        "reason": None,
    }


def _shown(column: ColumnFit) -> dict[str, Any]:
    return {
        "column": column.column,
        "source_type": column.source_type,
        "table_type": column.table_type,
        "verdict": _VERDICTS[column.kind],
        "reason": column.kind.value,
    }


def _replaced(opened: OpenTable, latest: Snapshot | None, partition: dict[str, Any] | None) -> dict[str, Any]:
    """What an overwrite removes: of the named partition, of the whole table, or not known yet."""
    if opened.table.schema.partition_keys and partition is None:
        return dict.fromkeys(_REPLACED)
    files = live_files(opened, latest).table
    if partition:
        parse_partition_spec(opened.table.schema, partition)
        labels = pc.unique(files.column("partition")).to_pylist()
        wanted = {k: v if v is None else str(v) for k, v in partition.items()}
        chosen = [label for label in labels if _matches(opened.labels.partition_values(label), wanted)]
        files = files.filter(pc.is_in(files.column("partition"), value_set=pa.array(chosen, pa.string())))
    return {
        "files_removed": len(files),
        "bytes_removed": pc.sum(files.column("bytes")).as_py() or 0,
        "rows_removed": pc.sum(files.column("rows")).as_py() or 0,
        "partitions": sorted(pc.unique(files.column("partition")).to_pylist()),
    }


def _matches(values: dict[str, str | None], wanted: dict[str, str | None]) -> bool:
    return all(values.get(key) == value for key, value in wanted.items())
