"""What becomes of each row of a batch: left, changed or deleted. Pure.

DELETE and UPDATE are the special case of MERGE without a source: every row is one that the
source does not match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import arrow_schema
from core.dml.expressions import Expression, assigned
from core.dml.source import Partners, Source
from core.errors import InvalidRequestError
from core.predicate import Predicate, evaluate, references
from core.types import DataField
from core.write.conform import conform_rows

Choice = npt.NDArray[np.int64]

LEFT = -1  # the clause of a row that stays as it is


@dataclass(frozen=True, slots=True)
class Clause:
    """What becomes of the rows that satisfy a condition."""

    condition: Predicate | None
    assignments: Mapping[str, Expression] | None  # None: the rows are deleted

    def holds(self, rows: pa.RecordBatch) -> npt.NDArray[np.bool_]:
        if self.condition is None:
            return np.ones(rows.num_rows, np.bool_)
        mask: Any = evaluate(self.condition, rows).fill_null(False)
        holds: npt.NDArray[np.bool_] = np.asarray(mask.to_numpy(zero_copy_only=False), np.bool_)
        return holds


@dataclass(frozen=True, slots=True)
class Chosen:
    """A batch, and which clause each of its rows falls under."""

    rows: pa.RecordBatch  # with the columns of their partners in the source
    clause: Choice  # `LEFT` for none
    partners: Partners

    @property
    def touched(self) -> npt.NDArray[np.bool_]:
        touched: npt.NDArray[np.bool_] = self.clause != LEFT
        return touched


@dataclass(frozen=True, slots=True)
class RowChanges:
    """The clauses of one statement; of those that hold for a row the first one counts."""

    fields: tuple[DataField, ...]  # of the table; those of row tracking after them, where rows keep ids
    unmatched: tuple[Clause, ...]  # for rows without a partner in the source
    matched: tuple[Clause, ...] = ()
    source: Source | None = None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return (*self.unmatched, *self.matched)

    @property
    def deciding_fields(self) -> tuple[DataField, ...]:
        """The columns of the table that say which clause a row falls under; one of them at least."""
        conditions = [clause.condition for clause in self.clauses if clause.condition is not None]
        names = {name for condition in conditions for name in references(condition)}
        names |= {field.name for field in self.source.on} if self.source else set()
        return tuple(field for field in self.fields if field.name in names) or self.fields[:1]

    def choose(self, rows: pa.RecordBatch) -> Chosen:
        """The clause of each row.

        Raises:
            InvalidRequestError: two rows of the source match one of the table, and could say different
                things of it, whatever their conditions.
        """
        partners: Partners = np.full(rows.num_rows, -1, np.int64)
        if self.source is not None:
            partners, several = self.source.partners(rows)
            self._check_one_partner(partners[several])
            rows = self.source.beside(rows, partners)
        clause: Choice = np.full(rows.num_rows, LEFT, np.int64)
        for number, each in enumerate(self.clauses):
            side = partners < 0 if number < len(self.unmatched) else partners >= 0
            clause[side & (clause == LEFT) & each.holds(rows)] = number
        return Chosen(rows, clause, partners)

    def _check_one_partner(self, repeated: Partners) -> None:
        """Which of several partners decides is open, unless all that they say is that the row goes."""
        only_deletes = self.matched == (Clause(None, None),)
        if self.source is None or not len(repeated) or not self.matched or only_deletes:
            return
        on = ", ".join(field.name for field in self.source.on)
        raise InvalidRequestError(
            "a row of the table has several rows of the source that may change it",
            on=on,
            source_row=int(repeated[0]),
        )

    def is_updated(self, chosen: Chosen) -> npt.NDArray[np.bool_]:
        """Of each row whether it changes, and stays."""
        updates = [i for i, clause in enumerate(self.clauses) if clause.assignments is not None]
        return np.isin(chosen.clause, updates)

    def deleted(self, chosen: Chosen) -> pa.Table:
        """The rows that go, as they were."""
        return self._taken(chosen, np.flatnonzero(chosen.touched & ~self.is_updated(chosen)))

    def updated(self, chosen: Chosen) -> pa.Table:
        """The rows that change, as they become."""
        return self._ordered([p for p in self._parts(chosen) if p[0] != LEFT])

    def remaining(self, chosen: Chosen) -> pa.Table:
        """All rows that do not go, in their order, as they become."""
        return self._ordered(list(self._parts(chosen)))

    def _parts(self, chosen: Chosen) -> Iterator[tuple[int, Choice, pa.Table]]:
        left = np.flatnonzero(chosen.clause == LEFT)
        yield LEFT, left, self._taken(chosen, left)
        for number, clause in enumerate(self.clauses):
            places = np.flatnonzero(chosen.clause == number)
            if clause.assignments is not None and len(places):
                rows = chosen.rows.take(places)
                yield (
                    number,
                    places,
                    conform_rows(assigned(rows, clause.assignments, self.fields), self.fields),
                )

    def _ordered(self, parts: Sequence[tuple[int, Choice, pa.Table]]) -> pa.Table:
        if not parts:
            return arrow_schema(self.fields).empty_table()
        order = np.argsort(np.concatenate([places for _, places, _ in parts]), kind="stable")
        rows = pa.concat_tables([rows for *_, rows in parts])
        return rows if len(parts) == 1 else rows.take(order)

    def _taken(self, chosen: Chosen, places: Choice) -> pa.Table:
        names = [field.name for field in self.fields]
        rows = pa.Table.from_batches([chosen.rows.take(places).select(names)])
        return rows.cast(arrow_schema(self.fields))
