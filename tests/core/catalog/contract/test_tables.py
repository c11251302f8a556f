from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import Catalog, open_catalog
from core.catalog.errors import DatabaseNotFoundError, TableAlreadyExistsError, TableNotFoundError
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import Identifier
from core.io import MemoryFileIO
from core.schema.changes import AddColumn, DropColumn, RenameColumn, SchemaChange, SetOption
from core.types import STRING
from tests.builders import fields
from tests.core.catalog.contract.kinds import Kind
from tests.tables import put

KEYED = {"primary_keys": ["k"], "options": {"bucket": "1"}}


def test_a_created_table_is_empty_and_found(catalog: Catalog) -> None:
    made = catalog.create_table(
        "db.t", fields(k="INT", v="STRING"), primary_keys=["k"], options={"bucket": "2"}, comment="c"
    )
    found = catalog.get_data_table("db.t")
    assert found.schema == made.schema
    assert (found.schema.id, found.schema.primary_keys, found.schema.comment) == (0, ("k",), "c")
    assert found.location == catalog.location("db.t") == f"{catalog.get_database('db').location}/t"
    assert catalog.list_tables("db") == ["t"]
    assert found.to_arrow().num_rows == 0


def test_a_table_is_created_once(catalog: Catalog) -> None:
    first = catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(TableAlreadyExistsError) as refused:
        catalog.create_table("db.t", fields(x="INT"))
    assert refused.value.fields == {"table": "db.t"}
    again = catalog.create_table("db.t", fields(x="INT"), ignore_if_exists=True)
    assert again.schema == first.schema


def test_of_many_who_create_a_table_one_does(catalog: Catalog) -> None:
    def create(number: int) -> bool:
        try:
            catalog.create_table("db.t", fields(**{f"c{number}": "INT"}))
        except TableAlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(create, range(8))) == 1
    assert catalog.list_tables("db") == ["t"]
    assert catalog.get_data_table("db.t").schemas.ids() == [0]


def test_a_schema_that_breaks_a_rule_makes_no_table(catalog: Catalog) -> None:
    with pytest.raises(InvalidRequestError, match="bucket"):
        catalog.create_table("db.t", fields(k="INT"), options={"bucket": "0"})
    assert catalog.list_tables("db") == []


@pytest.mark.parametrize(
    "given", [{"type": "lance-table"}, {"type": "iceberg-table"}, {"path": "/elsewhere/t"}]
)
def test_what_the_catalog_does_not_keep_is_refused_by_name(catalog: Catalog, given: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError, match=next(iter(given))):
        catalog.create_table("db.t", fields(k="INT"), options=given)
    assert catalog.list_tables("db") == []


def test_rows_that_are_written_are_read(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(k="INT", v="STRING"), **KEYED)
    put(table, (1, "a"), (2, "b"))
    put(table, (2, "c"))
    found = catalog.get_table("db.t").to_arrow()
    assert sorted(zip(*found.to_pydict().values(), strict=True)) == [(1, "a"), (2, "c")]
    assert [s.id for s in catalog.get_data_table("db.t").snapshots.iter_all()] == [1, 2]


def test_two_who_commit_at_once_leave_no_gap(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT", v="STRING"), options={"bucket": "-1"})
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda n: put(catalog.get_data_table("db.t"), (n, "x"), user=f"u{n}"), range(6)))
    table = catalog.get_data_table("db.t")
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]
    assert sorted(table.to_arrow()["k"].to_pylist()) == [0, 1, 2, 3, 4, 5]


