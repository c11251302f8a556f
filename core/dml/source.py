"""The source rows of a MERGE, found by the columns that it is joined on; the table's rows stream by.

The source may be larger than memory: its rows and the index of their keys lie in mapped files
beyond 16 MiB of rows and a million keys (`core.tableindex`), and a row of the table finds its
partner by a search in them. What grows with the source and stays in memory is one bit a row.
A null joins nothing, as in SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_schema, arrow_type, fields_from_arrow, to_python
from core.binary import encode_rows, hash_rows
from core.dml.expressions import SOURCE
from core.errors import InvalidRequestError
from core.predicate import Comparison, In, Operator, Predicate
from core.tableindex import GrowingArray, KeyIndex, RowStore
from core.types import DataField
from core.write.conform import conform_rows

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Partners = npt.NDArray[np.int64]
SourceRows: TypeAlias = "pa.Table | pa.RecordBatchReader"

_FEW_KEYS = 256  # so many are asked for one by one


class Source:
    """Rows that a table is merged with."""

    def __init__(
        self,
        rows: SourceRows,
        on: Mapping[str, DataField],
        *,
        store: RowStore | None = None,
        index: KeyIndex | None = None,
    ) -> None:
        """All rows of the source, joined by `on`: its names to columns of the table.

        `store` and `index` are for tests of what lies in files.

        Raises:
            InvalidRequestError: no such column, none at all, or one whose values do not fit the table's.
        """
        _check_columns(rows.schema.names, on)
        self.on = tuple(
            replace(f, type=f.type.with_nullability(True), default_value=None) for f in on.values()
        )
        names = [SOURCE + name for name in rows.schema.names]
        self.fields = fields_from_arrow(pa.schema([f.with_name(SOURCE + f.name) for f in rows.schema]))
        self._rows = RowStore(arrow_schema(self.fields)) if store is None else store
        self._index = KeyIndex() if index is None else index
        self._first_row = GrowingArray(np.int64)  # of each key, by its number in the index
        self._is_repeated = GrowingArray(np.bool_)  # of each key: whether several rows have it
        self._bounds = [_Bounds(field) for field in self.on]
        batches: Iterable[pa.RecordBatch] = rows.to_batches() if isinstance(rows, pa.Table) else rows
        for batch in batches:
            if batch.num_rows:
                self._add(batch, list(on), names)

    def _add(self, batch: pa.RecordBatch, on: Sequence[str], names: Sequence[str]) -> None:
        start = len(self._rows)
        joined_on = conform_rows(
            pa.Table.from_batches([batch.select(on)]).rename_columns([f.name for f in self.on]), self.on
        )
        rows = pa.Table.from_batches([batch]).rename_columns(list(names))
        for part in conform_rows(rows, self.fields).combine_chunks().to_batches():
            self._rows.append(part)
        for bounds in self._bounds:
            bounds.add(joined_on.column(bounds.field.name))
        keys = _keys(joined_on, self.on)
        known = np.flatnonzero(keys.are_known)
        distinct = keys.encoded.take(pa.array(known)).dictionary_encode()
        codes = distinct.indices.to_numpy(zero_copy_only=False)
        _, first, counts = np.unique(codes, return_index=True, return_counts=True)
        hashes = keys.hashes[known[first]]
        numbers = self._index.find(distinct.dictionary, hashes)
        old, new = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
        self._is_repeated[numbers[old]] = True
        self._index.add(distinct.dictionary.take(pa.array(new)), hashes[new])
        self._first_row.append(start + known[first[new]])
        self._is_repeated.append(counts[new] > 1)

    def partners(self, rows: pa.RecordBatch) -> tuple[Partners, npt.NDArray[np.bool_]]:
        """The source row that joins each row of the table, -1 where none does, and where several do.

        Of several it is the first.
        """
        keys = _keys(pa.Table.from_batches([rows]), self.on)
        numbers = self._index.find(keys.encoded, keys.hashes)
        places: Partners = np.full(rows.num_rows, -1, np.int64)
        several = np.zeros(rows.num_rows, np.bool_)
        found = np.flatnonzero(keys.are_known & (numbers >= 0))
        places[found] = self._first_row[numbers[found]]
        several[found] = self._is_repeated[numbers[found]]
        return places, several

    def beside(self, rows: pa.RecordBatch, partners: Partners) -> pa.RecordBatch:
        """The rows of the table with the columns of their partners, null where they have none."""
        taken = self._rows.take(partners)
        columns, names = [*rows.columns, *taken.columns], [*rows.schema.names, *taken.schema.names]
        return pa.RecordBatch.from_arrays(columns, names=names)

    def batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """All rows, each batch beside the number of its first row."""
        return self._rows.batches()

    def bounds(self) -> Iterator[Predicate]:
        """What is true of every row of the table that has a partner: files may be ruled out by it."""
        for bounds in self._bounds:
            yield from bounds.predicates()


def _check_columns(columns: Sequence[str], on: Mapping[str, DataField]) -> None:
    if not on:
        raise InvalidRequestError("a merge needs a column that both sides have")
    for name in (*on, *columns):
        if columns.count(name) != 1:
            raise InvalidRequestError(
                "the source needs this column once", column=name, columns=", ".join(columns)
            )


@dataclass(slots=True)
class _Bounds:
    """What the source's values of one joined column are among."""

    field: DataField
    _few: Any = None  # all distinct values; None before the first, or if they are too many
    _are_many: bool = False
    _ends: Any = None  # the least and the greatest

    def add(self, column: Any) -> None:
        if pa.types.is_floating(column.type):
            return  # 0.0 joins -0.0
        distinct = pc.drop_null(pc.unique(column))
        if _has_range(self.field) and len(distinct):
            ends = pc.min_max(distinct)
            both = pa.array([ends["min"], ends["max"]], distinct.type)
            self._ends = both if self._ends is None else pa.concat_arrays([self._ends, both])
        if not self._are_many:
            more = distinct if self._few is None else pc.unique(pa.concat_arrays([self._few, distinct]))
            self._few, self._are_many = (more, False) if len(more) <= _FEW_KEYS else (None, True)

    def predicates(self) -> Iterator[Predicate]:
        field = self.field
        if self._few is not None and len(self._few):
            yield In(field.name, tuple(to_python(self._few, field.type)))
        elif self._are_many and self._ends is not None:
            ends = pc.min_max(self._ends)
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
