"""What callers give is looked at where they give it: an error of ours shows it and says what is taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core import InvalidRequestError, open_catalog
from core.catalog import Catalog
from core.commit import CommitNotes
from core.dml import Column, Matched
from core.identifier import Identifier
from core.system import open_system_table
from core.table import Table
from tests.tables import new_table, put

ROWS = pa.table({"k": pa.array([1], pa.int32())})
SCHEMA = pa.schema([("k", pa.int32())])


@cache
def written() -> Table:
    table = new_table({"k": "INT", "v": "INT"}, ["k"])
    put(table, (1, 2))
    return table


def ask(name: str, *given: Any, **named: Any) -> Callable[[], object]:
    return lambda: getattr(written(), name)(*given, **named)


def of_system(name: str, *given: Any, **named: Any) -> Callable[[], object]:
    return lambda: open_system_table(written(), name).to_arrow(*given, **named)


def of_commit(name: str, *given: Any, **named: Any) -> Callable[[], object]:
    return lambda: getattr(written().new_commit("u"), name)(*given, **named)


CASES: list[tuple[Callable[[], object], str]] = [
    (ask("with_options", None), "mapping of options.*None"),
    (ask("with_options", "a=b"), "mapping of options.*a=b"),
    (ask("with_options", {"bucket": 1}), "options and their values are texts.*1"),
    (ask("to_arrow", 5), "list of columns.*5"),
    (ask("to_arrow", [None]), "list of columns.*None"),
    (ask("to_arrow", b"k"), "list of columns"),
    (ask("to_arrow", filter=5), "a filter is a text or a predicate.*5"),
    (ask("to_arrow", filter=["k = 1"]), "a filter is a text or a predicate"),
    (ask("to_arrow", threads="x"), "whole number.*'x'"),
    (ask("to_batches", threads=None), "whole number.*None"),
    (ask("to_arrow", snapshot_id="x"), "whole numbers.*'x'"),
    (ask("to_arrow", tag=5), "name of a tag.*5"),
    (ask("explain", filter=5), "a filter is"),
    (ask("stream", 5), "list of columns"),
    (ask("stream", filter=5), "a filter is"),
    (ask("stream", from_=1.5), "id of a snapshot.*1.5"),
    (ask("stream", from_=True), "id of a snapshot.*True"),
    (ask("read_split", 5), "a split of a plan.*5"),
    (lambda: written().read_split(written().plan().splits[0], schema=5), "schema of the plan.*5"),  # type: ignore[arg-type]
    (of_system("ro", filter=5), "a filter is"),
    (of_system("ro", threads="x"), "whole number"),
    (of_system("audit_log", 5), "list of columns"),
    (of_system("snapshots", 5), "list of columns"),
    (of_system("snapshots", filter=5), "a filter is"),
    (of_system("snapshots", threads="x"), "whole number"),
    (lambda: open_system_table(written(), 5), "a system table is named by a text.*5"),  # type: ignore[arg-type]
    (ask("alter", None), "list of changes.*None"),
    (ask("alter", ["a"]), "list of changes"),
    (ask("merge_schema", 5), "Arrow schema.*5"),
    (ask("merge_schema", SCHEMA, 5), "MergeRules.*5"),
    (ask("new_commit", None), "in the name of a user.*None"),
    (ask("new_commit", ""), "in the name of a user"),
    (of_commit("commit", 5), "messages of writers.*5"),
    (of_commit("commit", [5]), "messages of writers.*5"),
    (of_commit("commit", [], "x"), "identifier is a whole number.*'x'"),
    (of_commit("commit", [], True), "identifier is a whole number.*True"),
    (of_commit("commit", [], notes=5), "CommitNotes.*5"),
    (of_commit("overwrite", 5), "messages of writers.*5"),
    (of_commit("overwrite", [], 5), "a partition is told by.*5"),
    (of_commit("truncate", "x"), "identifier is a whole number.*'x'"),
    (of_commit("truncate", 1 << 63), "64 bits.*9223372036854775808"),
    (of_commit("truncate_partitions", 5), "list of partitions.*5"),
    (of_commit("truncate_partitions", [5]), "list of partitions.*5"),
    (of_commit("commit_statistics", "stat", "x"), "identifier is a whole number.*'x'"),
    (of_commit("merge_manifests", "x"), "identifier is a whole number.*'x'"),
    (of_commit("filter_committed", 5), "identifiers.*5"),
    (of_commit("filter_committed", ["x"]), "identifiers.*'x'"),
    (of_commit("filter_and_commit", 5), "mapping of identifiers.*5"),
    (of_commit("abort", 5), "messages of writers.*5"),
    (lambda: CommitNotes(watermark="x"), "epoch milliseconds.*'x'"),  # type: ignore[arg-type]
    (lambda: CommitNotes(properties={"a": 1}), "properties and their values.*1"),  # type: ignore[dict-item]
    (lambda: CommitNotes(operation=5), "told by a text.*5"),  # type: ignore[arg-type]
    (lambda: written().tags.get(5), "no name for a tag.*5"),  # type: ignore[arg-type]
    (lambda: written().consumers.get(5), "no id of a consumer.*5"),  # type: ignore[arg-type]
    (lambda: written().new_write().write({"k": 1}), "a batch of Arrow.*dict"),  # type: ignore[arg-type]
    (ask("plan_delete", 5), "a filter is"),
    (ask("plan_update", None, "v=2"), "mapping of columns"),
    (ask("plan_update", None, {"v": 2}), "an expression is a Literal.*2"),
    (ask("plan_merge", ROWS, 5, [Matched({"v": Column("k")})]), "list of columns.*5"),
    (ask("plan_merge", ROWS, ["k"], [5]), "clauses are Matched"),
    (ask("apply_changes", 5), "plan of plan_delete.*5"),
    (ask("run_compaction", 5), "task of a plan.*5"),
    (ask("plan_compaction", 5), "list of partitions.*5"),
    (ask("plan_compaction", "p=1"), "list of partitions"),
    (ask("plan_compaction", buckets=["x"]), "numbers of buckets.*x"),
    (ask("plan_compaction", strategy="x"), "no such compaction.*'x'.*full or minor"),
]


@pytest.mark.parametrize(("call", "told"), CASES)
def test_an_argument_of_another_kind_is_refused_by_an_error_that_shows_it(
    call: Callable[[], object], told: str
) -> None:
    with pytest.raises(InvalidRequestError, match=told):
        call()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda c: c.get_table(None), "a table is named by a text.*None"),
        (lambda c: c.table_exists(5), "a table is named by a text.*5"),
        (lambda c: c.get_table(Identifier("", "t")), "not a name for a database.*''"),
        (lambda c: c.create_database(None), "not a name for a database.*None"),
        (lambda c: c.create_table("d.t", None), "Arrow schema or a list of DataField.*None"),
        (lambda c: c.create_table("d.t", ["k"]), "Arrow schema or a list of DataField"),
        (lambda c: c.create_table("d.t", SCHEMA, primary_keys="k"), "list of columns.*'k'"),
        (lambda c: c.create_table("d.t", SCHEMA, partition_keys=5), "list of columns.*5"),
        (lambda c: c.create_table("d.t", SCHEMA, options="a"), "options and their values are texts"),
        (
            lambda c: c.create_table("d.t", SCHEMA, options={"bucket": 1}),
            "options and their values are texts.*1",
        ),
        (lambda c: c.create_table("d.t", SCHEMA, comment=5), "a comment is a text.*5"),
    ],
)
def test_a_catalog_refuses_what_names_or_makes_no_table(
    call: Callable[[Catalog], object], told: str, tmp_path: Path
) -> None:
    catalog = open_catalog(tmp_path)
    catalog.create_database("d")
    with pytest.raises(InvalidRequestError, match=told):
        call(catalog)
