"""System tables that show the rows of the table itself: what they share.

Unlike the others they are read split by split, in bounded memory, and have the columns of the
table as it is read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import pyarrow as pa

from core.arrow import arrow_schema
from core.errors import InvalidRequestError
from core.predicate import And, Predicate, bind, evaluate, predicate_of, references, split_and
from core.read import RowKinds
from core.scan import Plan
from core.schema import TableSchema
from core.system.system_table import OneTable
from core.table import Table
from core.types import DataField


@dataclass(frozen=True, slots=True)
class RowPlan:
    """What a read of such a table has to do: the table's own plan, and what becomes of its rows."""

    plan: Plan
    fields: tuple[DataField, ...]  # columns of this table, in the order asked for
    predicate: Predicate | None = None  # over columns of this table


class RowTable(OneTable):
    """Rows of one table (or branch), told in another way."""

    kind_name: ClassVar[str]

    def __init__(self, table: Table) -> None:
        super().__init__(table, self.kind_name)

    def with_options(self, options: Mapping[str, str | None]) -> Self:
        return type(self)(self.table.with_options(options))

    @cached_property
    def schema(self) -> TableSchema:
        """The columns of a read of the latest state: no keys, no options."""
        return _schema_of(self.fields_of(self.table.schema))

    @staticmethod
    @abstractmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        """The columns, where the table has those of `schema`."""

    @abstractmethod
    def plan_of(self, columns: Sequence[str], filter: Predicate | None, **at: Any) -> Plan:
        """The plan of the rows told of; `columns` and `filter` are of the table, `at` says when."""

    @abstractmethod
    def told(
        self, plan: Plan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a plan as this table tells them: batches with at least what it was asked for."""

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches, in no order but that of the changes of a key; `threads` splits at once.

        Raises:
            InvalidRequestError: an unknown column, a bad filter, or no thread.
            NotFoundError: no such snapshot or tag.
            UnsupportedError: the table cannot be read by this version.
        """
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return self.read(plan, threads=threads)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> pa.Table:
        """The rows as one Arrow table in memory; raises as `to_batches` does."""
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return pa.Table.from_batches(self.read(plan, threads=threads), schema=arrow_schema(plan.fields))

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> RowPlan:
        """What a read of these columns and rows has to do, split by split; raises as `to_batches` does."""
        at: dict[str, Any] = {"snapshot_id": snapshot_id, "tag": tag, "timestamp_millis": timestamp_millis}
        schema = self.table.schema_at(**at)
        fields = self.fields_of(schema)
        wanted = fields if columns is None else _schema_of(fields).fields_of(columns)
        if len({field.name for field in wanted}) != len(wanted):
            raise InvalidRequestError("a column is named twice", columns=", ".join(columns or ()))
        predicate = predicate_of(filter)
        predicate = None if predicate is None else bind(predicate, fields)
        names = {field.name for field in wanted} | set(references(predicate) if predicate else ())
        same = {field.name for field in fields if field in schema.fields}
        plan = self.plan_of(
            [name for name in schema.field_names if name in names], _only_on(predicate, same), **at
        )
        return RowPlan(plan, wanted, predicate)

    def read(
        self, plan: RowPlan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a plan in batches; `kinds` says whether retracts count."""
        told = self.told(plan.plan, kinds, threads=threads)
        return _finished(told, [field.name for field in plan.fields], plan.predicate)


def _schema_of(fields: tuple[DataField, ...]) -> TableSchema:
    return TableSchema(id=0, fields=fields, highest_field_id=max(field.id for field in fields))


def _only_on(predicate: Predicate | None, names: set[str]) -> Predicate | None:
    """The parts of a filter that look at nothing but `names`."""
    conjuncts = () if predicate is None else split_and(predicate)
    left = tuple(c for c in conjuncts if references(c) and set(references(c)) <= names)
    return And(left) if left else None


def _finished(
    batches: Iterator[pa.RecordBatch], names: list[str], predicate: Predicate | None
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        kept = batch if predicate is None else batch.filter(evaluate(predicate, batch))
        if kept.num_rows:
            yield kept.select(names)
