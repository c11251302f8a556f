"""Each operation on each type of table is done, or refused by the type's name, as docs/catalogs.md has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core import Table, open_catalog
from core.arrow import arrow_schema
from core.catalog import Catalog
from core.errors import InvalidRequestError, UnsupportedError
from core.format_table import FormatTable
from core.identifier import Identifier
from core.maintenance.tags import plan_create_tag
from core.schema.changes import SetOption
from core.schema.create import initial_schema
from core.schema.table_type import TableType
from tests.builders import fields
from tests.table_types import OPERATIONS, types
from tests.tables import put

COLUMNS = fields(k="INT", p="STRING")


def create(catalog: Catalog, kind: str, name: str = "db.t") -> None:
    keys = {} if kind == "object-table" else {"partition_keys": ["p"]}
    catalog.create_table(name, COLUMNS, **keys, options={"type": kind})


@pytest.fixture
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """With `db.t` of the type that the test asks for; references to other formats are made by others."""
    made, kind = open_catalog(str(tmp_path)), request.getfixturevalue("kind")
    made.create_database("db")
    if OPERATIONS[kind]["made"]:
        create(made, kind)
    else:
        reference = Table(made.io, f"{tmp_path}/db.db/t", Identifier("db", "t"))
        reference.schemas.create(initial_schema(COLUMNS, options={"type": kind}, time_millis=1))
    return made


def show(catalog: Catalog, kind: str) -> None:
    assert (catalog.list_tables("db"), catalog.table_facts("db.t").type) == (["t"], kind)
    assert catalog.list_tables_page("db", type=kind).names == ("t",)


def alter(catalog: Catalog, kind: str) -> None:
    changed = catalog.alter_table("db.t", [SetOption("x", "y")])
    assert changed is not None
    assert changed.schema.options["x"] == "y"


def rename(catalog: Catalog, kind: str) -> None:
    catalog.rename_table("db.t", "db.u")
    catalog.drop_table("db.u")
    assert catalog.list_tables("db") == []


def write(catalog: Catalog, kind: str) -> None:
    found = catalog.get_table("db.t")
    if isinstance(found, FormatTable):
        found.append(pa.table({"k": [1], "p": ["x"]}, schema=arrow_schema(found.schema.fields)))
    else:
        put(catalog.get_data_table("db.t"), (1, "x"))
    assert catalog.get_table("db.t").to_arrow().num_rows == 1


def partitions(catalog: Catalog, kind: str) -> None:
    write(catalog, kind)
    assert [partition.name for partition in catalog.list_partitions("db.t")] == ["p=x"]


def snapshots(catalog: Catalog, kind: str) -> None:
    assert catalog.get_table("db.t$snapshots").to_arrow().num_rows == 0
    write(catalog, kind)
    plan_create_tag(catalog.get_data_table("db.t"), "v", now_millis=0)


DONE: dict[str, Callable[[Catalog, str], Any]] = {
    "made": lambda catalog, kind: create(catalog, kind, "db.other"),
    "listed and shown": show,
    "altered": alter,
    "renamed and dropped": rename,
    "read": lambda catalog, kind: catalog.get_table("db.t").to_arrow(),
    "written": write,
    "partitions": partitions,
    "snapshots": snapshots,
}


def test_every_type_and_every_operation_is_told() -> None:
    assert set(OPERATIONS) == {str(kind) for kind in TableType}
    assert all(set(told) == set(DONE) for told in OPERATIONS.values())
    assert types("snapshots", True) == [kind for kind in TableType if kind.has_snapshots]


@pytest.mark.parametrize("operation", DONE)
@pytest.mark.parametrize("kind", OPERATIONS)
def test_it_is_done_or_refused_as_it_is_told(catalog: Catalog, kind: str, operation: str) -> None:
    if OPERATIONS[kind][operation]:
        DONE[operation](catalog, kind)
        return
    before = sorted(status.path for status in catalog.io.iter_tree(catalog.warehouse))
    with pytest.raises((UnsupportedError, InvalidRequestError), match=kind.replace("-", "[- ]")):
        DONE[operation](catalog, kind)
    assert sorted(status.path for status in catalog.io.iter_tree(catalog.warehouse)) == before
