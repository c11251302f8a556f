"""Masking policies: what of a masked column is told to whom, and that there is no other way to its values."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from console.accounts.models import RoleBinding
from console.accounts.roles import EVERYTHING, Scope
from console.api.errors import Problem
from console.audit.models import AuditEvent
from console.jobs.reading import readable
from console.masking.asked import unveiled
from console.masking.models import MaskingPolicy
from console.masking.policies import Kind, Mask, Policy
from console.masking.sight import Sight
from console.masking.veil import Veil
from console.warehouses.models import Warehouse
from core import Table
from core.identifier import Identifier
from core.io import LocalFileIO
from core.jobs import Readable
from core.schema.changes import AddColumn, RenameColumn
from core.types import parse_type
from tests.console.conftest import TABLE, Caller, person
from tests.console.rest_catalog import TABLE as SERVED
from tests.console.rest_catalog import CatalogClient
from tests.tables import compact, new_table, put

COLUMNS = {
    "id": "INT NOT NULL", "email": "STRING", "card": "STRING", "home": "ROW<zip STRING, city STRING>",
    "dt": "STRING NOT NULL",
}  # fmt: skip
PEOPLE = (
    (1, "ann@lake.example", "4111111111111111", ("10115", "Berlin"), "2026-11-19"),
    (2, "bob@lake.example", "4222222222222222", ("80331", "Munich"), "2026-11-20"),
    (3, "ann@lake.example", None, None, "2026-11-20"),
)


@pytest.fixture
def people(tmp_path: Path, db: None) -> Table:
    made = new_table(
        COLUMNS, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(tmp_path / "lake")
    )
    put(made, *PEOPLE)
    Warehouse.objects.create(name="lake", location=str(tmp_path / "lake"))
    return made


@pytest.fixture
def dana(db: None) -> Caller:
    """An operator who sees through the masks."""
    return Caller(person("dana", "operator", warehouse="lake", database="db", data_unmasked=True))


def mask(column: str, kind: str, **fields: Any) -> MaskingPolicy:
    where = {"warehouse": "lake", "database": "db", "table": "t"}
    return MaskingPolicy.objects.create(**{**where, "column": column, "kind": kind, **fields})


def rows(who: Caller, **asked: Any) -> list[dict[str, Any]]:
    reply = who.post(f"{TABLE}/preview", asked)
    assert reply.status_code == 200, reply.content
    told = reply.json()
    names = [column["name"] for column in told["columns"]]
    return sorted((dict(zip(names, row, strict=True)) for row in told["rows"]), key=lambda r: r["id"])


def partitions(who: Caller) -> list[str]:
    return [row["partition"] for row in who.items(f"{TABLE}/partitions?sort=partition")]


# --- rows -----------------------------------------------------------------------------------------
def test_each_kind_tells_what_it_says(bob: Caller, people: Table) -> None:
    for column, kind, keep in (("email", "hash", 0), ("card", "partial", 4), ("home.zip", "hide", 0)):
        mask(column, kind, keep=keep)
    ann, other, again = rows(bob)
    assert ann["email"].startswith("•••")
    assert ann["email"] == again["email"] != other["email"]
    assert [ann["card"], again["card"]] == ["•••1111", None]
    assert ann["home"] == {"zip": "•••", "city": "Berlin"}


def test_the_right_is_nobodys_by_a_role_and_sees_through(alice: Caller, dana: Caller, people: Table) -> None:
    mask("email", "hide")
    assert {row["email"] for row in rows(alice)} == {"•••"}
    assert rows(dana)[0]["email"] == "ann@lake.example"
    RoleBinding.objects.filter(user=alice.user).update(data_unmasked=True)
    assert rows(alice)[0]["email"] == "ann@lake.example"


def test_a_token_sees_no_more_than_its_scopes_say(dana: Caller, people: Table) -> None:
    mask("email", "hide")
    soon = (timezone.now() + timedelta(days=1)).isoformat()
    for scopes, told in ((["data:read"], "•••"), (["data:read", "data:unmasked"], "ann@lake.example")):
        text = dana.post("/tokens", {"name": "t", "scopes": scopes, "expires_at": soon}).json()["token"]
        assert rows(Caller(None, Authorization=f"Bearer {text}"))[0]["email"] == told


def test_a_renamed_column_stays_masked_and_so_does_a_new_one_of_its_name(bob: Caller, people: Table) -> None:
    mask("email", "hide")
    old = next(row["name"] for row in bob.items(f"{TABLE}/files"))
    now = people.alter([RenameColumn(("email",), "contact"), AddColumn(("email",), parse_type("STRING"))])
    put(now, (4, "cid@lake.example", None, None, "2026-11-20", "cid@lake.example"))
    assert {(row["contact"], row["email"]) for row in rows(bob)} == {("•••", "•••")}
    raw = bob.post(f"{TABLE}/preview", {"file": old}).content.decode()
    assert "lake.example" not in raw


def test_a_table_without_the_column_is_as_before(bob: Caller, people: Table) -> None:
    mask("salary", "hide", database=None, table=None)
    assert bob.post(f"{TABLE}/preview", {"filter": "email LIKE 'ann%'"}).status_code == 200
    name = bob.items(f"{TABLE}/files")[0]["name"]
    assert bob.json(f"{TABLE}/files/{name}")["redacted"] is False


@pytest.mark.parametrize("table", ["T", "?", "*", None])
def test_letters_and_patterns_of_a_policy_reach_the_table(bob: Caller, people: Table, table: str) -> None:
    mask("EMAIL", "hide", table=table)
    assert {row["email"] for row in rows(bob)} == {"•••"}


def test_a_filter_on_a_masked_column_is_refused_by_name(bob: Caller, dana: Caller, people: Table) -> None:
    mask("email", "hash")
    asked = {"filter": "id > 0 AND email LIKE 'ann%'"}
    problem = bob.post(f"{TABLE}/preview", asked).json()
    assert problem["errors"][0]["pointer"] == "/filter"
    assert "email" in problem["errors"][0]["detail"]
    assert "data:unmasked" in problem["errors"][0]["detail"]
    assert len(rows(dana, **asked)) == 2
    assert bob.get(f"{TABLE}/system/ro?filter={quote('email IS NULL')}").status_code == 400
    assert "ann%" not in repr(list(AuditEvent.objects.values("detail")))


@pytest.mark.parametrize("system", ["ro", "audit_log", "binlog"])
def test_system_tables_of_rows_mask_them_too(bob: Caller, people: Table, system: str) -> None:
    mask("email", "partial", keep=7), mask("home.city", "hide")
    compact(people)  # $ro tells what is compacted
    told = str(bob.json(f"{TABLE}/system/{system}"))
    assert "10115" in told
    assert not [word for word in ("ann@", "Berlin") if word in told]


# --- metadata -------------------------------------------------------------------------------------
def test_statistics_tell_the_other_columns(bob: Caller, people: Table) -> None:
    mask("email", "hash")
    name = bob.items(f"{TABLE}/files")[0]["name"]
    told = {column["name"]: column["min"] for column in bob.json(f"{TABLE}/files/{name}")["columns"]}
    assert (told["email"], told["id"]) == ("•••", "1")
    assert not [c for c in bob.json(f"{TABLE}/files/{name}/footer")["footer"]["columns"] if "@" in str(c)]


def test_keys_with_a_masked_column_are_dots_and_not_probed(bob: Caller, dana: Caller, people: Table) -> None:
    mask("id", "hide")
    label = partitions(bob)[0]
    assert {row["min_key"] for row in bob.items(f"{TABLE}/files")} == {"•••"}
    assert set(bob.json(f"{TABLE}/buckets/{quote(label)}/0/lsm")["keys"]) == {"•••"}
    probe = f"{TABLE}/buckets/{quote(label)}/0/probe"
    assert bob.post(probe, {"key": {"id": "1"}}).json()["permission"] == "data:unmasked"
    assert dana.post(probe, {"key": {"id": "1"}}).status_code == 200


# --- partitions -----------------------------------------------------------------------------------
def test_stand_ins_take_the_place_of_sensitive_partitions_for_who_may_not_read_data(
    vera: Caller, bob: Caller, people: Table
) -> None:
    mask("dt", "sensitive")
    assert partitions(bob) == ["dt=2026-11-19", "dt=2026-11-20"]
    assert len(set(partitions(vera))) == 2
    for label in partitions(vera):
        assert label.startswith("dt=•••")
        assert vera.get(f"{TABLE}/buckets/{quote(label)}/0/lsm").status_code == 200
        assert len(vera.items(f"{TABLE}/files?partition={quote(label)}")) == 1
    assert vera.items(f"{TABLE}/files?partition=dt%3D2026-11-19") == []
    assert vera.get(f"{TABLE}/buckets/dt%3D2026-11-19/0/lsm").status_code == 404


def test_plans_take_stand_ins_and_no_guesses(bob: Caller, dana: Caller, people: Table) -> None:
    mask("dt", "hide")
    first = partitions(bob)[0]
    params = {"action": "drop", "partitions": [first]}
    plan = bob.post(f"{TABLE}/plans", {"kind": "partitions", "params": params}).json()
    assert [p["partition"] for p in plan["effects"]["partitions"]] == [first]
    seen = dana.json(f"/plans/{plan['id']}")["effects"]["partitions"][0]["partition"]
    assert seen in partitions(dana)
    for guess in ("dt=2026-11-19", "DT=2026-11-19", "dt=2027-01-01"):
        wrong = bob.post(f"{TABLE}/plans", {"kind": "compact", "params": {"partitions": [guess]}})
        assert (wrong.status_code, wrong.json()["permission"]) == (403, "data:unmasked")
    for kind, where in (("compact", "dt = '2026-11-19'"), ("vectors", "`DT` > '2026-11-18'")):
        wrong = bob.post(f"{TABLE}/plans", {"kind": kind, "params": {"where": where}})
        assert (wrong.status_code, wrong.json()["permission"]) == (403, "data:unmasked")


def test_where_a_schema_cannot_be_read_nothing_is_told(bob: Caller, people: Table) -> None:
    mask("email", "hide")
    people.alter([RenameColumn(("email",), "contact")])
    Path(people.location, "schema", "schema-0").write_text("no schema")
    assert bob.post(f"{TABLE}/preview", {}).status_code >= 400
    assert "lake.example" not in bob.get(f"{TABLE}/files").content.decode()


def test_another_name_of_the_place_opens_nothing(bob: Caller, people: Table, tmp_path: Path) -> None:
    mask("email", "hide")
    Warehouse.objects.create(name="again", location=str(tmp_path / "lake"))
    RoleBinding.objects.create(user=bob.user, role="operator", warehouse="again")
    told = bob.post(TABLE.replace("/lake/", "/again/") + "/preview", {}).content.decode()
    assert "•••" in told
    assert "lake.example" not in told


# --- files and queries ----------------------------------------------------------------------------
def test_a_query_may_name_no_table_with_masks(bob: Caller, dana: Caller, people: Table) -> None:
    mask("email", "hash")
    lake = Warehouse.objects.get()
    (may,) = [Readable(**named) for named in readable(lake, bob.user.access())]  # type: ignore[union-attr]
    assert [may.covers(Identifier("db", name)) for name in ("t", "T", "u")] == [False, False, True]
    (all_,) = [Readable(**named) for named in readable(lake, dana.user.access())]  # type: ignore[union-attr]
    assert all_.covers(Identifier("db", "t"))


@pytest.mark.parametrize("path", ["", "$branch_b/snapshots", "/partitions", "/snapshots"])
def test_the_rest_catalog_opens_a_table_with_masks_to_who_sees_through_them(
    bob: Caller, dana: Caller, people: Table, path: str
) -> None:
    mask("email", "hash")
    refused, may = (CatalogClient(who.user) for who in (bob, dana))  # type: ignore[arg-type]
    assert refused.ask("GET", f"{SERVED}{path}").status_code == 403
    assert may.ask("GET", f"{SERVED}{path}").status_code != 403
    assert refused.get(SERVED.removesuffix("/t"))["tables"] == ["t"]


# --- policies -------------------------------------------------------------------------------------
def test_policies_are_set_listed_audited_and_taken_away(alice: Caller, bob: Caller, people: Table) -> None:
    scope = {"warehouse": "lake", "database": "db", "table": "t"}
    made = alice.post("/masking-policies", {"scope": scope, "column": "email", "kind": "hash"})
    assert made.status_code == 201
    listed = alice.items("/masking-policies")
    assert [(row["scope_text"], row["column"], row["created_by"]) for row in listed] == [
        ("lake.db.t", "email", "alice")
    ]
    assert "key" not in listed[0]
    assert alice.delete(f"/masking-policies/{made.json()['id']}").status_code == 204
    assert [e.action for e in AuditEvent.objects.filter(action__contains="Masking").order_by("id")] == [
        "create_masking_policy", "delete_masking_policy",
    ]  # fmt: skip
    assert rows(bob)[0]["email"] == "ann@lake.example"


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [({"kind": "partial"}, "/keep"), ({"kind": "hide", "keep": 3}, "/keep"), ({"column": "a..b"}, "/column"),
     ({"kind": "blur"}, "/kind"), ({"scope": {"table": "t"}}, "/scope")],
)  # fmt: skip
def test_a_wrong_policy_is_refused_with_its_member(
    alice: Caller, wrong: dict[str, Any], pointer: str
) -> None:
    body = {"scope": {"warehouse": "lake"}, "column": "email", "kind": "hide"} | wrong
    problem = alice.post("/masking-policies", body)
    assert problem.status_code == 400
    assert pointer in [error["pointer"] for error in problem.json()["errors"]]


def test_a_key_is_its_policys_own_and_encrypted(db: None) -> None:
    one, other = mask("a", "hash"), mask("b", "hash")
    assert one.policy().key != other.policy().key
    assert one.policy().key.hex() not in one.encrypted_key


@pytest.mark.parametrize(
    "text",
    ["s3://lake/t/dt=SECRET/bucket-0/data-1.parquet", "dt=SECRET,hr=07", "/t/dt=SECRET", "dt = 'SECRET'",
     "a > 1 AND dt IN ('SECRET')", "no partition (path=/t/dt=SEC,RET/bucket-0)", "{'dt': 'SECRET'}",
     "buckets/dt%3DSECRET/0", "DT='SEC,RET'", "`dt` >= 'SECRET'", "dt==SECRET", "hr=1/dt=SECRET",
     "分区dt=SECRET不存在", "列dt：'SECRET'", "列“dt”：SECRET", "列dt = SECRET"],
)  # fmt: skip
def test_no_text_tells_a_value_after_the_name_of_a_masked_column(text: str) -> None:
    policy = Policy(EVERYTHING, ("dt",), Kind.HIDE, key=b"key")
    veil = Veil(Sight(masks=(Mask(policy, frozenset({("dt",)})),)))
    told = veil.text(text)
    assert not [part for part in ("SEC", "RET") if part in told]
    assert veil.text(told) == told
    assert veil.clean({"partition": {"dt": "SECRET", "hr": 7}})["partition"]["hr"] == 7


def test_a_condition_names_a_masked_column_however_it_is_quoted(db: None) -> None:
    policy = Policy(EVERYTHING, ("a`b",), Kind.HIDE, key=b"key")
    sight = Sight(masks=(Mask(policy, frozenset({("a`b",)})),))
    with pytest.raises(Problem):
        unveiled({"where": "`A``b` = 1"}, sight=sight, keys=["a`b"], scope=Scope("lake"), known=dict)
