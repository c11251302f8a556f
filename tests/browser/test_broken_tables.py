"""Damaged tables, and tables that are not read: what is wrong is named, and everything else works."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.errors import UnsupportedError
from tests.browser.conftest import Api
from tests.browser.facts import Facts, base
from tests.browser.screen import Screen


@pytest.fixture(scope="module", autouse=True)
def warehouse(api: Api, corpora: Path) -> Iterator[None]:
    """The damaged reference warehouse, registered; it is only read."""
    with api.registered("corpus-damaged", corpora / "damaged"):
        yield


@pytest.fixture(scope="module")
def damaged(corpora: Path) -> Facts:
    return Facts(corpora / "damaged")


def harmed_objects(corpora: Path, table: str) -> set[str]:
    """The names of the objects that were harmed."""
    expected = json.loads((corpora / "expected" / "damaged" / f"broken.{table}.json").read_text("utf-8"))
    return {base(path) for path in expected["files"]}


def harmed(corpora: Path, table: str) -> str:
    """The name of the one object that was harmed."""
    [name] = harmed_objects(corpora, table)
    return name


def test_a_missing_manifest_list_is_named_with_the_snapshot_that_names_it(
    screen: Screen, corpora: Path
) -> None:
    screen.open("/w/corpus-damaged/broken/missing_manifest_list/timeline")
    latest = screen.grid("Commits").rows[0]["snapshot"].removeprefix("#")
    screen.open(f"/w/corpus-damaged/broken/missing_manifest_list/snapshots/{latest}/manifests")
    row = screen.page.get_by_role("treegrid").get_by_role("row").filter(has_text="missing").first
    expect(row.get_by_title(harmed(corpora, "missing_manifest_list"), exact=True)).to_have_count(1)


def test_the_older_snapshots_of_that_table_still_show_their_changes(screen: Screen) -> None:
    screen.open("/w/corpus-damaged/broken/missing_manifest_list/snapshots/1/changes")
    assert set(screen.grid("Changes").column("change")) == {"+ added"}


def test_the_overview_of_that_table_says_what_is_missing_and_shows_the_rest(
    screen: Screen, corpora: Path
) -> None:
    screen.allow(404)  # what keeps the bytes cannot be told without that list
    screen.open("/w/corpus-damaged/broken/missing_manifest_list/overview")
    assert harmed(corpora, "missing_manifest_list") in screen.text
    assert len(screen.table("Recent commits").rows) > 1


def test_a_missing_data_file_is_said_to_be_missing_in_its_drawer(screen: Screen, corpora: Path) -> None:
    name = harmed(corpora, "missing_data_file")
    screen.open("/w/corpus-damaged/broken/missing_data_file/files")
    assert name in screen.grid("Live files").column("file")
    screen.open(f"/w/corpus-damaged/broken/missing_data_file/files?open=file:{name}")
    drawer = screen.page.get_by_role("dialog")
    expect(drawer.get_by_text("The file is referenced but is not in the store.")).to_be_visible()


def test_reading_the_rows_of_that_table_names_the_missing_file(screen: Screen, corpora: Path) -> None:
    screen.allow(404)
    screen.open("/w/corpus-damaged/broken/missing_data_file/data")
    screen.page.get_by_role("button", name="Read").click()
    expect(screen.main.get_by_role("alert")).to_contain_text(harmed(corpora, "missing_data_file"))


def test_a_hole_in_the_history_leaves_a_gap_on_the_timeline(screen: Screen, damaged: Facts) -> None:
    screen.open("/w/corpus-damaged/broken/snapshot_hole/timeline")
    ids = damaged.table("broken.snapshot_hole").snapshots.ids()
    assert screen.grid("Commits").column("snapshot") == [f"#{number}" for number in reversed(ids)]
    expect(screen.main.locator("svg text").filter(has_text="⌇")).to_have_count(1)


def test_the_tags_that_can_be_read_are_listed_beside_a_damaged_one(screen: Screen, corpora: Path) -> None:
    screen.allow(404)  # what each keeps alone cannot be told without what the damaged one names
    screen.open("/w/corpus-damaged/broken/bad_tag/refs")
    there = {path.name for path in (corpora / "damaged/broken.db/bad_tag/tag").iterdir()}
    readable = {name.removeprefix("tag-") for name in there - harmed_objects(corpora, "bad_tag")}
    assert readable
    assert {f"⚑ {tag}" for tag in readable} <= set(screen.grid("Tags").column("name"))


@pytest.fixture(scope="module")
def strange(api: Api, corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Facts]:
    """A table with an option that this version does not read rows with."""
    warehouse = tmp_path_factory.mktemp("strange")
    table = warehouse / "odd.db" / "clustered"
    shutil.copytree(corpora / "pypaimon21" / "py.db" / "pk_fixed", table)
    for path in (table / "schema").iterdir():
        schema = json.loads(path.read_text("utf-8"))
        schema["options"]["pk-clustering-override"] = "true"
        path.write_text(json.dumps(schema), "utf-8")
    with api.registered("strange", warehouse):
        yield Facts(warehouse)


def test_a_table_that_is_not_read_says_why_and_is_inspected_all_the_same(
    screen: Screen, strange: Facts
) -> None:
    with pytest.raises(UnsupportedError) as refusal:
        strange.rows("odd.clustered")
    feature = str(refusal.value.fields["feature"])
    for tab in ("overview", "timeline", "lsm", "schemas", "indexes", "refs", "options", "jobs"):
        screen.open(f"/w/strange/odd/clustered/{tab}")
        expect(screen.main.get_by_text("does not read the rows of this table")).to_contain_text(feature)
        expect(screen.main.get_by_role("alert")).to_have_count(0)
    screen.open("/w/strange/odd/clustered/files")
    files = {base(file["file_path"]) for file in strange.files("odd.clustered")}
    assert set(screen.grid("Live files").column("file")) == files


def test_reading_the_rows_of_a_table_that_is_not_read_names_the_feature(
    screen: Screen, strange: Facts
) -> None:
    screen.allow(422, 501)
    screen.open("/w/strange/odd/clustered/data")
    screen.page.get_by_role("button", name="Read").click()
    expect(screen.main.get_by_role("alert")).to_contain_text("pk-clustering-override")


TABS = (
    "overview",
    "timeline",
    "files",
    "files?view=heatmap",
    "files?view=sizes",
    "files?view=partitions",
    "lsm",
    "schemas",
    "indexes",
    "refs",
    "refs?view=branches",
    "refs?view=consumers",
    "options",
    "jobs",
    "actions/rollback",
)
# What a person must never have to read: a program's words instead of ours.
PROGRAM_WORDS = re.compile(r"Traceback|Errno|NoneType|\bb'|\b[A-Z]\w+(?:Error|Exception)\b|internal-error")


def test_every_tab_of_every_damaged_table_says_something_in_our_words(screen: Screen, damaged: Facts) -> None:
    """The pages are walked by the links of the tabs, as a person does; a part that fails says so itself."""
    screen.allow(400, 404, 409, 410, 422)
    for table in damaged.tables("broken"):
        place = f"/w/corpus-damaged/broken/{table}"
        screen.open(f"{place}/overview")
        for tab in TABS:
            screen.go(f"{place}/{tab}")
            text = screen.text
            assert text.strip(), f"{table}/{tab} is blank"
            assert not PROGRAM_WORDS.search(text), f"{table}/{tab}: {text}"
