"""docs/openapi.json: it is what the server is, and the server keeps it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
import requests
import schemathesis
from django.core.management import call_command
from django.utils import timezone
from schemathesis.core.transport import Response

from console.accounts.roles import Permission
from console.api.management.commands.openapi import PATH, document
from console.api.models import Operation
from core import Table
from tests.console.conftest import TABLE, Caller

pytestmark = pytest.mark.django_db

CHECKED = json.loads(PATH.read_text())


def test_the_checked_in_document_is_current() -> None:
    call_command("openapi", check=True)
    assert PATH.read_text() == document()


def test_the_server_serves_the_same_document(nobody: Caller) -> None:
    assert json.loads(nobody.get("/openapi.json").content) == CHECKED


def test_every_operation_tells_of_its_problems() -> None:
    for path, item in CHECKED["paths"].items():
        for method, operation in item.items():
            assert "application/problem+json" in operation["responses"]["default"]["content"], (method, path)


def test_every_reply_is_a_named_component_or_of_another_type() -> None:
    for path, item in CHECKED["paths"].items():
        for method, operation in item.items():
            good = [
                r for status, r in operation["responses"].items() if status.startswith("2") and "content" in r
            ]
            for reply in good:
                [(media_type, shown)] = reply["content"].items()
                assert media_type != "application/json" or "$ref" in shown["schema"], (method, path)


def test_permissions_in_the_document_are_those_of_the_code() -> None:
    named = CHECKED["components"]["schemas"]["Me"]["properties"]["permissions"]["items"]["enum"]
    assert named == [permission.value for permission in Permission]


# --- replies keep to the document -----------------------------------------------------------------
KNOWN = {"warehouse": "lake", "database": "db", "table": "t", "snapshot": "3", "schema": "0", "bucket": "0",
         "field": "0", "option": "bucket", "partition": "dt=2026-11-20"}  # fmt: skip
GETS = [
    path for path, item in CHECKED["paths"].items()
    # Not here: an index file (test_files.py), an object (test_table_types.py), a view or function.
    if "get" in item and not any(name in path for name in ("{index}", "{object}", "{view}", "{function}"))
]  # fmt: skip
NEEDED = {"diff": {"from": "0", "to": "0"}, "compare": {"from": "1"}, "objects": {"name": "snapshot-1"}}


@pytest.fixture(scope="module")
def documented() -> Any:
    return schemathesis.openapi.from_dict(CHECKED)


@pytest.mark.parametrize("path", GETS)
def test_replies_keep_to_the_document(path: str, documented: Any, alice: Caller, table: Table) -> None:
    places = {
        **KNOWN,
        "file": table.manifests.live_entries(table.snapshots.get(6)).column("file_name")[0].as_py(),
        "manifest": table.manifests.delta_manifests(table.snapshots.get(6))[0].file_name,
        "user": str(alice.user.pk),  # type: ignore[union-attr]
        "system": "files" if "{table}" in path else "tables",
        "binding": str(alice.user.role_bindings.get().pk),  # type: ignore[union-attr]
        **_made(alice),
    }
    response = alice.ask("GET", _filled(path, places), NEEDED.get(path.rpartition("/")[2], {}), None)
    assert response.status_code == 200, response.content
    documented[path]["GET"].validate_response(_as_theirs(response, path))


def _filled(path: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        path = path.replace("{" + name + "}", quote(value, safe="") or "-")
    return path


def _made(alice: Caller) -> dict[str, str]:
    """A plan, a job, a token and a masking policy to look at."""
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    expires = (timezone.now() + timedelta(days=1)).isoformat()
    token = alice.post("/tokens", {"name": "t", "scopes": ["meta:read"], "expires_at": expires}).json()
    work = Operation.objects.create(public_id="o-1", caller=f"user:{alice.user.pk}", method="GET", href="/")  # type: ignore[union-attr]
    elsewhere = {"scope": {"warehouse": "other"}, "column": "card", "kind": "hide"}
    policy = alice.post("/masking-policies", elsewhere).json()
    watch = alice.post("/watches", {"warehouse": "lake", "database": "db", "name": "t"}).json()
    made = {
        "watch": str(watch["id"]),
        "plan": plan["id"],
        "job": job["id"],
        "token": token["id"],
        "policy": str(policy["id"]),
    }
    return {"operation": work.public_id, "day": timezone.now().date().isoformat(), **made}


def _as_theirs(response: Any, path: str) -> Response:
    """The test client's reply in the form that schemathesis checks."""
    return Response(
        status_code=response.status_code,
        headers={name.lower(): [value] for name, value in response.items()},
        content=response.content,
        request=requests.Request("GET", f"http://testserver{path}").prepare(),
        elapsed=0.0,
        verify=False,
    )


def test_the_document_says_what_a_stream_of_events_tells() -> None:
    told = CHECKED["paths"]["/api/v1/jobs/{job}/events"]["get"]
    assert all(word in told["description"] for word in ("`now`", "`end`", "log_size", "Last-Event-ID"))
    assert "Last-Event-ID" in {parameter["name"] for parameter in told["parameters"]}
