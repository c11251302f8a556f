"""Two engines take turns on one table; after each step all readers have to see what the model has."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from core.maintenance.check import Severity, check_table
from core.types import DataField, parse_type
from tests.interop.turns.engines import Engine, Lakescope
from tests.interop.turns.model import Column, Model, State
from tests.interop.turns.steps import Steps
from tests.interop.values import same_rows

COLUMNS = (("p", "STRING NOT NULL"), ("k", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"))


@dataclass(frozen=True)
class Kind:
    """A kind of table to play on, and steps that an engine cannot do on it."""

    keys: Sequence[str]
    options: Mapping[str, str]
    leaves_out: frozenset[str] = frozenset()


@dataclass
class Game:
    """One table, and who writes and who reads it."""

    ours: Lakescope
    other: Engine
    readers: Mapping[str, Engine]
    seed: int
    table: str
    kind: Kind
    told: list[str] = field(default_factory=list)  # what was done

    def play(self, steps: int) -> None:
        """Take turns; then read everything that is left.

        Raises:
            AssertionError: a reader sees other rows than the model has; all steps so far are told.
        """
        self._create()
        columns = tuple(Column(i, name, sql.split()[0]) for i, (name, sql) in enumerate(COLUMNS))
        model = Model(self.kind.keys, State(columns), highest_id=len(columns) - 1)
        drawn = Steps(Random(self.seed), model)
        try:
            for number in range(steps):
                self._step(drawn, model, (self.ours, self.other)[number % 2], first=number == 0)
            self._compare_all(model)
        except Exception as error:
            raise AssertionError(f"{self.table}, seed {self.seed}:\n" + "\n".join(self.told)) from error
        findings = check_table(self.ours.table(self.table)).findings
        assert [found for found in findings if found.severity is Severity.ERROR] == []

    def _create(self) -> None:
        fields = [DataField(i, name, parse_type(sql)) for i, (name, sql) in enumerate(COLUMNS)]
        self.ours.create(self.table, fields, self.kind.keys, ("p",), self.kind.options)

    def _step(self, drawn: Steps, model: Model, who: Engine, *, first: bool) -> None:
        able = {"write"} if first else {*who.able} - (set() if who is self.ours else self.kind.leaves_out)
        operation = drawn.next(able, deletes=who.deletes)
        self.told.append(f"{type(who).__name__}: {json.dumps(operation, ensure_ascii=False)}")
        model.apply(operation)
        who.do(self.table, operation)
        table = self.ours.table(self.table)
        model.settle(table.snapshots.ids())
        for name, branch in model.branches.items():
            branch.settle(table.with_branch(name).snapshots.ids())
        self._compare("", {}, model.now)
        older = drawn.random.choice(list(model.at))
        self._compare("", {"scan.snapshot-id": str(older)}, model.at[older])

    def _compare_all(self, model: Model) -> None:
        for snapshot, state in model.at.items():
            self._compare("", {"scan.snapshot-id": str(snapshot)}, state)
        for tag, state in model.tagged.items():
            self._compare("", {"scan.tag-name": tag}, state)
        for name, branch in model.branches.items():
            schemas = self.ours.table(self.table).with_branch(name).schemas.ids()
            # Java 0.9.0 gives a branch the schema of its tag alone; pypaimon 2.1.0 misses older ones.
            missing = {"pypaimon"} if 0 not in schemas else set()
            self._compare(f"$branch_{name}", {}, branch.now, missing)

    def _compare(
        self, suffix: str, options: Mapping[str, str], state: State, left_out: Collection[str] = ()
    ) -> None:
        for name, reader in self.readers.items():
            if name in left_out:
                continue
            columns, rows = reader.read(self.table + suffix, options)
            assert columns == state.names, (name, suffix, options)
            assert same_rows(rows, state.shown), _unlike(name, suffix, options, rows, state.shown)


def _unlike(name: str, suffix: str, options: Any, rows: list[Any], expected: list[Any]) -> str:
    extra = [row for row in rows if row not in expected]
    missing = [row for row in expected if row not in rows]
    return (
        f"{name} reads {suffix or 'main'} {options}: too much {extra}, missing {missing}, of {len(expected)}"
    )
