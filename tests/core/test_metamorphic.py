"""Options that must not matter do not: random histories give the same rows whatever they are.

A history is written once with no option and once with some of OPTIONS, at most one of each subject, and read
after each step. Compaction is one more thing that must not matter, and it changes no read of what was there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.compact import Strategy
from core.options import OPTIONS as KNOWN
from core.options import family_of
from core.snapshot import Tag
from core.table import Table
from core.types import RowKind
from tests.tables import arrow, compact, new_table, rows_of

OPTIONS: dict[str, dict[str, Mapping[str, str]]] = {
    "buckets": {
        "three": {"bucket": "3"},
        "by remainder": {"bucket": "3", "bucket_function__type": "mod"},
        "dynamic": {"bucket": "-1", "dynamic_bucket__target_row_num": "2"},
    },
    "formats": {
        "orc": {"file__format": "orc"},
        "avro": {"file__format": "avro"},
        "one for each level": {"file__format__per__level": "0:avro,5:orc"},
        "codecs": {"file__compression": "none", "file__compression__per__level": "5:lz4"},
        "small pages and row groups": {
            "parquet__page__size": "16",
            "parquet__block__size": "64",
            "parquet__page__row__count__limit": "1",
        },
        "no dictionaries": {"parquet__enable__dictionary": "false"},
    },
    "files": {
        "small": {"target_file_size": "1 b"},
        "thin": {"data_file__thin_mode": "true"},
        "small and thin": {"target_file_size": "1 b", "data_file__thin_mode": "true"},
    },
    "memory": {
        "little": {"write_buffer_size": "1 b", "sort_spill_buffer_size": "64 kb"},
        "spilled sorts": {"write_buffer_size": "1 b", "sort_spill_threshold": "2"},
    },
    "manifests": {
        "small": {
            "manifest__target_file_size": "1 b",
            "manifest__merge_min_count": "2",
            "manifest__full_compaction_threshold_size": "1 b",
        },
    },
    "statistics": {
        "none": {"metadata__stats_mode": "none"},
        "of the first columns": {"metadata__stats_keep_first_n_columns": "1"},
        "indexes": {"file_index__bloom_filter__columns": "k", "file_index__bitmap__columns": "w"},
    },
    "changes": {
        "vectors": {"deletion_vectors__enabled": "true", "write_only": "false"},
        "input": {"changelog_producer": "input"},
        "lookup": {"changelog_producer": "lookup", "write_only": "false"},
        "vectors and lookup": {
            "deletion_vectors__enabled": "true",
            "changelog_producer": "lookup",
            "write_only": "false",
        },
        "full compaction": {
            "changelog_producer": "full-compaction",
            "full_compaction__delta_commits": "1",
            "write_only": "false",
        },
    },
    "compaction": {
        "early": {"num_sorted_run__compaction_trigger": "1", "write_only": "false"},
        "few levels": {
            "num_levels": "2",
            "num_sorted_run__compaction_trigger": "2",
            "write_only": "false",
        },
    },
}
AS_EVER = "as ever"  # asks for nothing
Chosen = dict[str, str]  # what is chosen of each subject

COLUMNS = {"p": "STRING NOT NULL", "k": "INT NOT NULL", "v": "INT", "w": "STRING", "g": "INT"}
KEYS = ("p", "k")
PARTITIONS = ("x", "y z")
PUT, OVERWRITE, DELETE, TRUNCATE = "put", "overwrite", "delete", "truncate"

Row = tuple[RowKind, tuple[Any, ...]]
Step = tuple[str, Any]  # what is done, and the rows, the key or the partition that it is done with


@dataclass(frozen=True)
class Engine:
    """What kind of table a history is of, what may happen to it, and what it cannot be asked for."""

    keys: Sequence[str]
    options: Mapping[str, str]
    kinds: Sequence[RowKind] = (RowKind.INSERT,)
    steps: Sequence[str] = (PUT, PUT, PUT, OVERWRITE, TRUNCATE)
    without: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of OPTIONS


WITH_DELETES = (RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE)
ALL_STEPS = (PUT, PUT, PUT, OVERWRITE, TRUNCATE, DELETE)
OF_KEYED_TABLES = {
    "buckets": ["dynamic"],
    "formats": ["one for each level", "codecs"],
    "files": ["thin", "small and thin"],
    "changes": ["input", "lookup", "vectors and lookup", "full compaction"],
    "compaction": ["few levels"],
}
ENGINES = {
    "append": Engine((), {"bucket_key": "k"}, steps=ALL_STEPS, without=OF_KEYED_TABLES),
    "deduplicate": Engine(KEYS, {}, WITH_DELETES, ALL_STEPS),
    "ordered": Engine(KEYS, {"sequence__field": "g"}, WITH_DELETES, ALL_STEPS),
    "partial-update": Engine(KEYS, {"merge_engine": "partial-update", "fields__g__sequence_group": "w"}),
    "aggregation": Engine(
        KEYS,
        {
            "merge_engine": "aggregation",
            "fields__v__aggregate_function": "sum",
            "fields__w__aggregate_function": "last_non_null_value",
        },
    ),
    # Its rows are seen once they are compacted.
    "first-row": Engine(
        KEYS,
        {"merge_engine": "first-row", "write_only": "false"},
        without={"changes": ["vectors", "input", "vectors and lookup", "full compaction"]},
    ),
}


def rows(engine: Engine, partitions: Sequence[str] = PARTITIONS) -> st.SearchStrategy[list[Row]]:
    values = st.tuples(
        st.sampled_from(partitions),
        st.integers(0, 4),
        st.none() | st.integers(-9, 9),
        st.none() | st.sampled_from(["", "a", "b" * 20]),
        st.none() | st.integers(0, 3),
    )
    return st.lists(st.tuples(st.sampled_from(engine.kinds), values), min_size=1, max_size=8)


def steps(engine: Engine) -> st.SearchStrategy[Step]:
    made: dict[str, st.SearchStrategy[Any]] = {
        PUT: rows(engine),
        OVERWRITE: st.sampled_from(PARTITIONS).flatmap(lambda p: st.tuples(st.just(p), rows(engine, [p]))),
        DELETE: st.integers(0, 4),
        TRUNCATE: st.sampled_from(PARTITIONS),
    }
    return st.sampled_from(engine.steps).flatmap(lambda name: st.tuples(st.just(name), made[name]))


def histories() -> st.SearchStrategy[tuple[Engine, list[Step]]]:
    """An engine, and up to four steps on a table of it, the first of which writes."""

    def of(engine: Engine) -> st.SearchStrategy[list[Step]]:
        first = rows(engine).map(lambda some: (PUT, some))
        return st.tuples(first, st.lists(steps(engine), max_size=3)).map(lambda drawn: [drawn[0], *drawn[1]])

    return st.sampled_from(list(ENGINES.values())).flatmap(
        lambda engine: st.tuples(st.just(engine), of(engine))
    )


def choices() -> st.SearchStrategy[Chosen]:
    return st.fixed_dictionaries(
        {subject: st.sampled_from([AS_EVER, *named]) for subject, named in OPTIONS.items()}
    )


def options_of(engine: Engine, chosen: Chosen) -> dict[str, str]:
    """The options that a table of an engine gets; what it cannot be asked for is left out."""
    named = {subject: name for subject, name in chosen.items() if name not in engine.without.get(subject, ())}
    return {k: v for subject, name in named.items() for k, v in OPTIONS[subject].get(name, {}).items()}


def empty(engine: Engine, **options: str) -> Table:
    return new_table(COLUMNS, engine.keys, partition=("p",), **{**engine.options, **options})


def take(table: Table, step: Step) -> None:
    name, what = step
    if name == PUT:
        written(table, what)
    elif name == OVERWRITE:
        written(table, what[1], {"p": what[0]})
    elif name == DELETE:
        table.new_commit("tester").commit(table.apply_changes(table.plan_delete(f"k = {what}")))
    else:
        table.new_commit("tester").truncate_partitions([{"p": what}])


def written(table: Table, some: list[Row], partition: Mapping[str, str] | None = None) -> None:
    kinds = [kind for kind, _ in some] if table.schema.primary_keys else None
    with table.new_write(overwrite=partition is not None) as writer:
        writer.write(arrow(table, [values for _, values in some]), kinds)
        messages = writer.prepare_commit()
    commit = table.new_commit("tester")
    if partition is None:
        commit.commit(messages)
    else:
        commit.overwrite(messages, partition)


def seen(
    table: Table, history: Sequence[Step], then: Callable[[Table], object] = lambda table: None
) -> list[list[tuple[Any, ...]]]:
    """The rows after each step of a history; `then` is done between a step and its read."""
    found = []
    for step in history:
        take(table, step)
        then(table)
        found.append(rows_of(table))
    return found


# A few in ./test and in each round of make fuzz, hundreds with HYPOTHESIS_PROFILE=long.
FEW = settings(max_examples=max(settings().max_examples // 16, 1), suppress_health_check=list(HealthCheck))
FEWER = settings(FEW, max_examples=max(settings().max_examples // 50, 2))  # the first is the simplest


@FEW
@given(histories(), choices())
def test_options_that_must_not_matter_do_not(lived: tuple[Engine, list[Step]], chosen: Chosen) -> None:
    engine, history = lived
    assert seen(empty(engine, **options_of(engine, chosen)), history) == seen(empty(engine), history)


def test_the_options_are_spelled_as_paimon_spells_them() -> None:
    """One that nobody knows would not matter either."""
    sets = [options for named in OPTIONS.values() for options in named.values()]
    spelled = {key.replace("__", ".").replace("_", "-") for options in sets for key in options}
    assert [key for key in spelled if key not in KNOWN and family_of(key) is None] == []


@pytest.mark.parametrize("bucket", ["1", "3"])
@FEWER
@given(st.data())
def test_an_append_table_without_buckets_has_the_rows_of_one_with(bucket: str, data: st.DataObject) -> None:
    engine = ENGINES["append"]
    history = data.draw(st.lists(steps(engine), min_size=1, max_size=4))
    without = new_table(COLUMNS, partition=("p",), bucket="-1", compaction__min__file_num="2")
    assert seen(without, history, compact) == seen(empty(engine, bucket=bucket), history)


@pytest.mark.parametrize("strategy", Strategy)
@FEWER
@given(histories())
def test_when_a_table_is_compacted_does_not_matter(
    strategy: Strategy, lived: tuple[Engine, list[Step]]
) -> None:
    engine, history = lived
    never = seen(empty(engine), history)
    assert seen(empty(engine), history, lambda table: compact(table, strategy)) == never


@pytest.mark.parametrize("strategy", Strategy)
@FEWER
@given(histories(), choices())
def test_compaction_changes_no_read(
    strategy: Strategy, lived: tuple[Engine, list[Step]], chosen: Chosen
) -> None:
    engine, history = lived
    table = empty(engine, **options_of(engine, chosen))
    for number, step in enumerate(history):
        take(table, step)
        latest = table.snapshots.latest()
        assert latest is not None
        table.tags.create(Tag(f"t{number}", latest))
    before, now = everything(table), rows_of(table)
    compact(table, strategy)
    after = everything(table)
    assert {root: after[root] for root in before} == before
    assert rows_of(table) == now


def everything(table: Table) -> dict[int | str, list[tuple[Any, ...]]]:
    """The rows of each snapshot and each tag."""
    snapshots = {i: rows_of(table, snapshot_id=i) for i in table.snapshots.ids()}
    return snapshots | {name: rows_of(table, tag=name) for name in table.tags.names()}
