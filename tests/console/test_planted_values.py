"""Planted values: every read of the API by everybody, and nobody is told a secret, or a row without leave.

A secret is in no answer to anybody, and a value of a row in none to a viewer; whoever may read data does
find the value on the same walk, so the walk goes by all the places where it could be.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.utils import timezone

from console.audit.models import AuditEvent
from console.environment import ROOT
from console.jobs.logs import log_path
from console.jobs.models import Job
from console.masking.models import MaskingPolicy
from console.rest_catalog.models import StoredFunction, StoredView
from console.warehouses.measuring import measure_all_of
from console.warehouses.models import Warehouse
from core import Table
from core.io import LocalFileIO
from core.maintenance.analyze import apply_analyze, plan_analyze
from tests.console.conftest import TABLE, Caller, person
from tests.console.jobs.steps import run, submitted
from tests.tables import new_table, put

CREDENTIALS = {
    "lake": {"s3.access-key": "PLANTEDs3access1", "s3.secret-key": "PLANTEDs3secret2"},
    "names": {"jdbc.password": "PLANTEDjdbc3/p=&"},
    "served": {"token": "PLANTEDrest4token"},
}
COMPUTED: Mapping[str, Any] = {  # asked by POST, and answered with what metadata says
    "/buckets/-/0/probe": {"key": {"id": "ROWkey8-00"}},
    "/schemas/proposals": {"text": "note BIGINT"},
    "/preview": {},
    **{f"/plans#{kind}": {"kind": kind, "params": params} for kind, params in (
        ("compact", {}), ("expire", {"retain_min": 1, "retain_max": 1}),
        ("rollback", {"to": {"snapshot": "1"}}),
    )},
}  # fmt: skip
# What the warehouses have none of, and the document itself, which is the same to all.
NO_ANSWER = (
    "/indexes/{index}", "/runs/{job}", "/saved-views/{view}", "/watches/{watch}", "/objects/{object}",
    "/operations/{operation}", "/openapi.json", "/masking-policies/{policy}",
)  # fmt: skip
OF_OPTIONS = ("PLANTEDoption5", "PLANTEDview6", "PLANTEDfunction7")
# Their first letters, which look the same in URLs and in JSON.
OF_WAREHOUSES = tuple(secret[:12] for given in CREDENTIALS.values() for secret in given.values())
SECRETS = (*OF_WAREHOUSES, *OF_OPTIONS)
VALUES = ("ROWkey8", "ROWnote9")  # the beginning of every value: bounds may be cut short
COLUMNS = [{"id": 0, "name": "id", "type": "STRING NOT NULL"}]
FORMS = ("application/json", "text/csv", "application/x-ndjson")
GETS = [path for path, item in json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"].items()
        if "get" in item]  # fmt: skip
# What takes a question: templates end so, and with which questions they are asked.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "/compare": ("from=1",),
    "/schemas/diff": ("from=0&to=0",),
    "/objects": ("name=snapshot-1",),
    "/footer": ("", "row_group=0"),
    "/tables": ("", "q=t", "q=PLANTED"),
    "/me": ("", "warehouse=lake&database=db&table=t"),
    "/system/{system}": ("", "filter=nothing%20%3D%201"),
}


@pytest.fixture
def table(tmp_path: Path, db: None) -> Table:
    """A table whose rows are planted wherever a value of a row can get into metadata."""
    made = new_table(
        {"id": "STRING NOT NULL", "note": "STRING"}, ["id"],
        io=LocalFileIO(), warehouse=str(tmp_path / "lake"),
        file_index__bitmap__columns="note", file_index__bloom_filter__columns="note",
        s3__secret_key=OF_OPTIONS[0],
    )  # fmt: skip
    for commit in range(2):
        put(made, *((f"ROWkey8-{commit}{i}", f"ROWnote9-{i}") for i in range(3)))
    apply_analyze(made, plan_analyze(made), "analyst")
    return made


@pytest.fixture
def planted(
    alice: Caller, bob: Caller, table: Table, tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> Job:
    """The warehouses with their secrets, what lies in them, and a job that told its credentials."""
    caplog.set_level(logging.DEBUG)
    settings.JOB_MODULE, settings.JOBS_FOLDER = "tests.console.engine", tmp_path / "jobs"
    soon = (timezone.now() + timedelta(days=1)).isoformat()
    alice.post("/tokens", {"name": "ci", "scopes": ["meta:read"], "expires_at": soon})
    places: dict[str, dict[str, Any]] = {
        "lake": {"location": str(tmp_path / "lake")},
        "names": {
            "location": str(tmp_path / "lake"),
            "options": {"metastore": "jdbc", "uri": "jdbc:postgresql://127.0.0.1:1/lake", "jdbc.user": "ann"},
        },
        "served": {"location": "lake", "options": {"metastore": "rest", "uri": "http://127.0.0.1:1"}},
    }
    for name, place in places.items():
        reply = alice.post("/warehouses", {"name": name, **place, "credentials": CREDENTIALS[name]})
        assert reply.status_code == 201, reply.content
        alice.post(f"/warehouses/{name}/checks")
    schema = {"fields": COLUMNS, "query": "SELECT 1", "dialects": {}, "comment": ""}
    lake = Warehouse.objects.get(name="lake")
    StoredView.objects.create(
        warehouse=lake, database="db", name="v", schema={**schema, "options": {"db.password": OF_OPTIONS[1]}}
    )
    StoredFunction.objects.create(
        warehouse=lake, database="db", name="f",
        definition={"inputParams": [], "returnParams": [], "deterministic": True, "definitions": {},
                  "comment": "", "options": {"db.password": OF_OPTIONS[2]}},
    )  # fmt: skip
    measure_all_of(lake)
    return run(submitted(bob), "tell")


def filled(admin: Caller, job: Job) -> Iterator[str]:
    """Every GET of the document, with all that the warehouses have where the path has a parameter."""

    def ids(path: str) -> list[str]:
        return [str(row["id"]) for row in admin.items(path)][:2]

    files = admin.items(f"{TABLE}/files")
    kept = [row["ref"] for row in admin.items(f"{TABLE}/snapshots")]
    trees = "".join(str(admin.json(f"{TABLE}/snapshots/{ref}/manifests")) for ref in kept)
    manifests = set(re.findall(r"'(manifest-(?!list)[\w-]+)'", trees))
    assert manifests
    parts = sorted({row["partition"] for row in files})
    values: dict[str, list[str]] = {
        "warehouse": ["lake", "names", "served"], "database": ["db"], "table": ["t"], "partition": parts,
        "bucket": ["0"], "snapshot": kept, "manifest": sorted(manifests), "schema": ["0"],
        "field": ["0", "1"], "option": ["bucket", "s3.secret-key"], "view": ["v"], "function": ["f"],
        "file": [row["name"] for row in files], "index": ["none"], "object": ["none"],
        "job": [job.public_id], "plan": [job.plan.public_id], "operation": ["none"], "watch": ["0"],
        "policy": ids("/masking-policies"), "day": [row["day"] for row in admin.items("/audit-days")][:1],
        "token": ids("/tokens"), "user": ids("/users"), "binding": ids("/role-bindings"),
    }  # fmt: skip
    for template in GETS:
        names = re.findall(r"\{(\w+)\}", template)
        of_table = [row["name"] for row in admin.items(f"{TABLE}/system")]
        systems = (
            of_table if "table" in names else [r["name"] for r in admin.items("/warehouses/lake/system")]
        )
        known = {**values, "system": systems}
        end = next((end for end in QUESTIONS if template.endswith(end)), None)
        for chosen in product(*(known[name] for name in names)):
            if "table" in names and chosen[0] != "lake":
                continue  # a server that does not answer is asked once, for its databases
            path = template.format(**{n: quote(v, safe="") for n, v in zip(names, chosen, strict=True)})
            yield from (f"{path}?{question}" for question in QUESTIONS.get(end or "", ("",)))


def walk(who: Caller, paths: list[str], forms: tuple[str, ...] = FORMS) -> dict[str, str]:
    """Status, headers and body of all answers, decoded, by what was asked."""
    said = {f"{form} {path}": text(who.get(path, Accept=form)) for path, form in product(paths, forms)}
    posted = {path: text(who.post(TABLE + path.partition("#")[0], body)) for path, body in COMPUTED.items()}
    return said | posted


def text(reply: Any) -> str:
    body = b"".join(reply.streaming_content) if reply.streaming else reply.content
    assert reply.status_code < 500 or reply.status_code in (503, 504), body
    return f"{reply.status_code} {dict(reply.items())}\n{body.decode('utf-8', 'replace')}"


def holding(said: Mapping[str, str], words: tuple[str, ...]) -> dict[str, list[str]]:
    """What was asked where an answer has one of the words."""
    found = {asked: [word for word in words if word in text] for asked, text in said.items()}
    return {asked: words for asked, words in found.items() if words}


def rows_of_the_console() -> dict[str, str]:
    """All that the console's own database holds, by table."""
    with connection.cursor() as cursor:
        found = {}
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")
            found[name] = repr(cursor.fetchall())
    return found