def test_a_schema_changes_through_the_catalog(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    changes = [AddColumn(("v",), STRING), SetOption("snapshot.num-retained.min", "3")]
    changed = catalog.alter_table("db.t", changes)
    assert changed is not None
    assert changed.schema.field_names == ("k", "v")
    assert catalog.get_data_table("db.t").schema.options["snapshot.num-retained.min"] == "3"
    with pytest.raises(TableNotFoundError):
        catalog.alter_table("db.no", changes)
    assert catalog.alter_table("db.no", changes, ignore_if_missing=True) is None


def test_of_changes_that_do_not_fit_none_is_made(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    with pytest.raises(InvalidRequestError):
        catalog.alter_table("db.t", [AddColumn(("v",), STRING), SetOption("bucket", "0")])
    assert catalog.get_data_table("db.t").schemas.ids() == [0]


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        (DropColumn(("no",)), InvalidRequestError, {"column": "no"}),
        (RenameColumn(("no",), "x"), InvalidRequestError, {"column": "no"}),
        (AddColumn(("v",), STRING), AlreadyExistsError, {"column": "v"}),
        (SetOption("bucket", "many"), InvalidRequestError, {}),
        (SetOption("merge-engine", "no-such"), InvalidRequestError, {}),
    ],
)
def test_a_mistake_in_a_change_is_the_same_error_everywhere(
    catalog: Catalog, change: SchemaChange, error: type[Exception], named: dict[str, str]
) -> None:
    catalog.create_table("db.t", fields(k="INT", v="STRING"), options={"bucket": "-1"})
    with pytest.raises(error) as refused:
        catalog.alter_table("db.t", [SetOption("x", "y"), change])
    assert type(refused.value) is error
    assert named.items() <= refused.value.fields.items()  # type: ignore[attr-defined]
    assert catalog.get_data_table("db.t").schemas.ids() == [0]


def test_names_that_differ_in_letters_alone_are_two_or_refused(catalog: Catalog, kind: Kind) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    assert not catalog.table_exists("db.T")
    if not kind.odd_names:
        with pytest.raises(InvalidRequestError, match="small letters"):
            catalog.create_table("db.T", fields(x="INT"))
        return
    catalog.create_table("db.T", fields(x="INT"))
    assert catalog.list_tables("db") == ["T", "t"]
    assert catalog.get_data_table("db.T").schema.field_names == ("x",)
    catalog.drop_table("db.T")
    assert catalog.list_tables("db") == ["t"]


@pytest.mark.parametrize("name", ["x" * 256, "表" * 86, "\0", "\ud800"])
def test_a_name_that_no_store_takes_is_refused(catalog: Catalog, name: str) -> None:
    for call in (
        lambda: catalog.create_database(name),
        lambda: catalog.create_table(Identifier("db", name), fields(k="INT")),
    ):
        with pytest.raises(InvalidRequestError):
            call()
    assert catalog.list_tables("db") == []


def test_a_table_is_replaced_and_keeps_its_past(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(d="STRING", k="INT"), partition_keys=["d"])
    put(table, ("x", 1))
    made = catalog.replace_table("db.t", fields(d="STRING", n="BIGINT"), partition_keys=["d"], comment="c")
    found = catalog.get_data_table("db.t")
    assert (found.schema.field_names, found.schema.comment, found.schema.id) == (("d", "n"), "c", 1)
    assert found.schema == made.schema
    assert found.to_arrow().num_rows == 0
    put(found, ("x", 7))
    assert found.to_arrow()["n"].to_pylist() == [7]
    assert found.to_arrow(snapshot_id=1)["k"].to_pylist() == [1]
    assert min(f.id for f in found.schema.fields) > table.schema.highest_field_id


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"partition_keys": ["k"]}, UnsupportedError),
        ({"options": {"type": "materialized-table"}}, UnsupportedError),
        ({"options": {"bucket": "0"}}, InvalidRequestError),
        ({"primary_keys": ["no"]}, InvalidRequestError),
    ],
)
def test_a_replacement_that_does_not_fit_changes_nothing(
    catalog: Catalog, given: dict[str, Any], error: type[Exception]
) -> None:
    table = catalog.create_table("db.t", fields(k="INT", v="STRING"), options={"bucket": "-1"})
    put(table, (1, "a"))
    with pytest.raises(error):
        catalog.replace_table("db.t", fields(k="INT"), **given)
    with pytest.raises(TableNotFoundError):
        catalog.replace_table("db.no", fields(k="INT"))
    assert (table.schemas.ids(), table.snapshots.ids()) == ([0], [1])


