"""Ways round the masks that somebody has tried: none of them tells a masked value, or whether it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.accounts.models import RoleBinding
from console.accounts.roles import Scope
from console.jobs.models import VIEW, Job, Plan
from console.jobs.reading import bounds_of, readable
from console.masking.models import MaskingPolicy
from console.warehouses.models import Warehouse
from core import Table, open_catalog
from core.identifier import Identifier
from core.io import LocalFileIO
from core.jobs import Readable
from core.schema.changes import AddColumn
from core.types import parse_type
from tests.console.conftest import TABLE, Caller, person
from tests.console.rest_catalog import LAKE, CatalogClient
from tests.tables import new_table, put

SECRET = "ann@lake.example"


@pytest.fixture
def people(tmp_path: Path, db: None) -> Table:
    made = new_table(
        {"id": "INT NOT NULL", "email": "STRING", "dt": "STRING NOT NULL"}, ["dt", "id"], partition=["dt"],
        io=LocalFileIO(), warehouse=str(tmp_path / "lake"),
    )  # fmt: skip
    put(made, (1, SECRET, "2026-11-19"), (2, "bob@lake.example", "2026-11-20"), (3, None, "2026-11-18"))
    Warehouse.objects.create(name="lake", location=str(tmp_path / "lake"))
    return made


def mask(column: str, kind: str = "hide", **fields: Any) -> MaskingPolicy:
    where = {"warehouse": "lake", "database": "db", "table": "t"}
    return MaskingPolicy.objects.create(**{**where, "column": column, "kind": kind, **fields})


def may_query(who: Caller, warehouse: str, name: Identifier) -> bool:
    row = Warehouse.objects.get(name=warehouse)
    return any(Readable(**one).covers(name) for one in readable(row, who.user.access()))  # type: ignore[union-attr]


def test_nobody_renames_a_table_out_of_its_masks(bob: Caller, people: Table) -> None:
    mask("email")
    names = {"source": {"database": "db", "object": "t"}, "destination": {"database": "db", "object": "u"}}
    reply = CatalogClient(bob.user).ask("POST", f"{LAKE}/tables/rename", names)  # type: ignore[arg-type]
    assert reply.status_code == 403
    assert Path(people.location).exists()


def test_a_query_in_another_warehouse_of_the_place_reads_no_masked_table(
    bob: Caller, people: Table, tmp_path: Path
) -> None:
    mask("email")
    Warehouse.objects.create(name="again", location=str(tmp_path / "lake"))
    RoleBinding.objects.create(user=bob.user, role="operator", warehouse="again", data_unmasked=True)
    assert not may_query(bob, "again", Identifier("db", "t"))


def test_a_right_to_some_tables_of_a_pattern_opens_no_other_to_queries(bob: Caller, people: Table) -> None:
    mask("email", table="t*")
    scope = {"warehouse": "lake", "database": "db", "table": "t?"}
    RoleBinding.objects.create(user=bob.user, role="operator", data_unmasked=True, **scope)
    assert [may_query(bob, "lake", Identifier("db", name)) for name in ("t123", "u", "t1")] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(("pattern", "name"), [("t[1]", "t[1]"), ("[a]*", "[A]x"), ("t[!1]", "t[!1]")])
def test_a_bracket_in_a_policy_is_only_itself(bob: Caller, people: Table, pattern: str, name: str) -> None:
    mask("email", table=pattern)
    assert not may_query(bob, "lake", Identifier("db", name))
    assert MaskingPolicy.objects.get().terms().is_of(Scope("lake", "db", name))


def test_a_query_reads_no_partitions_of_masked_tables_in_tables_of_the_warehouse(
    alice: Caller, people: Table
) -> None:
    assert may_query(alice, "lake", Identifier("sys", "partitions"))
    mask("dt")
    assert not may_query(alice, "lake", Identifier("sys", "partitions"))


@pytest.mark.parametrize("who", ["vera", "bob"])
def test_how_old_a_masked_partition_is_is_not_asked_for(
    who: str, people: Table, request: pytest.FixtureRequest
) -> None:
    mask("dt")
    params = {"action": "expire", "age": "1 d"}
    reply = request.getfixturevalue(who).post(f"{TABLE}/plans", {"kind": "partitions", "params": params})
    assert (reply.status_code, reply.json().get("permission")) == (
        403,
        "data:read" if who == "vera" else "data:unmasked",
    )


def test_plans_tell_masked_partitions_in_no_order_of_theirs(bob: Caller, people: Table) -> None:
    mask("dt")
    labels = sorted(row["partition"] for row in bob.items(f"{TABLE}/partitions"))
    for given in (labels, labels[::-1]):
        params = {"action": "drop", "partitions": given}
        plan = bob.post(f"{TABLE}/plans", {"kind": "partitions", "params": params}).json()
        assert [row["partition"] for row in plan["effects"]["partitions"]] == labels


def test_manifests_tell_no_bounds_of_masked_partitions(bob: Caller, people: Table) -> None:
    mask("dt")
    tree = str(bob.json(f"{TABLE}/snapshots/1/manifests"))
    assert not [row for row in bob.items(f"{TABLE}/partitions") if row["partition"] in tree]


@pytest.mark.parametrize("column", ["props.ssn", "doc.ssn"])
def test_a_member_of_what_has_no_members_masks_all_of_it(bob: Caller, tmp_path: Path, column: str) -> None:
    made = new_table({"id": "INT", "props": "MAP<STRING, STRING>", "doc": "STRING"}, io=LocalFileIO(),
                     warehouse=str(tmp_path / "lake"), bucket="-1")  # fmt: skip
    put(made, (1, [("ssn", "SECRET")], '{"ssn": "SECRET"}'))
    Warehouse.objects.create(name="lake", location=str(tmp_path / "lake"))
    mask(column)
    row = dict(zip(("id", "props", "doc"), bob.post(f"{TABLE}/preview", {}).json()["rows"][0], strict=True))
    assert row[column.partition(".")[0]] == "•••"


def test_who_gets_no_masked_branch_gets_no_files_of_the_table(bob: Caller, people: Table) -> None:
    people.branches.create("b")
    people.with_branch("b").alter([AddColumn(("phone",), parse_type("STRING"))])
    client = CatalogClient(bob.user)  # type: ignore[arg-type]
    table = f"{LAKE}/databases/db/tables/t"
    assert client.ask("GET", table).status_code == 200
    mask("phone")
    assert [client.ask("GET", f"{table}{end}").status_code for end in ("", "$branch_b")] == [403, 403]


def test_no_table_of_another_catalog_leads_to_masked_files(
    bob: Caller, people: Table, tmp_path: Path
) -> None:
    mask("email")
    RoleBinding.objects.create(user=bob.user, role="operator", warehouse="other")
    options = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/names.sqlite"}
    other = Warehouse.objects.create(name="other", location=str(tmp_path / "lake"), options=options)
    catalog = open_catalog(other.catalog_options())
    catalog.create_database("x")
    place = {
        "type": "format-table",
        "file.format": "parquet",
        "path": f"{people.location}/dt=2026-11-19/bucket-0",
    }
    catalog.create_table("x.f", people.schema.fields, options=place)
    told = bob.post("/warehouses/other/databases/x/tables/f/preview", {})
    assert (told.status_code, SECRET in told.content.decode()) == (422, False)
    assert [b["files_within"] for b in [bounds_of(other, bob.user.access(), {})]] == ["/dev/null"]  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", [VIEW, "refresh", "write"])
def test_what_a_job_has_read_elsewhere_is_told_to_who_may_read_that(
    bob: Caller, people: Table, tmp_path: Path, kind: str
) -> None:
    open_catalog(str(tmp_path / "lake")).create_table("db.u", people.schema.fields)
    dana = person("dana", "operator", warehouse="lake", data_unmasked=True)
    RoleBinding.objects.create(user=bob.user, role="operator", warehouse="lake")
    about = {"warehouse": Warehouse.objects.get(), "database": "db", "table": "u", "kind": kind, "level": 0}
    params = {"source": {"kind": "path", "path": people.location, "format": "parquet"}}
    plan = Plan.objects.create(
        **about,
        public_id="p-1",
        params=params,
        effects={},
        work={},
        created_by=dana,
        expires_at=timezone.now(),
    )
    Job.objects.create(
        **about, public_id="j-1", plan=plan, spec={}, requested_by=dana, state="failed",
        problem={"code": "engine", "message": SECRET},
    )  # fmt: skip
    assert SECRET in bob.get("/jobs/j-1").content.decode()
    mask("email")
    needed = "data:read" if kind == "write" else "data:unmasked"
    assert bob.json("/jobs/j-1")["log_needs"] == needed
    assert [bob.get("/jobs/j-1/logs").status_code, SECRET in str(bob.json("/jobs"))] == [403, False]
    assert SECRET in Caller(dana).get("/jobs/j-1").content.decode()


@pytest.mark.parametrize("masked", [False, True])
def test_masks_are_looked_up_as_often_for_many_jobs_as_for_one(
    bob: Caller, people: Table, masked: bool, django_assert_max_num_queries: Any
) -> None:
    lake, dana = Warehouse.objects.get(), person("dana", "operator", warehouse="lake", data_unmasked=True)
    about = {"warehouse": lake, "database": "db", "table": "t", "level": 0}
    params = {"source": {"kind": "path", "path": f"{people.location}/x", "format": "parquet"}}
    for i, kind in enumerate(("write", "refresh") * 10):
        plan = Plan.objects.create(
            **about, kind=kind, public_id=f"p-{i}", params=params, effects={}, work={}, created_by=dana,
            expires_at=timezone.now(),
        )  # fmt: skip
        Job.objects.create(**about, kind=kind, public_id=f"j-{i}", plan=plan, spec={}, requested_by=dana)
    if masked:
        mask("email", table="u")
    with django_assert_max_num_queries(25):
        assert len(bob.items("/jobs")) == 20
