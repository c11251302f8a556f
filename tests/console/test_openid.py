"""Signing in by a real OpenID Connect provider (npm's oidc-provider) that runs beside the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError

from console.accounts.models import RoleBinding, User
from console.audit.models import AuditEvent
from console.openid.client import PROBLEMS, problem_of
from console.openid.models import GroupRole, Identity, Provider
from console.web.messages import MESSAGES
from tests.console.conftest import PASSWORD, person
from tests.console.openid import PUBLIC, SECRET, Person, RunningProvider

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProvider]:
    provider = RunningProvider(tmp_path_factory.mktemp("provider"))
    provider.people = {
        name: {"preferred_username": name, "name": f"{name} of the provider", "groups": ["lake-team"]}
        for name in ("ina", "bob")
    }
    provider.people["odd"] = {"preferred_username": "two words"}
    provider.start()
    yield provider
    provider.stop()


@pytest.fixture
def corporate(running: RunningProvider, settings: Any, db: None) -> Provider:
    settings.PUBLIC_URL = PUBLIC
    row = Provider(name="corporate", label="Corporate", issuer=running.address, client_id="lakescope")
    row.client_secret = SECRET
    row.save()
    GroupRole.objects.create(provider=row, group="lake-team", role="operator", warehouse="lake")
    return row


@pytest.fixture
def ina() -> Person:
    return Person()


def roles(username: str) -> list[str]:
    return sorted(b.described() for b in RoleBinding.objects.filter(user__username=username))


def alert(reply: Any) -> str:
    return str(reply.content.decode().partition('role="alert"')[2].partition("</p>")[0])


# --- the way there and back -----------------------------------------------------------------------
def test_the_sign_in_page_has_a_button_for_each_provider_in_both_languages(
    corporate: Provider, ina: Person
) -> None:
    for language, word in (("en", "Sign in with Corporate"), ("zh", "使用 Corporate 登录")):
        page = ina.console.get("/sign-in", {"next": "/w/lake?at=4"}, headers={"Accept-Language": language})
        assert word in page.content.decode()
        assert "/sign-in/corporate?next=%2Fw%2Flake%3Fat%3D4" in page.content.decode()


def test_a_disabled_provider_is_not_offered_and_signs_nobody_in(corporate: Provider, ina: Person) -> None:
    Provider.objects.update(is_enabled=False)
    assert "Corporate" not in ina.console.get("/sign-in").content.decode()
    assert ina.console.get("/sign-in/corporate").status_code == 404


def test_a_newcomer_gets_an_account_and_the_roles_of_the_groups(corporate: Provider, ina: Person) -> None:
    back = ina.sign_in("ina", target="/w/lake?at=4")
    assert (back.status_code, back["Location"]) == (302, "/w/lake?at=4")
    me = ina.me()
    assert (me["username"], me["display_name"], me["role"]) == ("ina", "ina of the provider", "operator")
    assert roles("ina") == ["operator lake"]
    assert me["role_bindings"][0]["created_by_code"] == "identity_provider"
    assert not User.objects.get().has_usable_password()
    assert AuditEvent.objects.filter(action="sign in", outcome="ok", actor="ina").exists()


def test_the_question_has_a_challenge_a_state_and_a_nonce(corporate: Provider, ina: Person) -> None:
    asked = parse_qs(urlsplit(ina.leave()).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert all(len(asked[name][0]) >= 20 for name in ("code_challenge", "state", "nonce"))
    assert asked["redirect_uri"] == [f"{PUBLIC}/sign-in/corporate/callback"]


def test_the_provider_leads_to_no_other_site_afterwards(corporate: Provider, ina: Person) -> None:
    assert ina.sign_in("ina", target="https://elsewhere.example/")["Location"] == "/"


def test_a_local_account_signs_in_as_ever(corporate: Provider, ina: Person) -> None:
    person("local")
    reply = ina.console.post("/sign-in", {"username": "local", "password": PASSWORD})
    assert (reply.status_code, ina.me()["username"]) == (302, "local")


def test_signing_out_shows_the_way_out_of_the_provider(corporate: Provider, ina: Person) -> None:
    ina.sign_in("ina")
    page = ina.console.post("/sign-out")
    assert page.status_code == 200
    assert ina.me() == {}
    address = page.context["elsewhere"]
    assert address.startswith(corporate.issuer)
    assert "Do you want to sign-out" in ina.get_at_provider(address).text


# --- who is who -----------------------------------------------------------------------------------
def test_the_subject_and_not_the_name_says_who_somebody_is(
    corporate: Provider, ina: Person, running: RunningProvider
) -> None:
    ina.sign_in("ina")
    User.objects.update(username="renamed")
    again = Person()
    again.sign_in("ina")
    assert again.me()["username"] == "renamed"
    assert User.objects.count() == 1


def test_an_account_of_the_same_name_is_linked_by_its_password(corporate: Provider, ina: Person) -> None:
    person("bob", "viewer", warehouse="other")
    page = ina.sign_in("bob", target="/jobs")
    assert page.status_code == 200
    assert ina.me() == {}
    assert ina.console.post("/sign-in/corporate/link", {"password": "wrong"}).status_code == 400
    reply = ina.console.post("/sign-in/corporate/link", {"password": PASSWORD})
    assert (reply.status_code, reply["Location"]) == (302, "/jobs")
    assert roles("bob") == ["operator lake", "viewer other"]
    again = Person()
    again.sign_in("bob")
    assert again.me()["username"] == "bob"


def test_guessing_at_the_link_page_locks_as_at_sign_in(
    corporate: Provider, ina: Person, settings: Any
) -> None:
    settings.SIGN_IN_FREE_FAILURES = 1
    person("bob")
    ina.sign_in("bob")
    assert ina.console.post("/sign-in/corporate/link", {"password": "wrong"}).status_code == 400
    assert ina.console.post("/sign-in/corporate/link", {"password": PASSWORD}).status_code == 429
    assert not Identity.objects.exists()


def test_nobody_links_without_having_been_at_the_provider(corporate: Provider, ina: Person) -> None:
    person("bob")
    reply = ina.console.post("/sign-in/corporate/link", {"password": PASSWORD})
    assert (reply.status_code, ina.me()) == (403, {})


def test_a_trusted_provider_links_by_the_name_alone(corporate: Provider, ina: Person) -> None:
    Provider.objects.update(links_by_username=True)
    person("bob")
    ina.sign_in("bob")
    assert ina.me()["username"] == "bob"


# --- roles by group -------------------------------------------------------------------------------
def test_roles_follow_the_groups_from_sign_in_to_sign_in(
    corporate: Provider, ina: Person, running: RunningProvider
) -> None:
    GroupRole.objects.create(provider=corporate, group="*", role="viewer")
    ina.sign_in("ina")
    RoleBinding.objects.create(user=User.objects.get(), role="viewer", warehouse="by-hand")
    assert roles("ina") == ["operator lake", "viewer *", "viewer by-hand"]
    before = running.people["ina"]
    running.people["ina"] = before | {"groups": []}
    running.write()
    Person().sign_in("ina")
    assert roles("ina") == ["viewer *", "viewer by-hand"]
    running.people["ina"] = before
    running.write()


# --- what is refused, and how it is told ----------------------------------------------------------
def test_an_answer_for_another_browser_is_refused(corporate: Provider, ina: Person) -> None:
    back = ina.come_back(ina.leave(), "ina")
    reply = Person().console.get(back)
    assert reply.status_code == 403
    assert "begun in this browser" in alert(reply)


def test_an_answer_is_used_once(corporate: Provider, ina: Person) -> None:
    back = ina.come_back(ina.leave(), "ina")
    ina.console.get(back)
    ina.console.post("/sign-out")
    assert ina.console.get(back).status_code == 403


def test_words_that_somebody_made_up_are_not_shown(corporate: Provider, ina: Person) -> None:
    reply = ina.console.get("/sign-in/corporate/callback?error=x&error_description=call+0900+now")
    assert reply.status_code == 403
    assert "0900" not in reply.content.decode()


@pytest.mark.parametrize(
    ("part", "found"), [("nonce", "nonce"), ("code_verifier", "invalid_grant"), ("redirect_uri", "invalid")]
)
def test_what_was_asked_and_what_is_answered_have_to_fit(
    corporate: Provider, ina: Person, part: str, found: str
) -> None:
    back = ina.come_back(ina.leave(), "ina")
    session = ina.console.session
    (asked,) = (name for name, _ in session.items() if name.startswith("_state_"))
    session[asked]["data"][part] = "something-else-of-at-least-forty-three-characters"
    session.save()
    reply = ina.console.get(back)
    assert reply.status_code == 403
    assert found in reply.content.decode()
    assert ina.me() == {}


def test_an_answer_that_names_another_issuer_is_refused(corporate: Provider, ina: Person) -> None:
    back = ina.come_back(ina.leave(), "ina")
    honest = f"iss={corporate.issuer.replace(':', '%3A').replace('/', '%2F')}"
    assert honest in back
    assert ina.console.get(back.replace(honest, "iss=https%3A%2F%2Fevil.example")).status_code == 403


def test_a_no_at_the_provider_is_told(corporate: Provider, ina: Person) -> None:
    asked = parse_qs(urlsplit(ina.leave()).query)
    reply = ina.console.get(
        "/sign-in/corporate/callback",
        {"error": "access_denied", "state": asked["state"][0], "iss": corporate.issuer},
    )
    assert "Corporate did not sign you in" in alert(reply)
    assert "access_denied" in reply.content.decode()
    assert AuditEvent.objects.filter(outcome="denied", target="provider:corporate").exists()


def test_a_wrong_client_secret_is_told(corporate: Provider, ina: Person) -> None:
    corporate.client_secret = "another"
    corporate.save()
    reply = ina.sign_in("ina")
    assert (reply.status_code, "invalid_client" in reply.content.decode()) == (403, True)


def test_a_deactivated_person_is_refused(corporate: Provider, ina: Person) -> None:
    ina.sign_in("ina")
    User.objects.update(is_active=False)
    assert "deactivated" in alert(Person().sign_in("ina"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"creates_people": False}, "makes no accounts"), ({"username_claim": "nick"}, "told no user name")],
)
def test_who_has_no_account_is_told_why(
    corporate: Provider, ina: Person, changed: dict[str, Any], words: str
) -> None:
    Provider.objects.update(**changed)
    assert words in alert(ina.sign_in("ina"))
    assert not User.objects.exists()


def test_a_name_that_cannot_be_one_here_is_refused(corporate: Provider, ina: Person) -> None:
    assert "cannot be one here" in alert(ina.sign_in("odd"))


# --- the provider itself --------------------------------------------------------------------------
def test_a_provider_that_does_not_answer_is_told(corporate: Provider, ina: Person) -> None:
    Provider.objects.update(issuer="http://127.0.0.1:9")
    reply = ina.console.get("/sign-in/corporate")
    assert (reply.status_code, "does not answer" in alert(reply)) == (502, True)


def test_new_keys_at_the_provider_change_nothing_here(
    corporate: Provider, ina: Person, running: RunningProvider
) -> None:
    ina.sign_in("ina")
    running.stop()
    running.start()
    again = Person()
    again.sign_in("ina")
    assert again.me()["username"] == "ina"


def test_a_document_of_another_issuer_is_refused(
    corporate: Provider, ina: Person, running: RunningProvider
) -> None:
    running.stop()
    running.start(issuer="https://elsewhere.example")
    reply = ina.console.get("/sign-in/corporate")
    running.stop()
    running.start()
    assert (reply.status_code, "elsewhere.example" in reply.content.decode()) == (502, True)


# --- what administrators are told -----------------------------------------------------------------
def test_the_secret_is_encrypted_at_rest(corporate: Provider) -> None:
    assert SECRET not in Provider.objects.values().get()["encrypted_client_secret"]
    assert Provider.objects.get().client_secret == SECRET


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"issuer": "http://login.example"}, "has to be an https address"),
        ({"scopes": "profile"}, "scope openid"),
        ({"encrypted_client_secret": "gibberish"}, "another key"),
    ],
)
def test_manage_py_check_names_what_cannot_work(
    corporate: Provider, changed: dict[str, Any], words: str
) -> None:
    Provider.objects.update(**changed)
    with pytest.raises(SystemCheckError, match=words):
        call_command("check", databases=["default"])


def test_manage_py_check_names_likely_slips(corporate: Provider, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check", databases=["default"])
    assert "no warehouse is called lake" in capsys.readouterr().err
    GroupRole.objects.all().delete()
    call_command("check", databases=["default"])
    assert "No group has a role" in capsys.readouterr().err


def test_a_provider_is_registered_by_a_command(
    running: RunningProvider, db: None, settings: Any, tmp_path: Path, ina: Person
) -> None:
    settings.PUBLIC_URL = PUBLIC
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    call_command(
        "openid_provider", "corporate", f"--issuer={running.address}", "--client-id=lakescope",
        f"--client-secret-file={tmp_path / 'secret'}", "--group-role=lake-team=operator lake.db data_read",
    )  # fmt: skip
    ina.sign_in("ina")
    assert roles("ina") == ["operator lake.db data_read"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--issuer=http://login.example", "--client-id=c"], "issuer: This has to be an https address"),
        (["--issuer=http://127.0.0.1:9", "--client-id=c"], "openid.unreachable"),
        (["--issuer=https://login.example", "--client-id=c", "--group-role=team"], "is not GROUP=ROLE SCOPE"),
    ],
)
def test_the_command_names_what_cannot_work(db: None, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("openid_provider", "corporate", *arguments)


def test_a_provider_is_asked_whether_it_would_do(corporate: Provider) -> None:
    assert problem_of(corporate) is None
    corporate.issuer = "http://127.0.0.1:9"
    found = problem_of(corporate)
    assert found is not None
    assert found.code == "openid.unreachable"


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_every_way_to_fail_has_words(code: str) -> None:
    assert all(words[code] for words in MESSAGES.values())
