"""A table, what is done to it step by step, and the rows that are there afterwards.

The rows are computed from those that went in by the plainest rule there is: of one key the last row stands.
`ours.py` carries a case out with our own writers, `described` with a peer's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.dml import ChangePlan
from core.table import Table
from core.types import DataField, RowKind, parse_type, type_to_json
from tests.interop import describe

KINDS = {kind.short: kind for kind in RowKind}


@dataclass(frozen=True)
class Statement:
    """A plan of rows to change, and the rows that are there afterwards."""

    plan: Callable[[Table], ChangePlan]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Overwrite:
    """Rows in place of a partition, of the whole table (`{}`), or of those that they are of (None)."""

    rows: list[list[Any]]
    partition: Mapping[str, Any] | None


@dataclass(frozen=True)
class Drop:
    """Partitions that go."""

    partitions: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Partly:
    """Rows of some columns; the others are null."""

    columns: Sequence[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Other:
    """Rows of other columns, to which the schema of the table is widened; columns that are new stand last."""

    columns: Sequence[tuple[str, str]]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Expiring:
    """A full compaction, and the rows that are there afterwards."""

    rows: list[list[Any]]


@dataclass(frozen=True)
class Case:
    """A table, and what is done to it: lists of rows are commits, texts actions, the rest as above."""

    columns: Sequence[tuple[str, str]]  # in the end
    steps: Sequence[Any]
    primary_key: Sequence[str] = ()
    partition_keys: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    created: Sequence[tuple[str, str]] = ()  # with these columns, where they are others

    @property
    def fields(self) -> list[DataField]:
        """Those that it is created with."""
        columns = self.created or self.columns
        return [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns)]

    @property
    def expected(self) -> list[list[Any]]:
        states: list[list[list[Any]]] = []
        for step in self.steps:
            now = list(states[-1]) if states else []
            if isinstance(step, list):
                states.append(self._applied(now, self.whole([f.name for f in self.fields], step)))
            elif isinstance(step, (Statement, Expiring)):
                states.append(step.rows)
            elif isinstance(step, Overwrite):
                states.append(self._applied(self._left(now, self.replaced(step)), step.rows))
            elif isinstance(step, Drop):
                states.append(self._left(now, step.partitions))
            elif isinstance(step, Partly):
                states.append(self._applied(now, self.whole(step.columns, step.rows)))
            elif isinstance(step, Other):
                states.append(self._applied(now, self.whole([name for name, _ in step.columns], step.rows)))
            elif step == "truncate":
                states.append([])
            elif step.startswith("rollback "):
                states = states[: int(step.split()[1])]
            else:
                states.append(now)
        return states[-1]

    def after(self, rows: list[list[Any]]) -> list[list[Any]]:
        """The rows that are there once some more have come."""
        return self._applied(self.expected, rows)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def replaced(self, step: Overwrite) -> list[Mapping[str, Any]]:
        """The partitions that an overwrite replaces; one that names nothing is the whole table."""
        if step.partition is not None:
            return [step.partition]
        at = [self.names.index(key) for key in self.partition_keys]
        return [{self.names[i]: row[1 + i] for i in at} for row in step.rows]

    def whole(self, columns: Sequence[str], rows: list[list[Any]]) -> list[list[Any]]:
        """Rows of some columns as rows of all."""
        given = [dict(zip(columns, row[1:], strict=True)) for row in rows]
        return [
            [row[0], *(values.get(name) for name in self.names)]
            for row, values in zip(rows, given, strict=True)
        ]

    def _left(self, state: list[list[Any]], gone: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """The rows that are in none of some partitions."""
        rows = [dict(zip(self.names, row, strict=True)) for row in state]
        return [list(row.values()) for row in rows if not any(spec.items() <= row.items() for spec in gone)]

    def _applied(self, state: list[list[Any]], rows: list[list[Any]]) -> list[list[Any]]:
        if not self.primary_key:
            return state + [row[1:] for row in rows]
        positions = [self.names.index(key) for key in self.primary_key]
        by_key = {tuple(map(repr, (row[i] for i in positions))): row for row in state}
        for kind, *row in rows:
            key = tuple(map(repr, (row[i] for i in positions)))
            by_key.pop(key, None)
            if not KINDS[kind].is_retract:
                by_key[key] = row
        return list(by_key.values())


def described(case: Case, name: str) -> dict[str, Any]:
    """The description with which a peer makes a case; nothing is compacted."""
    steps = [describe.write(*step) for step in case.steps if isinstance(step, list)]
    return describe.table(
        name,
        [(f.name, type_to_json(f.type)) for f in case.fields],
        primary_key=case.primary_key,
        partition_keys=case.partition_keys,
        options={**case.options, "write-only": "true"},
        operations=steps,
    )
