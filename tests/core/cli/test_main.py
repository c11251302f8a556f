"""The commands as a shell sees them: output, errors, exit status, pipes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.cli import main

CORPORA = Path(__file__).parents[2] / "corpora"
GOOD, DAMAGED = str(CORPORA / "java09"), str(CORPORA / "damaged")
FILES = "pk.fixed_orc_part$files"


def lines(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> list[str]:
    assert main(["-w", GOOD, *arguments]) == status
    return capsys.readouterr().out.splitlines()


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    assert main(list(arguments)) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("lakescope: ")
    return line


def test_tables_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    listed = lines(capsys, "tables")
    assert "pk.fixed_orc_part" in listed
    assert len(listed) == 101


def test_a_long_list_says_kind_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in lines(capsys, "tables", "append", "--long", "--format", "json")]
    (found,) = [row for row in rows if row["table"] == "append.many_files"]
    assert (found["kind"], found["rows"]) == ("append", 2000)


def test_a_table_that_cannot_be_opened_is_listed_with_its_problem(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-w", DAMAGED, "tables", "-l", "--format", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (found,) = [row for row in rows if row["table"] == "broken.schema_garbage"]
    assert "not valid JSON" in found["problem"]


def test_show_says_what_a_table_is(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads("\n".join(lines(capsys, "show", "pk.fixed_orc_part", "--format", "json")))
    assert shown["primary keys"] == ["dt", "k"]
    assert shown["files"] == {"count": 3, "bytes": 2323, "partitions": 3}
    assert "primary keys:    dt, k" in lines(capsys, "show", "pk.fixed_orc_part")


def test_read_projects_filters_and_limits(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "read",
        "append.logs_unaware",
        "--columns",
        "amount,id",
        "--where",
        "id >= 2",
        "--format",
        "json",
    )
    rows = [json.loads(line) for line in lines(capsys, *arguments, "--limit", "5")]
    assert len(rows) == 5
    assert all(list(row) == ["amount", "id"] and row["id"] >= 2 for row in rows)


def test_a_read_is_explained_stage_by_stage_and_file_by_file(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, "read", "idx.bitmap_embedded", "--where", "c = 'red'", "--explain")
    assert "file index: kept 2 of 2 files, 80 of 80 rows: bitmap(c) of 2 files" in shown
    assert "rows by index: kept 20 of 80 rows: bitmap(c)" in shown
    assert len([line for line in shown if "10 of 40 rows read" in line]) == 2
    assert "only reads of a table" in complaint(
        capsys, "-w", GOOD, "read", "ops.tags$files", "--explain", status=2
    )


def test_read_travels_by_snapshot_tag_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    def count(*arguments: str) -> int:
        return len(lines(capsys, "read", *arguments, "--format", "json"))

    assert count("append.logs_unaware", "--snapshot", "1") == 12
    assert count("ops.tags", "--tag", "v1") == 1
    assert count("append.logs_unaware", "--at", "2026-11-22T00:00:00Z") == 48


def test_read_takes_options_of_paimon(capsys: pytest.CaptureFixture[str]) -> None:
    table = "changelog.none$audit_log"
    read = ["-w", GOOD, "read", table, "--option", "incremental-between=0,1", "--format", "csv"]
    assert main([*read, "--option", "incremental-between-scan-mode=delta"]) == 0
    assert capsys.readouterr().out.startswith("rowkind,k,v,n")
    assert "scan.mode" in complaint(capsys, *read, "--option", "scan.mode=latest", status=2)
    with pytest.raises(SystemExit):
        main([*read, "--option", "latest"])
    assert "not key=value: 'latest'" in capsys.readouterr().err


def test_formats_hold_the_same_values(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def output(form: str) -> bytes:
        assert main(["-w", GOOD, "read", FILES, "--columns", "partition,level", "--format", form]) == 0
        return capsysbinary.readouterr().out

    expected = [("{d0}", 3), ("{d1}", 3), ("{d2}", 3)]
    as_json = [json.loads(line) for line in output("json").splitlines()]
    assert [(row["partition"], row["level"]) for row in as_json] == expected
    as_csv = list(csv.reader(io.StringIO(output("csv").decode())))
    assert as_csv == [["partition", "level"], *([p, str(n)] for p, n in expected)]
    as_arrow = pa.ipc.open_stream(output("arrow")).read_all()
    assert list(zip(*as_arrow.to_pydict().values(), strict=True)) == expected
    assert [tuple(line.split()) for line in output("table").decode().splitlines()[2:]] == [
        (p, str(n)) for p, n in expected
    ]


def test_csv_tells_null_from_an_empty_string(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "read", "append.part_special", "--format", "csv", "--columns", "id,city")
    assert {"101,", '102,""', "103, "} <= set(found)


def test_an_empty_result_still_has_its_head(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, "read", "append.empty_table", "--format", "csv") == ["id,g,s,d"]
    assert lines(capsys, "read", "append.empty_table", "--format", "json") == []
    assert lines(capsys, "read", "append.empty_table")[0].split() == ["id", "g", "s", "d"]


@pytest.mark.parametrize("table", ["evo.append_parquet", "evo.append_parquet$audit_log"])
def test_the_head_of_nothing_has_the_columns_of_its_time(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    wanted = ["--snapshot", "1", "--columns", "name,old", "--where", "id < -5", "--format", "csv"]
    assert lines(capsys, "read", table, *wanted) == ["name,old"]


def test_a_branch_and_its_system_tables_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    (branch, *_) = lines(
        capsys, "read", "ops.branches$branches", "--format", "csv", "--columns", "branch_name"
    )[1:]
    assert lines(capsys, "read", f"ops.branches$branch_{branch}$schemas", "--format", "json")


def test_a_table_is_named_by_its_directory_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", f"{GOOD}/pk.db/{FILES.split('.')[1]}", "--format", "json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_warehouse_may_stand_in_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKESCOPE_WAREHOUSE", GOOD)
    assert main(["tables", "ops"]) == 0
    assert "ops.tags" in capsys.readouterr().out
    monkeypatch.delenv("LAKESCOPE_WAREHOUSE")
    assert "LAKESCOPE_WAREHOUSE" in complaint(capsys, "tables", status=2)


def test_what_is_not_there_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert "table not found" in complaint(capsys, "-w", GOOD, "show", "pk.nothing", status=1)
    assert "snapshot not found" in complaint(
        capsys, "-w", GOOD, "read", "pk.seq_field", "--snapshot", "99", status=1
    )
    assert "no table in this directory" in complaint(capsys, "read", f"{GOOD}/pk.db", status=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["read", "pk.seq_field", "--where", "nothing = 1"], "nothing"),
        (["read", "append.logs_unaware", "--where", "id = = 1"], "filter"),
        (["read", "append.logs_unaware", "--columns", "nothing"], "nothing"),
        (["read", "append.logs_unaware", "--at", "yesterday"], "not a time"),
        (["read", "append.logs_unaware", "--columns", "id,id"], "twice"),
        (["read", "append.logs_unaware$files", "--columns", "level,level"], "twice"),
        (["read", "append.logs_unaware$tags", "--snapshot", "1"], "another one"),
        (["read", "logs"], "not a table name"),
    ],
)
def test_what_makes_no_sense_is_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert words in complaint(capsys, "-w", GOOD, *arguments, status=2)


def test_what_a_table_does_not_have_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(capsys, "-w", GOOD, "read", "pk.seq_field$row_tracking", status=2)
    assert "the rows of this table have no ids" in line


def test_check_fails_on_a_finding_and_not_on_orphans(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-w", DAMAGED, "check", "broken.missing_data_file"]) == 1
    assert "data file missing" in capsys.readouterr().out
    assert main(["-w", DAMAGED, "check", "broken.orphan_files", "--quick"]) == 0
    assert capsys.readouterr().out.count("orphan: ") == 4


def test_check_without_a_name_checks_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-w", DAMAGED, "check", "--format", "json"]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(reports) == 16
    clean = [report["table"] for report in reports if not report["findings"]]
    assert clean == ["broken.orphan_files"]


@pytest.mark.parametrize("command", [[], ["tables"], ["show"], ["read"], ["check"]])
def test_help_has_examples(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "lakescope" in capsys.readouterr().out


def run_shell(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "LAKESCOPE_WAREHOUSE": GOOD,
        "L": f"{sys.executable} -m core.cli",
        **variables,
    }
    root = Path(__file__).parents[3]
    return subprocess.run(
        ["bash", "-c", command], env=environment, cwd=root, capture_output=True, text=True, timeout=300
    )


def test_a_closed_pipe_ends_it_quietly() -> None:
    ended = run_shell("$L read append.many_files --format json | head -1; echo ${PIPESTATUS[0]}")
    first, status = ended.stdout.splitlines()
    assert json.loads(first)
    assert ended.stderr == ""
    assert status in ("0", "141")  # 0 where all output fitted into the pipe before it was closed


@pytest.mark.parametrize("form", ["table", "arrow"])
def test_a_full_disk_is_one_line(form: str) -> None:
    ended = run_shell(f"$L read pk.seq_field --format {form} > /dev/full")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
    assert "cannot write the output" in ended.stderr


def test_a_terminal_without_unicode_gets_escapes() -> None:
    ended = run_shell("$L read append.part_special --format csv", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "\\u" in ended.stdout


def test_a_mistyped_warehouse_is_not_an_empty_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in ("tables", "check"):
        assert "no such warehouse" in complaint(capsys, "-w", str(tmp_path / "typo"), command, status=1)


def test_an_arrow_stream_goes_through_a_pipe() -> None:
    ended = run_shell("$L read append.many_files --format arrow | wc -c")
    assert int(ended.stdout) > 10_000


def test_a_table_that_we_would_read_wrongly_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = open_catalog(tmp_path)
    catalog.create_database("db")
    columns = pa.schema([pa.field("k", pa.int32(), nullable=False)])
    options = {"bucket": "1", "sequence.snapshot-ordering": "true", "write-only": "true"}
    catalog.create_table("db.t", columns, primary_keys=["k"], options=options)
    line = complaint(capsys, "-w", str(tmp_path), "read", "db.t", status=1)
    assert "sequence.snapshot-ordering" in line


def test_a_catalog_is_named_by_options_or_by_a_file_of_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/c.db", "warehouse": f"{tmp_path}/wh"}
    catalog = open_catalog(options)
    catalog.create_database("db")
    catalog.create_table("db.t", pa.schema([("k", pa.int64())]))
    given = tmp_path / "options"
    given.write_text(f"# of the catalog\n\nuri = {options['uri']}\nwarehouse=nowhere\n")
    command = ["--catalog", "metastore=jdbc", "--catalog", f"@{given}", "-w", options["warehouse"], "tables"]
    assert main(command) == 0
    assert capsys.readouterr().out == "db.t\n"


def test_what_is_wrong_with_the_options_of_a_catalog_shows_no_secret(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "options").write_text("jdbc.user=u\nsecret\n")
    said = complaint(capsys, "--catalog", f"@{tmp_path}/options", "tables", status=2)
    assert "line=2" in said
    with pytest.raises(SystemExit):
        main(["--catalog", "secret", "tables"])
    assert "secret" not in said + capsys.readouterr().err
    assert "no/such" in complaint(capsys, "--catalog", "@no/such", "tables", status=2)
