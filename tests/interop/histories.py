"""Histories of tables for a peer to live through: writes, deletes, compactions and schema changes.

A history is a table of a description (see `describe.py`), drawn by Hypothesis. Everything in it is legal for
Java Paimon 0.9.0 and read rightly by it; what that version is known to get wrong is never drawn: ROW inside
of ROW and MULTISET in parquet, TIMESTAMP(9) before 1970, a column renamed that options name, a row that comes
after its delete under `partial-update.remove-record-on-delete`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.interop import describe

Json = Any
_TEXTS = st.text(st.sampled_from("abcÄ語 '%,"), max_size=12)
_MOMENTS = st.sampled_from(["2024-02-29T23:59:59", "1999-12-31T00:00:01", "2038-01-19T03:14:08"])


@dataclass(frozen=True)
class Kind:
    """A column's type: its text or JSON form, its values, and what it may become."""

    sql: Json
    values: st.SearchStrategy[Json]
    becomes: tuple[str, ...] = ()  # names of kinds whose casts take every value
    formats: tuple[str, ...] = ("parquet", "orc", "avro")


def _digits(count: int) -> st.SearchStrategy[str]:
    return _MOMENTS.flatmap(
        lambda moment: st.integers(0, 10**count - 1).map(lambda part: f"{moment}.{part:0{count}d}")
    )


def _numbers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-20, 20) | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _decimals(digits: int, scale: int) -> st.SearchStrategy[str]:
    return st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda n: _with_point(n, scale))


def _with_point(unscaled: int, scale: int) -> str:
    whole, part = divmod(abs(unscaled), 10**scale)
    return f"{'-' if unscaled < 0 else ''}{whole}.{part:0{scale}d}"


KINDS: Mapping[str, Kind] = {
    "boolean": Kind("BOOLEAN", st.booleans(), ("int", "text")),
    "tiny": Kind("TINYINT", _numbers(8), ("int", "double", "decimal", "text")),
    "small": Kind("SMALLINT", _numbers(16), ("int", "tiny", "text")),
    "int": Kind("INT", _numbers(32), ("big", "double", "decimal", "text", "boolean", "tiny")),
    "big": Kind("BIGINT", _numbers(64), ("int", "text", "wide")),
    "float": Kind("FLOAT", st.sampled_from([0.0, 1.5, -2.25, 1e10, 0.001]), ("double", "int", "text")),
    "double": Kind(
        "DOUBLE", st.sampled_from([0.0, 1.5, -2.25, 1e20, 1e-5, 123.456]), ("float", "big", "text")
    ),
    "decimal": Kind("DECIMAL(9, 2)", _decimals(9, 2), ("wide", "double", "text", "int")),
    "wide": Kind("DECIMAL(25, 5)", _decimals(25, 5), ("decimal", "text")),
    "text": Kind("STRING", _TEXTS, ("chars", "bytes")),
    "chars": Kind("VARCHAR(6)", st.text("abÄ語", max_size=6), ("text",)),
    "bytes": Kind("BYTES", st.binary(max_size=9).map(lambda data: b64encode(data).decode())),
    "date": Kind("DATE", st.sampled_from(["2024-02-29", "1970-01-01", "1999-12-31"]), ("millis", "text")),
    "time": Kind("TIME(3)", st.integers(0, 999).map(lambda n: f"01:02:03.{n:03d}")),
    "millis": Kind("TIMESTAMP(3)", _digits(3), ("micros", "date", "text", "big")),
    "micros": Kind("TIMESTAMP(6)", _digits(6), ("millis", "text")),
    "nanos": Kind("TIMESTAMP(9)", _digits(9), ("micros", "text"), ("parquet", "orc")),
    "instant": Kind("TIMESTAMP(6) WITH LOCAL TIME ZONE", _digits(6).map(lambda t: f"{t}Z"), ("micros",)),
    "array": Kind({"type": "ARRAY", "element": "INT"}, st.lists(st.none() | _numbers(32), max_size=3)),
    "map": Kind(
        {"type": "MAP", "key": "STRING", "value": "BIGINT"},
        st.dictionaries(st.sampled_from("abc"), st.none() | _numbers(64), max_size=3).map(
            lambda pairs: [list(pair) for pair in pairs.items()]
        ),
    ),
    "row": Kind(
        {
            "type": "ROW",
            "fields": [{"id": 0, "name": "x", "type": "INT"}, {"id": 1, "name": "y", "type": "STRING"}],
        },
        st.fixed_dictionaries({"x": _numbers(32), "y": st.none() | _TEXTS}),
    ),
}
# Few of each, so that keys come again. They have names of their own, which nothing else gets.
_KEYS: Mapping[str, st.SearchStrategy[Json]] = {"k": st.integers(0, 8), "p": st.sampled_from(["x", "y z"])}
_RENAMED = st.sampled_from(["renamed", "other", "v9", "Ünlaut"])


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    fixed: bool = False  # keys, and columns that options name

    def value(self) -> st.SearchStrategy[Json]:
        return _KEYS.get(self.name, st.none() | KINDS[self.kind].values)


