"""The changelog that writers and compactions make, beside the rule in its plainest form. Spec: 06, 9."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrow import to_python
from core.compact import Strategy
from core.manifest.file_meta import FileSource
from core.read.row_kinds import RowKinds
from core.scan.split import Split
from core.snapshot import CommitKind, Snapshot
from core.table import Table
from core.types import RowKind
from core.write import TableWrite
from tests.tables import arrow, compact, new_table, put, rows_of

I, UB, UA, D = RowKind  # noqa: E741
Change = tuple[str, *tuple[Any, ...]]
K_V = {"k": "INT NOT NULL", "v": "INT"}


def table_of(producer: str, **options: str) -> Table:
    options = {"write_only": "false", "num_levels": "6", **options}
    return new_table(K_V, ["k"], changelog_producer=producer, **options)


def changelog(table: Table, snapshot: Snapshot) -> list[Change]:
    """The rows of a snapshot's changelog, in the order of its files."""
    entries = (
        table.manifests.changelog_entries(snapshot).entries() if snapshot.changelog_manifest_list else []
    )
    found: list[Change] = []
    for entry in entries:
        split = Split(snapshot.id, entry.partition, entry.bucket, 1, (entry.file,), False, is_streaming=True)
        for batch in table.read_split(split, kinds=RowKinds.ALL):
            columns = [to_python(batch.column(f.name), f.type) for f in table.schema.fields]
            kinds = [RowKind(code).short for code in batch.column("_VALUE_KIND").to_pylist()]
            found += list(zip(kinds, *columns, strict=True))
    return found


def told(table: Table) -> list[tuple[CommitKind, list[Change]]]:
    """What each snapshot with a changelog tells."""
    snapshots = [s for s in table.snapshots.iter_all() if s.changelog_manifest_list]
    return [(snapshot.commit_kind, changelog(table, snapshot)) for snapshot in snapshots]


FIRST = ([(1, 1), (2, 2)], [I, I])
SECOND = ([(1, 10), (3, 3), (9, 9)], [UA, I, D])
THIRD = ([(2, 2), (1, 10), (4, 4), (4, 4)], [D, UA, I, D])


def test_input_tells_rows_as_they_came_in_the_order_of_merging() -> None:
    table = table_of("input")
    for rows, kinds in (FIRST, SECOND, THIRD):
        put(table, *rows, kinds=kinds)
    assert told(table) == [
        (CommitKind.APPEND, [("+I", 1, 1), ("+I", 2, 2)]),
        (CommitKind.APPEND, [("+U", 1, 10), ("+I", 3, 3), ("-D", 9, 9)]),
        (CommitKind.APPEND, [("+U", 1, 10), ("-D", 2, 2), ("+I", 4, 4), ("-D", 4, 4)]),
    ]


def test_lookup_tells_what_each_commit_changed() -> None:
    table = table_of("lookup")
    for rows, kinds in (FIRST, SECOND, THIRD):
        put(table, *rows, kinds=kinds)
    assert told(table) == [
        (CommitKind.COMPACT, [("+I", 1, 1), ("+I", 2, 2)]),
        (CommitKind.COMPACT, [("-U", 1, 1), ("+U", 1, 10), ("+I", 3, 3)]),
        (CommitKind.COMPACT, [("-U", 1, 10), ("+U", 1, 10), ("-D", 2, 2)]),
    ]


def test_full_compaction_tells_what_has_changed_since_the_last_one() -> None:
    table = table_of("full-compaction")
    put(table, *FIRST[0], kinds=FIRST[1])
    compact(table)
    put(table, *SECOND[0], kinds=SECOND[1])
    put(table, *THIRD[0], kinds=THIRD[1])
    compact(table)
    assert told(table) == [
        (CommitKind.COMPACT, [("+I", 1, 1), ("+I", 2, 2)]),
        (CommitKind.COMPACT, [("-U", 1, 1), ("+U", 1, 10), ("-D", 2, 2), ("+I", 3, 3)]),
    ]


def test_the_files_of_a_changelog_are_described_as_paimons() -> None:
    table = table_of("lookup")
    for rows, kinds in (FIRST, THIRD):
        put(table, *rows, kinds=kinds)
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    (entry,) = table.manifests.changelog_entries(snapshot).entries()
    file = entry.file
    assert file.file_name.startswith("changelog-")
    assert (file.row_count, file.delete_row_count, file.file_source) == (3, 2, FileSource.APPEND)
    assert (file.min_sequence_number, file.max_sequence_number, file.level) == (0, 3, 4)
    assert snapshot.changelog_record_count == 3


