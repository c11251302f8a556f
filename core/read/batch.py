"""Plan a batch read where the options of a table say that it starts. Spec: 09, 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.errors import InvalidRequestError
from core.predicate import Predicate
from core.read.filters import bound_filter
from core.read.planning import plan_read
from core.read.support import check_readable
from core.scan.batch_start import BatchStart, Changes, State
from core.scan.changes import plan_changes
from core.scan.diff import plan_diff
from core.scan.plan import Plan
from core.scan.selection import FileSelection
from core.scan.source import TableSource
from core.schema import TableSchema


def plan_batch(
    source: TableSource,
    schema: TableSchema,
    start: BatchStart,
    columns: Sequence[str] | None = None,
    filter: Predicate | str | None = None,
    *,
    selection: FileSelection | None = None,
    branch: str | None = None,
) -> Plan:
    """The plan of a batch read, of a table that this version can read.

    Args:
        source: the table.
        schema: as which rows are read, with the options of the read.
        start: what the read sees.
        columns: names, in the order wanted; None for all.
        filter: a predicate or its text.
        selection: which of the files of a state to read, where the kind of read says so.
        branch: what the splits say about theirs, where they join those of another branch.

    Raises:
        UnsupportedError: the table uses what this version does not read; `feature` names it.
        InvalidRequestError: an unknown column, or a filter that does not fit the columns.
    """
    if isinstance(start, State):
        files = _both(start.selection, selection)
        return plan_read(source, schema, start.snapshot, columns, filter, selection=files, branch=branch)
    if selection is not None:
        raise InvalidRequestError("some files of a table show how it stands, not what has changed")
    check_readable(schema)
    predicate = bound_filter(schema, filter)
    if isinstance(start, Changes):
        return plan_changes(source, schema, start.snapshots, start.files, columns, predicate)
    return plan_diff(source, schema, start.before, start.after, columns, predicate)


def _both(first: FileSelection, second: FileSelection | None) -> FileSelection:
    if second is None:
        return first
    return replace(second, created_from_millis=first.created_from_millis)
