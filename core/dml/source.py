"""The source rows of a MERGE, found by the columns that it is joined on.

They are held in memory, once as they came and once as the keys of a lookup; the table's rows
stream by. A null joins nothing, as in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type, fields_from_arrow, to_python
from core.binary import encode_rows, hash_rows
from core.dml.expressions import SOURCE
from core.errors import InvalidRequestError
from core.predicate import Comparison, In, Operator, Predicate
from core.tableindex import KeyIndex
from core.types import DataField
from core.write.conform import conform_rows

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Partners = npt.NDArray[np.int64]

_FEW_KEYS = 256  # so many are asked for one by one


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that a table is merged with."""

    rows: pa.RecordBatch  # its columns are named `source.<name>`
    fields: tuple[DataField, ...]  # of `rows`
    on: tuple[DataField, ...]  # columns of the table that the source is joined on
    joined_on: pa.Table  # the source's side of them, in the table's types
    index: KeyIndex  # of the keys that they make
    first_row: Partners  # of each key, by its number in the index
    is_repeated: npt.NDArray[np.bool_]  # of each row: whether another one has the same key

    @staticmethod
    def of(rows: pa.Table, on: Mapping[str, DataField]) -> Source:
        """The source rows, joined by `on`: names of the source to columns of the table.

        Raises:
            InvalidRequestError: no such column, none at all, or one whose values do not fit the table's.
        """
        if not on:
            raise InvalidRequestError("a merge needs a column that both sides have")
        columns = rows.column_names
        for name in (*on, *columns):
            if columns.count(name) != 1:
                raise InvalidRequestError(
                    "the source needs this column once", column=name, columns=", ".join(columns)
                )
        fields = tuple(
            replace(f, type=f.type.with_nullability(True), default_value=None) for f in on.values()
        )
        named = rows.select(list(on)).rename_columns([field.name for field in fields])
        joined_on = conform_rows(named, fields)
        renamed = rows.rename_columns([SOURCE + name for name in columns])
        source_fields = fields_from_arrow(renamed.schema)
        conformed = conform_rows(renamed, source_fields).combine_chunks()
        batches = conformed.to_batches() or [pa.RecordBatch.from_pylist([], schema=conformed.schema)]
        return Source(batches[0], source_fields, fields, joined_on, *_indexed(joined_on, fields))

    def partners(self, rows: pa.RecordBatch) -> Partners:
        """The source row that joins each row of the table, -1 where none does; the first of several."""
        keys = _keys(pa.Table.from_batches([rows]), self.on)
        numbers = self.index.find(keys.encoded, keys.hashes)
        places: Partners = np.full(rows.num_rows, -1, np.int64)
        found = np.flatnonzero(keys.are_known & (numbers >= 0))
        places[found] = self.first_row[numbers[found]]
        return places

    def beside(self, rows: pa.RecordBatch, partners: Partners) -> pa.RecordBatch:
        """The rows of the table with the columns of their partners, null where they have none."""
        places: Any = pa.array(partners, mask=partners < 0)
        taken = self.rows.take(places)
        columns, names = [*rows.columns, *taken.columns], [*rows.schema.names, *taken.schema.names]
        return pa.RecordBatch.from_arrays(columns, names=names)

    def bounds(self) -> Iterator[Predicate]:
        """What is true of every row of the table that has a partner: files may be ruled out by it."""
        for field in self.on:
            distinct = pc.drop_null(pc.unique(self.joined_on.column(field.name)))
            if pa.types.is_floating(distinct.type):
                continue  # 0.0 joins -0.0
            if 0 < len(distinct) <= _FEW_KEYS:
                yield In(field.name, tuple(to_python(distinct, field.type)))
            elif len(distinct) and _has_range(field):
                ends = pc.min_max(distinct)
                low, high = (to_python(pa.array([ends[e]]), field.type)[0] for e in ("min", "max"))
                yield Comparison(field.name, Operator.GREATER_OR_EQUAL, low)
                yield Comparison(field.name, Operator.LESS_OR_EQUAL, high)


def _has_range(field: DataField) -> bool:
    """Whether Arrow finds the least and the greatest value; NaN is neither for it, but is in Paimon."""
    kind = arrow_type(field.type)
    return bool(pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_date(kind))


@dataclass(frozen=True, slots=True)
class _Keys:
    """Of each row the values of some columns as one, and its hash; a row with a null has no key."""

    encoded: Any
    hashes: npt.NDArray[np.int32]
    are_known: npt.NDArray[np.bool_]


def _keys(rows: pa.Table, fields: Sequence[DataField]) -> _Keys:
    if not len(rows):
        return _Keys(pa.array([], pa.binary()), np.empty(0, np.int32), np.empty(0, np.bool_))
    columns: list[Any] = [pa.concat_arrays(rows.column(field.name).chunks) for field in fields]
    columns = [pc.add(c, pa.scalar(0, c.type)) if pa.types.is_floating(c.type) else c for c in columns]
    types = [field.type for field in fields]
    known = reduce(pc.and_, (pc.is_valid(column) for column in columns))
    return _Keys(encode_rows(types, columns), hash_rows(types, columns), known.to_numpy(zero_copy_only=False))


def _indexed(rows: pa.Table, fields: Sequence[DataField]) -> tuple[KeyIndex, Partners, npt.NDArray[np.bool_]]:
    """The index of the rows' keys, the first row of each key, and which rows share theirs."""
    index, keys = KeyIndex(), _keys(rows, fields)
    known = np.flatnonzero(keys.are_known)
    distinct = keys.encoded.take(pa.array(known)).dictionary_encode()
    codes = distinct.indices.to_numpy(zero_copy_only=False)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    index.add(distinct.dictionary, keys.hashes[known[first]])
    repeated = np.zeros(len(rows), np.bool_)
    repeated[known] = counts[codes] > 1
    return index, known[first].astype(np.int64), repeated
