"""What a read of a table in Spark consists of: parts, each read by one task.

A part is one split of core's plan, and everything that it takes to read it: the schema and the
filter of the plan travel along, so that all tasks see the snapshot that was planned. A system table
that is made of metadata is one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeAlias, overload

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from core import Table
from core.datafile.system_fields import select_fields
from core.errors import InvalidRequestError, NotFoundError
from core.format_table import FormatPlan, FormatTable
from core.manifest import EntryColumns
from core.object_table import ObjectTable
from core.predicate import Predicate
from core.read import RowKinds, read_plan
from core.scan import Plan, Split
from core.scan.explain import Explain
from core.schema import TableSchema
from core.system import SystemTable
from core.system.row_table import RowPlan, RowTable
from core.types import DataField
from spark_jobs.datasource.address import Address

AnyPlan: TypeAlias = Plan | RowPlan | FormatPlan


@dataclass(frozen=True)
class Part(InputPartition):
    """What one task reads; without a plan it is all there is."""

    plan: AnyPlan | None = None
    kinds: RowKinds = RowKinds.HIDDEN


class Rows(Protocol):
    """The rows of a table or system table. Picklable."""

    def fields(self, columns: Sequence[str] | None) -> tuple[DataField, ...]:
        """The columns named, in that order; None for all."""

    def never_null(self) -> tuple[str, ...]:
        """Columns that are not null in any row, be it a delete."""

    def filterable(self) -> tuple[DataField, ...]:
        """The columns that a filter from Spark may ask of."""

    def parts(self, columns: Sequence[str], filter: Predicate | None) -> list[Part]:
        """What there is to be read."""

    def read(self, part: Part, columns: Sequence[str], filter: Predicate | None) -> Iterator[pa.RecordBatch]:
        """The rows of one part that satisfy the filter; at least the columns named."""


def rows_of(address: Address) -> Rows:
    """The rows of what an address names; opens it."""
    found = address.open()
    if isinstance(found, Table):
        return TableRows(found)
    if isinstance(found, FormatTable):
        return FormatRows(found)
    return ToldRows(found) if isinstance(found, RowTable) else MetadataRows(address)


@overload
def of_splits(plan: Plan, splits: Sequence[Split]) -> Plan: ...
@overload
def of_splits(plan: RowPlan, splits: Sequence[Split]) -> RowPlan: ...
def of_splits(plan: Plan | RowPlan, splits: Sequence[Split]) -> Plan | RowPlan:
    """The part of a plan that reads some of its splits, as small as it can be sent."""
    if isinstance(plan, RowPlan):
        return replace(plan, plan=of_splits(plan.plan, splits))
    return replace(plan, splits=tuple(splits), entries=EntryColumns.empty(), explain=Explain(()))


@dataclass(frozen=True)
class TableRows:
    """Rows of a table."""

    table: Table

    def fields(self, columns: Sequence[str] | None) -> tuple[DataField, ...]:
        return select_fields(_schema_of(self.table), columns)

    def never_null(self) -> tuple[str, ...]:
        return _schema_of(self.table).primary_keys

    def filterable(self) -> tuple[DataField, ...]:
        return _schema_of(self.table).fields

    def parts(self, columns: Sequence[str], filter: Predicate | None) -> list[Part]:
        plan = self.table.plan(columns, filter)
        return [Part(of_splits(plan, [split])) for split in plan.splits]

    def read(self, part: Part, columns: Sequence[str], filter: Predicate | None) -> Iterator[pa.RecordBatch]:
        assert isinstance(part.plan, Plan)
        return read_plan(self.table, part.plan, kinds=part.kinds)


@dataclass(frozen=True)
class ToldRows:
    """Rows of a table as one of its system tables tells them: `$audit_log`, `$binlog`, `$ro`, ..."""

    table: RowTable

    def fields(self, columns: Sequence[str] | None) -> tuple[DataField, ...]:
        return _named(self.table.fields_of(_schema_of(self.table.table)), columns)

    def never_null(self) -> tuple[str, ...]:
        return ()

    def filterable(self) -> tuple[DataField, ...]:
        schema = _schema_of(self.table.table)
        return tuple(field for field in self.table.fields_of(schema) if field in schema.fields)

    def parts(self, columns: Sequence[str], filter: Predicate | None) -> list[Part]:
        plan = self.table.plan(columns, filter)
        return [Part(of_splits(plan, [split]), RowKinds.ALL) for split in plan.plan.splits]

    def read(self, part: Part, columns: Sequence[str], filter: Predicate | None) -> Iterator[pa.RecordBatch]:
        assert isinstance(part.plan, RowPlan)
        return self.table.read(part.plan, part.kinds)


@dataclass(frozen=True)
class FormatRows:
    """Rows of the files of a format table."""

    table: FormatTable

    def fields(self, columns: Sequence[str] | None) -> tuple[DataField, ...]:
        return _named(self.table.schema.fields, columns)

    def never_null(self) -> tuple[str, ...]:
        return ()

    def filterable(self) -> tuple[DataField, ...]:
        return self.table.schema.fields

    def parts(self, columns: Sequence[str], filter: Predicate | None) -> list[Part]:
        plan = self.table.plan(columns, filter)
        return [Part(replace(plan, splits=(split,))) for split in plan.splits]

    def read(self, part: Part, columns: Sequence[str], filter: Predicate | None) -> Iterator[pa.RecordBatch]:
        assert isinstance(part.plan, FormatPlan)
        for split in part.plan.splits:
            yield from self.table.read_split(split, part.plan)


@dataclass(frozen=True)
class MetadataRows:
    """Rows that are made of metadata, or of a listing, all in one part."""

    address: Address

    @cached_property
    def table(self) -> SystemTable | ObjectTable:
        found = self.address.open()
        assert isinstance(found, SystemTable | ObjectTable)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.address,)

    def fields(self, columns: Sequence[str] | None) -> tuple[DataField, ...]:
        return _named(self.table.schema.fields, columns)

    def never_null(self) -> tuple[str, ...]:
        return ()

    def filterable(self) -> tuple[DataField, ...]:
        return self.table.schema.fields

    def parts(self, columns: Sequence[str], filter: Predicate | None) -> list[Part]:
        return [Part()]

    def read(self, part: Part, columns: Sequence[str], filter: Predicate | None) -> Iterator[pa.RecordBatch]:
        return self.table.to_batches(columns, filter)


def _schema_of(table: Table) -> TableSchema:
    """The columns of a read, which Spark asks for before it says whether it is one of a batch or a stream.

    A stream may start before the first snapshot, or after the last; a batch read is told so by its plan.
    """
    try:
        return table.schema_at()
    except NotFoundError:
        return table.schema


def _named(fields: Sequence[DataField], columns: Sequence[str] | None) -> tuple[DataField, ...]:
    """The fields of those names, in that order; raises `InvalidRequestError` if one is not there."""
    if columns is None:
        return tuple(fields)
    known = {field.name: field for field in fields}
    for name in columns:
        if name not in known or columns.count(name) > 1:
            what = "a column is named twice" if name in known else "no such column"
            raise InvalidRequestError(what, column=name, columns=", ".join(known))
    return tuple(known[name] for name in columns)
