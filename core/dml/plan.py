"""Plans of DELETE, UPDATE and MERGE INTO: what would be read, and what goes unread. Spec: 10, 7.

A plan is of one snapshot. Files that it replaces have to be there still when the change is
committed: the commit is refused otherwise, and whoever wants the change plans it anew. Rows that
others have added meanwhile are not seen by it. A primary-key table gets its change as rows like
any others, on top of whatever was committed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.arguments import check_argument, column_names, is_a, is_list
from core.datafile.system_fields import LATE_SEQUENCE_NUMBER, ROW_ID, tracks_rows
from core.dml.changes import Clause, RowChanges
from core.dml.expressions import SOURCE, Column, Expression, Literal, check_columns
from core.dml.limits import (
    check_deletes,
    check_deletes_by_row,
    check_deletes_in_place,
    check_engine,
    check_evolving_updates,
    check_not_indexed,
    check_rows_change,
    check_updates,
    removes_by_row,
)
from core.dml.source import Source, SourceRows
from core.dml.whole_rows import partial_update_of
from core.errors import InvalidRequestError
from core.manifest import EntryColumns, IndexManifestEntry
from core.predicate import And, Predicate, bind, predicate_of, references
from core.read.planning import plan_read
from core.scan import Plan
from core.scan.selection import FileSelection
from core.snapshot.snapshot import Snapshot
from core.types import DataField
from core.write.support import check_writable
from core.write.target import WriteTarget

Condition: TypeAlias = "Predicate | str | None"
Assignments: TypeAlias = "Mapping[str, Expression]"


@dataclass(frozen=True, slots=True)
class Matched:
    """WHEN MATCHED: rows of the table that the source has are updated, or deleted if `update` is None.

    The condition may ask for columns of both sides, those of the source as `` `source.<name>` ``.
    """

    update: Assignments | None
    condition: Condition = None


@dataclass(frozen=True, slots=True)
class NotMatched:
    """WHEN NOT MATCHED: rows of the source that the table has not are inserted.

    Without `insert` all columns come from those of the source with the same name.
    """

    insert: Assignments | None = None
    condition: Condition = None


@dataclass(frozen=True, slots=True)
class NotMatchedBySource:
    """WHEN NOT MATCHED BY SOURCE: rows of the table that the source has not; as `Matched`."""

    update: Assignments | None
    condition: Condition = None


@dataclass(frozen=True, slots=True)
class AsOf:
    """A state of a table."""

    snapshot: Snapshot | None  # None: it was never written


MergeClause: TypeAlias = "Matched | NotMatched | NotMatchedBySource"


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What one statement does to a table as of a snapshot; `apply_changes` does it."""

    snapshot: Snapshot | None  # None: the table was never written
    changes: RowChanges
    by_row: bool  # rows are written on top; else files are replaced, or their rows marked
    inserts: tuple[Clause, ...] = ()  # of rows of the source that joined none
    scan: Plan | None = None  # what has to be read; None: nothing
    dropped: EntryColumns = field(default_factory=EntryColumns.empty)  # files that go without being read
    dropped_indexes: tuple[IndexManifestEntry, ...] = ()  # and what stands in the index manifest for them

    @property
    def files_to_read(self) -> int:
        return len(self.scan.entries) if self.scan else 0

    @property
    def bytes_to_read(self) -> int:
        return self.scan.size if self.scan else 0

    @property
    def files_dropped(self) -> int:
        return len(self.dropped)

    @property
    def rows_dropped(self) -> int:
        """Rows in the files that go unread, before merging."""
        return int(self.dropped.numpy("row_count").sum())


def plan_delete(table: WriteTarget, filter: Condition) -> ChangePlan:
    """The rows that satisfy `filter` go; every row if it is None.

    Partitions that go whole are dropped by their metadata, unread.

    Raises:
        InvalidRequestError: the filter does not fit the table, or the table ignores deletes.
        UnsupportedError: the table cannot be written; `feature` names why.
    """
    _check(table)
    check_deletes(table.schema, table.options)
    predicate = _bound(filter, _fields(table))
    changes = RowChanges(_fields(table), (Clause(predicate, None),))
    snapshot = table.snapshots.latest()
    if predicate is None or set(references(predicate)) <= set(table.schema.partition_keys):
        return _dropping(table, snapshot, changes, predicate)
    check_deletes_in_place(table.schema, table.options)
    by_row = removes_by_row(table.schema, table.options)
    return ChangePlan(snapshot, changes, by_row, scan=_scan(table, snapshot, predicate))


def plan_update(table: WriteTarget, filter: Condition, assignments: Assignments) -> ChangePlan:
    """The rows that satisfy `filter` get new values in some columns; every row if it is None.

    Raises:
        InvalidRequestError: the filter or an assignment does not fit the table, nothing is assigned,
            or a column of the primary key is.
        UnsupportedError: the table cannot be written, or takes no updates; `feature` names why.
    """
    _check(table)
    check_engine(table.schema, table.options, "UPDATE")
    predicate = _bound(filter, _fields(table))
    clause = Clause(predicate, _updates(table, assignments, ()))
    snapshot = table.snapshots.latest()
    _check_not_indexed(table, snapshot, (clause,))
    changes = RowChanges(_fields(table), (clause,))
    by_row = bool(table.schema.primary_keys)
    return ChangePlan(snapshot, changes, by_row, scan=_scan(table, snapshot, predicate))