def test_a_table_gets_another_name_or_that_is_refused(catalog: Catalog, kind: Kind) -> None:
    table = catalog.create_table("db.t", fields(k="INT", v="STRING"), **KEYED)
    put(table, (1, "a"))
    catalog.create_database("other")
    if not kind.renames:
        with pytest.raises(UnsupportedError, match="rename"):
            catalog.rename_table("db.t", "other.u")
        assert catalog.list_tables("db") == ["t"]
        return
    catalog.rename_table("db.t", "other.u")
    assert (catalog.list_tables("db"), catalog.list_tables("other")) == ([], ["u"])
    assert catalog.get_table("other.u").to_arrow().to_pydict() == {"k": [1], "v": ["a"]}


def test_a_table_is_not_renamed_onto_another_or_into_nowhere(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    catalog.create_table("db.u", fields(k="INT"))
    with pytest.raises(TableAlreadyExistsError, match=r"db\.u"):
        catalog.rename_table("db.t", "db.u")
    with pytest.raises(DatabaseNotFoundError, match="no"):
        catalog.rename_table("db.t", "no.t")
    with pytest.raises(TableNotFoundError, match=r"db\.x"):
        catalog.rename_table("db.x", "db.y")
    catalog.rename_table("db.x", "db.y", ignore_if_missing=True)
    assert catalog.list_tables("db") == ["t", "u"]


def test_a_table_goes_with_all_its_files(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"))
    catalog.drop_table("db.t")
    assert not catalog.table_exists("db.t")
    assert made.io.list_files(made.location, recursive=True) == []
    with pytest.raises(TableNotFoundError) as refused:
        catalog.drop_table("db.t")
    assert refused.value.fields == {"table": "db.t"}
    catalog.drop_table("db.t", ignore_if_missing=True)


@pytest.mark.parametrize("drop", ["table", "database"])
def test_files_outside_go_with_their_table_and_no_others(catalog: Catalog, drop: str, tmp_path: Path) -> None:
    if not catalog.warehouse.startswith("/") and catalog.kind != "rest":
        pytest.skip("the store has no folder that the test can see")
    root = {
        "data-file.external-paths": f"file://{tmp_path}/out",
        "data-file.external-paths.strategy": "round-robin",
    }
    catalog.create_database("other")
    table, other = (
        catalog.create_table(name, fields(k="INT", v="STRING"), options={"bucket": "-1", **root})
        for name in ("db.t", "other.t")
    )
    for one in (table, other):
        put(one, (1, "a"))
    table.branches.create("b")
    put(table.with_branch("b"), (2, "b"))
    (tmp_path / "out/bucket-0/not-ours").touch()
    if drop == "table":
        catalog.drop_table("db.t")
    else:
        catalog.drop_database("db", cascade=True)
    assert other.to_arrow().num_rows == 1
    assert len([path for path in (tmp_path / "out").rglob("*") if path.is_file()]) == 2


def test_a_dropped_name_is_free_again(catalog: Catalog) -> None:
    catalog.create_table("db.t", fields(k="INT"))
    catalog.drop_table("db.t")
    catalog.create_table("db.t", fields(x="INT"))
    assert catalog.get_data_table("db.t").schema.field_names == ("x",)


def test_a_table_that_is_not_there_is_named(catalog: Catalog) -> None:
    for call in (catalog.get_table, catalog.get_data_table, catalog.table_facts, catalog.list_partitions):
        with pytest.raises(TableNotFoundError) as refused:
            call("db.t")
        assert refused.value.fields == {"table": "db.t"}
    assert not catalog.table_exists("db.t")
    assert not catalog.table_exists("no.t")


def test_branches_and_system_tables_are_opened_by_name(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(k="INT"))
    table.branches.create("b")
    assert catalog.get_data_table("db.t$branch_b").branch == "b"
    assert catalog.get_table("db.t$branch_b$schemas").to_arrow().num_rows == 1
    with pytest.raises(NotFoundError, match="branch=c"):
        catalog.get_table("db.t$branch_c")
    with pytest.raises(InvalidRequestError):
        catalog.drop_table("db.t$branch_b")
    with pytest.raises(InvalidRequestError):
        catalog.create_table("db.t$branch_b", fields(k="INT"))


def test_a_table_says_what_it_is(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", fields(k="INT"), options={"type": "materialized-table"})
    facts = catalog.table_facts("db.t")
    assert (str(facts.identifier), facts.location, facts.type) == (
        "db.t",
        made.location,
        "materialized-table",
    )
    assert facts.schema == made.schema
    assert facts.uuid
    assert not facts.is_external


def test_tables_come_in_pages_by_pattern_and_by_type(catalog: Catalog, kind: Kind) -> None:
    other = "b%1" if kind.odd_names else "b01"  # both match b_1 if its `_` is any letter
    for name in ("a1", "a2", "b_1", other):
        catalog.create_table(f"db.{name}", fields(k="INT"))
    catalog.create_table("db.m", fields(k="INT"), options={"type": "materialized-table"})
    first = catalog.list_tables_page("db", limit=3)
    assert (first.names, first.next_token) == (("a1", "a2", other), other)
    assert catalog.list_tables_page("db", limit=3, token=other).names == ("b_1", "m")
    assert catalog.list_tables_page("db", pattern="a%").names == ("a1", "a2")
    assert catalog.list_tables_page("db", pattern=r"b\_1").names == ("b_1",)
    assert catalog.list_tables_page("db", type="materialized-table").names == ("m",)
    with pytest.raises(InvalidRequestError):
        catalog.list_tables_page("db", limit=-1)


def test_partitions_are_listed_with_what_they_hold(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(d="STRING", v="INT"), partition_keys=["d"])
    assert catalog.list_partitions("db.t") == []
    put(table, ("x", 1), ("x", 2), (None, 3))
    found = catalog.list_partitions("db.t")
    assert [(p.name, p.statistics.record_count) for p in found] == [
        ("d=__DEFAULT_PARTITION__", 1),
        ("d=x", 2),
    ]
    assert all(p.statistics.file_count == 1 and p.statistics.file_size_in_bytes > 0 for p in found)


def test_who_keeps_no_partitions_marks_none_as_done(catalog: Catalog, kind: Kind) -> None:
    table = catalog.create_table("db.t", fields(d="STRING", v="INT"), partition_keys=["d"])
    if kind.marks_partitions:
        catalog.mark_partitions_done("db.t", [{"d": "x"}])
        assert table.io.exists(f"{table.location}/d=x/_SUCCESS")
        return
    with pytest.raises(UnsupportedError, match="done"):
        catalog.mark_partitions_done("db.t", [{"d": "x"}])


def test_defaults_of_the_catalog_stand_where_a_table_says_nothing(options: dict[str, str]) -> None:
    catalog = open_catalog({**options, "table-default.file.format": "orc", "table-default.bucket": "3"})
    catalog.create_database("db")
    made = catalog.create_table("db.t", fields(k="INT"), primary_keys=["k"], options={"bucket": "1"})
    # As it is stored: a catalog with locks adds an option to what it opens.
    assert made.schemas.latest().options == {"file.format": "orc", "bucket": "1"}
    assert catalog.create_table("db.u", fields(k="INT"), primary_keys=["k"]).schema.options["bucket"] == "3"


def test_a_catalog_and_its_tables_travel_to_executors(catalog: Catalog) -> None:
    if isinstance(catalog.io, MemoryFileIO):
        pytest.skip("a memory store cannot leave its process")
    catalog.create_table("db.t", fields(k="INT", v="STRING"), **KEYED)
    copy = pickle.loads(pickle.dumps(catalog))
    table = pickle.loads(pickle.dumps(copy.get_data_table("db.t")))
    put(table, (1, "a"))
    assert catalog.get_table("db.t").to_arrow().num_rows == 1


def test_a_catalog_shows_no_secret(catalog: Catalog, options: dict[str, str]) -> None:
    secrets = [value for key, value in options.items() if "secret" in key or "password" in key]
    shown = repr(catalog) + str(catalog.get_table("sys.catalog_options").to_arrow().to_pydict())
    assert not [secret for secret in secrets if secret in shown]


def test_a_table_can_be_made_after_arrow_data(catalog: Catalog) -> None:
    made = catalog.create_table("db.t", pa.schema([("k", pa.int64()), ("v", pa.list_(pa.string()))]))
    assert made.arrow_schema.names == ["k", "v"]
