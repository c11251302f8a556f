"""`T/files`: pages, filters, one file, its lineage and its indexes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from console.warehouses.models import Warehouse
from core import Table
from core.io import LocalFileIO
from tests.console.conftest import TABLE, Caller
from tests.interop.answers import expected_of
from tests.tables import new_table, put


def test_every_live_file_is_listed_once(alice: Caller, table: Table) -> None:
    first = alice.json(f"{TABLE}/files?limit=3")
    names = [item["name"] for item in first["items"]]
    page = first
    while page["next"]:
        page = alice.json(f"{TABLE}/files?limit=3&cursor={page['next']}")
        names += [item["name"] for item in page["items"]]
    live = table.manifests.live_entries(table.snapshots.get(6))
    assert sorted(names) == sorted(live.column("file_name").to_pylist())
    assert first["total"] == len(names)


def test_a_cursor_stays_with_its_snapshot(alice: Caller, table: Table) -> None:
    page = alice.json(f"{TABLE}/files?limit=1&at=1")
    following = alice.json(f"{TABLE}/files?limit=1&cursor={page['next']}")
    assert following["as_of"] == page["as_of"] == table.snapshots.get(1).reference


def test_files_are_filtered_and_sorted_by_columns(alice: Caller, table: Table) -> None:
    items = alice.items(f"{TABLE}/files?level[gt]=0&partition=dt%3D2026-11-20&sort=-bytes")
    assert items
    assert all(item["level"] > 0 and item["partition"] == "dt=2026-11-20" for item in items)
    assert [item["bytes"] for item in items] == sorted((item["bytes"] for item in items), reverse=True)


def test_sizes_are_also_written_with_a_unit(alice: Caller, table: Table) -> None:
    assert alice.items(f"{TABLE}/files?bytes[lt]=1MiB")
    assert alice.items(f"{TABLE}/files?bytes[ge]=1MiB") == []


def test_an_unknown_filter_names_the_allowed_ones(alice: Caller, table: Table) -> None:
    problem = alice.get(f"{TABLE}/files?colour=red").json()
    assert problem["code"] == "unknown-filter"
    assert "level" in problem["allowed"]


def test_an_operator_that_makes_no_sense_is_refused(alice: Caller, table: Table) -> None:
    response = alice.get(f"{TABLE}/files?level[prefix]=1")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (400, "unknown-operator")


def test_only_the_fields_asked_for_are_sent(alice: Caller, table: Table) -> None:
    item = alice.items(f"{TABLE}/files?fields=name,bytes")[0]
    assert set(item) == {"name", "bytes"}


def test_the_path_is_where_the_file_lies(alice: Caller, table: Table) -> None:
    assert all(table.io.exists(item["path"]) for item in alice.items(f"{TABLE}/files"))


def test_a_file_shows_its_columns_with_their_bounds(alice: Caller, table: Table) -> None:
    name = alice.items(f"{TABLE}/files?at=1")[0]["name"]
    file = alice.json(f"{TABLE}/files/{name}?at=1")
    columns = {column["name"]: column for column in file["columns"]}
    assert set(columns) == {"dt", "id", "amount", "note"}
    assert int(columns["id"]["min"]) <= int(columns["id"]["max"])
    assert file["exists"]


def test_a_list_of_files_shows_the_columns_that_are_asked_for(alice: Caller, table: Table) -> None:
    for item in alice.items(f"{TABLE}/files?stats=3,1,99"):
        detail = alice.json(f"{TABLE}/files/{item['name']}")
        known = {column["id"]: column for column in detail["columns"]}
        assert item["statistics"] == [known[3], known[1]]
        assert known[1]["null_count"] == 0
    assert alice.items(f"{TABLE}/files")[0]["statistics"] is None
    assert alice.items(f"{TABLE}/files?fields=name,statistics,born")[0]["statistics"] is None
    for wrong in ("x", "-1", ",".join(["1"] * 21)):
        assert alice.get(f"{TABLE}/files?stats={wrong}").status_code == 400


def test_a_bound_as_long_as_bounds_get_may_be_cut(alice: Caller, vera: Caller, table: Table) -> None:
    put(table, ("2026-11-21", 1, 1, "x" * 40), ("2026-11-22", 1, 1, "y" * 15))
    told = {
        item["partition"]: {c["name"]: (c["min"], c["truncated"]) for c in item["statistics"]}
        for item in alice.items(f"{TABLE}/files?stats=2,3&sort=-partition")
    }
    assert told["dt=2026-11-21"] == {"amount": ("1", False), "note": ("x" * 16, True)}
    assert told["dt=2026-11-22"] == {"amount": ("1", False), "note": ("y" * 15, False)}
    hidden = vera.items(f"{TABLE}/files?stats=3")[0]["statistics"][0]
    assert (hidden["min"], hidden["truncated"]) == ("•••", None)


def test_a_column_without_statistics_is_shown_without_them(alice: Caller, tmp_path: Path) -> None:
    columns = {"id": "INT", "tags": "ARRAY<INT>", "note": "STRING"}
    table = new_table(columns, io=LocalFileIO(), warehouse=str(tmp_path / "own"), bucket="-1")
    put(table, (7, [1], "a"))
    Warehouse.objects.create(name="own", location=str(tmp_path / "own"))
    address = "/warehouses/own/databases/db/tables/t/files"
    shown = alice.json(f"{address}/{alice.items(address)[0]['name']}")["columns"]
    assert [(c["name"], c["null_count"] and int(c["null_count"]), c["min"]) for c in shown] == [
        ("id", 0, "7"),
        ("tags", None, None),
        ("note", 0, "a"),
    ]


def test_bounds_are_hidden_without_data_read(vera: Caller, table: Table) -> None:
    item = vera.items(f"{TABLE}/files?at=1")[0]
    assert (item["min_key"], item["max_key"]) == ("•••", "•••")
    file = vera.json(f"{TABLE}/files/{item['name']}?at=1")
    assert file["redacted"]
    assert {column["min"] for column in file["columns"]} <= {"•••", None}


def test_a_list_tells_on_demand_which_commit_each_file_came_with(alice: Caller, table: Table) -> None:
    plain = alice.items(f"{TABLE}/files")
    assert {file["born"] for file in plain} == {None}
    asked = alice.items(f"{TABLE}/files?born=true")
    told = {file["name"]: alice.json(f"{TABLE}/files/{file['name']}/lineage")["born"] for file in plain}
    assert {file["name"]: file["born"] for file in asked} == told
    assert {file["born"]["id"] for file in asked} > {3}  # of a compaction, and of appends
    assert alice.get(f"{TABLE}/files?born=perhaps").status_code == 400


def test_a_file_whose_commit_has_expired_has_no_birth(alice: Caller, table: Table) -> None:
    first, second = (table.paths.snapshot_file(i) for i in (1, 2))
    before = {f["name"] for f in alice.items(f"{TABLE}/files?at=2")}
    for gone in (first, second):
        table.io.delete(gone)
    asked = alice.items(f"{TABLE}/files?at=6&born=true")
    assert {f["name"] for f in asked if f["born"] is None} == {f["name"] for f in asked} & before


def test_lineage_tells_birth_death_and_inputs(alice: Caller, table: Table) -> None:
    compacted = alice.items(f"{TABLE}/snapshots/3/changes?change=added")[0]["file"]
    story = alice.json(f"{TABLE}/files/{compacted}/lineage")
    assert (story["born"]["id"], story["born"]["kind"]) == (3, "compact")
    assert story["inputs"]
    eaten = alice.json(f"{TABLE}/files/{story['inputs'][0]['file']}/lineage")
    assert eaten["removed"]["id"] == 3
    assert eaten["held_by"]["tags"] == ["v2"]


def test_a_file_that_nobody_knows_is_not_found(alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}/files/data-0.parquet").status_code == 404
    assert alice.get(f"{TABLE}/files/data-0.parquet/lineage").status_code == 404


def test_the_head_of_a_file_index_is_shown(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    path = "/warehouses/java09/databases/idx/tables/bloom_file/files"
    name = next(item["name"] for item in alice.items(path) if item["index"])
    index = alice.json(f"{path}/{name}/indexes")["indexes"][0]
    assert (index["type"], index["storage"]) == ("bloom-filter", "file")
    assert index["details"]["hash_functions"] > 0
    (bits,) = index["bits"]
    assert bits["of"] == "filter"
    assert min(bits["shares"]) <= index["details"]["fill_ratio"] <= max(bits["shares"])


def test_the_whole_list_is_exported_as_lines(alice: Caller, table: Table) -> None:
    response = alice.get(f"{TABLE}/files?limit=1", Accept="application/x-ndjson")
    lines = response.getvalue().decode().splitlines()
    assert len(lines) == len(table.manifests.live_entries(table.snapshots.get(6)))
    sheet = alice.get(f"{TABLE}/files?fields=name,bytes", Accept="text/csv").getvalue().decode()
    assert sheet.splitlines()[0] == "name,bytes"


def test_a_sheet_has_what_is_known_of_columns_and_the_commit_that_brought_each_file(
    alice: Caller, table: Table
) -> None:
    field = table.schema.fields[1]
    given = f"{TABLE}/files?stats={field.id},77&born=true"
    sheet = csv.DictReader(io.StringIO(alice.get(given, Accept="text/csv").getvalue().decode()))
    for row, item in zip(sheet, alice.items(given), strict=True):
        (told,) = item["statistics"]
        assert (row[f"{field.name}.min"], row[f"{field.name}.max"]) == (told["min"], told["max"])
        assert (row[f"{field.name}.null_count"], row["#77.min"]) == (str(told["null_count"]), "")
        assert json.loads(row["born"]) == item["born"]


@pytest.mark.parametrize("asked", ["bucket=5000000000", "level[lt]=99999999999", "schema_id[in]=1,x"])
def test_a_filter_value_that_does_not_fit_is_told(asked: str, alice: Caller, table: Table) -> None:
    reply = alice.get(f"{TABLE}/files?{asked}")
    assert reply.status_code == 400
    (error,) = reply.json()["errors"]
    assert error["pointer"] == asked.partition("=")[0].partition("[")[0]


@pytest.mark.parametrize(
    "name", ["evo/tables/append_parquet", "evo/tables/append_orc", "evo/tables/append_avro"]
)
def test_the_footer_of_a_file_tells_its_groups_and_columns(name: str, alice: Caller, corpus: Any) -> None:
    corpus("java09")
    address = f"/warehouses/java09/databases/{name}/files"
    file = alice.items(address)[0]
    shown = alice.json(f"{address}/{file['name']}/footer")
    footer = shown["footer"]
    assert (footer["format"], footer["rows"], shown["problem"]) == (file["format"], file["rows"], None)
    assert sum(group["rows"] for group in footer["groups"]) == file["rows"]
    assert footer["columns"]


def test_bounds_of_a_footer_are_hidden_without_data_read(vera: Caller, table: Table) -> None:
    name = vera.items(f"{TABLE}/files?at=1")[0]["name"]
    shown = vera.json(f"{TABLE}/files/{name}/footer?at=1")
    assert shown["redacted"]
    assert {column["min"] for column in shown["footer"]["columns"]} == {"•••"}
    assert "first" not in str(shown)


def test_a_footer_that_cannot_be_read_is_a_problem_of_the_reply(alice: Caller, table: Table) -> None:
    item = alice.items(f"{TABLE}/files?at=1")[0]
    Path(item["path"]).write_bytes(b"PAR1 but no more")
    shown = alice.json(f"{TABLE}/files/{item['name']}/footer?at=1")
    assert (shown["footer"], shown["damage"]["code"], shown["damage"]["object"]) == (
        None,
        "damaged",
        "data_file",
    )


@pytest.mark.parametrize("group", ["7", "x", "-1"])
def test_a_row_group_that_is_not_there_is_refused(group: str, alice: Caller, table: Table) -> None:
    name = alice.items(f"{TABLE}/files?at=1")[0]["name"]
    reply = alice.get(f"{TABLE}/files/{name}/footer?at=1&row_group={group}")
    assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (400, "row_group")


def test_a_deletion_vector_is_shown_with_its_place_and_the_rows_that_paimon_counted(
    alice: Caller, corpus: Any
) -> None:
    corpus("java09")
    address = "/warehouses/java09/databases/dv/tables/pk_dv/indexes"
    decoded = expected_of("java09", "dv.pk_dv")["metadata"]["indexFiles"]
    for index in alice.json(address)["deletion_vectors"]:
        shown = alice.json(f"{address}/{index['name']}")
        theirs = decoded[index["name"]]
        assert {v["data_file"]: v["deleted_rows"] for v in shown["vectors"]} == {
            name: len(positions) for name, positions in theirs.items()
        }
        assert (index["files"], {v["bits"] for v in shown["vectors"]}) == (len(theirs), {32})
        assert all(sum(v["parts"]) == v["deleted_rows"] for v in shown["vectors"] if v["rows"])


def test_what_vectors_delete_is_summed_by_bucket_as_paimon_counted(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    address = "/warehouses/java09/databases/dv/tables/pk_dv"
    decoded = expected_of("java09", "dv.pk_dv")["metadata"]["indexFiles"]
    answer = alice.json(f"{address}/indexes")
    for bucket in answer["vector_buckets"]:
        files = [f for f in answer["deletion_vectors"] if f["bucket"] == bucket["bucket"]]
        theirs = [positions for f in files for positions in decoded[f["name"]].values()]
        assert (bucket["files"], bucket["deleted_rows"]) == (len(theirs), sum(map(len, theirs)))
        live = alice.items(f"{address}/files?bucket={bucket['bucket']}")
        assert (bucket["live_files"], bucket["rows"]) == (len(live), sum(f["rows"] for f in live))


def test_an_index_file_that_no_snapshot_has_is_not_found(alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}/indexes/index-0").status_code == 404
