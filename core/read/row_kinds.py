"""Whether a read shows deletes, and of what kind its rows are."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.datafile.system_fields import ROW_KIND, VALUE_KIND
from core.types import RowKind

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_KIND_FIELD = pa.field(VALUE_KIND.name, pa.int8(), nullable=False)
# No Arrow arrays: the first one of a process imports pandas where it is installed.
_ADDS = np.array([RowKind.INSERT, RowKind.UPDATE_AFTER], np.int8)
_TEXTS = [kind.short for kind in RowKind]  # by their codes
_REVERSED = np.array(
    [RowKind.DELETE, RowKind.UPDATE_AFTER, RowKind.UPDATE_BEFORE, RowKind.INSERT], np.int8
)  # what takes each kind back, by its code


class RowKinds(Enum):
    """What a read gives of the kinds of rows; where they are shown, `_VALUE_KIND` is the last column."""

    HIDDEN = "the rows that are there"
    ADDS = "the rows that are there, with their kinds where they are merged; others are inserts, as in Paimon"
    ALL = "deletes and old rows of updates too, with their kinds"

    @property
    def shown(self) -> bool:
        return self is not RowKinds.HIDDEN

    @property
    def keep_retracts(self) -> bool:
        return self is RowKinds.ALL


def adds(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows of kind +I and +U."""
    return batch.filter(pc.is_in(batch.column(VALUE_KIND.name), pa.array(_ADDS)))


def as_inserts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of a table without keys, whose rows are all inserts."""
    for batch in batches:
        kinds = pa.array(np.full(batch.num_rows, RowKind.INSERT, dtype=np.int8))
        yield batch.append_column(_KIND_FIELD, kinds)


def taken_back(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows that undo those given."""
    place = None
    for batch in batches:
        place = batch.schema.get_field_index(VALUE_KIND.name) if place is None else place
        yield batch.set_column(place, _KIND_FIELD, pc.take(pa.array(_REVERSED), batch.column(place)))


def with_row_kind(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with the text of their kind before their columns, instead of its code behind them."""
    place = batch.schema.get_field_index(VALUE_KIND.name)
    kinds = pc.take(pa.array(_TEXTS, pa.string()), batch.column(place))
    columns = [column for i, column in enumerate(batch.columns) if i != place]
    names = [name for name in batch.schema.names if name != VALUE_KIND.name]
    fields = [pa.field(ROW_KIND.name, pa.string()), *(batch.schema.field(name) for name in names)]
    return pa.RecordBatch.from_arrays([kinds, *columns], schema=pa.schema(fields))