@pytest.mark.slow
def test_nobody_meets_a_secret_and_a_viewer_no_value_of_a_row_which_who_may_read_data_does(
    alice: Caller, bob: Caller, vera: Caller, carol: Caller, nobody: Caller, planted: Job,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    paths = list(filled(alice, planted))
    said = {who: walk(who, paths) for who in (alice, bob, vera, carol, nobody)}
    assert [holding(answers, SECRETS) for answers in said.values()] == [{}] * 5
    assert [holding(said[stranger], VALUES) for stranger in (vera, carol, nobody)] == [{}] * 3
    assert {word for words in holding(said[bob], VALUES).values() for word in words} == set(VALUES)
    assert holding(rows_of_the_console(), (*OF_WAREHOUSES, OF_OPTIONS[0])) == {}
    assert holding({"log": caplog.text}, SECRETS) == {}
    told = log_path(planted).read_text()
    assert "[redacted]" in told
    assert holding({"log": told}, SECRETS) == {}


def test_the_walk_gets_an_answer_of_every_read_and_finds_what_is_not_masked(
    alice: Caller, planted: Job, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {row.name: row.credentials for row in Warehouse.objects.all()} == CREDENTIALS
    monkeypatch.setattr("core.inspect.schema_diff._SENSITIVE", re.compile("(?!)"))  # no key names a secret
    said = walk(alice, list(filled(alice, planted)))
    assert {word for words in holding(said, SECRETS).values() for word in words} == set(OF_OPTIONS)
    answered = [a.partition(" ")[2].partition("?")[0] for a, reply in said.items() if reply.startswith("200")]
    for template in GETS:
        pattern = re.sub(r"\{\w+\}", "[^/]+", template)
        assert template.endswith(NO_ANSWER) or any(re.fullmatch(pattern, path) for path in answered), template
    assert {path: said[path] for path in COMPUTED if not said[path].startswith("2")} == {}


# --- masking policies -----------------------------------------------------------------------------
PARTITION = "ROWpart7"
MASKED = (*VALUES, PARTITION)


@pytest.fixture
def masked(alice: Caller, tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture) -> Caller:
    """Dana, who sees through the masks over every column of a table; jobs of hers have dealt with it."""
    caplog.set_level(logging.DEBUG)
    settings.JOB_MODULE, settings.JOBS_FOLDER = "tests.console.engine", tmp_path / "jobs"
    made = new_table(
        {"id": "STRING NOT NULL", "note": "STRING", "dt": "STRING NOT NULL"}, ["dt", "id"], partition=["dt"],
        io=LocalFileIO(), warehouse=str(tmp_path / "lake"),
        file_index__bitmap__columns="note", file_index__bloom_filter__columns="note,id",
    )  # fmt: skip
    for commit in range(2):
        put(made, (f"ROWkey8-{commit}0", f"ROWnote9-{commit}", f"{PARTITION}-0"))
    apply_analyze(made, plan_analyze(made), "analyst")
    for name in ("lake", "names", "served"):
        Warehouse.objects.create(name=name, location=str(tmp_path / "lake"))
    measure_all_of(Warehouse.objects.get(name="lake"))
    for column, kind in (("id", "hide"), ("note", "hash"), ("dt", "hide")):
        MaskingPolicy.objects.create(warehouse="lake", database="db", table="t*", column=column, kind=kind)
    return Caller(person("dana", "operator", warehouse="lake", database="db", data_unmasked=True))


@pytest.mark.django_db(transaction=True)  # the stream of events closes its connection
def test_nobody_is_told_a_masked_value_by_any_way_but_who_may_see_through_the_masks(
    alice: Caller, bob: Caller, vera: Caller, masked: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    dana, label = masked, f"dt={PARTITION}-0"
    job = run(submitted(dana, "partitions", action="mark_done", partitions=[label]), "quote")
    dana.post(f"{TABLE}/preview", {"filter": "note = 'ROWnote9-1'"})
    dana.post(f"{TABLE}/buckets/{quote(label)}/0/probe", {"key": {"id": "ROWkey8-00"}})
    paths = [*filled(alice, job), f"/jobs/{job.public_id}/events"]
    said = {who: walk(who, paths, FORMS if who is bob else FORMS[:1]) for who in (dana, alice, bob, vera)}
    kept = {str(event["id"]): repr(event) for event in AuditEvent.objects.values()}
    assert {kept[one] for one in holding(kept, MASKED)} == set()
    for who in (alice, bob, vera):
        assert holding(said[who], MASKED) == {}, who.user
        events = text(who.get(f"/jobs/{job.public_id}/events", Accept="text/event-stream"))
        assert holding({"events": events}, MASKED) == {}
    assert {word for words in holding(said[dana], MASKED).values() for word in words} == set(MASKED)
    assert holding({"log": caplog.text}, MASKED) == {}
