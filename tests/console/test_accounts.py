"""Set-up, sign-in, people, bindings, tokens, and the caller."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.accounts.models import SET_UP_LINK, ApiToken, RoleBinding, SetUpLink, SignInFailure, User
from console.accounts.services import has_administrator, lock_end, make_set_up_link
from console.web.messages import MESSAGES
from core import Table
from tests.console.conftest import PASSWORD, TABLE, Caller, person

NEW = {"username": "anna", "password": "long enough a phrase", "again": "long enough a phrase"}


def test_the_set_up_link_makes_the_administrator_once(db: None) -> None:
    secret, _ = make_set_up_link()
    first = Client()
    assert first.post(f"/setup/{secret}", NEW).status_code == 302
    assert has_administrator()
    assert first.get("/api/v1/me").json()["role"] == "admin"
    assert Client().post(f"/setup/{secret}", {**NEW, "username": "eve"}).status_code == 410


def test_a_set_up_link_is_kept_only_as_a_digest(db: None) -> None:
    secret, link = make_set_up_link()
    assert secret not in link.digest


def test_an_expired_link_is_gone(db: None) -> None:
    secret, _ = make_set_up_link()
    SetUpLink.objects.update(expires_at=timezone.now())
    assert Client().get(f"/setup/{secret}").status_code == 410


@pytest.mark.parametrize(
    "changed", [{"password": "short", "again": "short"}, {"again": "another one"}, {"username": "a b"}]
)
def test_a_bad_set_up_says_what_is_wrong(db: None, changed: dict[str, str]) -> None:
    secret, _ = make_set_up_link()
    response = Client().post(f"/setup/{secret}", {**NEW, **changed})
    assert response.status_code == 400
    assert b'role="alert"' in response.content
    assert not User.objects.exists()


def test_sign_in_goes_where_the_person_wanted(db: None) -> None:
    person("ina")
    client = Client()
    response = client.post("/sign-in", {"username": "ina", "password": PASSWORD, "next": "/w/lake?at=4"})
    assert (response.status_code, response["Location"]) == (302, "/w/lake?at=4")
    assert client.get("/api/v1/me").json()["username"] == "ina"


def test_sign_in_leads_to_no_other_site(db: None) -> None:
    person("ina")
    form = {"username": "ina", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert Client().post("/sign-in", form)["Location"] == "/"


def test_failures_lock_the_account_for_a_while(db: None, settings: Any) -> None:
    person("ina")
    client = Client()
    for _ in range(settings.SIGN_IN_FREE_FAILURES):
        assert client.post("/sign-in", {"username": "ina", "password": "wrong"}).status_code == 400
    assert client.post("/sign-in", {"username": "ina", "password": PASSWORD}).status_code == 429
    SignInFailure.objects.update(locked_until=timezone.now())
    assert client.post("/sign-in", {"username": "ina", "password": PASSWORD}).status_code == 302
    assert not SignInFailure.objects.exists()


def test_each_further_failure_locks_for_longer(settings: Any) -> None:
    free = settings.SIGN_IN_FREE_FAILURES
    assert lock_end(free - 1) is None
    ends = [lock_end(count) for count in range(free, free + 4)]
    assert ends == sorted(ends)


def test_sign_out_ends_the_session(alice: Caller) -> None:
    client = Client()
    assert alice.user is not None
    client.force_login(alice.user)
    assert client.post("/sign-out").status_code == 302
    assert client.get("/api/v1/me").status_code == 401


def test_an_idle_session_ends(alice: Caller, settings: Any) -> None:
    assert alice.get("/me").status_code == 200
    settings.SESSION_IDLE = timedelta(seconds=-1)
    assert alice.get("/me").status_code == 401


def test_a_page_that_nobody_is_at_does_not_keep_its_session(alice: Caller, settings: Any) -> None:
    def seen(ago: int) -> None:
        session = alice._client.session
        session["seen"] = timezone.now().timestamp() - ago
        session.save()

    settings.SESSION_IDLE, settings.SESSION_ABSOLUTE = timedelta(hours=1), timedelta(hours=3)
    for headers, left in (({"Unattended": "?1"}, 600), ({"Accept": "text/event-stream"}, 600), ({}, 3600)):
        seen(3000)
        told = alice.get("/me", **headers)["Session"]
        assert left - 60 < int(told.partition(",")[0].removeprefix("idle=")) <= left
        assert int(told.rpartition("=")[2]) > 10_000
    seen(3601)
    assert "Session" not in alice.get("/me", Unattended="?1")


def test_unsafe_requests_of_a_session_need_the_csrf_token(alice: Caller) -> None:
    client = Client(enforce_csrf_checks=True)
    assert alice.user is not None
    client.force_login(alice.user)
    response = client.post("/api/v1/users", "{}", content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")


def test_pages_speak_both_languages(db: None) -> None:
    assert MESSAGES["en"].keys() == MESSAGES["zh-hans"].keys()
    chinese = Client().get("/sign-in", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert 'lang="zh-CN"' in chinese.content.decode()
    assert "登录" in chinese.content.decode()


def test_pages_allow_nothing_inline(db: None) -> None:
    response = Client().get("/sign-in")
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "style=" not in response.content.decode()


def test_a_page_asks_to_sign_in_and_remembers_where(db: None) -> None:
    response = Client().get("/w/lake/db/t/files?at=4")
    assert (response.status_code, response["Location"]) == (302, "/sign-in?next=/w/lake/db/t/files%3Fat%3D4")


# --- people and bindings --------------------------------------------------------------------------
def test_a_new_person_chooses_a_password_by_a_link(alice: Caller) -> None:
    made = alice.post("/users", {"username": "nina"}).json()
    assert not made["has_password"]
    path = made["set_up_link"].partition("/setup/")[2]
    client = Client()
    assert client.post(f"/setup/{path}", NEW).status_code == 302
    assert client.get("/api/v1/me").json()["username"] == "nina"
    assert User.objects.get(username="nina").check_password(NEW["password"])


def test_a_binding_gives_and_its_deletion_takes(alice: Caller, carol: Caller, table: Table) -> None:
    body = {"user": "carol", "role": "viewer", "scope": {"warehouse": "lake", "database": "db", "table": "t"}}
    made = alice.post("/role-bindings", body)
    assert made.json()["scope_text"] == "lake.db.t"
    assert carol.get(TABLE).status_code == 200
    tag = alice.get(made["Location"])["ETag"]
    assert alice.delete(made["Location"], match=tag).status_code == 204
    assert carol.get(TABLE).status_code == 403


def test_changes_need_the_version_they_are_of(alice: Caller, carol: Caller) -> None:
    path = f"/users/{carol.user.pk}"  # type: ignore[union-attr]
    tag = alice.get(path)["ETag"]
    assert alice.patch(path, {"display_name": "C"}, match=None).status_code == 428
    assert alice.patch(path, {"display_name": "C"}, match=tag).status_code == 200
    assert alice.patch(path, {"display_name": "D"}, match=tag).status_code == 412


def test_administrators_do_not_lock_themselves_out(alice: Caller) -> None:
    binding = RoleBinding.objects.get()
    assert alice.delete(f"/role-bindings/{binding.pk}").status_code == 400
    assert alice.delete(f"/users/{alice.user.pk}").status_code == 400  # type: ignore[union-attr]


def test_a_scope_has_no_table_without_a_database(alice: Caller, carol: Caller) -> None:
    body = {"user": "carol", "role": "viewer", "scope": {"warehouse": "lake", "table": "t"}}
    assert alice.post("/role-bindings", body).json()["code"] == "validation-failed"


def test_me_tells_what_i_may_do_in_a_scope(bob: Caller, table: Table) -> None:
    assert bob.json("/me")["permissions"] == []
    here = bob.json("/me?warehouse=lake&database=db&table=t")
    assert "table:operate" in here["permissions"]
    assert "table:destroy" not in here["permissions"]
    assert here["role"] == "operator"


def test_a_person_changes_language_theme_and_password(bob: Caller) -> None:
    tag = bob.get("/me")["ETag"]
    assert bob.patch("/me", {"language": "zh-hans", "theme": "dark"}, match=tag).json()["theme"] == "dark"
    wrong = bob.post("/me/password", {"current_password": "no", "new_password": "long enough a phrase"})
    assert wrong.json()["errors"][0]["code"] == "wrong-password"
    weak = bob.post("/me/password", {"current_password": PASSWORD, "new_password": "password1234"})
    assert weak.json()["errors"][0]["code"] == "weak-password"
    good = {"current_password": PASSWORD, "new_password": "long enough a phrase"}
    assert bob.post("/me/password", good).status_code == 204
    assert bob.get("/me").status_code == 200


def test_who_has_only_a_session_does_not_find_the_password_out(bob: Caller, settings: Any) -> None:
    settings.SIGN_IN_FREE_FAILURES = 2
    for guess, status in (("no", 400), ("no", 400), (PASSWORD, 429)):
        asked = {"current_password": guess, "new_password": "long enough a phrase"}
        assert bob.post("/me/password", asked).status_code == status
    SignInFailure.objects.update(locked_until=timezone.now())
    assert bob.post("/me/password", asked).status_code == 204
    assert not SignInFailure.objects.exists()


# --- tokens ---------------------------------------------------------------------------------------
def token_of(who: Caller, *scopes: str, days: int = 1, **more: Any) -> Any:
    expires = (timezone.now() + timedelta(days=days)).isoformat()
    return who.post("/tokens", {"name": "ci", "scopes": scopes, "expires_at": expires, **more})


def with_token(text: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {text}"})


def test_a_token_is_shown_once_and_stored_as_a_digest(bob: Caller, table: Table) -> None:
    made = token_of(bob, "meta:read").json()
    assert made["token"].startswith("pmc_")
    assert made["token"] not in str(ApiToken.objects.values_list())
    assert "token" not in bob.json(f"/tokens/{made['id']}")
    assert with_token(made["token"]).get(TABLE).status_code == 200


def test_a_token_does_no_more_than_its_scopes(bob: Caller, table: Table) -> None:
    client = with_token(token_of(bob, "meta:read").json()["token"])
    assert client.post(f"{TABLE}/preview", "{}", content_type="application/json").status_code == 403
    assert client.get(f"{TABLE}/files").json()["items"][0]["min_key"] == "•••"


def test_nobody_gives_a_token_what_they_have_not(vera: Caller, table: Table) -> None:
    assert token_of(vera, "table:operate").json()["permission"] == "table:operate"


def test_a_token_loses_what_its_owner_loses(bob: Caller, table: Table) -> None:
    client = with_token(token_of(bob, "meta:read").json()["token"])
    RoleBinding.objects.all().delete()
    assert client.get(TABLE).status_code == 403


def test_tokens_end(bob: Caller) -> None:
    assert token_of(bob, "meta:read", days=400).json()["code"] == "validation-failed"
    text = token_of(bob, "meta:read").json()["token"]
    ApiToken.objects.update(expiry=timezone.now())
    assert with_token(text).get("/api/v1/me").status_code == 401


def test_a_token_is_tied_to_its_networks(bob: Caller) -> None:
    text = token_of(bob, "meta:read", networks=["10.0.0.0/8"]).json()["token"]
    assert with_token(text).get("/api/v1/me").status_code == 401
    assert with_token(text).get("/api/v1/me", REMOTE_ADDR="10.1.2.3").status_code == 200


def test_a_revoked_token_is_gone_and_others_tokens_are_not_ones_own(bob: Caller, vera: Caller) -> None:
    made = token_of(bob, "meta:read").json()
    assert vera.get(f"/tokens/{made['id']}").status_code == 403
    assert vera.items("/tokens") == []
    assert bob.delete(f"/tokens/{made['id']}").status_code == 204
    assert with_token(made["token"]).get("/api/v1/me").status_code == 401


def test_last_use_is_remembered(bob: Caller) -> None:
    made = token_of(bob, "meta:read").json()
    with_token(made["token"]).get("/api/v1/me")
    assert bob.json(f"/tokens/{made['id']}")["last_used_address"] == "127.0.0.1"


def test_who_gave_the_first_role_is_said_in_a_code_and_in_words(alice: Caller) -> None:
    assert alice.user is not None
    alice.user.role_bindings.update(created_by=SET_UP_LINK)  # type: ignore[attr-defined]
    (binding,) = alice.json("/role-bindings", **{"Accept-Language": "zh"})["items"]
    assert (binding["created_by_code"], binding["created_by"]) == ("set_up_link", "初始化链接")
