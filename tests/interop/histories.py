"""Histories of tables for a peer to live through: writes, deletes, compactions and schema changes.

A history is a table of a description (see `describe.py`), drawn by Hypothesis. Everything in it is legal for
Java Paimon 0.9.0 and read rightly by it; what that version is known to get wrong is never drawn: ROW inside
of ROW and MULTISET in parquet, TIMESTAMP(9) before 1970, a column renamed that options name, types that one
change after the other leads to and no cast does, numbers that are too large for the DECIMAL that their column
has become where files are rewritten (and see `merging.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests.interop import describe
from tests.interop.columns import KEYS, KINDS, Column, Json
from tests.interop.merging import ADDS, Merging, merging

_RENAMED = st.sampled_from(["renamed", "other", "v9", "Ünlaut"])


@dataclass
class _Draft:
    """A table as far as it has been drawn."""

    draw: st.DrawFn
    formats: Sequence[str]
    merging: Merging = field(default_factory=lambda: Merging([]))
    names: int = 0
    is_rewritten: bool = True  # by writers
    is_compacted: bool = True  # if a history asks for it
    added: set[tuple[Json, ...]] = field(default_factory=set)  # keys
    gone: set[tuple[Json, ...]] = field(default_factory=set)

    @property
    def columns(self) -> list[Column]:
        return self.merging.columns

    def rows(self) -> list[describe.Operation]:
        drawn = self.draw(st.lists(self._row(), min_size=1, max_size=8))
        if self.merging.add_is_first:
            added = {key for kind, key in map(self._kind_and_key, drawn) if kind in ADDS}
            drawn = [row for row in drawn if self._kind_and_key(row)[1] in added]
        rows = [row for row in drawn if self._takes(row)]
        return [describe.write(*rows)] if rows else []

    def _kind_and_key(self, row: list[Json]) -> tuple[Json, tuple[Json, ...]]:
        named = dict(zip((column.name for column in self.columns), row[1:], strict=True))
        kind = named[self.merging.kind_column] if self.merging.kind_column else row[0]
        return kind, tuple(named[name] for name in KEYS if name in named)

    def _row(self) -> st.SearchStrategy[list[Json]]:
        kinds = st.sampled_from(["+I"] if self.merging.kind_column else list(self.merging.kinds))
        values = [column.value() for column in self.columns]
        return st.tuples(kinds, *values).map(list)

    def _takes(self, row: list[Json]) -> bool:
        """Whether the row may come now; then it has."""
        kind, key = self._kind_and_key(row)
        unknown = self.merging.add_is_first and kind not in ADDS and key not in self.added
        if key in self.gone or unknown:
            return False
        if self.merging.delete_is_last and kind == "-D":
            self.gone.add(key)
        self.added.add(key)
        return True

    def change(self) -> describe.Operation | None:
        """A schema change, or another format for the files to come."""
        choices: list[Callable[[], list[Json] | None]] = [
            self._add, self._drop, self._rename, self._move, self._retype, self._switch_format,
        ]  # fmt: skip
        change = self.draw(st.sampled_from(choices))()
        return None if change is None else describe.alter(change)

    def _free(self) -> list[int]:
        return [i for i, column in enumerate(self.columns) if not column.fixed]

    def kinds(self) -> st.SearchStrategy[str]:
        return st.sampled_from(sorted(n for n, k in KINDS.items() if set(self.formats) <= set(k.formats)))

    def _add(self) -> list[Json]:
        self.names += 1
        dropped = self.draw(st.sampled_from(["v0", "v1", f"n{self.names}"]))  # perhaps a name of old
        name = dropped if dropped not in {c.name for c in self.columns} else f"n{self.names}"
        column = Column(name, self.draw(self.kinds()))
        self.columns.append(column)
        return ["add", name, KINDS[column.kind].sql]

    def _drop(self) -> list[Json] | None:
        if len(self._free()) < 2:
            return None
        return ["drop", self.columns.pop(self.draw(st.sampled_from(self._free()))).name]

    def _rename(self) -> list[Json] | None:
        new = self.draw(_RENAMED)
        if not self._free() or new in {c.name for c in self.columns}:
            return None
        at = self.draw(st.sampled_from(self._free()))
        old, self.columns[at] = self.columns[at].name, replace(self.columns[at], name=new)
        return ["rename", old, new]

    def _move(self) -> list[Json] | None:
        behind = [at for at in self._free() if at > 0]  # Java refuses to move the first one to where it is
        if not behind:
            return None
        column = self.columns.pop(self.draw(st.sampled_from(behind)))
        self.columns.insert(0, column)
        return ["first", column.name]

    def _retype(self) -> list[Json] | None:
        able = [i for i in self._free() if self._becomes(i)]
        if not able:
            return None
        at = self.draw(st.sampled_from(able))
        new = self.draw(st.sampled_from(self._becomes(at)))
        self.is_compacted &= new not in KINDS[self.columns[at].kind].overflows
        self.columns[at] = self.columns[at].become(new)
        return ["type", self.columns[at].name, KINDS[new].sql]

    def _becomes(self, at: int) -> list[str]:
        column, kind = self.columns[at], KINDS[self.columns[at].kind]
        choices = kind.becomes if self.is_rewritten else kind.becomes + kind.overflows
        return [new for new in choices if column.may_become(new)]

    def _switch_format(self) -> list[Json]:
        return ["set", "file.format", self.draw(st.sampled_from(list(self.formats)))]


@st.composite
def histories(draw: st.DrawFn, name: str, *, newest: bool = False) -> dict[str, Any]:
    """A table called `name`, of any engine and format, and what happens to it.

    `newest`: the peer is the newest Paimon, with more options and without `fields.<column>.default-value`.
    """
    engine = draw(st.sampled_from(["append", "deduplicate", "partial-update", "aggregation", "first-row"]))
    formats = draw(st.sampled_from([("parquet",), ("orc",), ("avro",), ("parquet", "orc", "avro")]))
    keyed, partitioned = engine != "append", draw(st.booleans())
    draft = _Draft(draw, formats)
    columns = [Column("k", "int", fixed=True), *([Column("p", "text", fixed=True)] if partitioned else [])]
    columns += [Column(f"v{i}", draw(draft.kinds())) for i in range(draw(st.integers(2, 4)))]
    draft.merging = merging(draw, engine, columns, newest=newest) if keyed else Merging(columns)
    options = {"file.format": draw(st.sampled_from(list(formats))), **draft.merging.options}
    options |= _keyed(draw, engine) if keyed else _append(draw)
    draft.is_rewritten = options.get("write-only") == "false"
    if not newest:
        draft.merging.columns = _with_default(draw, draft.columns, options)
    created = [
        (c.name, KINDS[c.kind].sql + " NOT NULL" if c.name in KEYS and keyed else KINDS[c.kind].sql)
        for c in draft.columns
    ]
    return describe.table(
        name,
        created,
        primary_key=[c.name for c in columns if c.name in KEYS] if keyed else [],
        partition_keys=["p"] if partitioned else [],
        options=options,
        operations=_operations(draw, draft, keyed, options),
    )


def _keyed(draw: st.DrawFn, engine: str) -> dict[str, str]:
    """How the files of a table with a primary key are kept."""
    options = {
        "bucket": draw(st.sampled_from(["1", "2"])),
        "write-only": draw(st.sampled_from(["true", "false"])),
    }
    if engine == "first-row":
        options["write-only"] = "false"  # rows are seen once they are compacted
    elif draw(st.booleans()):
        options |= {"deletion-vectors.enabled": "true", "write-only": "false"}
    return options


def _append(draw: st.DrawFn) -> dict[str, str]:
    return {"bucket": "-1", "deletion-vectors.enabled": draw(st.sampled_from(["true", "false"]))}


_DEFAULTS = {"int": "7", "text": "none", "date": "2020-02-02", "boolean": "true", "decimal": "1.50"}


def _with_default(draw: st.DrawFn, columns: list[Column], options: dict[str, str]) -> list[Column]:
    """The columns, one of which may show a value in place of null."""
    able = [i for i, column in enumerate(columns) if column.kind in _DEFAULTS and not column.fixed]
    if not able or not draw(st.booleans()):
        return columns
    column = columns[able[0]]
    options[f"fields.{column.name}.default-value"] = _DEFAULTS[column.kind]
    return [replace(c, fixed=True) if c == column else c for c in columns]


def _operations(
    draw: st.DrawFn, draft: _Draft, keyed: bool, options: Mapping[str, str]
) -> list[describe.Operation]:
    operations = draft.rows()
    for step in draw(
        st.lists(st.sampled_from(["write", "write", "change", "compact", "delete"]), max_size=6)
    ):
        if step == "write":
            operations += draft.rows()
        elif step == "change":
            change = draft.change()
            operations += [] if change is None else [change, *draft.rows()]
        elif step == "compact":
            operations += [describe.compact(full=draw(st.booleans()))] if draft.is_compacted else []
        elif not keyed and options["deletion-vectors.enabled"] == "true":
            values = draw(st.lists(st.integers(0, 8), min_size=1, max_size=3))
            operations.append({"op": "dvdelete", "col": "k", "in": values})
    return operations
