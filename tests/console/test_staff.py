"""Django's admin at /staff: who sees what there, and that its actions are those of the API."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from console.accounts.models import ApiToken, RoleBinding, User
from console.audit.models import AuditEvent
from console.jobs.models import Job, Plan
from console.jobs.serializers.plan import KINDS
from console.jobs.states import State
from console.openid.models import Provider
from console.staff.admin import site
from console.staff.words import CHINESE, VALUES
from console.warehouses.models import TableStatistics, Warehouse
from core import Table
from tests.console.conftest import PASSWORD, TABLE, Caller, person
from tests.console.test_attacks import token_of

pytestmark = pytest.mark.django_db

LISTS = {
    "warehouses/warehouse", "warehouses/tablestatistics", "jobs/job", "accounts/apitoken", "audit/auditevent",
    "openid/provider", "openid/identity",
}  # fmt: skip
OF_A_WAREHOUSE = {"warehouses/warehouse", "warehouses/tablestatistics", "jobs/job"}


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def admin(alice: Caller) -> Client:
    return client_of(alice.user)


@pytest.fixture
def steward(db: None) -> Client:
    """An administrator of the warehouse `lake` alone."""
    return client_of(person("steve", "admin", warehouse="lake"))


@pytest.fixture
def row(lake: Warehouse, table: Table) -> TableStatistics:
    return TableStatistics.objects.create(warehouse=lake, database="db", name="t", kind="primary_key")


def act(client: Client, model: str, action: str, *rows: Any, **more: Any) -> Any:
    form = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(f"/staff/{model}/", form, follow=True)


def lists_of(client: Client) -> set[str]:
    return set(re.findall(r'href="/staff/(\w+/\w+)/"', client.get("/staff/").content.decode()))


def job_of(caller: Caller) -> Job:
    plan = caller.post(f"{TABLE}/plans", {"kind": "compact", "params": {"strategy": "full"}}).json()
    return Job.objects.get(public_id=caller.post("/jobs", {"plan_id": plan["id"]}).json()["id"])


# --- who comes in ---------------------------------------------------------------------------------
def test_a_stranger_is_sent_to_the_sign_in_of_the_console(db: None) -> None:
    reply = Client().get("/staff/jobs/job/")
    assert (reply.status_code, reply["Location"]) == (302, "/staff/login/?next=/staff/jobs/job/")
    assert Client().get(reply["Location"])["Location"] == "/sign-in?next=/staff/jobs/job/"


@pytest.mark.parametrize("who", ["bob", "vera", "carol"])
def test_who_administers_nothing_is_refused_and_that_is_recorded(
    who: str, request: pytest.FixtureRequest, lake: Warehouse
) -> None:
    client = client_of(request.getfixturevalue(who).user)
    assert client.get("/staff/", follow=True).status_code == 403
    assert client.get("/staff/accounts/apitoken/", follow=True).status_code == 403
    assert AuditEvent.objects.filter(actor=who, outcome="denied", action="staff: open").exists()


def test_an_administrator_sees_all_lists(admin: Client) -> None:
    assert lists_of(admin) == LISTS
    assert {path: admin.get(f"/staff/{path}/").status_code for path in LISTS} == dict.fromkeys(LISTS, 200)


def test_an_administrator_of_one_warehouse_sees_that_alone(steward: Client, row: TableStatistics) -> None:
    Warehouse.objects.create(name="other", location="/nowhere")
    assert lists_of(steward) == OF_A_WAREHOUSE
    page = steward.get("/staff/warehouses/warehouse/").content.decode()
    assert ("lake" in page, "/nowhere" in page) == (True, False)
    for path in LISTS - OF_A_WAREHOUSE:
        assert steward.get(f"/staff/{path}/").status_code == 403


def test_the_lock_out_holds_for_staff(db: None, settings: Any) -> None:
    settings.SIGN_IN_FREE_FAILURES = 1
    person("adam", "admin")
    client = Client()
    form = {"username": "adam", "password": "wrong", "next": "/staff/"}
    assert client.post("/sign-in", form).status_code == 400
    assert client.post("/sign-in", form | {"password": PASSWORD}).status_code == 429


def test_a_deactivated_administrator_is_out_at_once(admin: Client) -> None:
    User.objects.update(is_active=False)
    assert admin.get("/staff/").status_code == 302


# --- what is shown --------------------------------------------------------------------------------
def test_no_secret_is_on_any_page(admin: Client, lake: Warehouse, alice: Caller) -> None:
    lake.credentials = {"s3.secret-key": "hunter2"}
    lake.save()
    token = token_of(alice.user, "meta:read").token  # type: ignore[attr-defined]  # its text is kept nowhere
    provider = Provider(name="p", label="P", issuer="https://login.example", client_id="c")
    provider.client_secret = "hunter3"
    provider.save()
    pages = [
        f"warehouses/warehouse/{lake.pk}",
        f"accounts/apitoken/{token.pk}",
        f"openid/provider/{provider.pk}",
    ]
    shown = "".join(admin.get(f"/staff/{page}/change/").content.decode() for page in pages)
    kept = (lake.encrypted_credentials, provider.encrypted_client_secret, "hunter")
    assert [secret for secret in kept if secret in shown] == []


@pytest.mark.parametrize("path", ["", *sorted(LISTS), "openid/provider/add"])
def test_pages_keep_to_the_content_security_policy(path: str, admin: Client, row: TableStatistics) -> None:
    reply = admin.get(f"/staff/{path}/".replace("//", "/"))
    page = reply.content.decode()
    assert "script-src 'self'" in reply["Content-Security-Policy"]
    assert re.findall(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []


# --- nothing is changed but by what the API does --------------------------------------------------
@pytest.mark.parametrize("path", sorted(LISTS - {"openid/provider", "openid/identity"}))
def test_rows_of_the_api_are_not_edited_by_hand(
    path: str, admin: Client, alice: Caller, row: TableStatistics
) -> None:
    token_of(alice.user, "meta:read")
    job_of(alice)
    model = {"warehouse": Warehouse, "tablestatistics": TableStatistics, "job": Job, "apitoken": ApiToken,
             "auditevent": AuditEvent}[path.partition("/")[2]]  # fmt: skip
    some = model.objects.all()[0]  # type: ignore[attr-defined]
    before = model.objects.filter(pk=some.pk).values()[0]  # type: ignore[attr-defined]
    statuses = [admin.post(f"/staff/{path}/{end}/").status_code for end in
                ("add", f"{some.pk}/change", f"{some.pk}/delete")]  # fmt: skip
    assert statuses == [403, 403, 403]
    assert "delete_selected" not in admin.get(f"/staff/{path}/").content.decode()
    assert model.objects.filter(pk=some.pk).values()[0] == before  # type: ignore[attr-defined]


def test_reading_the_audit_log_is_recorded(admin: Client) -> None:
    admin.get("/staff/audit/auditevent/?q=x")
    assert AuditEvent.objects.get(action="staff: read audit log").target.endswith("?q=x")


def test_a_compaction_is_planned_shown_and_then_run(admin: Client, row: TableStatistics) -> None:
    page = act(admin, "warehouses/tablestatistics", "compact", row)
    plan = Plan.objects.get()
    assert plan.public_id in page.content.decode()
    assert not Job.objects.exists()
    act(admin, "warehouses/tablestatistics", "compact", row, plan=plan.public_id)
    job = Job.objects.get()
    assert (job.plan, job.kind, job.requested_by.username) == (plan, "compact", "alice")  # type: ignore[union-attr]
    assert AuditEvent.objects.filter(action="staff: run plan", job_id="", target="lake.db.t").exists()


def test_a_plan_that_is_blocked_is_not_run(admin: Client, alice: Caller, row: TableStatistics) -> None:
    job = job_of(alice)
    page = act(admin, "warehouses/tablestatistics", "compact", row).content.decode()
    blocked = Plan.objects.exclude(job=job).get()
    assert job.public_id in page
    assert f'value="{blocked.public_id}"' not in page
    said = act(admin, "warehouses/tablestatistics", "compact", row, plan=blocked.public_id).content.decode()
    assert "The plan has blockers" in said
    assert Job.objects.get() == job


def test_a_job_is_cancelled_and_an_ended_one_is_not(admin: Client, alice: Caller, table: Table) -> None:
    job = job_of(alice)
    assert "asked to stop" in act(admin, "jobs/job", "cancel", job).content.decode()
    assert Job.objects.get().state == "cancelled"
    assert "asked to stop" not in act(admin, "jobs/job", "cancel", job).content.decode()


def test_a_retry_makes_a_new_plan(admin: Client, alice: Caller, table: Table) -> None:
    job = job_of(alice)
    act(admin, "jobs/job", "cancel", job)
    act(admin, "jobs/job", "retry", job)
    again = Job.objects.exclude(pk=job.pk).get()
    assert again.retry_of == job
    assert again.plan != job.plan


def test_what_loses_data_is_not_retried_without_its_confirmation(
    admin: Client, alice: Caller, table: Table
) -> None:
    params = {"to": {"snapshot": "3"}, "guard": False}
    plan = alice.post(f"{TABLE}/plans", {"kind": "rollback", "params": params}).json()
    asked = {"plan_id": plan["id"], "confirmation": "lake.db.t", "reason": "a test"}
    job = Job.objects.get(public_id=alice.post("/jobs", asked).json()["id"])
    act(admin, "jobs/job", "cancel", job)
    assert "lake.db.t" in act(admin, "jobs/job", "retry", job).content.decode()
    assert Job.objects.count() == 1


def test_a_steward_cannot_reach_the_jobs_of_another_warehouse(
    steward: Client, alice: Caller, table: Table
) -> None:
    job = job_of(alice)
    RoleBinding.objects.filter(user__username="steve").update(warehouse="elsewhere")
    act(steward, "jobs/job", "cancel", job)
    assert Job.objects.get().state == "queued"


@pytest.mark.parametrize(
    "asked",
    ["problem__message__contains=ann", "spec__compact__partitions__0__dt=2026-11-20", "plan__params__x=1",
     "requested_by__password__startswith=p", "reason__startswith=a",
     "warehouse__encrypted_credentials__gt=a"],
)  # fmt: skip
def test_no_condition_is_put_to_what_is_not_shown(
    asked: str, admin: Client, alice: Caller, table: Table
) -> None:
    job = job_of(alice)
    assert admin.get(f"/staff/jobs/job/?{asked}").status_code == 400
    assert job.public_id in admin.get("/staff/jobs/job/?state=queued").content.decode()
    assert (
        job.public_id
        in admin.get(f"/staff/jobs/job/?warehouse__id__exact={job.warehouse.pk}").content.decode()
    )


def test_filters_name_no_warehouse_of_others(steward: Client, alice: Caller, table: Table) -> None:
    job_of(alice)
    for name in ("lake2", "lake3"):
        other = Warehouse.objects.create(name=name, location=f"/nowhere/{name}")
        Job.objects.create(warehouse=other, database="d", table="t", kind="compact", public_id=name, spec={})
    assert "lake2" not in steward.get("/staff/jobs/job/").content.decode()


def test_a_revoked_token_opens_nothing(admin: Client, alice: Caller, lake: Warehouse) -> None:
    caller = token_of(alice.user, "meta:read")
    assert caller.get("/me").status_code == 200
    act(admin, "accounts/apitoken", "revoke", caller.token)  # type: ignore[attr-defined]
    assert caller.get("/me").status_code == 401
    assert AuditEvent.objects.filter(action="staff: revoke").exists()


def test_a_connection_is_tested(admin: Client, lake: Warehouse) -> None:
    assert "it answers" in act(admin, "warehouses/warehouse", "check", lake).content.decode()
    assert Warehouse.objects.get().state == "up"


def test_a_provider_that_would_not_do_is_not_saved(admin: Client) -> None:
    form = {
        "name": "p", "label": "P", "issuer": "http://127.0.0.1:9", "client_id": "c", "scopes": "openid",
        "client_secret": "hunter4", "username_claim": "u", "groups_claim": "g", "is_enabled": "on",
        "group_roles-TOTAL_FORMS": "0", "group_roles-INITIAL_FORMS": "0",
    }  # fmt: skip
    page = admin.post("/staff/openid/provider/add/", form)
    assert "openid.unreachable" in page.content.decode()
    assert "hunter4" not in page.content.decode()
    assert not Provider.objects.exists()
    admin.post("/staff/openid/provider/add/", form | {"is_enabled": ""})
    assert Provider.objects.get().client_secret == "hunter4"
    assert AuditEvent.objects.filter(action="staff: add", target="provider:p").exists()


# --- in whose words -------------------------------------------------------------------------------
def test_every_page_of_it_is_in_chinese_for_who_reads_chinese(
    admin: Client, row: TableStatistics, alice: Caller
) -> None:
    job = job_of(alice)
    admin.cookies["django_language"] = "zh-hans"
    pages = {
        "/staff/": ["管理", "审计事件", "API 令牌", "身份提供方"],
        "/staff/warehouses/tablestatistics/": ["预览后合并", "最近提交", "数据库"],
        f"/staff/jobs/job/{job.pk}/change/": ["发起人", "心跳时间", ">lake<"],
    }
    for path, wanted in pages.items():
        shown = admin.get(path).content.decode()
        assert [text for text in wanted if text not in shown] == []
    assert "执行这些预览" in act(admin, "warehouses/tablestatistics", "compact", row).content.decode()
    admin.cookies["django_language"] = "en"
    assert "Audit events" in admin.get("/staff/").content.decode()


def test_every_field_that_staff_see_has_a_chinese_name() -> None:
    named = {
        field
        for model, shown in site._registry.items()
        for field in (*(shown.fields or ()), *shown.list_display)
        if isinstance(field, str) and field not in dir(shown)
    }
    assert named - CHINESE.keys() == set()


def test_states_and_kinds_are_told_in_the_readers_language(
    admin: Client, alice: Caller, table: Table
) -> None:
    job = job_of(alice)
    chinese = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}
    page = admin.get("/staff/jobs/job/", **chinese).content.decode()
    assert re.search("排队中.*合并|合并.*排队中", page, re.DOTALL)
    assert ">queued<" not in page
    detail = admin.get(f"/staff/jobs/job/{job.pk}/change/", **chinese).content.decode()
    assert re.search("合并.*排队中", detail, re.DOTALL)
    assert ">queued<" not in detail
    filtered = admin.get("/staff/jobs/job/?state=queued", **chinese).content.decode()
    assert job.public_id in filtered
    assert ">queued<" in admin.get("/staff/jobs/job/").content.decode()


def test_every_kind_and_state_of_a_job_has_words() -> None:
    kinds = {*KINDS, "demo", "view"}
    assert kinds <= VALUES["job.kind"].keys()
    assert {state.value for state in State} == VALUES["job.state"].keys()
