"""Laws of changes, over histories that nobody chose.

- A diff of two snapshots, applied to the rows of the first, gives the rows of the second.
- The deltas of a range do, too; so does a stream followed to the end, wherever it started.
Spec: 09, 6.1 and 7.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalog import open_catalog
from core.stream import Clock
from core.system import open_system_table
from core.table import Table
from core.types import RowKind
from tests.tables import compact, new_table, put, rows_of

Row = tuple[Any, ...]
State = dict[Any, Row]

ROWS = st.lists(
    st.tuples(
        st.integers(0, 5), st.none() | st.integers(0, 3), st.sampled_from([RowKind.INSERT, RowKind.DELETE])
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row[0],
)
HISTORIES = st.lists(ROWS | st.just("compact"), min_size=1, max_size=6)
OPTIONS = st.sampled_from([{}, {"sequence__field": "v"}, {"bucket": "2"}])


def never(seconds: float) -> None:
    raise AssertionError("a test that waits")


NEVER = Clock(lambda: 32503680000000, never)


def lived(history: list[Any], options: dict[str, str]) -> Table:
    table = new_table({"k": "INT", "v": "INT"}, ["k"], **options)
    for step in history:
        if step == "compact":
            if table.snapshots.latest() is not None:
                compact(table)
        else:
            put(table, *((k, v) for k, v, _ in step), kinds=[kind for *_, kind in step])
    return table


def applied(state: State, changes: Iterable[pa.RecordBatch]) -> State:
    """The rows after changes, whose columns are the kind, the key and the value."""
    rows = dict(state)
    for batch in changes:
        for change in batch.to_pylist():
            kind, key, *_ = row = tuple(change.values())
            if kind in ("+I", "+U"):
                rows[key] = row[1:]
            else:
                rows.pop(key, None)
    return rows


def state_of(table: Table, snapshot_id: int | None = None) -> State:
    return {row[0]: row for row in (rows_of(table, snapshot_id=snapshot_id) if snapshot_id != 0 else [])}


def changes(table: Table, start: int, end: int, mode: str) -> Iterable[pa.RecordBatch]:
    options = {"incremental-between": f"{start},{end}", "incremental-between-scan-mode": mode}
    return open_system_table(table, "audit_log").with_options(options).to_batches()


@given(HISTORIES, OPTIONS, st.data())
@settings(max_examples=25)
def test_a_diff_leads_from_one_state_to_another(
    history: list[Any], options: dict[str, str], data: st.DataObject
) -> None:
    table = lived(history, options)
    ids = [0, *table.snapshots.ids()]
    start = data.draw(st.sampled_from(ids))
    end = data.draw(st.sampled_from([i for i in ids if i >= start]))
    diff = list(changes(table, start, end, "diff"))
    assert applied(state_of(table, start), diff) == state_of(table, end)
    keys = [key for batch in diff for key in batch.column("k").to_pylist()]
    assert len(keys) == len(set(keys))


@given(HISTORIES, st.sampled_from([{}, {"bucket": "2"}]))
@settings(max_examples=15)
def test_deltas_lead_from_nothing_to_every_state(history: list[Any], options: dict[str, str]) -> None:
    table = lived(history, options)
    for end in table.snapshots.ids():
        assert applied({}, changes(table, 0, end, "delta")) == state_of(table, end)


@given(HISTORIES, HISTORIES, st.sampled_from(["latest-full", "compacted-full"]))
@settings(max_examples=15)
def test_a_stream_followed_to_the_end_is_a_batch_read(before: list[Any], after: list[Any], mode: str) -> None:
    table = lived(before, {})
    stream = table.stream(from_=mode, clock=NEVER)
    state = applied({}, stream.read_available())
    for step in after:
        if step != "compact":
            put(table, *((k, v) for k, v, _ in step), kinds=[kind for *_, kind in step])
        elif table.snapshots.latest() is not None:
            compact(table)
        again = table.stream(from_=stream.next_snapshot, clock=NEVER) if stream.next_snapshot else stream
        state = applied(state, again.read_available())
        stream = again
    assert state == state_of(table)


CORPORA = Path(__file__).parents[2] / "corpora"
WITH_CHANGES = [
    "changelog.decoupled",
    "changelog.full_compaction",
    "changelog.input",
    "changelog.lookup",
    "changelog.lookup_dedup",
    "changelog.none",
    "dv.pk_dv_lookup",
    "merge.first_row",
    "append.logs_unaware",
]


@pytest.mark.parametrize("name", WITH_CHANGES)
def test_a_stream_of_real_paimons_tables_ends_at_the_batch_read(name: str) -> None:
    """From every snapshot in full, by each changelog producer."""
    table = open_catalog(str(CORPORA / "java09")).get_data_table(name)
    keys = len(table.schema.primary_keys)
    for number in table.snapshots.ids():
        options = {"scan.mode": "from-snapshot-full", "scan.snapshot-id": str(number)}
        stream = table.with_options(options).stream(clock=NEVER)
        found = [row for batch in stream.read_available() for row in batch.to_pylist()]
        rows: list[Any] = []
        for row in found:
            kind, *values = row.values()
            rows = [r for r in rows if not keys or r[:keys] != values[:keys]]
            rows += [values] if kind in ("+I", "+U") else []
        expected = [list(row.values()) for row in visible_in_the_end(table).to_pylist()]
        assert sorted(rows, key=repr) == sorted(expected, key=repr), number


def visible_in_the_end(table: Table) -> pa.Table:
    """What a stream has told of: with a full-compaction producer only what such a compaction has reached."""
    if table.schema.options.get("changelog-producer") == "full-compaction":
        return open_system_table(table, "ro").to_arrow()
    return table.to_arrow()
