"""The questions of the design, asked of tables that real Paimon wrote, and answered by what it says of them.

A question is answered by the page that the design names for it. What is expected was said by Java Paimon
0.9.0: by its system tables, and by its own reading of its manifests (tests/corpora/expected).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WRITER
from tests.browser.facts import count, signed, size
from tests.browser.running import RunningConsole
from tests.browser.screen import Screen
from tests.interop.answers import answer_of, expected_of, live_entries, manifest_entries, rows_of

HISTORY = "pk.fixed_parquet"  # its compactions replace files
MOVES = "pk.lsm_levels"  # its compactions move files to other levels
PARTITIONED = "pk.fixed_orc_part"

Row = dict[str, Any]


# --- what Paimon says ---------------------------------------------------------------------------------


def said(name: str, system: str) -> list[Row]:
    return rows_of(answer_of(WRITER, name, system))


def snapshots(name: str) -> dict[int, Row]:
    return {row["snapshot_id"]: row for row in said(name, "snapshots")}


def delta(name: str, snapshot: int) -> list[Row]:
    """What a commit added and deleted; what is deleted with the size that it was added with."""
    manifests = expected_of(WRITER, name)["metadata"]["manifests"].values()
    added = {entry["file"]: entry for manifest in manifests for entry in manifest if entry["kind"] == "ADD"}
    entries = manifest_entries(WRITER, name, snapshots(name)[snapshot]["delta_manifest_list"])
    return [added[entry["file"]] | entry for entry in entries]


def live(name: str, snapshot: int) -> dict[str, Row]:
    return {entry["file"]: entry for entry in live_entries(WRITER, name, snapshot)}


def last(name: str, kind: str) -> int:
    return max(number for number, row in snapshots(name).items() if row["commit_kind"] == kind)


def sums(entries: Any) -> list[str]:
    """How many files, of which size, with how many rows."""
    files = list(entries)
    return [count(len(files)), size(sum(f["size"] for f in files)), count(sum(f["rows"] for f in files))]


def page(name: str, rest: str) -> str:
    database, _, table = name.partition(".")
    return f"/w/{WRITER}/{database}/{table}/{rest}"


pytestmark = pytest.mark.usefixtures("lake")


@pytest.fixture(scope="module")
def window(chromium: Browser, console: RunningConsole, signed_in: Any) -> Iterator[Screen]:
    """One page of the browser for all questions."""
    with chromium.new_context(
        storage_state=signed_in,
        viewport={"width": 1600, "height": 2400},
        locale="en-US",
        timezone_id="UTC",
        reduced_motion="reduce",
    ) as context:
        screen = Screen(context.new_page(), console.url)
        yield screen
        assert screen.complaints == []


# --- steps 1 to 3 of the design -----------------------------------------------------------------------


def test_q2_what_did_this_commit_change(window: Screen) -> None:
    number = last(PARTITIONED, "COMPACT")
    window.open(page(PARTITIONED, f"snapshots/{number}"))
    entries = delta(PARTITIONED, number)
    added, deleted = ([e for e in entries if e["kind"] == kind] for kind in ("ADD", "DELETE"))
    card = "What it changed"
    told = snapshots(PARTITIONED)[number]
    assert window.fact("Δ rows", card) == signed(told["delta_record_count"])
    assert window.fact("rows in files (before merge)", card) == count(told["total_record_count"])
    for fact, files in (("files added", added), ("files deleted", deleted)):
        assert window.fact(fact, card) == f"{count(len(files))} · {size(sum(f['size'] for f in files))}"
    assert window.fact("buckets", card) == count(len({(*e["partition"], e["bucket"]) for e in entries}))
    for (value,) in {tuple(e["partition"]) for e in entries}:
        assert f"={value}" in window.fact("partitions", card)


@pytest.mark.parametrize("name", [HISTORY, MOVES])
def test_q3_which_files_does_a_snapshot_add_or_delete(name: str, window: Screen) -> None:
    number = last(name, "COMPACT")
    window.open(page(name, f"snapshots/{number}/changes"))
    wanted = {}
    for file in {entry["file"] for entry in delta(name, number)}:
        before, after = (live(name, at).get(file) for at in (number - 1, number))
        moved = f"↕ L{before['level']} → L{after['level']}" if before and after else ""
        wanted[file] = moved or ("+ added" if after else "− deleted")
    assert {row["file"]: row["change"] for row in window.grid("Changes").rows} == wanted


def test_q4_which_bucket_is_skewed(window: Screen) -> None:
    name = "append.part_multi_avro"
    window.open(page(name, "files?view=heatmap"))
    buckets: Counter[tuple[str, int]] = Counter()
    for file in said(name, "files"):
        buckets[file["partition"], file["bucket"]] += file["file_size_in_bytes"]
    shown = window.main.locator("tbody td button:enabled").evaluate_all("found => found.map(b => b.title)")
    sizes = [
        (title.rpartition(":")[2].strip(), int(title.split("bucket ")[1].split(":")[0])) for title in shown
    ]
    assert sorted(sizes) == sorted((size(number), bucket) for (_, bucket), number in buckets.items())
    window.main.get_by_role("button", name="Table", exact=True).click()
    assert window.twin().rows[0]["bucket"] == str(max(buckets, key=lambda place: buckets[place])[1])


def test_q5_is_it_safe_to_roll_back_and_what_would_be_lost(window: Screen) -> None:
    name, target = "ops.consumers", 1
    history = snapshots(name)
    latest = max(history)
    window.open(page(name, f"actions/rollback?to={target}"))
    window.page.get_by_role("button", name="Compute the plan").click()
    expect(window.main.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    assert window.fact("snapshots") == count(latest - target)
    lost = history[target]["total_record_count"] - history[latest]["total_record_count"]
    assert window.fact("rows") == signed(lost)
    leaving = {file: e for file, e in live(name, latest).items() if file not in live(name, target)}
    assert window.fact("leaves").startswith(f"{count(len(leaving))} files")
    ahead = [c["consumer_id"] for c in said(name, "consumers") if c["next_snapshot_id"] > target + 1]
    assert ahead
    for consumer in ahead:
        assert consumer in window.fact("consumers affected")


def test_q6_what_changed_between_two_schemas(window: Screen) -> None:
    name = "evo.append_parquet"
    schemas = sorted(said(name, "schemas"), key=lambda schema: int(schema["schema_id"]))
    fields = [{f["id"]: f for f in json.loads(s["fields"])} for s in schemas]
    (old, new) = fields[0], fields[-1]
    window.open(page(name, f"schemas/diff?from=0&to={len(fields) - 1}"))
    both = old.keys() & new.keys()
    added, dropped = (
        {left[i]["name"] for i in left.keys() - right.keys()} for left, right in ((new, old), (old, new))
    )
    wanted = {
        "added": added - dropped,
        "re-created": added & dropped,
        "renamed": {new[i]["name"] for i in both if old[i]["name"] != new[i]["name"]},
        "retyped": {new[i]["name"] for i in both if old[i]["type"] != new[i]["type"]},
    }
    assert all(wanted.values())
    for change, names in wanted.items():
        rows = window.main.get_by_role("row").filter(has_text=re.compile(rf"\b{change}\b"))
        shown = " ".join(rows.all_inner_texts())
        assert {name for name in names if name not in shown} == set()
        expect(rows).to_have_count(len(names) * (2 if change == "re-created" else 1))


def test_q8_which_writer_did_this_compaction_and_how_long_did_it_take(window: Screen) -> None:
    number = last(HISTORY, "COMPACT")
    window.open(page(HISTORY, f"snapshots/{number}"))
    told = snapshots(HISTORY)[number]
    assert told["commit_user"] in window.card("Origin").inner_html()
    assert str(told["commit_identifier"]) in window.fact("commit identifier", "Origin")
    written = [e["creationTime"] for e in delta(HISTORY, number) if e["kind"] == "ADD"]
    took = datetime.fromisoformat(told["commit_time"]) - datetime.fromisoformat(min(written))
    millis = round(took.total_seconds() * 1000)
    assert window.fact("duration", "Origin").startswith("at least")
    assert f"{millis} ms" in window.fact("duration", "Origin")


def test_q10_when_did_this_file_appear_and_when_did_it_vanish(window: Screen) -> None:
    born: dict[str, int] = {}
    for number in sorted(snapshots(HISTORY)):
        kinds: dict[str, set[str]] = {}
        for entry in delta(HISTORY, number):
            kinds.setdefault(entry["file"], set()).add(entry["kind"])
        for file, of_it in kinds.items():
            if of_it == {"ADD"}:
                born[file] = number
            elif of_it == {"DELETE"}:
                gone, removed = file, number
    window.open(page(HISTORY, f"files?at={born[gone]}&open=file:{gone}"))
    drawer = window.page.get_by_role("dialog")
    for fact, number in (("born in", born[gone]), ("removed in", removed)):
        value = drawer.locator("dt").filter(has_text=re.compile(f"^{fact}$")).locator("+ dd")
        expect(value).to_contain_text(f"#{number} ")
        expect(value).to_contain_text(snapshots(HISTORY)[number]["commit_kind"].lower())


def test_q11_what_will_happen_if_snapshots_are_expired_now(window: Screen) -> None:
    history = snapshots(HISTORY)
    latest = max(history)
    window.open(page(HISTORY, "actions/expire"))
    for label in ("At least", "At most"):
        window.page.get_by_label(label).fill("1")
    window.page.get_by_role("button", name="Compute the plan").click()
    expect(window.main.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    assert window.fact("snapshots") == count(latest - min(history))
    ever = {e["file"]: e for number in history for e in delta(HISTORY, number)}
    freed = [e for file, e in ever.items() if file not in live(HISTORY, latest)]
    assert freed
    assert window.fact("data files") == f"{count(len(freed))} · {size(sum(e['size'] for e in freed))}"


def test_q12_are_readers_seeing_the_newest_rows(window: Screen) -> None:
    name = "dv.pk_dv_l0"  # a batch read skips its level 0
    history = snapshots(name)
    window.open(page(name, "overview"))
    card = "Freshness"
    waiting = [e["rows"] for e in live(name, max(history)).values() if e["level"] == 0]
    assert waiting
    assert window.fact("waiting rows", card) == count(sum(waiting))
    assert window.fact("snapshots", card) == count(len(history))
    times = window.card(card).locator("time")
    shown = [times.nth(i).get_attribute("datetime") for i in range(times.count())]
    wanted = [history[max(history)]["commit_time"], history[last(name, "COMPACT")]["commit_time"]]
    assert shown == [f"{time}Z" for time in wanted]


def test_q13_what_is_different_across_two_points_in_time(window: Screen) -> None:
    base, at = 3, max(snapshots(HISTORY))
    window.open(page(HISTORY, f"timeline?from={base}&at={at}"))
    then, now = live(HISTORY, base), live(HISTORY, at)
    wanted = {
        "only in the base": sums(e for file, e in then.items() if file not in now),
        "only in the snapshot": sums(e for file, e in now.items() if file not in then),
        "in both": sums(e for file, e in now.items() if file in then),
    }
    window.quiet()
    for name, cells in wanted.items():
        named = window.page.get_by_role("rowheader", name=name, exact=True)
        assert window.main.get_by_role("row").filter(has=named).get_by_role("cell").all_inner_texts() == cells
    kinds = Counter(row["commit_kind"].lower() for n, row in snapshots(HISTORY).items() if n > base)
    for kind, number in kinds.items():
        assert re.search(rf"\b{number} (\S )?{kind}", window.fact("commits"))
