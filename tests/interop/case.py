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
class Case:
    """A table, and what is done to it: lists of rows are commits, texts actions, statements change rows."""

    columns: Sequence[tuple[str, str]]
    steps: Sequence[Any]
    primary_key: Sequence[str] = ()
    partition_keys: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> list[DataField]:
        return [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(self.columns)]

    @property
    def expected(self) -> list[list[Any]]:
        states: list[list[list[Any]]] = []
        for step in self.steps:
            now = list(states[-1]) if states else []
            if isinstance(step, list):
                states.append(self._applied(now, step))
            elif isinstance(step, Statement):
                states.append(step.rows)
            elif step == "truncate":
                states.append([])
            elif step.startswith("rollback "):
                states = states[: int(step.split()[1])]
            else:
                states.append(now)
        return states[-1]

    def _applied(self, state: list[list[Any]], rows: list[list[Any]]) -> list[list[Any]]:
        if not self.primary_key:
            return state + [row[1:] for row in rows]
        positions = [[name for name, _ in self.columns].index(key) for key in self.primary_key]
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