def plan_merge(
    table: WriteTarget,
    source: SourceRows,
    on: Sequence[str] | Mapping[str, str],
    clauses: Sequence[MergeClause],
    *,
    as_of: AsOf | None = None,
) -> ChangePlan:
    """Rows of the table and of `source` are joined, and the first clause that holds for a row counts.

    Args:
        table: to be changed.
        source: rows of any number, which are read here, once; a row of the table that several of them
            match is an error, unless it is deleted whatever they say.
        on: columns that are equal in joined rows, by name; as a mapping from names of the source to
            those of the table where they differ. `_ROW_ID` of tables whose rows have ids is one of them.
        clauses: in order.
        as_of: the state that another plan of the same statement is of; the latest without it.

    Raises:
        InvalidRequestError: columns, conditions or assignments do not fit, or there is no clause.
        UnsupportedError: the table cannot be written so; `feature` names why.
    """
    _check(table)
    check_engine(table.schema, table.options, "MERGE INTO")
    if not clauses:
        raise InvalidRequestError("a merge without a clause does nothing")
    kinds = Matched | NotMatched | NotMatchedBySource
    check_argument(is_list(clauses, kinds), "clauses are Matched, NotMatched or NotMatchedBySource", clauses)
    pairs = dict(on) if isinstance(on, Mapping) else {name: name for name in column_names(on)}
    fields = {field.name: field for field in _fields(table)}
    targets = {name: fields.get(target) or table.schema.field(target) for name, target in pairs.items()}
    joined = Source(source, targets)
    matched = [_row_clause(table, c, joined.fields) for c in clauses if isinstance(c, Matched)]
    unmatched = [_row_clause(table, c, ()) for c in clauses if isinstance(c, NotMatchedBySource)]
    inserts = [_insert_clause(table, c, joined.fields) for c in clauses if isinstance(c, NotMatched)]
    changes = RowChanges(_fields(table), tuple(unmatched), tuple(matched), joined)
    snapshot = table.snapshots.latest() if as_of is None else as_of.snapshot
    _check_not_indexed(table, snapshot, changes.clauses)
    scan = _scan(table, snapshot, None if unmatched else _all_of(joined.bounds()))
    return ChangePlan(snapshot, changes, bool(table.schema.primary_keys), tuple(inserts), scan)


def _check(table: WriteTarget) -> None:
    check_writable(table.schema, table.options, table.home)
    check_rows_change(table.schema)


def _check_not_indexed(table: WriteTarget, snapshot: Snapshot | None, clauses: Iterable[Clause]) -> None:
    names = {name for clause in clauses for name in clause.assignments or ()} & set(table.schema.field_names)
    if snapshot is not None and names:
        check_not_indexed(table.manifests.index_entries(snapshot), table.schema, names)


def _fields(table: WriteTarget) -> tuple[DataField, ...]:
    """The columns that rows are read and put back with; rows that have ids keep them."""
    fields = table.schema.fields
    return (*fields, ROW_ID, LATE_SEQUENCE_NUMBER) if tracks_rows(table.schema) else fields


def _bound(condition: Condition, fields: Sequence[DataField]) -> Predicate | None:
    predicate = predicate_of(condition)
    return None if predicate is None else bind(predicate, fields)


def _all_of(conjuncts: Iterable[Predicate]) -> Predicate | None:
    found = tuple(conjuncts)
    return And(found) if len(found) > 1 else found[0] if found else None


def _updates(table: WriteTarget, assignments: Assignments, source: Sequence[DataField]) -> Assignments:
    """Assignments that the table takes."""
    if not assignments:
        raise InvalidRequestError("an update assigns no column")
    check_argument(is_a(assignments, Mapping), "give a mapping of columns to their values", assignments)
    check_updates(table.schema, assignments)
    check_evolving_updates(table.schema, assignments)
    partial_update_of(table.schema, table.options)
    names = [f.name for f in (*_fields(table), *source)]
    for expression in assignments.values():
        check_columns(expression, names)
    if not tracks_rows(table.schema):
        return assignments
    return {**assignments, LATE_SEQUENCE_NUMBER.name: Literal(None)}


def _row_clause(
    table: WriteTarget, clause: Matched | NotMatchedBySource, source: Sequence[DataField]
) -> Clause:
    condition = _bound(clause.condition, (*_fields(table), *source))
    if clause.update is None:
        check_deletes_by_row(table.schema, table.options)
        check_deletes_in_place(table.schema, table.options)
        return Clause(condition, None)
    return Clause(condition, _updates(table, clause.update, source))


def _insert_clause(table: WriteTarget, clause: NotMatched, source: Sequence[DataField]) -> Clause:
    names = [f.name for f in source]
    columns = table.schema.field_names
    same: Assignments = {name: Column(SOURCE + name) for name in columns if SOURCE + name in names}
    assignments = same if clause.insert is None else clause.insert
    if not assignments:
        raise InvalidRequestError("an insert assigns no column", columns=", ".join(columns))
    for name, expression in assignments.items():
        table.schema.field(name)
        check_columns(expression, names)
    return Clause(_bound(clause.condition, source), assignments)


def _scan(table: WriteTarget, snapshot: Snapshot | None, predicate: Predicate | None) -> Plan:
    return plan_read(table, table.schema, snapshot, None, predicate)


def _dropping(
    table: WriteTarget, snapshot: Snapshot | None, changes: RowChanges, predicate: Predicate | None
) -> ChangePlan:
    """All files of the partitions that satisfy `predicate`, and what the index manifest has for them."""
    if snapshot is None:
        return ChangePlan(snapshot, changes, by_row=False)
    found = plan_read(
        table, table.schema, snapshot, None, predicate, selection=FileSelection(with_level_zero=True)
    )
    partitions = set(found.entries.column("partition").to_pylist())  # one a partition, not one a row
    indexes = [e for e in table.manifests.index_entries(snapshot) if e.partition.to_bytes() in partitions]
    return ChangePlan(snapshot, changes, by_row=False, dropped=found.entries, dropped_indexes=tuple(indexes))
