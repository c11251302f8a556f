"""`T/schemas`, their diff, options, and refs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from console.inspector.option_words import CHINESE
from core import Table
from core.options import OPTIONS
from core.schema.changes import (
    AddColumn,
    DropColumn,
    RemoveOption,
    RenameColumn,
    SetOption,
    UpdateColumnType,
)
from core.schema.table_schema import encode_schema
from core.snapshot import Consumer
from core.types import STRING, BigIntType, IntType
from tests.console.conftest import TABLE, Caller

EVOLVED = "/warehouses/java09/databases/evo/tables/append_parquet"


def test_live_bytes_by_schema_add_up(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    schemas = alice.items(f"{EVOLVED}/schemas")
    assert sum(s["live_bytes"] for s in schemas) == alice.json(EVOLVED)["shape"]["bytes"]
    assert [s["is_latest"] for s in schemas] == [True] + [False] * (len(schemas) - 1)


def test_a_diff_follows_field_ids(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    last = alice.items(f"{EVOLVED}/schemas")[0]["id"]
    diff = alice.json(f"{EVOLVED}/schemas/diff?from=0&to={last}")
    kinds = {change["kind"] for row in diff["rows"] for change in row["changes"]}
    assert {"renamed", "retyped", "recreated"} <= kinds
    assert diff["summary"]["renamed"] >= 1


def test_a_diff_of_a_schema_with_itself_is_empty(alice: Caller, table: Table) -> None:
    diff = alice.json(f"{TABLE}/schemas/diff?from=0&to=0")
    assert all(row["changes"] == [] for row in diff["rows"])
    assert diff["options"] == []


def test_nested_fields_follow_their_parent(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    path = "/warehouses/java09/databases/types/tables/row_in_row_parquet"
    fields = alice.json(f"{path}/schemas/0")["fields"]
    assert max(field["depth"] for field in fields) > 1
    assert all(field["path"].count(".") >= field["depth"] for field in fields)


def test_a_schema_that_is_not_there(alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}/schemas/99").json()["code"] == "not-found"
    assert alice.get(f"{TABLE}/schemas/diff?from=0").json()["errors"][0]["pointer"] == "to"


def test_options_show_default_and_origin(alice: Caller, table: Table) -> None:
    options = {option["key"]: option for option in alice.items(f"{TABLE}/options?limit=1000")}
    assert (options["bucket"]["value"], options["bucket"]["schema_id"]) == ("2", 0)
    assert options["file.format"]["is_default"]
    changed = alice.items(f"{TABLE}/options?is_default=false")
    assert "bucket" in {option["key"] for option in changed}


def test_an_option_has_a_history_across_schemas(alice: Caller, table: Table) -> None:
    table.schemas.commit_changes([SetOption("snapshot.num-retained.min", "3")], has_snapshots=True)
    table.schemas.commit_changes([SetOption("snapshot.num-retained.max", "50")], has_snapshots=True)
    table.schemas.commit_changes([RemoveOption("snapshot.num-retained.min")], has_snapshots=True)
    shown = alice.json(f"{TABLE}/options/snapshot.num-retained.min/history")
    told = [(item["schema_id"], item["value"], item["is_changed"]) for item in shown["items"]]
    assert told == [(0, None, False), (1, "3", True), (2, "3", False), (3, None, True)]
    assert alice.get(f"{TABLE}/options/no.such/history").json()["code"] == "not-found"


def test_a_secret_option_has_no_values_in_its_history(alice: Caller, table: Table) -> None:
    schema = table.schemas.latest()
    kept = replace(schema, id=1, options={**schema.options, "my.secret-key": "hush"})
    table.io.write(table.paths.schema_file(1), encode_schema(kept))
    shown = alice.json(f"{TABLE}/options/my.secret-key/history")
    assert ([item["is_set"] for item in shown["items"]], "hush" in str(shown)) == ([False, True], False)


def test_tags_branches_and_consumers(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    table.consumers.put(Consumer("reader", 4))
    assert [tag["name"] for tag in alice.items(f"{TABLE}/tags")] == ["v2"]
    assert {b["name"]: b["snapshots"] for b in alice.items(f"{TABLE}/branches")} == {"dev": 1, "main": 6}
    consumer = alice.items(f"{TABLE}/consumers")[0]
    assert (consumer["id"], consumer["lag"], consumer["blocks_expiry"]) == ("reader", 3, True)
    assert consumer["unread_since"] == alice.json(f"{TABLE}/snapshots/4")["committed_at"]


def test_a_branch_is_read_by_name(alice: Caller, table: Table) -> None:
    table.branches.create("dev", from_tag="v2")
    assert alice.json(f"{TABLE}?branch=dev")["latest"]["id"] == 2
    assert alice.get(f"{TABLE}?branch=nope").json()["code"] == "not-found"


def test_every_option_has_its_meaning_in_both_languages(alice: Caller, table: Table) -> None:
    assert CHINESE.keys() == OPTIONS.keys()
    assert [key for key, words in CHINESE.items() if not re.search("[\u4e00-\u9fff]|zorder", words)] == []
    english = alice.json(f"{TABLE}/options?limit=1000")["items"]
    chinese = alice.json(f"{TABLE}/options?limit=1000", **{"Accept-Language": "zh-CN"})["items"]
    same = [e["key"] for e, c in zip(english, chinese, strict=True) if e["description"] == c["description"]]
    assert [key for key in same if key in OPTIONS] == []


MERGING = [
    ("pu_aggregation", "g", "group_sequence", ["g"], None, {}),
    ("pu_aggregation", "lst", "aggregate", ["g"], "collect", {"distinct": "true"}),
    ("pu_sequence_groups", "c", "group", ["g2"], None, {}),
    ("pu_sequence_groups", "free", "newest_value", [], None, {}),
    ("agg_functions", "f_list", "aggregate", [], "listagg", {"list-agg-delimiter": ";"}),
    ("agg_retract", "m", "aggregate", [], "max", {"ignore-retract": "true"}),
    ("agg_collections", "nest", "aggregate", [], "nested_update", {"nested-key": "id"}),
    ("first_row", "v", "first", [], None, {}),
    ("first_row", "k", "key", [], None, {}),
]


@pytest.mark.parametrize(("name", "column", "effect", "sequence", "function", "options"), MERGING)
def test_a_schema_says_what_merging_does_to_a_column(
    alice: Caller,
    corpus: Any,
    name: str,
    column: str,
    effect: str,
    sequence: Any,
    function: Any,
    options: Any,
) -> None:
    corpus("java09")
    schema = alice.json(f"/warehouses/java09/databases/merge/tables/{name}/schemas/0")
    found = {field["name"]: field["merging"] for field in schema["fields"] if field["depth"] == 0}
    wanted = {
        "effect": effect,
        "sequence": sequence,
        "function": function,
        "options": options,
        "problem": None,
    }
    assert found[column] == wanted


def test_the_functions_are_those_of_the_system_table(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    path = "/warehouses/java09/databases/merge/tables/agg_functions"
    told = alice.json(f"{path}/system/aggregation_fields")
    names = [column["name"] for column in told["columns"]]
    shown = {f["name"]: f["merging"]["function"] for f in alice.json(f"{path}/schemas/0")["fields"]}
    for row in (dict(zip(names, values, strict=True)) for values in told["rows"]):
        own = row["function"].strip("[]").split(", ")[0]
        assert row["field_name"] == "f_list" or own in ("", shown[row["field_name"]])


def test_a_sequence_field_orders_and_an_append_table_merges_nothing(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    pk = alice.json("/warehouses/java09/databases/pk/tables/seq_field/schemas/0")
    effects = {f["name"]: (f["merging"]["effect"], f["merging"]["sequence"]) for f in pk["fields"]}
    ordering = [name for name, (effect, _) in effects.items() if effect == "sequence"]
    assert ordering
    assert ("newest", ordering) in effects.values()
    appended = alice.json(f"{EVOLVED}/schemas/0")
    assert {f["merging"] for f in appended["fields"]} == {None}


def test_what_merging_does_is_unknown_where_options_contradict(alice: Caller, table: Table) -> None:
    schema = table.schemas.latest()
    options = {**schema.options, "merge-engine": "aggregation", "fields.amount.aggregate-function": "nothing"}
    odd = encode_schema(
        replace(schema, id=1, options=options)
    )  # as an engine with functions of its own writes it
    table.io.write(table.paths.schema_file(1), odd)
    found = {f["name"]: f["merging"] for f in alice.json(f"{TABLE}/schemas/1")["fields"]}
    assert (found["id"]["effect"], found["amount"]["effect"]) == ("key", "unknown")
    assert "nothing" in found["amount"]["problem"]


def test_a_diff_says_how_files_of_old_are_read_and_reads_do_so(alice: Caller, table: Table) -> None:
    sizes = alice.json(TABLE)["shape"]
    added, widened = AddColumn(("extra",), IntType()), UpdateColumnType(("amount",), BigIntType())
    renamed, filled = RenameColumn(("note",), "words"), SetOption("fields.extra.default-value", "7")
    new = table.alter([added, widened, renamed, filled])
    diff = alice.json(f"{TABLE}/schemas/diff?from=0&to={new.schema.id}")
    reads = {read["path"]: (read["how"], read["detail"]) for read in diff["reads"]}
    assert reads == {"extra": ("default", "7"), "amount": ("cast", "INT → BIGINT")}
    assert {(r["live_files"], r["live_bytes"]) for r in diff["reads"]} == {(sizes["files"], sizes["bytes"])}
    rows = new.to_arrow()
    assert (rows.schema.field("amount").type, set(rows["extra"].to_pylist())) == (pa.int64(), {7})


def test_a_re_created_column_is_null_and_the_dropped_one_is_not_read(alice: Caller, table: Table) -> None:
    new = table.alter([DropColumn(("note",))]).alter([AddColumn(("note",), STRING)])
    reads = alice.json(f"{TABLE}/schemas/diff?from=0&to={new.schema.id}")["reads"]
    assert [(read["path"], read["how"], read["schema_ids"]) for read in reads] == [
        ("note", "unread", [0]),
        ("note", "null", [0]),
    ]
    assert set(new.to_arrow()["note"].to_pylist()) == {None}


def test_a_field_is_followed_through_all_schemas_by_its_id(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    first = {f["name"]: f["id"] for f in alice.json(f"{EVOLVED}/schemas/0")["fields"]}
    count = len(alice.items(f"{EVOLVED}/schemas"))
    histories = {name: alice.json(f"{EVOLVED}/fields/{i}/history")["items"] for name, i in first.items()}
    assert all(len(items) == count for items in histories.values())
    marks = {c["kind"] for items in histories.values() for item in items for c in item["changes"]}
    assert {"added", "renamed", "retyped"} <= marks
    gone = [items for items in histories.values() if items[-1]["field"] is None]
    assert gone
    assert gone[0][0]["first_used"]["id"] == 1
    assert alice.get(f"{EVOLVED}/fields/999/history").json()["code"] == "not-found"


def test_a_schema_that_was_put_in_place_of_another_is_compared_anew(alice: Caller, table: Table) -> None:
    added = table.schemas.commit_changes([AddColumn(("later",), STRING)], has_snapshots=True)
    path = table.paths.schema_file(added.id)
    asked = f"{TABLE}/schemas/diff?from=0&to={added.id}"
    assert alice.json(asked)["summary"]["added"] == alice.json(asked)["summary"]["added"] == 1
    table.io.delete(path)
    table.io.write(path, encode_schema(replace(added, fields=added.fields[:-1])))
    assert alice.json(asked)["summary"]["added"] == 0
