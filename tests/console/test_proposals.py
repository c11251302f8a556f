"""`T/schemas/proposals`: a schema that is merged with another, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

from core import Table
from core.schema import MergeRules
from tests.console.conftest import TABLE, Caller

PROPOSALS = f"{TABLE}/schemas/proposals"


def propose(who: Caller, **asked: Any) -> dict[str, Any]:
    response = who.post(PROPOSALS, asked)
    assert response.status_code == 200, response.content
    body: dict[str, Any] = response.json()
    return body


def marks(proposal: dict[str, Any]) -> dict[str, list[str]]:
    """Kinds of marks by the path of the field."""
    sides = [(row["to"] or row["from"], row["changes"]) for row in proposal["rows"]]
    return {side["path"]: [change["kind"] for change in changes] for side, changes in sides if changes}


def test_a_new_column_is_added_and_one_that_rows_lack_stays(alice: Caller, table: Table) -> None:
    proposal = propose(alice, text="dt STRING, id BIGINT, note STRING, colour STRING COMMENT 'of it'")
    assert marks(proposal) == {"amount": ["absent"], "colour": ["added"]}
    assert (proposal["from"], proposal["to"], proposal["changes"]) == (0, 1, True)
    assert proposal["problems"] == []
    assert table.schemas.ids() == [0]


def test_what_is_proposed_is_what_a_merge_writes(alice: Caller, table: Table) -> None:
    text = "dt STRING, id BIGINT, amount DOUBLE, note STRING, at DATE"
    proposal = propose(alice, text=text, type_widening=True)
    rows = pa.schema([("amount", pa.float64()), ("at", pa.date32())])
    table.merge_schema(rows, MergeRules(type_widening=True))
    merged = alice.json(f"{TABLE}/schemas/diff?from=0&to=1")
    assert {name: proposal[name] for name in ("rows", "keys", "to")} == {
        name: merged[name] for name in ("rows", "keys", "to")
    }


def test_a_type_stays_or_widens_or_is_refused_with_its_reason(alice: Caller, table: Table) -> None:
    text = "dt STRING, id BIGINT, amount {}, note STRING"
    assert marks(propose(alice, text=text.format("BIGINT"))) == {"amount": ["kept"]}
    assert marks(propose(alice, text=text.format("BYTES"))) == {"amount": ["kept", "refused"]}
    wider = propose(alice, text=text.format("BIGINT"), type_widening=True)
    assert (marks(wider), wider["summary"]["retyped"]) == ({"amount": ["retyped"]}, 1)
    refused = propose(alice, text=text.format("SMALLINT"), type_widening=True)
    assert refused["problems"][0]["detail"] == "Column amount: INT cannot become SMALLINT"


def test_reasons_are_told_in_chinese_too(alice: Caller, table: Table) -> None:
    view = propose(
        Caller(alice.user, **{"Accept-Language": "zh-CN"}),
        text="dt STRING, id BIGINT, amount BYTES, note STRING",
    )
    assert [p["detail"] for p in view["problems"]] == ["列 amount：BYTES 无法转换为 INT"]


def test_keys_keep_their_types(alice: Caller, table: Table) -> None:
    proposal = propose(alice, text="dt STRING, id DOUBLE", type_widening=True)
    assert [problem["code"] for problem in proposal["problems"]] == ["merge-key"]
    assert marks(proposal)["id"] == ["retyped", "refused"]


@pytest.mark.parametrize("format_", ["parquet", "orc", "json", "csv"])
def test_the_columns_of_a_file_are_read_from_its_head(
    alice: Caller, table: Table, tmp_path: Path, settings: Any, format_: str
) -> None:
    settings.SOURCE_ROOTS = (str(tmp_path),)
    path = tmp_path / f"rows.{format_}"
    rows = pa.table({"dt": ["a"], "id": [1], "colour": ["red"]})
    write = {
        "parquet": lambda: pq.write_table(rows, path),
        "orc": lambda: pyarrow.orc.write_table(rows, path),
        "json": lambda: path.write_text('{"dt": "a", "id": 1, "colour": "red"}\n'),
        "csv": lambda: path.write_text("dt,id,colour\na,1,red\n"),
    }
    write[format_]()
    given = {"path": str(path), "format": format_, "options": {"header": "true"} if format_ == "csv" else {}}
    proposal = propose(alice, file=given)
    assert (proposal["form"], marks(proposal)["colour"]) == ("file", ["added"])


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"text": "id INT, id INT"}, "/text"),
        ({"text": "{"}, "/text"),
        ({"text": "id INTERVAL"}, "/text"),
        ({"file": {"path": "/etc/passwd", "format": "csv"}}, "/file/path"),
        ({}, ""),
    ],
)
def test_what_cannot_be_proposed_is_explained(alice: Caller, table: Table, asked: Any, pointer: str) -> None:
    response = alice.post(PROPOSALS, asked)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("id BIGGINT", "There is no type BIGGINT", "不存在该类型：type BIGGINT"),
        ("id", "expected a type name, and the text ends", "此处应为类型名，文本已结束"),
        ("id INT,,", "expected a member name, found ','", "此处应为列名，遇到 ','"),
        ("{}", "The JSON has no list `fields`", "JSON 中没有列表 `fields`"),
        ("CREATE TABLE t (id INT", "CREATE TABLE has no closing parenthesis", "CREATE TABLE 缺少右括号"),
    ],
)
def test_why_a_pasted_schema_is_none_is_said_without_the_names_of_fields(
    alice: Caller, table: Table, text: str, english: str, chinese: str
) -> None:
    zh = Caller(alice.user, **{"Accept-Language": "zh-CN"})
    said = [who.post(PROPOSALS, {"text": text}).json()["errors"][0]["detail"] for who in (alice, zh)]
    assert [s.rpartition(": ")[2] for s in said[:1]] == [english]
    assert said[1].endswith(chinese)
    assert "(" not in said[0]


def test_a_write_that_merges_the_schema_shows_what_becomes_of_it(
    alice: Caller, table: Table, tmp_path: Path, settings: Any
) -> None:
    settings.SOURCE_ROOTS = (str(tmp_path),)
    pq.write_table(pa.table({"dt": ["a"], "id": [1], "new": [1.5]}), tmp_path / "r.parquet")
    source = {"kind": "path", "path": str(tmp_path / "r.parquet"), "format": "parquet"}
    params = {"source": source, "merge_schema": True}
    plan = alice.post(f"{TABLE}/plans", {"kind": "write", "params": params}).json()
    assert plan["blockers"] == []
    assert plan["effects"]["schema_change"]["summary"]["added"] == 1
    assert {fit["column"]: fit["verdict"] for fit in plan["effects"]["schema_fit"]}["new"] == "ok"
    alone = {"source": source, "explicit_casts": True}
    assert alice.post(f"{TABLE}/plans", {"kind": "write", "params": alone}).status_code == 400
