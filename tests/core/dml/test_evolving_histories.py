"""Law: a table with data evolution holds what a dictionary of its rows by id would, whatever happens to it.

Rows are appended, updated by columns, merged and deleted, files are joined, and columns are added, dropped,
renamed, moved and retyped, in any order. After each step the rows, their ids and what a filter finds are
those of `Model`; in the end each snapshot still reads as it did. Some histories in ./test, many
in `make fuzz`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from core.compact import Strategy
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.schema.changes import (
    AddColumn,
    DropColumn,
    Move,
    Position,
    RenameColumn,
    SchemaChange,
    UpdateColumnPosition,
    UpdateColumnType,
)
from core.table import Table
from core.types import parse_type
from tests.tables import compact, new_table, put

IS_FUZZ = settings.get_current_profile_name() == "fuzz"
HISTORIES = settings(max_examples=40 if IS_FUZZ else 5, suppress_health_check=list(HealthCheck))
STEPS = 10 if IS_FUZZ else 6

TRACKED = {"row_tracking__enabled": "true", "data_evolution__enabled": "true", "bucket": "-1"}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "none": {},
    "orc": {"file__format": "orc"},
    "avro": {"file__format": "avro"},
    "small files": {"target_file_row_num": "2"},
    "no statistics": {"metadata__stats_mode": "none"},
    "indexes": {"file_index__bloom_filter__columns": "k", "file_index__bitmap__columns": "k"},
}
NAMES = ("a", "b", "c", "d")
WIDER = {"INT": ("BIGINT", "STRING"), "BIGINT": ("STRING",), "STRING": ()}
NUMBERS, TEXTS = tuple(range(-2, 3)), ("", "x", "2")

Row = dict[int, Any]  # values by the id of their column
Condition = tuple[str, Callable[[Row], bool]]


@dataclass
class Model:
    """The table as a dictionary of rows; column 0 is `k`, which statements join by."""

    columns: dict[int, tuple[str, str]] = field(  # name and type by id, in the order of the table
        default_factory=lambda: {0: ("k", "INT"), 1: ("a", "INT"), 2: ("b", "STRING")}
    )
    rows: dict[int, Row] = field(default_factory=dict)  # by row id
    next_row_id: int = 0
    next_column: int = 3

    def append(self, row: Row) -> None:
        self.rows[self.next_row_id] = {column: row.get(column) for column in self.columns}
        self.next_row_id += 1

    def seen(self, holds: Callable[[Row], bool] = lambda row: True) -> list[dict[str, Any]]:
        """The rows as a read gives them, by their ids."""
        names = {column: name for column, (name, _) in self.columns.items()}
        return [
            {**{names[column]: row.get(column) for column in names}, "_ROW_ID": number}
            for number, row in sorted(self.rows.items())
            if holds(row)
        ]

    @property
    def changing(self) -> list[int]:
        """The columns that may be anything."""
        return [column for column in self.columns if column]

    def free_names(self) -> list[str]:
        return [name for name in NAMES if name not in {taken for taken, _ in self.columns.values()}]


# --- what a history may do; each step does it to the table and to the model -------------------------------


def some(kind: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(TEXTS if kind == "STRING" else NUMBERS)


def values(kind: str) -> st.SearchStrategy[Any]:
    return st.sampled_from((None, *(TEXTS if kind == "STRING" else NUMBERS)))


def conditions(model: Model) -> st.SearchStrategy[Condition]:
    def of(column: int) -> st.SearchStrategy[Condition]:
        name, kind = model.columns[column]
        is_null: Condition = (f"{name} IS NULL", lambda row: row.get(column) is None)
        equal = some(kind).map(lambda v: (f"{name} = {v!r}", lambda row: row.get(column) == v))
        more = some(kind).map(lambda v: (f"{name} > {v!r}", lambda row: _is_more(row.get(column), v)))
        return st.one_of(equal, equal, more, st.just(is_null))

    return st.sampled_from((0, *model.columns)).flatmap(of)


def _is_more(value: Any, than: Any) -> bool:
    return value is not None and value > than


def commit(table: Table, plan: ChangePlan) -> Table:
    table.new_commit("tester").commit(table.apply_changes(plan))
    return table


def append(table: Table, model: Model, data: st.DataObject) -> Table:
    one = st.tuples(*(values(kind) for _, kind in model.columns.values()))
    rows = data.draw(st.lists(one, min_size=2, max_size=6), "rows")
    for row in rows:
        model.append(dict(zip(model.columns, row, strict=True)))
    put(table, *rows)
    return table


def update(table: Table, model: Model, data: st.DataObject) -> Table:
    text, holds = data.draw(conditions(model), "where")
    columns = data.draw(st.sets(st.sampled_from(list(model.columns)), min_size=1), "columns")
    sources = {}
    for column in sorted(columns):
        kind = model.columns[column][1]
        alike = [other for other, (_, k) in model.columns.items() if k == kind]
        copied = st.sampled_from(alike).map(lambda other: (other, None))
        sources[column] = data.draw(copied | values(kind).map(lambda v: (None, v)), "source")
    for row in filter(holds, model.rows.values()):
        row |= {c: value if other is None else row.get(other) for c, (other, value) in sources.items()}
    assignments = {
        model.columns[c][0]: Literal(value) if other is None else Column(model.columns[other][0])
        for c, (other, value) in sources.items()
    }
    return commit(table, table.plan_update(text, assignments))


def delete(table: Table, model: Model, data: st.DataObject) -> Table:
    text, holds = data.draw(conditions(model), "where")
    model.rows = {number: row for number, row in model.rows.items() if not holds(row)}
    return commit(table, table.plan_delete(text))


def delete_all(table: Table, model: Model, data: st.DataObject) -> Table:
    model.rows = {}
    return commit(table, table.plan_delete(None))


def merge(table: Table, model: Model, data: st.DataObject) -> Table:
    """Rows of the source delete those of their key, update them, or are inserted if there are none."""
    operations = st.dictionaries(st.integers(-3, 5), st.sampled_from("DUI"), min_size=1, max_size=4)
    source = data.draw(operations, "source")
    column = data.draw(st.sampled_from(model.changing or [0]), "column")
    name, kind = model.columns[column]
    value = data.draw(values(kind), "value")
    known = {row.get(0) for row in model.rows.values()}
    model.rows = {n: row for n, row in model.rows.items() if source.get(row.get(0)) != "D"}
    for row in model.rows.values():
        if source.get(row.get(0)) == "U":
            row[column] = value
    for key, operation in source.items():
        if operation == "I" and key not in known:
            model.append({column: value, 0: key})
    rows = pa.table({"key": pa.array(source, pa.int32()), "op": list(source.values())})
    clauses = [
        Matched(None, "`source.op` = 'D'"),
        Matched({name: Literal(value)}, "`source.op` = 'U'"),
        NotMatched({name: Literal(value), "k": Column("source.key")}, "`source.op` = 'I'"),
    ]
    return commit(table, table.plan_merge(rows, {"key": "k"}, clauses))


def join_files(table: Table, model: Model, data: st.DataObject) -> Table:
    compact(table, data.draw(st.sampled_from(Strategy), "strategy"))
    return table


def evolve(table: Table, model: Model, data: st.DataObject) -> Table:
    """One change of the columns; a name that was dropped may come again, as another column."""
    return table.alter([data.draw(st.sampled_from(EVOLUTIONS), "change")(model, data)])


def add(model: Model, data: st.DataObject) -> SchemaChange:
    free = model.free_names()
    if not free:
        return drop(model, data)
    name, kind = data.draw(st.sampled_from(free), "name"), data.draw(st.sampled_from(sorted(WIDER)), "type")
    model.columns[model.next_column] = (name, kind)
    model.next_column += 1
    return AddColumn((name,), parse_type(kind))


def drop(model: Model, data: st.DataObject) -> SchemaChange:
    if not model.changing:
        return add(model, data)
    name, _ = model.columns.pop(data.draw(st.sampled_from(model.changing), "dropped"))
    return DropColumn((name,))


def rename(model: Model, data: st.DataObject) -> SchemaChange:
    free = model.free_names()
    if not (free and model.changing):
        return add(model, data)
    column = data.draw(st.sampled_from(model.changing), "renamed")
    (old, kind), new = model.columns[column], data.draw(st.sampled_from(free), "to")
    model.columns[column] = (new, kind)
    return RenameColumn((old,), new)


def move(model: Model, data: st.DataObject) -> SchemaChange:
    column = data.draw(st.sampled_from(list(model.columns)), "moved")
    model.columns = {column: model.columns[column], **model.columns}
    return UpdateColumnPosition((model.columns[column][0],), Move(Position.FIRST))


def retype(model: Model, data: st.DataObject) -> SchemaChange:
    narrow = [column for column in model.changing if WIDER[model.columns[column][1]]]
    if not narrow:
        return add(model, data)
    column = data.draw(st.sampled_from(narrow), "retyped")
    name, kind = model.columns[column]
    wider = data.draw(st.sampled_from(WIDER[kind]), "to")
    model.columns[column] = (name, wider)
    if wider == "STRING":
        for row in model.rows.values():
            row[column] = None if row.get(column) is None else str(row[column])
    return UpdateColumnType((name,), parse_type(wider))


EVOLUTIONS = (add, drop, rename, move, retype)
SOME = (append, update, merge, delete, join_files, evolve)
STATEMENTS = (*SOME, *SOME, update, delete, join_files, delete_all)  # the more often, the likelier


# --- the law ---------------------------------------------------------------------------------------------


def rows(table: Table, **how: Any) -> list[dict[str, Any]]:
    names = [*table.schema_at(**how).field_names, "_ROW_ID"]
    return by_id(table.to_arrow(names, **how))


def by_id(read: pa.Table) -> list[dict[str, Any]]:
    return sorted(read.to_pylist(), key=lambda row: row["_ROW_ID"])


@HISTORIES
@given(options=st.sampled_from(sorted(OPTIONS)), data=st.data())
def test_a_history_leaves_the_rows_that_it_says(options: str, data: st.DataObject) -> None:
    model = Model()
    kinds = dict(model.columns.values())
    vectors = {"deletion_vectors__enabled": "true", "compaction__min__file_num": "2"}
    table = new_table(kinds, **TRACKED, **vectors, **OPTIONS[options])
    for _ in range(2):
        append(table, model, data)
    past: dict[int, list[dict[str, Any]]] = {}
    for _ in range(data.draw(st.integers(1, STEPS), "steps")):
        latest = table.snapshots.latest_id()
        assert latest is not None
        past.setdefault(latest, deepcopy(model.seen()))
        step = data.draw(st.sampled_from(STATEMENTS), "step")
        event(step.__name__)
        table = step(table, model, data)
        assert rows(table) == model.seen()
        text, holds = data.draw(conditions(model), "filter")
        found = table.to_arrow([*table.schema.field_names, "_ROW_ID"], filter=text)
        assert by_id(found) == model.seen(holds)
    assert {number: rows(table, snapshot_id=number) for number in past} == past
