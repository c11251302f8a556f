"""What a table of taking turns has to hold: dicts and lists, with none of our code.

A row is a dict by field id, so that a column keeps its values whatever it is called and wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.interop.describe import Operation

Row = Mapping[int, Any]


@dataclass(frozen=True)
class Column:
    id: int
    name: str
    type: str


@dataclass(frozen=True)
class State:
    """The rows that are there, and the columns that they are read by."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def shown(self) -> list[list[Any]]:
        """The rows as a reader shows them; a column that came after a row is null in it."""
        return [[row.get(column.id) for column in self.columns] for row in self.rows]

    def id_of(self, name: str) -> int:
        return next(column.id for column in self.columns if column.name == name)


@dataclass
class Model:
    """One branch of a table: its state now, and that of each snapshot that is left."""

    keys: Sequence[str]
    now: State
    at: dict[int, State] = field(default_factory=dict)  # by snapshot
    tags: dict[str, int] = field(default_factory=dict)
    tagged: dict[str, State] = field(default_factory=dict)
    branches: dict[str, Model] = field(default_factory=dict)
    founded: dict[str, str] = field(default_factory=dict)  # the tag of each branch
    highest_id: int = 0

    @property
    def latest(self) -> int:
        return max(self.at, default=0)

    def apply(self, operation: Operation) -> None:
        """What an operation does to rows, columns, tags and branches; `settle` does the snapshots."""
        branch = operation.get("branch")
        if branch is not None:
            self.branches[branch].apply({**operation, "branch": None})
        else:
            getattr(self, f"_{operation['op']}")(operation)

    def settle(self, ids: Sequence[int]) -> None:
        """Note the snapshots of a table once an operation is done: new ones hold what is there now."""
        assert list(ids) == list(range(ids[0], ids[-1] + 1)), f"a gap in {ids}"
        expected = [i for i in self.at if i <= ids[-1]]
        assert [i for i in ids if i in self.at] == expected, (
            f"of the snapshots {list(self.at)} there are {ids}"
        )
        self.at |= {i: self.now for i in ids if i not in self.at}
        assert self.at[ids[-1]].rows == self.now.rows, "rows have changed without a snapshot"

    # ---------------------------------------------------------------------------------- operations

    def _write(self, operation: Operation) -> None:
        rows = list(self.now.rows)
        if "overwrite" in operation:
            rows = _without(rows, {self.now.id_of(k): [v] for k, v in operation["overwrite"].items()})
        for kind, *values in operation["rows"]:
            row = dict(zip((column.id for column in self.now.columns), values, strict=True))
            if self.keys:
                rows = _without(rows, {self.now.id_of(key): [row[self.now.id_of(key)]] for key in self.keys})
            if kind != "-D":
                rows.append(row)
        self._hold(rows)

    def _dvdelete(self, operation: Operation) -> None:
        self._hold(_without(self.now.rows, {self.now.id_of(operation["col"]): operation["in"]}))

    def _truncate(self, operation: Operation) -> None:
        self._hold([])

    def _droppartition(self, operation: Operation) -> None:
        for spec in operation["partitions"]:
            self._hold(_without(self.now.rows, {self.now.id_of(k): [v] for k, v in spec.items()}))

    def _hold(self, rows: Iterable[Row]) -> None:
        self.now = replace(self.now, rows=tuple(rows))

    def _compact(self, operation: Operation) -> None:
        pass

    def _expire(self, operation: Operation) -> None:
        for snapshot in sorted(self.at)[: -operation["retain"]]:
            del self.at[snapshot]

    def _tag(self, operation: Operation) -> None:
        self.tags[operation["name"]] = operation["snapshot"]
        self.tagged[operation["name"]] = self.at[operation["snapshot"]]

    def _deltag(self, operation: Operation) -> None:
        del self.tags[operation["name"]], self.tagged[operation["name"]]

    def _mkbranch(self, operation: Operation) -> None:
        tag, name = operation["tag"], operation["name"]
        state = self.tagged[tag]
        self.branches[name] = Model(self.keys, state, {self.tags[tag]: state})
        self.founded[name] = tag

    def _rmbranch(self, operation: Operation) -> None:
        del self.branches[operation["name"]], self.founded[operation["name"]]

    def _fastforward(self, operation: Operation) -> None:
        """Main becomes the branch, which goes; tags of what main loses go with it."""
        branch, founder = self.branches.pop(operation["name"]), self.founded.pop(operation["name"])
        shared = self.tags[founder]
        self.now = branch.now
        self.at = {i: state for i, state in self.at.items() if i < shared} | branch.at
        self.tags = {name: i for name, i in self.tags.items() if i < shared or name == founder}
        self.tagged = {name: self.tagged[name] for name in self.tags}

    def _restore(self, operation: Operation) -> None:
        self._hold(self.at[operation["snapshot"]].rows)

    def _orphans(self, operation: Operation) -> None:
        pass

    def _rollback(self, operation: Operation) -> None:
        target = operation["snapshot"]
        self._hold(self.at[target].rows)
        self.at = {i: state for i, state in self.at.items() if i <= target}
        self.tags = {name: i for name, i in self.tags.items() if i <= target}
        self.tagged = {name: self.tagged[name] for name in self.tags}

    def _alter(self, operation: Operation) -> None:
        for kind, name, *more in operation["changes"]:
            columns = {column.name: column for column in self.now.columns}
            if kind == "add":
                self.highest_id += 1
                columns[name] = Column(self.highest_id, name, more[0])
            elif kind == "drop":
                del columns[name]
            elif kind == "rename":
                columns[name] = replace(columns[name], name=more[0])
            elif kind == "type":
                columns[name] = replace(columns[name], type=more[0])
            elif kind == "first":
                columns = {name: columns[name], **columns}
            else:
                raise AssertionError(kind)
            self.now = replace(self.now, columns=tuple(columns.values()))


def _without(rows: Iterable[Row], values: Mapping[int, Sequence[Any]]) -> list[Row]:
    """The rows but those whose fields all have one of these values."""
    return [row for row in rows if not all(row.get(i) in some for i, some in values.items())]
