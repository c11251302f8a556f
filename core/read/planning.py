"""Plan a read of a table: what can be read is decided here, before any row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from core.predicate import Predicate
from core.read.filters import bound_filter
from core.read.support import check_files, check_readable
from core.scan.plan import Plan
from core.scan.planner import plan_scan
from core.scan.selection import ALL_FILES, FileSelection
from core.scan.source import TableSource
from core.schema import TableSchema
from core.snapshot.snapshot import Snapshot


def plan_read(
    source: TableSource,
    schema: TableSchema,
    snapshot: Snapshot | None,
    columns: Sequence[str] | None = None,
    filter: Predicate | str | None = None,
    *,
    selection: FileSelection = ALL_FILES,
    branch: str | None = None,
) -> Plan:
    """The plan of a read, of a table that this version can read.

    Args:
        source: the table.
        schema: as which rows are read: the latest, or the snapshot's own when travelling in time.
        snapshot: to read; None for a table without one.
        columns: names, in the order wanted; None for all.
        filter: a predicate or its text, over columns of `schema`.
        selection: which of the live files to read.
        branch: what the splits say about theirs, where they join those of another branch.

    Raises:
        UnsupportedError: the table uses what this version does not read; `feature` names it.
        InvalidRequestError: an unknown column, or a filter that does not fit the columns.
    """
    check_readable(schema)
    predicate = bound_filter(schema, filter)
    plan = plan_scan(source, schema, snapshot, columns, predicate, selection=selection, branch=branch)
    _check_formats(plan)
    return plan


def _check_formats(plan: Plan) -> None:
    """Looks at one name for each pair of last extensions, not at each file."""
    names = plan.entries.column("file_name")
    extensions: Any = pc.replace_substring_regex(names, r"^.*?((\.\w+){0,2})$", r"\1").unique()
    check_files(extensions.to_pylist())
