"""The command line and tables without snapshots: shown and read, or refused with what to know."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core import open_catalog
from core.arrow import arrow_schema
from core.catalog import Catalog
from core.cli import main
from core.format_table import FormatTable
from core.schema.create import initial_schema
from tests.builders import fields


@pytest.fixture
def warehouse(tmp_path: Path) -> str:
    catalog: Catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    catalog.create_table(
        "db.f",
        fields(k="INT", p="STRING"),
        partition_keys=["p"],
        options={"type": "format-table", "file.format": "csv"},
    )
    table = catalog.get_table("db.f")
    assert isinstance(table, FormatTable)
    table.append(pa.table({"k": [1, 2], "p": ["x", "y"]}, schema=arrow_schema(table.schema.fields)))
    catalog.create_table("db.o", fields(k="INT"), options={"type": "object-table"})
    catalog.create_table("db.m", fields(k="INT"), options={"type": "materialized-table"})
    for kind in ("lance-table", "iceberg-table"):
        schema = initial_schema(fields(k="INT"), options={"type": kind}, time_millis=1)
        catalog.get_data_table("db.m").io.create_directory(f"{tmp_path}/db.db/{kind}")
        made = type(catalog.get_data_table("db.m"))(
            catalog.io, f"{tmp_path}/db.db/{kind}", catalog.get_data_table("db.m").identifier
        )
        made.schemas.create(schema)
    return str(tmp_path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    found = capsys.readouterr()
    return status, found.out, found.err


def test_a_list_tells_the_types(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "-w", warehouse, "tables", "-l", "--format", "csv")
    kinds = dict(line.split(",")[:2] for line in out.splitlines()[1:])
    assert kinds == {
        "db.f": "format-table",
        "db.iceberg-table": "iceberg-table",
        "db.lance-table": "lance-table",
        "db.m": "materialized-table",
        "db.o": "object-table",
    }


def test_a_format_table_is_shown_and_read_by_name_and_by_path(
    warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("db.f", f"{warehouse}/db.db/f"):
        _, out, _ = said(capsys, "-w", warehouse, "read", name, "--where", "p = 'y'", "--format", "json")
        assert json.loads(out) == {"k": 2, "p": "y"}
        _, out, _ = said(capsys, "-w", warehouse, "show", name, "--format", "json")
        assert (json.loads(out)["kind"], json.loads(out)["format"]) == ("format-table", "csv")
    _, out, _ = said(capsys, "-w", warehouse, "read", "db.f", "--where", "p = 'y'", "--explain")
    assert "1 directories of partitions left out" in out


def test_an_object_table_is_read(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    (Path(warehouse) / "db.db" / "o" / "data").mkdir()
    (Path(warehouse) / "db.db" / "o" / "data" / "x").write_bytes(b"123")
    _, out, _ = said(capsys, "-w", warehouse, "read", "db.o", "--columns", "path,length", "--format", "csv")
    assert out.splitlines() == ["path,length", "x,3"]


def test_a_materialized_table_is_read_as_any_other(
    warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "-w", warehouse, "read", "db.m", "--format", "csv")[:2] == (0, "k\n")


@pytest.mark.parametrize("table", ["db.f", "db.o", "db.lance-table", "db.iceberg-table"])
@pytest.mark.parametrize(
    "words",
    [
        ["read", "--snapshot", "1", "{}"],
        ["read", "{}$snapshots"],
        ["stream", "{}"],
        ["check", "{}"],
        ["maintain", "expire-snapshots", "{}"],
        ["maintain", "remove-orphan-files", "{}", "--yes"],
        ["maintain", "create-tag", "{}", "v1"],
    ],
    ids=" ".join,
)
def test_what_needs_snapshots_is_refused_of_every_other_type(
    table: str, words: list[str], warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path for path in Path(warehouse).rglob("*"))
    status, out, err = said(capsys, "-w", warehouse, *(word.format(table) for word in words))
    assert (status, out) == (2, "") or status > 0
    assert "no snapshots" in err or "never opened" in err
    assert "Traceback" not in err
    assert sorted(Path(warehouse).rglob("*")) == before


def test_a_check_of_a_warehouse_passes_over_them(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "-w", warehouse, "check")
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines()] == ["db.m"]
