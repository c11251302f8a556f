"""`$binlog`: the changes of a table, an update as one row that holds both of its versions. Spec: 04, B.

Each column is an array: of one element, or of the old value and the new one where a `-U` is
followed by its `+U`. That only changes are packed so follows from the order in which they are
read: within a split, and there as they stand in their files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import arrow_field
from core.datafile.system_fields import ROW_KIND, VALUE_KIND
from core.read import RowKinds, read_plan
from core.read.row_kinds import with_row_kind
from core.read.side_by_side import side_by_side
from core.scan import Plan, Split
from core.schema import TableSchema
from core.system.audit_log import AuditLog, leading_fields
from core.types import ArrayType, DataField, RowKind


class Binlog(AuditLog):
    """Changes with arrays in place of the table's columns."""

    kind_name = "binlog"

    @staticmethod
    def fields_of(schema: TableSchema) -> tuple[DataField, ...]:
        arrays = (replace(f, type=ArrayType(f.type.with_nullability(True))) for f in schema.fields)
        return (ROW_KIND, *leading_fields(schema), *arrays)

    def told(
        self, plan: Plan, kinds: RowKinds = RowKinds.ALL, *, threads: int = 1
    ) -> Iterator[pa.RecordBatch]:
        arrays = {field.name: field for field in self.fields_of(plan.schema) if field.name in _names(plan)}

        def rows(split: Split) -> Iterator[pa.RecordBatch]:
            stored = read_plan(self.table, replace(plan, splits=[split]), kinds=kinds)
            for batch in _with_whole_updates(stored) if split.is_streaming else stored:
                yield _packed(batch, arrays, pairs=split.is_streaming)

        return side_by_side([rows(split) for split in plan.splits], threads)


def _names(plan: Plan) -> set[str]:
    return {field.name for field in plan.fields} & set(plan.schema.field_names)


def _with_whole_updates(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows; a batch that would end with a -U leaves it to the next one."""
    waiting: pa.RecordBatch | None = None
    for batch in batches:
        rows = batch if waiting is None else _joined(waiting, batch)
        last = rows.num_rows - 1
        waiting = rows.slice(last) if _kinds(rows)[last] == RowKind.UPDATE_BEFORE else None
        rest = rows if waiting is None else rows.slice(0, last)
        if rest.num_rows:
            yield rest
    if waiting is not None:
        yield waiting


def _packed(batch: pa.RecordBatch, arrays: dict[str, DataField], *, pairs: bool) -> pa.RecordBatch:
    """One row an update, or a row for each, in arrays; as the two stand side by side, no value moves."""
    kinds = _kinds(batch)
    follows = np.zeros(len(kinds), dtype=np.bool_)
    if pairs:
        follows[1:] = (kinds[:-1] == RowKind.UPDATE_BEFORE) & (kinds[1:] == RowKind.UPDATE_AFTER)
    starts = np.flatnonzero(~follows)
    ends = np.append(starts[1:], len(kinds))
    offsets: Any = pa.array(np.append(starts, len(kinds)).astype(np.int32))
    told = batch.take(ends - 1)  # kind and sequence number are those of the new version
    for name, field in arrays.items():
        place = told.schema.get_field_index(name)
        array: Any = arrow_field(field)
        values = pa.ListArray.from_arrays(offsets, batch.column(name), type=array.type)
        told = told.set_column(place, array, values)
    return with_row_kind(told)


def _kinds(batch: pa.RecordBatch) -> npt.NDArray[np.int8]:
    kinds: npt.NDArray[np.int8] = batch.column(VALUE_KIND.name).to_numpy()
    return kinds


def _joined(some: pa.RecordBatch, others: pa.RecordBatch) -> pa.RecordBatch:
    columns = [pa.concat_arrays([a, b]) for a, b in zip(some.columns, others.columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=some.schema)
