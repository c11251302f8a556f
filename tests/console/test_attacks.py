"""What a stranger, a narrow token or an attacker tries: each is refused as a problem, and nothing leaks."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.utils import timezone

from console.accounts.models import ApiToken, RoleBinding, User
from console.accounts.services import make_set_up_link
from console.api.models import IdempotentReply
from console.audit.chain import Break, first_break
from console.audit.models import AuditDay, AuditEvent
from console.jobs import services
from console.jobs.models import Job
from console.warehouses.models import Warehouse
from core import Table
from core.snapshot import Tag
from tests.console.conftest import API, JSON, PASSWORD, TABLE, Caller
from tests.tables import put

pytestmark = pytest.mark.django_db

SECRET = "hunter2-of-the-lake"


def token_of(user: User | None, *scopes: str, **fields: Any) -> Caller:
    token, text = ApiToken.objects.create(
        user=user,
        expiry=timedelta(days=1),
        public_id=f"t-{secrets.token_hex(4)}",
        name="t",
        scopes=list(scopes),
        **fields,
    )
    caller = Caller(None, Authorization=f"Bearer {text}")
    caller.token = token  # type: ignore[attr-defined]
    return caller


def compaction(caller: Caller) -> dict[str, Any]:
    body = {"kind": "compact", "params": {"strategy": "full"}}
    plan: dict[str, Any] = caller.post(f"{TABLE}/plans", body).json()
    return plan


# --- other people's things ------------------------------------------------------------------------
def test_a_stranger_reaches_neither_plans_nor_jobs_of_others(
    alice: Caller, carol: Caller, table: Table
) -> None:
    plan = compaction(alice)
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    reads = [f"/plans/{plan['id']}", *(f"/jobs/{job['id']}{part}" for part in ("", "/events", "/logs"))]
    assert [carol.get(path).status_code for path in reads] == [403] * 4
    assert carol.post(f"/jobs/{job['id']}/cancel").status_code == 403
    assert carol.post("/jobs", {"plan_id": plan["id"]}).status_code == 403
    assert carol.items("/jobs") == []
    assert Job.objects.get().cancel_requested_at is None


def test_a_role_in_one_warehouse_reaches_no_other(alice: Caller, bob: Caller, table: Table) -> None:
    RoleBinding.objects.filter(user=bob.user).update(warehouse="elsewhere")
    plan = compaction(alice)
    assert bob.get(TABLE).status_code == 403
    assert bob.get(f"/plans/{plan['id']}").status_code == 403
    assert bob.post("/jobs", {"plan_id": plan["id"]}).status_code == 403
    assert bob.items("/warehouses") == []


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", "/users"), ("get", "/role-bindings"), ("get", "/audit-events"), ("post", "/warehouse-checks")],
)
def test_an_administrator_of_one_warehouse_does_not_rule_the_console(
    bob: Caller, lake: Warehouse, method: str, path: str
) -> None:
    RoleBinding.objects.filter(user=bob.user).update(role="admin", database=None)
    assert bob.ask(method.upper(), path, {}, {"location": "/tmp"}).status_code == 403


# --- narrow tokens --------------------------------------------------------------------------------
def test_a_token_does_what_it_names_and_no_more(alice: Caller, table: Table) -> None:
    narrow = token_of(alice.user, "meta:read", "plan:create")
    plan = compaction(narrow)
    assert plan["permitted"] is False
    assert narrow.post("/jobs", {"plan_id": plan["id"]}).json()["permission"] == "table:operate"
    assert narrow.post(f"{TABLE}/preview", {}).json()["permission"] == "data:read"
    assert narrow.get("/users").status_code == 403


def test_a_token_makes_no_tokens_and_takes_none(alice: Caller) -> None:
    narrow, other = token_of(alice.user, "meta:read"), token_of(alice.user, "meta:read")
    body = {"name": "x", "scopes": ["meta:read"], "expires_at": "2026-12-01T00:00:00Z"}
    assert narrow.post("/tokens", body).status_code == 403
    address = "/tokens/{}".format
    assert narrow.delete(address(other.token.public_id)).status_code == 403  # type: ignore[attr-defined]
    assert narrow.delete(address(narrow.token.public_id)).status_code == 204  # type: ignore[attr-defined]


def test_a_deactivated_person_is_out_at_once(alice: Caller, bob: Caller, table: Table) -> None:
    token = token_of(bob.user, "meta:read")
    assert token.get(TABLE).status_code == bob.get(TABLE).status_code == 200
    User.objects.filter(pk=bob.user.pk).update(is_active=False)  # type: ignore[union-attr]
    assert token.get(TABLE).status_code == bob.get(TABLE).status_code == 401


def test_a_token_ends_and_keeps_to_its_networks(alice: Caller) -> None:
    assert token_of(alice.user, "meta:read", networks=["10.0.0.0/8"]).get("/me").status_code == 401
    spent = token_of(alice.user, "meta:read")
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert spent.get("/me").status_code == 401


# --- names that are paths -------------------------------------------------------------------------
NAMES = [
    "..",
    ".",
    "%2e%2e",
    "a%2fb",
    "..%2f..%2fetc",
    "t%00",
    "%5c..",
    "t$snapshots",
    "t$branch_x",
    "𝔱",
    "x" * 3000,
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_elsewhere(alice: Caller, table: Table, name: str) -> None:
    base = f"{API}/warehouses/lake/databases"
    paths = [
        f"{base}/{name}", f"{base}/{name}/tables/t", f"{base}/db/tables/{name}", f"{TABLE}?branch={name}",
        f"{TABLE}?at=tag:{name}", f"{TABLE}/files/{name}", f"{TABLE}/snapshots/{name}",
        f"{TABLE}/schemas/{name}", f"{TABLE}/manifests/{name}/entries",
        f"{TABLE}/buckets/{name}/0/lsm", f"{API}/jobs/{name}",
        f"{API}/plans/{name}", f"{API}/warehouses/{name}", f"{TABLE}/files?partition={name}",
        f"{API}/tables?q={name}", f"{API}/me?warehouse={name}",
    ]  # fmt: skip
    answers = {path: alice.get(path).status_code for path in paths}
    assert {path: status for path, status in answers.items() if status >= 500} == {}
    searches = ("?partition=", "?q=", "?warehouse=")
    assert {p for p, s in answers.items() if s == 200 and not any(q in p for q in searches)} <= {
        path for path in paths if path.endswith(("/.", "/..", "%2e%2e"))
    }


def test_a_tag_of_another_table_is_out_of_reach(alice: Caller, table: Table) -> None:
    other = Path(table.location).parent / "other" / "tag"
    other.mkdir(parents=True)
    (other / "tag-x").write_bytes((Path(table.location) / "tag" / "tag-v2").read_bytes())
    for name in ("../../../other/tag/tag-x", "v2/../../../other/tag/tag-x"):
        assert alice.get(f"{TABLE}?at=tag:{quote(name, safe='')}").status_code == 404
        body = {"kind": "rollback", "params": {"to": {"tag": name}}}
        assert alice.post(f"{TABLE}/plans", body).status_code in (400, 404)


# --- bodies and queries ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body", ["[]", '"x"', "1", "null", "{", "\ud83d", '{"kind":"\\ud800"}', '{"kind":{}}', "[" * 9000]
)
@pytest.mark.parametrize(
    "path", ["/jobs", f"{TABLE}/plans", f"{TABLE}/preview", "/tokens", "/users", "/warehouses"]
)
def test_no_body_is_too_odd(alice: Caller, table: Table, path: str, body: str) -> None:
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    address = path if path.startswith("/api") else API + path
    data = body.encode("utf-8", "surrogatepass")
    response = alice._client.post(address, data, content_type=JSON, headers=headers)
    assert response.status_code < 500, response.content
    assert response.status_code >= 400 or path.endswith("preview")


@pytest.mark.parametrize(
    "text", ["a\u0000b", "\ud800", "x" * 100_000, "１２", "\u202e", "'; DROP TABLE jobs; --", "{0.__class__}"]
)
def test_odd_texts_are_kept_or_refused(alice: Caller, table: Table, text: str) -> None:
    body = {"plan_id": compaction(alice)["id"], "reason": text}
    assert alice.post("/jobs", body).status_code in (201, 400)
    made = alice.post("/users", {"username": "x", "display_name": text}).status_code
    assert made in (201, 400)
    assert alice.post(f"{TABLE}/preview", {"filter": text}).status_code in (400, 422)


@pytest.mark.parametrize(
    "text", ["(" * 5000 + "id = 1" + ")" * 5000, "NOT " * 5000 + "id = 1", " OR ".join(["id = 1"] * 9000)]
)
def test_a_deep_predicate_is_refused(alice: Caller, table: Table, text: str) -> None:
    assert alice.post(f"{TABLE}/preview", {"filter": text}).status_code in (400, 413, 422)


@pytest.mark.parametrize(
    "query",
    [
        "limit=999999999999999999999", "limit=-1", "limit=0",
        "limit=1e3", "limit=%00", "cursor=x", "cursor=%00",
        "number=99999999999999999999", "number[in]=" + ",".join(["1"] * 5000), "id=%00", "sort=id,id,id,-id",
        "created_at[gt]=9999999999", "created_at[gt]=0001-01-01T00:00:00%2B23:59", "fields=password",
    ],
)  # fmt: skip
def test_no_list_query_is_too_odd(alice: Caller, table: Table, query: str) -> None:
    assert alice.get(f"/jobs?{query}").status_code in (200, 400)


def test_a_cursor_is_bound_to_its_list(alice: Caller, table: Table) -> None:
    cursor = alice.json(f"{TABLE}/files?limit=1")["next"]
    for address in (f"{TABLE}/snapshots?cursor={cursor}", f"{TABLE}/files?level=0&cursor={cursor}"):
        assert alice.get(address).json()["code"] == "cursor-mismatch"
    changed = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert alice.get(f"{TABLE}/files?cursor={changed}").status_code == 400


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/xml",
        "multipart/form-data; boundary=x",
        "",
        "application/json; charset=utf-7",
    ],
)
def test_another_content_type_is_refused(alice: Caller, table: Table, kind: str) -> None:
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    response = alice._client.generic("POST", f"{API}/jobs", b"plan_id=1", content_type=kind, headers=headers)
    assert response.status_code in (400, 415)


@pytest.mark.parametrize("path", ["/jobs", "/users", TABLE, "/tokens", "/warehouses/lake"])
def test_head_and_options_need_what_get_needs(
    alice: Caller, carol: Caller, nobody: Caller, table: Table, path: str
) -> None:
    address = path if path.startswith("/api") else API + path
    for caller in (alice, carol, nobody):
        get = caller._client.get(address)
        head = caller._client.head(address)
        assert (head.status_code, head.content) == (get.status_code, b"")
    assert nobody._client.options(address).status_code == 401


# --- sessions, links, chains ----------------------------------------------------------------------
def test_unsafe_methods_of_a_session_need_the_csrf_token(alice: Caller, table: Table) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.user)  # type: ignore[arg-type]
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    body = json.dumps({"kind": "compact", "params": {}})
    refused = client.post(f"{TABLE}/plans", body, content_type=JSON, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_signing_in_changes_the_session(alice: Caller) -> None:
    client = Client()
    client.get("/sign-in")
    session = client.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    client.post("/sign-in", {"username": "alice", "password": PASSWORD})
    assert client.session.session_key != planted


def test_a_set_up_link_works_once_and_makes_no_second_administrator(db: None) -> None:
    secret, _ = make_set_up_link()
    form = {"username": "first", "password": PASSWORD, "again": PASSWORD}
    assert Client().post(f"/setup/{secret}", form).status_code == 302
    assert Client().post(f"/setup/{secret}", {**form, "username": "second"}).status_code == 410
    late, _ = make_set_up_link()
    assert Client().get(f"/setup/{late}").status_code == 410
    assert not User.objects.filter(username="second").exists()


def test_a_lock_holds_whatever_the_case_of_the_name(alice: Caller) -> None:
    for name in ("alice", "Alice", "ALICE", "alicE", "aLice", "alIce"):
        Client().post("/sign-in", {"username": name, "password": "wrong"})
    locked = Client().post("/sign-in", {"username": "alice", "password": PASSWORD})
    assert locked.status_code == 429


def test_entries_cut_from_the_end_of_a_day_are_missed(alice: Caller) -> None:
    alice.post("/users", {"username": "a"})
    alice.post("/users", {"username": "b"})
    day = AuditDay.objects.get()
    assert first_break(day) is None
    last = AuditEvent.objects.order_by("-number").first()
    assert last is not None
    AuditEvent.objects.filter(pk=last.pk)._raw_delete("default")
    assert first_break(day) == Break(last.number, None)


def test_a_stranger_cannot_fill_the_audit_log(nobody: Caller, settings: Any) -> None:
    settings.RATE_LIMIT_PER_MINUTE = 3
    answers = [nobody.post("/jobs", {}).status_code for _ in range(8)]
    assert answers[-1] == 429
    assert AuditEvent.objects.count() <= 3


# --- secrets and addresses ------------------------------------------------------------------------
def test_secrets_of_a_warehouse_are_nowhere_to_be_read(alice: Caller, lake: Warehouse) -> None:
    alice.patch("/warehouses/lake", {"credentials": {"s3.secret-key": SECRET}})
    alice.post("/warehouses/lake/checks")
    compaction(alice)
    replies = [
        alice.get(p).content for p in ("/warehouses/lake", "/warehouses", "/plans/x", "/audit-events", TABLE)
    ]
    assert SECRET not in b"".join(replies).decode()
    assert SECRET not in json.dumps(list(AuditEvent.objects.values_list("detail", flat=True)))
    assert SECRET not in Warehouse.objects.get().encrypted_credentials


@pytest.mark.parametrize(
    "given", [{"options": {"s3.secret-key": "x"}}, {"location": "s3://key:secret@bucket/x"}]
)
def test_a_secret_where_all_can_read_it_is_refused(alice: Caller, given: dict[str, Any]) -> None:
    body = {"name": "x", "location": "/tmp/nothing", **given}
    response = alice.post("/warehouses", body)
    assert (response.status_code, response.json()["code"]) == (400, "validation-failed")


@pytest.mark.parametrize(
    "endpoint",
    ["http://169.254.169.254", "http://[fe80::1]:9000", "http://[::ffff:169.254.169.254]/", "ftp://x",
     "http://2852039166", "http://0xa9fea9fe"],
)  # fmt: skip
def test_link_local_addresses_are_no_endpoints(alice: Caller, endpoint: str) -> None:
    body = {"location": "s3://bucket/x", "options": {"s3.endpoint": endpoint}}
    steps = alice.post("/warehouse-checks", body).json()["steps"]
    assert [step["ok"] for step in steps] == [False]
    assert "endpoint" in steps[0]["detail"]


# --- what a plan, a cursor or a key is used for by another ------------------------------------------
def test_whoever_starts_a_write_has_to_be_able_to_read_its_source(
    alice: Caller, bob: Caller, table: Table, lake: Warehouse, tmp_path: Path
) -> None:
    """A plan of an administrator's is no way for an operator to read what only that one may."""
    closed = tmp_path / "closed"
    pq.write_table(pa.table({"dt": ["d"], "id": [1]}), _made(closed / "other.db" / "x" / "a.parquet"))
    Warehouse.objects.create(name="closed", location=str(closed))
    source = {"kind": "path", "path": str(closed / "other.db" / "x" / "a.parquet"), "format": "parquet"}
    plan = alice.post(f"{TABLE}/plans", {"kind": "write", "params": {"source": source}}).json()
    assert plan["blockers"] == []
    refused = bob.post("/jobs", {"plan_id": plan["id"]})
    assert refused.json()["errors"][0]["code"] == "source-closed"
    assert alice.post("/jobs", {"plan_id": plan["id"]}).status_code == 201


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    return path


