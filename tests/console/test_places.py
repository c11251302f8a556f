"""Where writes may read from: opened places, and what the person may read in warehouses."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from console.accounts.roles import Access, Grant, Role, Scope
from console.jobs.planning.places import SourceError, check_source, local_path
from console.warehouses.models import Warehouse
from tests.console.conftest import TABLE, Caller

pytestmark = pytest.mark.django_db

ADMIN = Access((Grant(Role.ADMIN, Scope()),))
BOB = Access((Grant(Role.OPERATOR, Scope("lake", "db")),))


@pytest.fixture(autouse=True)
def _places(settings: Any, tmp_path: Path) -> None:
    settings.DATA_FOLDER = tmp_path / "data"
    settings.SOURCE_ROOTS = [str(tmp_path / "open"), "s3://bucket/incoming"]
    for name in ("data/uploads", "data/warehouses", "open/deep", "closed"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "open" / "link").symlink_to(tmp_path / "closed")


def files(path: str, **options: str) -> dict[str, Any]:
    return {"kind": "path", "path": path, "format": "csv", "options": options}


@pytest.mark.parametrize(
    "path",
    [
        "{0}/open/rows.csv", "{0}/open/*.csv", "file://{0}/open/rows.csv", "file:{0}/open/deep", "FILE://{0}/open/x",
        "{0}/data/uploads/rows.csv", "s3a://bucket/incoming/day", "S3://bucket/incoming/*.csv",
    ],
)  # fmt: skip
def test_open_places_are_sources(path: str, tmp_path: Path) -> None:
    check_source(files(path.format(tmp_path)), ADMIN)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "file:/etc/passwd", "FILE:///etc/passwd", "file:////etc/passwd", "file://host/etc/passwd",
        "{0}/open/../closed/x", "{0}/open/*/../../closed/x", "{0}/open/link/x", "{0}/open/{{x,../../closed}}",
        "{0}/openly", "{0}/o*/x", "{0}/data/secrets.json", "{0}/data/console.sqlite3", "{0}/data/*",
        "rows.csv", "http://169.254.169.254/latest", "s3://bucket/incoming-not", "s3://other/x",
        "jdbc:sqlite:x", "hdfs://a/b", "{0}/open/\x00", "",
    ],
)  # fmt: skip
def test_no_other_place_is_a_source(path: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        check_source(files(path.format(tmp_path)), ADMIN)


@pytest.mark.parametrize(
    ("path", "may"),
    [("lake/db.db/t", False), ("lake/*/t", False), ("lake", False), ("*/db.db/t", False), ("", False),
     ("lake/incoming/x", True), ("deep", True), ("deep/*", True)],
)  # fmt: skip
def test_an_open_folder_opens_no_warehouse_in_it(path: str, may: bool, tmp_path: Path) -> None:
    Warehouse.objects.create(name="lake", location=str(tmp_path / "open" / "lake"))
    carol = Access((Grant(Role.OPERATOR, Scope("other")),))
    with nullcontext() if may else pytest.raises(SourceError):
        check_source(files(f"{tmp_path}/open/{path}"), carol)
    check_source(files(f"{tmp_path}/open/{path}"), ADMIN)


def test_the_views_of_a_query_are_checked_too(tmp_path: Path) -> None:
    view = {"path": "/etc/passwd", "format": "csv"}
    with pytest.raises(SourceError, match="LAKESCOPE_SOURCE_ROOTS"):
        check_source({"kind": "query", "query": "SELECT * FROM v", "views": {"v": view}}, ADMIN)


def test_an_option_that_names_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="Path"):
        check_source(files(f"{tmp_path}/open/x.csv", header="true", Path="/etc/passwd"), ADMIN)


@pytest.mark.parametrize(
    ("inner", "may"),
    [("db.db/t/rows", True), ("db.db", True), ("other.db/t", False), ("*/t", False), ("", False)],
)
def test_in_a_warehouse_one_reads_what_one_may_read(inner: str, may: bool, tmp_path: Path) -> None:
    Warehouse.objects.create(name="lake", location=str(tmp_path / "closed"))
    source = files(f"{tmp_path}/closed/{inner}")
    check_source(source, ADMIN)
    if may:
        check_source(source, BOB)
    else:
        with pytest.raises(SourceError):
            check_source(source, BOB)


def test_a_refused_source_blocks_the_plan_and_shows_nothing_of_it(alice: Caller, lake: Warehouse) -> None:
    body = {"kind": "write", "params": {"source": files("/etc/passwd", header="true")}}
    view = alice.post(f"{TABLE}/plans", body).json()
    assert [blocker["code"] for blocker in view["blockers"]] == ["source-unreadable"]
    assert view["effects"]["source_bytes"] is None
    assert "root:" not in str(view)
    assert alice.post("/jobs", {"plan_id": view["id"]}).json()["code"] == "plan-blocked"


def test_what_is_wrong_with_a_path_is_said_in_chinese_too() -> None:
    with translation.override("zh-hans"), pytest.raises(SourceError, match="路径必须是绝对路径"):
        local_path("folder/file.csv")
