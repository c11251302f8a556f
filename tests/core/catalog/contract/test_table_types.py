"""Tables without snapshots, in each kind of catalog: kept and opened as what they are, or refused by name."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from core.arrow import arrow_schema
from core.catalog import Catalog
from core.catalog.table_types import check_is_snapshots, is_plain
from core.errors import InvalidRequestError, PaimonError, UnsupportedError
from core.format_table import FormatTable
from core.object_table import OBJECT_FIELDS, ObjectTable
from tests.builders import fields
from tests.core.catalog.contract.kinds import Kind

FORMAT = {"type": "format-table", "file.format": "csv"}


@pytest.fixture
def formats(catalog: Catalog, kind: Kind) -> Catalog:
    if not kind.keeps_formats:
        with pytest.raises(UnsupportedError, match="format-table"):
            catalog.create_table("db.f", fields(k="INT"), options=FORMAT)
        pytest.skip("this kind of catalog refuses them, by name")
    return catalog


def made(catalog: Catalog) -> FormatTable:
    catalog.create_table("db.f", fields(k="INT", p="STRING"), partition_keys=["p"], options=FORMAT)
    found = catalog.get_table("db.f")
    assert isinstance(found, FormatTable)
    return found


def test_a_format_table_is_made_written_read_and_dropped(formats: Catalog) -> None:
    table = made(formats)
    rows = pa.table({"k": [1, 2], "p": ["x", "y"]}, schema=arrow_schema(table.schema.fields))
    table.append(rows)
    assert formats.get_table("db.f").to_arrow(["k"], "p = 'y'").to_pydict() == {"k": [2]}
    assert [p.name for p in formats.list_partitions("db.f")] == ["p=x", "p=y"]
    assert formats.list_tables_page("db", type="format-table").names == ("f",)
    formats.drop_table("db.f")
    assert formats.list_tables("db") == []
    assert list(table.io.iter_tree(table.location)) == []


def test_an_object_table_lists_its_place_in_fixed_columns(catalog: Catalog, kind: Kind) -> None:
    catalog.create_table("db.o", fields(k="INT"), options={"type": "object-table"})
    found = catalog.get_table("db.o")
    assert isinstance(found, ObjectTable)
    found.io.write(f"{found.location}/a/b.png", b"123")
    assert found.schema.field_names == tuple(field.name for field in OBJECT_FIELDS)
    listed = catalog.get_table("db.o").to_arrow(["path", "length"]).to_pylist()
    assert listed[0] == {"path": "a/b.png", "length": 3}
    assert [row["path"] for row in listed[1:]] == (["schema/schema-0"] if kind.lists_schemas else [])


def test_a_catalog_tells_the_type_and_the_place_of_the_files(formats: Catalog) -> None:
    table = made(formats)
    facts = formats.table_facts("db.f")
    assert (facts.type, facts.location, facts.is_external) == ("format-table", table.location, False)
    base = formats.get_data_table("db.f")
    assert is_plain(base)
    assert base.schemas.latest().field_names == base.schema.field_names == ("k", "p")
    with pytest.raises(UnsupportedError, match="format-table"):
        check_is_snapshots(base)


@pytest.mark.parametrize(
    "use",
    [
        lambda catalog: catalog.get_table("db.f$snapshots"),
        lambda catalog: catalog.get_data_table("db.f").plan(),
        lambda catalog: catalog.get_data_table("db.f").new_write(),
        lambda catalog: catalog.get_table("db.f").to_batches(snapshot_id=1),
    ],
)
def test_what_needs_snapshots_is_refused(formats: Catalog, use: Any) -> None:
    made(formats)
    with pytest.raises(PaimonError, match=r"no snapshots|format-table|no table|not found"):
        use(formats)


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ({"type": "format-table", "file.format": "avro"}, {}),
        ({"type": "format-table"}, {"primary_keys": ["k"]}),
        ({"type": "object-table"}, {"partition_keys": ["k"]}),
        ({"type": "no-such-table"}, {}),
    ],
)
def test_what_no_such_table_can_be_is_refused(
    catalog: Catalog, given: dict[str, str], keys: dict[str, Any]
) -> None:
    with pytest.raises((UnsupportedError, InvalidRequestError)):
        catalog.create_table("db.t", fields(k="INT"), options=given, **keys)
    assert catalog.list_tables("db") == []