def test_equal_rows_are_left_out_if_the_table_wants_that() -> None:
    table = new_table(
        {**K_V, "at": "INT"},
        ["k"],
        write_only="false",
        changelog_producer="lookup",
        changelog_producer__row_deduplicate="true",
        changelog_producer__row_deduplicate_ignore_fields="at",
    )
    put(table, (1, 1, 1), (2, 2, 1), (3, None, 1))
    put(table, (1, 1, 2), (2, 3, 2), (3, None, 2))
    assert told(table)[1][1] == [("-U", 2, 2, 1), ("+U", 2, 3, 2)]


def test_a_nan_does_not_change_and_a_zero_does() -> None:
    options = {"changelog_producer": "lookup", "changelog_producer__row_deduplicate": "true"}
    table = new_table({"k": "INT NOT NULL", "v": "DOUBLE"}, ["k"], write_only="false", **options)
    put(table, (1, math.nan), (2, 0.0))
    put(table, (1, math.nan), (2, -0.0))
    assert told(table)[1][1] == [("-U", 2, 0.0), ("+U", 2, -0.0)]


def test_the_first_row_alone_is_told() -> None:
    table = table_of("lookup", merge_engine="first-row")
    put(table, (1, 1), (2, 2))
    put(table, (1, 5), (3, 3), (3, 4))
    assert [rows for _, rows in told(table)] == [[("+I", 1, 1), ("+I", 2, 2)], [("+I", 3, 3)]]
    assert rows_of(table) == [(1, 1), (2, 2), (3, 3)]


def test_sums_are_told_from_what_lies_above_the_output() -> None:
    table = table_of("lookup", merge_engine="aggregation", fields__v__aggregate_function="sum")
    put(table, *[(k, 1) for k in range(1000)])
    for value in (10, 100):
        put(table, (1, value))
    assert [rows for _, rows in told(table)][1:] == [
        [("-U", 1, 1), ("+U", 1, 11)],
        [("-U", 1, 11), ("+U", 1, 111)],
    ]
    assert rows_of(table, filter="k = 1") == [(1, 111)]


def test_a_stream_compacts_in_full_every_so_many_commits() -> None:
    table = table_of("full-compaction", full_compaction__delta_commits="2")
    with TableWrite(table) as writer:
        for identifier in (1, 2, 3):
            writer.write(arrow(table, [(identifier, 1)]))
            messages = writer.prepare_commit(identifier)
            table.new_commit("stream").commit(messages, identifier)
    assert told(table) == [(CommitKind.COMPACT, [("+I", 1, 1), ("+I", 2, 1)])]


ENGINES: dict[str, dict[str, str]] = {
    "deduplicate": {},
    "ordered": {"sequence__field": "v"},
    "partial": {"merge_engine": "partial-update", "ignore_delete": "true"},
    "sum": {"merge_engine": "aggregation", "fields__v__aggregate_function": "sum", "ignore_delete": "true"},
    "first": {"merge_engine": "first-row", "ignore_delete": "true"},
    "marked": {"deletion_vectors__enabled": "true"},
    "marked and ordered": {"deletion_vectors__enabled": "true", "sequence__field": "v"},
}
STEP = st.lists(
    st.tuples(st.integers(0, 4), st.none() | st.integers(0, 3), st.sampled_from([I, I, D])), max_size=5
)


def applied(state: dict[int, Any], changes: list[Change]) -> None:
    """Each change must fit what is there: no +I of what is, no -U or -D of what is not."""
    for kind, key, value in changes:
        if kind in ("-U", "-D"):
            assert state.pop(key) == value
        else:
            assert key not in state
            state[key] = value


PRODUCED = [("lookup", name) for name in ENGINES]
PRODUCED += [("full-compaction", name) for name in ("deduplicate", "ordered", "partial", "sum")]


@pytest.mark.parametrize(("producer", "name"), PRODUCED)
@settings(max_examples=settings().max_examples // 10)
@given(data=st.data())
def test_a_changelog_leads_from_one_state_to_the_next(producer: str, name: str, data: st.DataObject) -> None:
    """Spec 06, 9: whoever follows it has the rows of the table, after each compaction that told it."""
    table = table_of(producer, num_sorted_run__compaction_trigger="3", **ENGINES[name])
    state: dict[int, Any] = {}
    seen = 0
    for step in data.draw(st.lists(STEP | st.sampled_from(list(Strategy)), max_size=7)):
        if isinstance(step, Strategy):
            compact(table, step)
        elif step:
            put(table, *[(k, v) for k, v, _ in step], kinds=[kind for *_, kind in step])
        for snapshot in list(table.snapshots.iter_all())[seen:]:
            applied(state, changelog(table, snapshot))
            seen += 1
        if producer == "lookup" or step is Strategy.FULL:
            assert sorted(state.items(), key=repr) == rows_of(table)
