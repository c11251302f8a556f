"""A warehouse of each kind is registered by its form, at a real server; what is wrong is said on the page."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from core import open_catalog
from core.catalog.views import ViewSchema
from core.types import DataField, parse_type
from tests.browser.conftest import Api, Newcomer
from tests.browser.running import RunningConsole
from tests.browser.screen import LONG, Screen

Given = tuple[str, Mapping[str, str]]  # the kind as the form names it, and its fields


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (folder := tmp_path / "lake").mkdir()
    return folder


@pytest.fixture(scope="module", autouse=True)
def registered_here(api: Api) -> Iterator[None]:
    """What the tests here register is taken away at the end: other tests search and list, too."""
    before = {warehouse["name"] for warehouse in api.get("/warehouses")["items"]}
    yield
    for warehouse in api.get("/warehouses")["items"]:
        if warehouse["name"] not in before:
            api.delete(f"/warehouses/{warehouse['name']}")


@pytest.fixture
def desk_screen(newcomer: Newcomer, signed_in: Any) -> Screen:
    screen = newcomer(signed_in)
    screen.open("/admin/warehouses")
    screen.page.get_by_role("button", name="Register").click()
    return screen


def filled(form: Locator, kind: str, fields: Mapping[str, str]) -> None:
    form.get_by_label("Catalog", exact=True).select_option(label=kind)
    for label, value in fields.items():
        if label == "Store":
            form.get_by_label("Store", exact=True).select_option(label=value)
        else:
            form.get_by_label(label, exact=True).fill(value)


def _sqlite(request: pytest.FixtureRequest, lake: Path) -> Given:
    uri = f"jdbc:sqlite:{lake.parent}/names.db"
    return "JDBC: SQLite", {"File of the database": uri, "Location": str(lake)}


def _sql(fixture: str, label: str) -> Any:
    def given(request: pytest.FixtureRequest, lake: Path) -> Given:
        options = request.getfixturevalue(fixture)
        return label, {
            "Address of the database": options["uri"],
            "User": options["jdbc.user"],
            "Password": options["jdbc.password"],
            "Location": str(lake),
        }

    return given


def _hive(request: pytest.FixtureRequest, lake: Path) -> Given:
    options = request.getfixturevalue("hive")
    return "Hive metastore", {"Address of the metastore": options["uri"], "Location": str(lake)}


def _s3(request: pytest.FixtureRequest, lake: Path) -> Given:
    options = request.getfixturevalue("s3")
    return "Files alone", {
        "Store": "S3",
        "Location": options["warehouse"],
        "Endpoint": options["s3.endpoint"],
        "Region": options["s3.region"],
        "Access key": options["s3.access-key"],
        "Secret key": options["s3.secret-key"],
    }


def _rest(request: pytest.FixtureRequest, lake: Path) -> Given:
    """The console is its own catalog's client: it serves every warehouse that it knows."""
    api, console = request.getfixturevalue("api"), request.getfixturevalue("console")
    name = f"r{uuid.uuid4().hex[:8]}"
    api.post("/warehouses", {"name": name, "location": str(lake)})
    expiry = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    body = {"name": name, "scopes": ["meta:read", "data:read"], "expires_at": expiry}
    headers = {**api._headers(), "Idempotency-Key": uuid.uuid4().hex}
    reply = api.context.request.post(f"{console.url}/api/v1/tokens", data=body, headers=headers)
    token = reply.json()["token"]
    return "REST, by token", {"Address of the server": console.url, "Warehouse": name, "Token": token}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda request, lake: ("Files alone", {"Location": str(lake)}), id="disk"),
        pytest.param(_s3, id="s3"),
        pytest.param(_sqlite, id="sqlite"),
        pytest.param(_sql("postgres", "JDBC: PostgreSQL"), id="postgresql"),
        pytest.param(_sql("mariadb", "JDBC: MariaDB, MySQL"), id="mariadb"),
        pytest.param(_hive, id="hive"),
        pytest.param(_rest, id="rest"),
    ],
)
def test_a_warehouse_of_each_kind_is_tested_and_registered_by_its_form(
    given: Any, request: pytest.FixtureRequest, lake: Path, desk_screen: Screen
) -> None:
    kind, fields = given(request, lake)
    form, name = desk_screen.page.get_by_role("dialog"), f"f{uuid.uuid4().hex[:8]}"
    filled(form, kind, {"name": name, **fields})
    form.get_by_role("button", name="Test").click()
    steps = form.get_by_role("list", name="Steps of the test").get_by_role("listitem")
    expect(steps.last).to_contain_text("read a table", timeout=LONG)
    assert [text for text in steps.all_inner_texts() if "✕" in text] == []
    form.get_by_role("button", name="Register").click()
    row = desk_screen.main.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("up", timeout=LONG)


