"""What may happen to a table next: drawn of a seed, and legal for the table as its model has it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random
from typing import Any

from tests.interop import describe
from tests.interop.describe import Operation
from tests.interop.turns.model import Model, State

PARTITIONS = ("x", "y z")
TEXTS = ("", "a", "Ä語", "it's", "a longer text than fits into a slot")
CHANCES = {
    "write": 7,
    "delete rows": 3,
    "overwrite": 2,
    "compact": 4,
    "expire": 2,
    "tag": 2,
    "untag": 1,
    "branch": 2,
    "branch of an expired snapshot": 1,
    "write to branch": 2,
    "drop branch": 1,
    "fast forward": 1,
    "roll back": 2,
    "restore": 1,
    "remove orphans": 1,
    "alter": 3,
    "drop partition": 1,
    "truncate": 0.5,
}


class Steps:
    """Draws the operations of one table, one after the other."""

    def __init__(self, random: Random, model: Model) -> None:
        self.random = random
        self.model = model
        self.names = 0
        self.deletes = False

    def next(self, able: Collection[str], *, deletes: bool) -> Operation:
        """An operation of those that an engine is able to do (`op` of a description, or `overwrite`).

        Args:
            able: of CHANCES.
            deletes: the engine writes rows of kind -D.
        """
        self.deletes = deletes
        kinds = [kind for kind in CHANCES if kind in able]
        while True:
            (kind,) = self.random.choices(kinds, [CHANCES[kind] for kind in kinds])
            operation = _DRAWN[kind](self)
            if operation is not None:
                return operation

    def _name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def write(self) -> Operation:
        return describe.write(*self._rows(self.model.now, deletes=self.deletes and bool(self.model.keys)))

    def overwrite(self) -> Operation:
        partition = self.random.choice(PARTITIONS)
        rows = self._rows(self.model.now, partition)
        return describe.write(*rows, overwrite={"p": partition})

    def delete_rows(self) -> Operation:
        return {"op": "dvdelete", "col": "k", "in": self.random.sample(range(10), 2)}

    def compact(self) -> Operation:
        return describe.compact(full=self.random.random() < 0.5)

    def expire(self) -> Operation:
        return {"op": "expire", "retain": self.random.randint(1, 4)}

    def tag(self) -> Operation | None:
        return describe.tag(self._name("t"), self.random.choice(list(self.model.at)))

    def untag(self) -> Operation | None:
        # Java keeps the files of a branch only for its tag.
        free = [name for name in self.model.tags if name not in self.model.founded.values()]
        return {"op": "deltag", "name": self.random.choice(free)} if free else None

    def branch(self) -> Operation | None:
        return self._branch([tag for tag, i in self.model.tags.items() if i in self.model.at])

    def branch_of_an_expired_snapshot(self) -> Operation | None:
        return self._branch([tag for tag, i in self.model.tags.items() if i not in self.model.at])

    def _branch(self, tags: list[str]) -> Operation | None:
        if not tags or len(self.model.branches) > 1:
            return None
        return {"op": "mkbranch", "name": self._name("b"), "tag": self.random.choice(tags)}

    def write_to_branch(self) -> Operation | None:
        if not self.model.branches:
            return None
        name = self.random.choice(list(self.model.branches))
        return {**describe.write(*self._rows(self.model.branches[name].now)), "branch": name}

    def drop_branch(self) -> Operation | None:
        branches = list(self.model.branches)
        return {"op": "rmbranch", "name": self.random.choice(branches)} if branches else None

    def fast_forward(self) -> Operation | None:
        """To a branch of a snapshot that main still has; nothing that another branch needs may go."""
        founders = {name: self.model.tags[tag] for name, tag in self.model.founded.items()}
        able = [
            name
            for name, shared in founders.items()
            if shared in self.model.at
            and [tag for tag, i in self.model.tags.items() if i == shared] == [self.model.founded[name]]
            and all(other < shared for branch, other in founders.items() if branch != name)
        ]
        return {"op": "fastforward", "name": self.random.choice(able)} if able else None

    def restore(self) -> Operation | None:
        older = [i for i in self.model.at if i < self.model.latest]
        return {"op": "restore", "snapshot": self.random.choice(older)} if older else None

    def remove_orphans(self) -> Operation:
        return {"op": "orphans"}

    def roll_back(self) -> Operation | None:
        # Tags behind the target go, and with them what Java keeps of their branches.
        needed = max((self.model.tags[tag] for tag in self.model.founded.values()), default=0)
        targets = [i for i in self.model.at if needed <= i < self.model.latest]
        return describe.rollback(self.random.choice(targets)) if targets else None

    def alter(self) -> Operation | None:
        free = [c for c in self.model.now.columns if c.name not in ("p", "k")]
        column = self.random.choice(free)
        changes = {
            "add": ("add", self._name("c"), self.random.choice(["INT", "STRING"])),
            "rename": ("rename", column.name, self._name("r")),
            "first": ("first", column.name),
        }
        if column == self.model.now.columns[0]:
            del changes["first"]  # Spark refuses to move it to where it is
        if len(free) > 2:
            changes["drop"] = ("drop", column.name)
        if column.type == "INT":
            changes["type"] = ("type", column.name, "BIGINT")
        if len(free) > 4:
            del changes["add"]
        return describe.alter(changes[self.random.choice(list(changes))])

    def drop_partition(self) -> Operation:
        return {"op": "droppartition", "partitions": [{"p": self.random.choice(PARTITIONS)}]}

    def truncate(self) -> Operation:
        return {"op": "truncate"}

    def _rows(
        self, state: State, partition: str | None = None, *, deletes: bool = False
    ) -> list[describe.Row]:
        """Rows of different keys: not all engines say which of two in one commit is the later."""
        keys = self.random.sample(range(10), self.random.randint(1, 6))
        return [self._row(state, key, partition, deletes) for key in keys]

    def _row(self, state: State, key: int, partition: str | None, deletes: bool) -> describe.Row:
        fixed = {"k": key, "p": partition or self.random.choice(PARTITIONS)}
        values = [fixed[c.name] if c.name in fixed else self._value(c.type) for c in state.columns]
        return ["-D" if deletes and self.random.random() < 0.3 else "+I", *values]

    def _value(self, sql: str) -> Any:
        if self.random.random() < 0.2:
            return None
        if sql == "STRING":
            return self.random.choice(TEXTS)
        return self.random.randint(-100, 100) * (1 if sql == "INT" else 2**40)


_DRAWN: dict[str, Callable[[Steps], Operation | None]] = {
    kind: getattr(Steps, kind.replace(" ", "_")) for kind in CHANCES
}
