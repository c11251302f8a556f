"""What a merge engine is told in a history: which options, on which columns, and what rows it may then get.

What Java Paimon 0.9.0 is known to do otherwise than the newest is drawn for the newest alone: a retract that
comes before the first row of its key or stands in a write without another row of it, a row that comes after
its delete under `partial-update.remove-record-on-delete`, the division of `product`, a second sequence field
of an aggregation (0.9.0 keeps its last value that is not null), and the options that it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from tests.interop.columns import KINDS, Column, Json

ADDS = ("+I", "+U")
_ALL = ("+I", "+I", "+U", "-U", "-D")
_NO_BEFORE = ("+I", "+I", "+U", "-D")

Values = Mapping[str, st.SearchStrategy[Json] | None]  # by kind of column; None for the kind's own


@dataclass
class Merging:
    """The columns of a table, its options, and what its rows may be."""

    columns: list[Column]
    options: dict[str, str] = field(default_factory=dict)
    kinds: Sequence[str] = ("+I",)
    kind_column: str | None = None  # `rowkind.field`
    delete_is_last: bool = False  # no row follows the delete of its key
    add_is_first: bool = False  # no retract comes before the first row of its key, or alone in a write


def merging(draw: st.DrawFn, engine: str, columns: Sequence[Column], *, newest: bool) -> Merging:
    """What the engine of that name is told about the columns, some of which become fixed."""
    drawing = _Drawing(draw, newest, Merging(list(columns), {"merge-engine": engine}))
    _ENGINES[engine](drawing)
    drawing.kind_column()
    return drawing.made


@dataclass(frozen=True)
class _Function:
    """An aggregate function: what it takes, and whether it can take a value back."""

    values: Values
    retracts: bool = False


def _kinds(*names: str) -> Values:
    return dict.fromkeys(names)


_EXACT = st.sampled_from([0.0, 1.5, -2.25, 96.0])  # sums of these are the same in any order
# The newest refuses an integer sum that overflows, 0.9.0 wraps around: so many rows never get that far.
_SUMMED: Values = {
    "tiny": st.integers(-1, 1),
    "small": st.integers(-100, 100),
    "int": st.integers(-1000, 1000),
    "big": st.integers(-1000, 1000),
    "float": _EXACT,
    "double": _EXACT,
    "decimal": None,
    "wide": None,
}
_MULTIPLIED: Values = {
    "int": st.sampled_from([1, -1]),
    "big": st.sampled_from([1, -1, 2]),
    "double": st.sampled_from([1.5, -2.0, 0.5]),
    "decimal": st.sampled_from(["1.50", "-0.25", "2.00"]),
}
_TIMES = ("date", "time", "millis", "micros", "nanos", "instant")
_ORDERED = _kinds(*_SUMMED, *_TIMES, "text", "chars")
_ANY = _kinds(*KINDS)
_FUNCTIONS: Mapping[str, _Function] = {
    "sum": _Function(_SUMMED, retracts=True),
    "product": _Function(_MULTIPLIED),
    "min": _Function(_ORDERED),
    "max": _Function(_ORDERED),
    "last_value": _Function(_ANY, retracts=True),
    "last_non_null_value": _Function(_ANY, retracts=True),
    "first_value": _Function(_ANY),
    "first_non_null_value": _Function(_ANY),
    "bool_and": _Function(_kinds("boolean")),
    "bool_or": _Function(_kinds("boolean")),
    "listagg": _Function({"text": st.sampled_from(["a", "b,c", "é"])}),
    "collect": _Function(_kinds("array"), retracts=True),
    "merge_map": _Function(_kinds("map"), retracts=True),
}
_SEQUENCES: Values = {
    "int": st.integers(0, 5),
    "big": st.integers(-3, 3),
    "decimal": st.sampled_from(["-1.00", "1.00", "10.50"]),
    "text": st.sampled_from(["a", "b", "é"]),
    "date": None,
    "millis": None,
}


@dataclass
class _Drawing:
    """The options of a table as far as they have been drawn."""

    draw: st.DrawFn
    newest: bool
    made: Merging

    def one_of(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def perhaps(self) -> bool:
        return self.draw(st.booleans())

    def free(self) -> list[Column]:
        return [column for column in self.made.columns if not column.fixed]

    def tie(self, column: Column, values: st.SearchStrategy[Json] | None = None) -> None:
        """An option names the column, so it stays as it is."""
        columns = self.made.columns
        drawn = None if values is None else st.none() | values
        columns[columns.index(column)] = replace(column, fixed=True, values=drawn)

    def insert(self, name: str, values: Values) -> str:
        """A column more, somewhere between the others."""
        kind = self.one_of(*sorted(values))
        few = values[kind]
        column = Column(name, kind, fixed=True, values=None if few is None else st.none() | few)
        self.made.columns.insert(self.draw(st.integers(1, len(self.made.columns))), column)
        return name

    def ignore_deletes(self) -> None:
        self.made.options["ignore-delete"] = "true"
        self.made.kinds = _ALL

    def kind_column(self) -> None:
        """`rowkind.field`: a column says what a row is."""
        if self.made.kinds != ("+I",) and self.draw(st.integers(0, 3)) == 0:
            self.made.columns.append(Column("rk", "text", True, st.sampled_from(self.made.kinds)))
            self.made.options["rowkind.field"] = self.made.kind_column = "rk"

    def sequence_field(self, most: int = 2) -> None:
        if not self.perhaps():
            return
        names = [self.insert(f"s{i}", _SEQUENCES) for i in range(self.draw(st.integers(1, most)))]
        self.made.options["sequence.field"] = ",".join(names)
        if self.newest and self.perhaps():
            self.made.options["sequence.field.sort-order"] = self.one_of("ascending", "descending")

    def function(self, column: Column) -> None:
        """A function for a column; one that cannot take back is told to leave it."""
        able = sorted(name for name, function in _FUNCTIONS.items() if column.kind in function.values)
        own = [name for name in able if _FUNCTIONS[name].values is not _ANY]  # not of every type
        name = self.one_of(*(own if own and self.perhaps() else able))
        function = _FUNCTIONS[name]
        self.made.options[f"fields.{column.name}.aggregate-function"] = name
        if name == "listagg" and self.perhaps():
            self.made.options[f"fields.{column.name}.list-agg-delimiter"] = "; "
        takes_back = not {"-U", "-D"}.isdisjoint(self.made.kinds) and "ignore-delete" not in self.made.options
        removes = "aggregation.remove-record-on-delete" in self.made.options
        if takes_back and not removes and (not function.retracts or self.perhaps()):
            self.made.options[f"fields.{column.name}.ignore-retract"] = "true"
        self.tie(column, function.values[column.kind])

    def groups(self) -> list[str]:
        """Sequence groups of one column or two; returns the columns that order them."""
        ordering: list[str] = []
        for number in range(self.draw(st.integers(1, 2))):
            protected = [column for column in self.free() if self.perhaps()]
            for column in protected:
                if self.perhaps():
                    self.function(column)
                else:
                    self.tie(column)
            names = [self.insert(f"g{number}{i}", _SEQUENCES) for i in range(self.draw(st.integers(1, 2)))]
            if protected:
                key = f"fields.{','.join(names)}.sequence-group"
                self.made.options[key] = ",".join(column.name for column in protected)
                ordering += names
        return ordering


def _deduplicate(drawing: _Drawing) -> None:
    drawing.made.kinds = _ALL
    if drawing.perhaps():
        drawing.ignore_deletes()
    drawing.sequence_field()


def _partial_update(drawing: _Drawing) -> None:
    ways = [_ignored, _removed, _grouped, *([_removed_by_a_group] if drawing.newest else [])]
    drawing.draw(st.sampled_from(ways))(drawing)
    # 0.9.0 wants every column in a group then.
    if drawing.newest and drawing.perhaps():
        drawing.made.options["fields.default-aggregate-function"] = "last_non_null_value"


def _ignored(drawing: _Drawing) -> None:
    drawing.ignore_deletes()
    if drawing.perhaps():
        drawing.groups()
    else:
        drawing.sequence_field()


def _removed(drawing: _Drawing) -> None:
    made = drawing.made
    made.options["partial-update.remove-record-on-delete"] = "true"
    made.kinds = _ALL if drawing.newest else _NO_BEFORE
    made.delete_is_last = not drawing.newest
    if drawing.newest:
        drawing.sequence_field()


def _grouped(drawing: _Drawing) -> None:
    drawing.made.kinds = _ALL
    drawing.made.add_is_first = not drawing.newest
    if not drawing.groups():
        _ignored_alone(drawing)


def _removed_by_a_group(drawing: _Drawing) -> None:
    drawing.made.kinds = _ALL
    ordering = drawing.groups()
    if ordering:
        drawing.made.options["partial-update.remove-record-on-sequence-group"] = drawing.one_of(*ordering)
    else:
        _ignored_alone(drawing)


def _ignored_alone(drawing: _Drawing) -> None:
    """No group came of it, and without one deletes have to be ignored."""
    drawing.ignore_deletes()
    drawing.made.add_is_first = False


def _aggregation(drawing: _Drawing) -> None:
    made = drawing.made
    drawing.draw(st.sampled_from([_added_alone, _taken_back, _deletes_ignored, _record_removed]))(drawing)
    for column in drawing.free()[:2]:
        drawing.function(column)
    if drawing.draw(st.integers(0, 3)) == 0:
        made.options["fields.default-aggregate-function"] = "last_value"
    drawing.sequence_field(most=2 if drawing.newest else 1)


def _added_alone(drawing: _Drawing) -> None:
    drawing.made.kinds = ("+I", "+U")


def _taken_back(drawing: _Drawing) -> None:
    drawing.made.kinds = _ALL


def _deletes_ignored(drawing: _Drawing) -> None:
    drawing.ignore_deletes()


def _record_removed(drawing: _Drawing) -> None:
    drawing.made.kinds = ADDS
    if drawing.newest:
        drawing.made.options["aggregation.remove-record-on-delete"] = "true"
        drawing.made.kinds = _NO_BEFORE


def _first_row(drawing: _Drawing) -> None:
    drawing.ignore_deletes()


_ENGINES: Mapping[str, Callable[[_Drawing], None]] = {
    "deduplicate": _deduplicate,
    "partial-update": _partial_update,
    "aggregation": _aggregation,
    "first-row": _first_row,
}