def test_a_wrong_place_is_said_by_its_code_and_mended(desk_screen: Screen, lake: Path) -> None:
    form = desk_screen.page.get_by_role("dialog")
    filled(form, "Files alone", {"name": "mended", "Location": f"{lake}/none"})
    form.get_by_role("button", name="Test").click()
    expect(form.get_by_text("path-missing")).to_be_visible(timeout=LONG)
    filled(form, "Files alone", {"Location": str(lake)})
    expect(form.get_by_text("path-missing")).to_have_count(0)
    form.get_by_role("button", name="Test").click()
    expect(form.get_by_text("is empty")).to_be_visible(timeout=LONG)


def test_how_a_test_went_is_in_view_each_time_in_a_low_window(
    newcomer: Newcomer, signed_in: Any, lake: Path
) -> None:
    screen = newcomer(signed_in, height=600)
    screen.open("/admin/warehouses")
    screen.page.get_by_role("button", name="Register").click()
    form = screen.page.get_by_role("dialog")
    filled(form, "JDBC: PostgreSQL", {"Address of the database": "jdbc:postgresql://127.0.0.1:9/x"})
    for place in (lake, f"{lake}/other"):
        filled(form, "JDBC: PostgreSQL", {"Location": str(place)})
        form.get_by_role("button", name="Test").click()
        steps = form.get_by_role("list", name="Steps of the test").get_by_role("listitem")
        expect(steps.last).to_be_in_viewport(ratio=1)
        expect(form.get_by_role("button", name="Cancel")).to_be_in_viewport(ratio=1)


def test_a_secret_stays_as_it_is_when_something_else_is_changed(
    desk_screen: Screen, lake: Path, api: Any
) -> None:
    body = {"name": "secret-lake", "location": str(lake), "credentials": {"s3.secret-key": "hunter2hunter2"}}
    api.post("/warehouses", {**body, "options": {"metastore": "filesystem"}})
    desk_screen.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    desk_screen.open("/admin/warehouses")
    row = desk_screen.main.get_by_role("row").filter(has_text="secret-lake")
    row.get_by_role("button", name="Change").click()
    form = desk_screen.page.get_by_role("dialog")
    form.get_by_label("Description").fill("ours")
    assert "hunter2" not in desk_screen.page.content()
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    assert api.get("/warehouses/secret-lake")["description"] == "ours"


def test_a_view_is_reached_from_the_list_of_tables(
    newcomer: Newcomer, signed_in: Any, lake: Path, api: Any, console: RunningConsole
) -> None:
    options = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{lake.parent}/names.db"}
    catalog = open_catalog({**options, "warehouse": str(lake)})
    catalog.create_database("sales")
    columns = (DataField(0, "id", parse_type("BIGINT")),)
    schema = ViewSchema(columns, "SELECT id FROM orders", {"spark": "SELECT id FROM `orders`"})
    catalog.create_view("sales.big_sales", schema)
    api.post("/warehouses", {"name": "viewed", "location": str(lake), "options": options})
    screen = newcomer(signed_in)
    screen.open("/w/viewed/sales")
    assert screen.grid("Tables").column("type") == ["view"]
    screen.follow("big_sales")
    expect(screen.main.get_by_text("SELECT id FROM orders")).to_be_visible()
    expect(screen.main.get_by_text("In the SQL of spark")).to_be_visible()
    assert screen.path == "/w/viewed/sales/big_sales/view"