@dataclass
class _Draft:
    """A table as far as it has been drawn."""

    draw: st.DrawFn
    columns: list[Column]
    deletes: bool = False
    formats: Sequence[str] = ("parquet", "orc", "avro")
    names: int = 0

    def rows(self) -> describe.Operation:
        rows = self.draw(st.lists(self._row(), min_size=1, max_size=8))
        return describe.write(*rows)

    def _row(self) -> st.SearchStrategy[list[Json]]:
        kinds = st.sampled_from(["+I", "+I", "-D"] if self.deletes else ["+I"])
        values = [column.value() for column in self.columns]
        return st.tuples(kinds, *values).map(list)

    def change(self) -> describe.Operation | None:
        """A schema change, or another format for the files to come."""
        choices: list[Callable[[], list[Json] | None]] = [
            self._add, self._drop, self._rename, self._move, self._retype, self._switch_format,
        ]  # fmt: skip
        change = self.draw(st.sampled_from(choices))()
        return None if change is None else describe.alter(change)

    def _free(self) -> list[int]:
        return [i for i, column in enumerate(self.columns) if not column.fixed]

    def _kinds(self) -> st.SearchStrategy[str]:
        return st.sampled_from(sorted(n for n, k in KINDS.items() if set(self.formats) <= set(k.formats)))

    def _add(self) -> list[Json]:
        self.names += 1
        dropped = self.draw(st.sampled_from(["v0", "v1", f"n{self.names}"]))  # perhaps a name of old
        name = dropped if dropped not in {c.name for c in self.columns} else f"n{self.names}"
        column = Column(name, self.draw(self._kinds()))
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
        if not self._free():
            return None
        column = self.columns.pop(self.draw(st.sampled_from(self._free())))
        self.columns.insert(0, column)
        return ["first", column.name]

    def _retype(self) -> list[Json] | None:
        able = [i for i in self._free() if KINDS[self.columns[i].kind].becomes]
        if not able:
            return None
        at = self.draw(st.sampled_from(able))
        new = self.draw(st.sampled_from(KINDS[self.columns[at].kind].becomes))
        self.columns[at] = replace(self.columns[at], kind=new)
        return ["type", self.columns[at].name, KINDS[new].sql]

    def _switch_format(self) -> list[Json]:
        return ["set", "file.format", self.draw(st.sampled_from(list(self.formats)))]


_SUMMED = ("sum", "max", "min", "last_value", "last_non_null_value", "first_value", "first_non_null_value")


def _engine(draw: st.DrawFn, name: str, columns: list[Column]) -> tuple[dict[str, str], list[Column], bool]:
    """Options of a merge engine, the columns that they tie, and whether it takes deletes."""
    free = [i for i, column in enumerate(columns) if not column.fixed]
    tied = list(columns)
    options: dict[str, str] = {"merge-engine": name}
    if name == "aggregation":
        for at in free[:2]:
            numeric = columns[at].kind in ("int", "big", "double", "decimal")
            function = draw(st.sampled_from(_SUMMED if numeric else _SUMMED[3:]))
            # An integer sum that overflows wraps around in 0.9.0 and is refused by us.
            function = "max" if function == "sum" and columns[at].kind in ("int", "big") else function
            options[f"fields.{columns[at].name}.aggregate-function"] = function
            tied[at] = replace(columns[at], fixed=True)
    elif name == "partial-update":
        options["ignore-delete"] = "true"
        return options, tied, True
    elif name == "first-row":
        options["ignore-delete"] = "true"
    return options, tied, name == "deduplicate"


@st.composite
def histories(draw: st.DrawFn, name: str, *, defaults_on_read: bool = True) -> dict[str, Any]:
    """A table called `name`, of any engine and format, and what happens to it.

    `defaults_on_read`: the peer knows `fields.<column>.default-value`, which Paimon 1.0 gave up.
    """
    engine = draw(st.sampled_from(["append", "deduplicate", "partial-update", "aggregation", "first-row"]))
    formats = draw(st.sampled_from([("parquet",), ("orc",), ("avro",), ("parquet", "orc", "avro")]))
    keyed, partitioned = engine != "append", draw(st.booleans())
    draft = _Draft(draw, [], formats=formats)
    columns = [Column("k", "int", fixed=True), *([Column("p", "text", fixed=True)] if partitioned else [])]
    columns += [Column(f"v{i}", draw(draft._kinds())) for i in range(draw(st.integers(2, 4)))]
    options = {"file.format": draw(st.sampled_from(list(formats)))}
    if keyed:
        more, columns, draft.deletes = _engine(draw, engine, columns)
        options |= {
            **more,
            "bucket": draw(st.sampled_from(["1", "2"])),
            "write-only": draw(st.sampled_from(["true", "false"])),
        }
        if engine == "first-row":
            options["write-only"] = "false"  # rows are seen once they are compacted
        elif engine == "deduplicate" and draw(st.booleans()):
            options["deletion-vectors.enabled"] = "true"
            options["write-only"] = "false"
    else:
        options |= {"bucket": "-1", "deletion-vectors.enabled": draw(st.sampled_from(["true", "false"]))}
    if defaults_on_read:
        columns = _with_default(draw, columns, options)
    draft.columns = columns
    created = [
        (c.name, KINDS[c.kind].sql + " NOT NULL" if c.name in "kp" and keyed else KINDS[c.kind].sql)
        for c in columns
    ]
    return describe.table(
        name,
        created,
        primary_key=[c.name for c in columns if c.name in ("k", "p")] if keyed else [],
        partition_keys=["p"] if partitioned else [],
        options=options,
        operations=_operations(draw, draft, keyed, options),
    )


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
    operations = [draft.rows()]
    for step in draw(
        st.lists(st.sampled_from(["write", "write", "change", "compact", "delete"]), max_size=6)
    ):
        if step == "write":
            operations.append(draft.rows())
        elif step == "change":
            change = draft.change()
            operations += [] if change is None else [change, draft.rows()]
        elif step == "compact":
            operations.append(describe.compact(full=draw(st.booleans())))
        elif not keyed and options["deletion-vectors.enabled"] == "true":
            values = draw(st.lists(st.integers(0, 8), min_size=1, max_size=3))
            operations.append({"op": "dvdelete", "col": "k", "in": values})
    return operations