def test_options_that_drop_rows_need_the_permission_to_remove_rows(bob: Caller, table: Table) -> None:
    asked = {"kind": "options", "params": {"set": {"partition.expiration-time": "1 d"}}}
    plan = bob.post(f"{TABLE}/plans", asked).json()
    assert (plan["level"], plan["requires"], plan["permitted"]) == (2, "table:destroy", False)
    prefix = {"kind": "options", "params": {"set": {"data-file.prefix": "../../other.db/t/bucket-0/x-"}}}
    assert bob.post(f"{TABLE}/plans", prefix).json()["code"] == "validation-failed"


def test_a_tag_with_the_name_of_an_identity_is_not_kept_for_a_year(alice: Caller, table: Table) -> None:
    table.tags.create(Tag("v~1", table.snapshots.get(3)))
    reply = alice.get(f"{TABLE}/files?at={quote('tag:v~1')}")
    assert reply.status_code == 200
    assert "immutable" not in reply["Cache-Control"]
    assert "immutable" in alice.get(f"{TABLE}/files?at={table.snapshots.get(3).reference}")["Cache-Control"]


def test_a_cursor_goes_on_at_its_own_snapshot_whatever_is_the_latest(alice: Caller, table: Table) -> None:
    first = alice.json(f"{TABLE}/files?at=latest&limit=1")
    put(table, ("2026-11-20", 1, 1, "meanwhile"))
    second = alice.json(f"{TABLE}/files?at=latest&limit=1000&cursor={first['next']}")
    assert second["as_of"] == first["as_of"]
    other = alice.get(f"{TABLE}/files?at=2&limit=1&cursor={first['next']}")
    assert other.json()["code"] == "cursor-mismatch"


def test_a_reply_whose_key_was_taken_over_still_answers(
    alice: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that took so long that its repetition took it for dead does not fail for that."""
    made = services.make_plan

    def overtaken(**asked: Any) -> Any:
        IdempotentReply.objects.all().delete()
        IdempotentReply.objects.create(caller=f"user:{alice.user.pk}", key="k" * 8, request_digest="")  # type: ignore[union-attr]
        return made(**asked)

    monkeypatch.setattr(services, "make_plan", overtaken)
    body = {"kind": "compact", "params": {}}
    assert alice.post(f"{TABLE}/plans", body, key="k" * 8).status_code == 201
