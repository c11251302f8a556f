"""Who may do what: every operation of the API's document against every member of the cast."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from console.accounts.models import RoleBinding, User
from console.accounts.roles import EVERYTHING, FLAGS, Access, Grant, Permission, Role, Scope
from console.api.models import Operation
from console.environment import ROOT
from core import Table
from tests.console.conftest import TABLE, Caller, person

OK, NO, ABSENT = "ok", "forbidden", "absent"
OPERATIONS = [
    (method.upper(), path.removeprefix("/api/v1"))
    for path, item in json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"].items()
    for method in item
    if method in ("get", "post", "patch", "put", "delete")
]

# path, method, then what viewer, operator and stranger get; an administrator always gets through.
READS = [
    f"{TABLE}{path}"
    for path in (
        "", "/snapshots", "/snapshots/6", "/snapshots/6/changes", "/snapshots/6/index-changes",
        "/snapshots/6/changes/groups", "/retention",
        "/snapshots/6/manifests", "/snapshots/6/manifests/reach", "/snapshots/6/stats",
        "/manifests/manifest-x/entries",
        "/compare?from=1", "/files", "/files/x",
        "/files/x/lineage", "/files/x/footer",
        "/files/x/indexes", "/indexes", "/indexes/x", "/storage", "/partitions", "/buckets", "/heatmap",
        "/buckets/-/0/lsm", "/buckets/-/0/commits",
        "/schemas", "/schemas/0", "/fields/0/history", "/schemas/diff?from=0&to=0",
        "/options", "/options/bucket/history", "/held", "/tags", "/branches", "/consumers",
        "/system", "/system/files", "/type",
    )
]  # fmt: skip
MATRIX: list[tuple[str, str, str, str, str]] = [
    *((path, "GET", OK, OK, NO) for path in READS),
    (f"{TABLE}/plans", "POST", OK, OK, NO),
    (f"{TABLE}/plans/preview", "POST", OK, OK, NO),
    (f"{TABLE}/preview", "POST", NO, OK, NO),
    (f"{TABLE}/objects/x", "GET", NO, OK, NO),
    (f"{TABLE}/buckets/-/0/probe", "POST", NO, OK, NO),
    (f"{TABLE}/schemas/proposals", "POST", OK, OK, NO),
    ("/warehouses/lake", "GET", OK, OK, NO),
    (f"{TABLE}/system/ro", "GET", NO, OK, NO),
    ("/warehouses/lake/system", "GET", NO, NO, NO),
    ("/warehouses/lake/system/tables", "GET", NO, NO, NO),
    ("/warehouses/lake/databases", "GET", OK, OK, NO),
    ("/warehouses/lake/databases/db", "GET", OK, OK, NO),
    ("/warehouses/lake/databases/db/tables", "GET", OK, OK, NO),
    ("/warehouses/lake/checks", "POST", NO, NO, NO),
    ("/warehouses/lake", "PATCH", NO, NO, NO),
    ("/warehouses/lake", "DELETE", NO, NO, NO),
    ("/warehouses", "GET", OK, OK, OK),
    ("/warehouses", "POST", NO, NO, NO),
    ("/warehouse-checks", "POST", NO, NO, NO),
    ("/warehouse-kinds", "GET", OK, OK, OK),
    ("/warehouses/lake/databases/db/views", "GET", OK, OK, NO),
    ("/warehouses/lake/databases/db/views/v", "GET", OK, OK, NO),
    ("/warehouses/lake/databases/db/views/v/runs", "GET", NO, OK, NO),
    ("/warehouses/lake/databases/db/views/v/runs", "POST", NO, OK, NO),
    ("/warehouses/lake/databases/db/views/v/runs/j-x", "GET", NO, OK, NO),
    (f"{TABLE}/refresh-schedule", "GET", OK, OK, NO),
    (f"{TABLE}/refresh-schedule", "PATCH", NO, NO, NO),
    ("/warehouses/lake/databases/db/functions", "GET", OK, OK, NO),
    ("/warehouses/lake/databases/db/functions/f", "GET", OK, OK, NO),
    ("/tables", "GET", OK, OK, OK),
    ("/objects?name=manifest-x", "GET", OK, OK, OK),
    ("/jobs", "GET", OK, OK, OK),
    ("/jobs", "POST", OK, OK, OK),
    ("/users", "GET", NO, NO, NO),
    ("/users", "POST", NO, NO, NO),
    ("/users/1", "GET", NO, NO, NO),
    ("/users/1", "PATCH", NO, NO, NO),
    ("/users/1", "DELETE", NO, NO, NO),
    ("/role-bindings", "GET", NO, NO, NO),
    ("/role-bindings", "POST", NO, NO, NO),
    ("/role-bindings/1", "GET", NO, NO, NO),
    ("/role-bindings/1", "DELETE", NO, NO, NO),
    ("/masking-policies", "GET", NO, NO, NO),
    ("/masking-policies", "POST", NO, NO, NO),
    ("/masking-policies/1", "GET", NO, NO, NO),
    ("/masking-policies/1", "DELETE", NO, NO, NO),
    ("/audit-events", "GET", NO, NO, NO),
    ("/audit-days", "GET", NO, NO, NO),
    ("/audit-days/2026-11-23", "GET", NO, NO, NO),
    ("/watches", "GET", OK, OK, OK),
    ("/watches", "POST", OK, OK, OK),
    ("/saved-views", "GET", OK, OK, OK),
    ("/saved-views", "POST", OK, OK, OK),
    ("/tokens", "GET", OK, OK, OK),
    ("/tokens", "POST", OK, OK, OK),
    ("/me", "GET", OK, OK, OK),
    ("/me", "PATCH", OK, OK, OK),
    ("/me/password", "POST", OK, OK, OK),
    ("/me/tree", "GET", OK, OK, OK),
    ("/me/tree", "PUT", OK, OK, OK),
    ("/meta", "GET", OK, OK, OK),
]
# Answered by the row that they are about: a plan and a job of Alice's on the table, and what is hers alone.
OF_A_ROW: list[tuple[str, str, str, str, str]] = [
    ("/plans/{plan}", "GET", OK, OK, NO),
    ("/jobs/{job}", "GET", OK, OK, NO),
    ("/jobs/{job}/events", "GET", OK, OK, NO),
    ("/jobs/{job}/logs", "GET", NO, OK, NO),
    ("/jobs/{job}/cancel", "POST", NO, NO, NO),
    ("/jobs/{job}/retry", "POST", NO, OK, NO),
    ("/tokens/{token}", "GET", NO, NO, NO),
    ("/tokens/{token}", "DELETE", NO, NO, NO),
    ("/operations/{operation}", "GET", ABSENT, ABSENT, ABSENT),
    ("/saved-views/{view}", "GET", ABSENT, ABSENT, ABSENT),
    ("/saved-views/{view}", "DELETE", ABSENT, ABSENT, ABSENT),
    ("/watches/{watch}", "GET", ABSENT, ABSENT, ABSENT),
    ("/watches/{watch}", "DELETE", ABSENT, ABSENT, ABSENT),
]
FOR_ALL = {("GET", "/openapi.json")}


@pytest.fixture
def erin(db: None) -> Caller:
    """May everything elsewhere: every role and flag in another warehouse."""
    user = person("erin")
    RoleBinding.objects.create(user=user, role="viewer", warehouse="other", data_read=True)
    RoleBinding.objects.create(user=user, role="operator", warehouse="other", table_destroy=True)
    RoleBinding.objects.create(user=user, role="admin", warehouse="other")
    return Caller(user)


def ask(who: Caller, method: str, path: str) -> Any:
    if method == "GET":
        return who.get(path)
    if method == "POST":
        return who.post(path, {})
    return who.patch(path, {}) if method == "PATCH" else who.delete(path)


def verdict_of(response: Any) -> str:
    assert response.status_code < 500, response.content
    return {403: NO, 404: ABSENT}.get(response.status_code, OK)


@pytest.mark.parametrize(("path", "method", "viewer", "operator", "stranger"), MATRIX)
def test_each_role_gets_what_the_matrix_says(
    path: str, method: str, viewer: str, operator: str, stranger: str,
    vera: Caller, bob: Caller, carol: Caller, erin: Caller, alice: Caller, nobody: Caller, table: Table,
) -> None:  # fmt: skip
    expected = ((vera, viewer), (bob, operator), (carol, stranger), (erin, stranger), (alice, OK))
    for who, verdict in expected:
        found = verdict_of(ask(who, method, path))  # a made-up file is absent for who may ask
        assert (found == NO) is (verdict == NO), who.user
    assert ask(nobody, method, path).status_code == 401


def test_what_belongs_to_a_row_goes_by_its_table_or_its_owner(
    vera: Caller, bob: Caller, carol: Caller, erin: Caller, alice: Caller, nobody: Caller, table: Table
) -> None:
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    soon = (timezone.now() + timedelta(days=1)).isoformat()
    token = alice.post("/tokens", {"name": "t", "scopes": ["meta:read"], "expires_at": soon}).json()
    work = Operation.objects.create(public_id="o-1", caller=f"user:{alice.user.pk}", method="GET", href="/")  # type: ignore[union-attr]
    view = alice.post("/saved-views", {"page": "jobs", "name": "v", "search": {}}).json()
    rows = {"plan": plan["id"], "job": job["id"], "token": token["id"], "operation": work.public_id}
    watched = alice.post("/watches", {"warehouse": "lake", "database": "db", "name": "t"}).json()
    rows |= {"view": view["id"], "watch": watched["id"]}
    assert alice.post(f"/jobs/{job['id']}/cancel").status_code == 202
    for path, method, viewer, operator, stranger in OF_A_ROW:
        expected = ((vera, viewer), (bob, operator), (carol, stranger), (erin, stranger))
        for who, verdict in expected:
            found = verdict_of(ask(who, method, path.format(**rows)))
            assert found == verdict, (method, path, who.user)
        assert ask(nobody, method, path.format(**rows)).status_code == 401


def test_every_operation_of_the_document_is_in_a_matrix() -> None:
    rows = (*MATRIX, *OF_A_ROW)
    asked = [(method, path.partition("?")[0].removeprefix("/api/v1")) for path, method, *_ in rows]
    for method, template in OPERATIONS:
        pattern = "[^/]+".join(re.escape(part) for part in re.split(r"\{[a-z_]+\}", template))
        found = [path for verb, path in asked if verb == method and re.fullmatch(pattern, path)]
        assert found or (method, template) in FOR_ALL, f"{method} {template} is in no matrix"


def test_a_refusal_names_permission_scope_and_who_grants(alice: Caller, bob: Caller, table: Table) -> None:
    problem = bob.get("/audit-events").json()
    assert (problem["permission"], problem["scope"], problem["granted_by"]) == ("audit:read", "*", "admin")
    person("carl", "admin", warehouse="lake")
    assert problem["grantors"] == ["alice"]
    assert bob.patch("/warehouses/lake", {}).json()["grantors"] == ["alice", "carl"]


def test_an_operator_elsewhere_is_a_stranger_here(db: None, table: Table) -> None:
    user = User.objects.create_user("otto")
    RoleBinding.objects.create(user=user, role="operator", warehouse="lake", database="db", table="other*")
    assert Caller(user).get(TABLE).status_code == 403


def test_a_table_pattern_covers_its_tables(db: None, table: Table) -> None:
    user = User.objects.create_user("otto")
    RoleBinding.objects.create(user=user, role="viewer", warehouse="lake", database="db", table="?")
    assert Caller(user).get(TABLE).status_code == 200


def test_the_flag_of_a_viewer_opens_the_values(vera: Caller, table: Table) -> None:
    assert vera.user is not None
    vera.user.role_bindings.update(data_read=True)
    assert vera.items(f"{TABLE}/files")[0]["min_key"] != "•••"


def test_a_deactivated_person_may_nothing(bob: Caller, table: Table) -> None:
    User.objects.filter(pk=bob.user.pk).update(is_active=False)  # type: ignore[union-attr]
    assert bob.get(TABLE).status_code == 401


def test_jobs_of_unseen_tables_are_not_listed(
    alice: Caller, carol: Caller, bob: Caller, table: Table
) -> None:
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    assert [found["id"] for found in bob.items("/jobs")] == [job["id"]]
    assert carol.items("/jobs") == []
    assert carol.get(f"/jobs/{job['id']}").status_code == carol.get(f"/plans/{plan['id']}").status_code == 403


def test_operators_cancel_their_own_jobs_only(alice: Caller, bob: Caller, table: Table) -> None:
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    assert bob.json(f"/jobs/{job['id']}")["actions"] == []
    assert bob.post(f"/jobs/{job['id']}/cancel").status_code == 403
    assert alice.post(f"/jobs/{job['id']}/cancel").status_code == 202


# --- laws -----------------------------------------------------------------------------------------
names = st.none() | st.sampled_from(["a", "b"])


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    warehouse = draw(names)
    database = draw(names) if warehouse else None
    return Scope(warehouse, database, draw(names) if database else None)


grants = st.builds(Grant, st.sampled_from(Role), scopes(), st.frozensets(st.sampled_from(sorted(FLAGS))))


@given(grants, scopes())
def test_what_covers_a_scope_touches_it(grant: Grant, scope: Scope) -> None:
    if grant.scope.covers(scope):
        assert grant.scope.touches(scope)


@given(st.lists(grants), st.frozensets(st.sampled_from(Permission)), scopes())
def test_a_token_never_adds_a_permission(
    given_: list[Grant], ceiling: frozenset[Permission], scope: Scope
) -> None:
    person, token = Access(tuple(given_)), Access(tuple(given_), ceiling)
    assert token.permissions(scope) == person.permissions(scope) & ceiling


@given(st.lists(grants), scopes())
def test_a_wider_scope_never_has_more(given_: list[Grant], scope: Scope) -> None:
    access = Access(tuple(given_))
    assert access.permissions(EVERYTHING) <= access.permissions(scope)
