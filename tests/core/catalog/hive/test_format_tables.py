"""Hive's own tables as format tables: read and appended to as Hive would, or refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pymetastore.hive_metastore.ttypes import SkewedInfo

from core.arrow import arrow_schema
from core.catalog import Catalog, open_catalog
from core.catalog.errors import CatalogError, TableAlreadyExistsError
from core.errors import InvalidRequestError, UnsupportedError
from core.format_table import FormatTable
from core.schema.changes import SetOption
from tests.builders import fields
from tests.core.catalog.hive.tables import PARQUET, TEXT_INPUT, Metastore
from tests.hive_metastore import empty_metastore
from tests.ports import free_port

COLUMNS = {"i": "int", "s": "string"}
ORC = {
    "inputFormat": "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
    "outputFormat": "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
    "bucketCols": ["i"],
    "numBuckets": 2,
}
BY_DAY = {"d": "date", "e": "string"}


@pytest.fixture
def catalog(hive: Mapping[str, str], tmp_path: Path) -> Iterator[Catalog]:
    empty_metastore(hive["uri"])
    made = open_catalog({**hive, "warehouse": str(tmp_path)})
    made.create_database("db")
    return made


@pytest.fixture
def hms(hive: Mapping[str, str], tmp_path: Path) -> Metastore:
    return Metastore(hive, tmp_path)


def opened(catalog: Catalog, name: str = "t") -> FormatTable:
    found = catalog.get_table(f"db.{name}")
    assert isinstance(found, FormatTable)
    return found


def append(table: FormatTable, *rows: tuple[Any, ...]) -> None:
    columns = {
        name: list(column)
        for name, column in zip(table.schema.field_names, zip(*rows, strict=True), strict=True)
    }
    table.append(pa.table(columns, schema=arrow_schema(table.schema.fields)))


def rows(table: FormatTable, **asked: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.to_arrow(**asked).to_pylist()), key=str)


def test_text_of_hive_is_read_and_written_as_hive_does(catalog: Catalog, hms: Metastore) -> None:
    place = hms.make("t", COLUMNS, parameters={"comment": "theirs"})
    (place / "000000_0").write_text('1\x01a"b\\c,\n\\N\x01\\N\n3\x01\n')
    table = opened(catalog)
    assert (table.schema.comment, table.kind, catalog.list_tables("db")) == ("theirs", "csv", ["t"])
    assert rows(table) == [(1, 'a"b\\c,'), (3, ""), (None, None)]
    append(table, (4, 'x"y'), (None, None), (5, ""))
    (made,) = place.glob("data-*.csv")
    assert made.read_text() == '4\x01x"y\n\\N\x01\\N\n5\x01\n'
    assert catalog.table_facts("db.t").location == str(place)


def test_parquet_of_hive_is_read_in_any_letters_and_written_in_types_that_hive_reads(
    catalog: Catalog, hms: Metastore
) -> None:
    """The file has the letters of who wrote it, such as Spark; the metastore folds those of its columns."""
    place = hms.make("t", {"id": "int", "d": "decimal(5,2)", "ts": "timestamp"}, **PARQUET)
    pq.write_table(pa.table({"Id": pa.array([1], pa.int32())}), place / "part-00000.snappy.parquet")
    append(opened(catalog), (2, Decimal("1.25"), datetime(2024, 1, 2)))
    assert rows(opened(catalog)) == [(1, None, None), (2, Decimal("1.25"), datetime(2024, 1, 2))]
    (made,) = place.glob("data-*.parquet")
    footer = pq.ParquetFile(made).schema
    assert [footer.column(i).physical_type for i in range(3)] == ["INT32", "FIXED_LEN_BYTE_ARRAY", "INT96"]


def test_a_text_that_hive_would_read_as_another_is_refused(catalog: Catalog, hms: Metastore) -> None:
    place = hms.make("t", COLUMNS)
    for text in ("a\x01b", "a\nb", "\\N"):
        with pytest.raises(InvalidRequestError, match="without quotes"):
            append(opened(catalog), (1, text))
    assert [path.name for path in place.rglob("*.csv")] == []


def test_delimiter_null_and_header_are_those_of_the_serde(catalog: Catalog, hms: Metastore) -> None:
    serde = {"field.delim": "9", "serialization.format": "9", "serialization.null.format": "NULL"}
    place = hms.make("t", COLUMNS, serde=serde, parameters={"skip.header.line.count": "1"})
    (place / "a").write_text("i\ts\n1\tNULL\n")
    append(opened(catalog), (2, "x"))
    assert rows(opened(catalog)) == [(1, None), (2, "x")]
    (made,) = place.glob("data-*")
    assert made.read_text() == "i\ts\n2\tx\n"


def test_what_the_parameters_of_a_table_say_of_its_text_comes_before_its_serde(
    catalog: Catalog, hms: Metastore
) -> None:
    serde = {"field.delim": ",", "serialization.null.format": "x"}
    place = hms.make("t", COLUMNS, serde=serde, parameters={"serialization.null.format": ""})
    (place / "a").write_text("1,\n2,x\n")
    assert rows(opened(catalog)) == [(1, None), (2, "x")]


def test_a_directory_that_others_lie_in_does_not_go_with_a_table(catalog: Catalog, hms: Metastore) -> None:
    catalog.create_table("db.u", fields(k="INT"))
    hms.make("t", COLUMNS)
    kept = hms.table("t")
    kept.sd.location = f"file:{catalog.warehouse}/db.db"
    hms.client.change("move", lambda hms: hms.alter_table("db", "t", kept))
    with pytest.raises(InvalidRequestError, match="that of the database"):
        catalog.drop_table("db.t")
    assert catalog.list_tables("db") == ["t", "u"]
    assert catalog.get_data_table("db.u").schemas.ids() == [0]


def test_partitions_are_hives_directories_and_registered_before_a_file_is_seen(
    catalog: Catalog, hms: Metastore
) -> None:
    place = hms.make("t", COLUMNS, BY_DAY, is_external=True)
    (place / "d=2024-05-06/e=x%2Fy").mkdir(parents=True)
    (place / "d=2024-05-06/e=x%2Fy/000000_0").write_text("1\x01a\n")
    hms.add_partition("t", ["2024-05-06", "x/y"], place / "d=2024-05-06/e=x%2Fy")
    table = opened(catalog)
    append(table, (2, "b", date(2024, 5, 6), "x/y"), (3, "c", date(2024, 5, 7), None))
    null = "__HIVE_DEFAULT_PARTITION__"
    assert hms.partitions("t") == {
        "2024-05-06/x/y": str(place / "d=2024-05-06/e=x%2Fy"),
        f"2024-05-07/{null}": str(place / f"d=2024-05-07/e={null}"),
    }
    assert rows(table, filter="d = '2024-05-07'") == [(3, "c", date(2024, 5, 7), None)]
    assert rows(table, columns=["i"], filter="e = 'x/y'") == [(1,), (2,)]
    listed = {p.name: p for p in catalog.list_partitions("db.t")}
    assert set(listed) == {"d=2024-05-06/e=x/y", f"d=2024-05-07/e={null}"}
    old = listed["d=2024-05-06/e=x/y"]
    assert (old.statistics.file_count, old.options) == (2, {"a": "b"})
    assert (old.audit.created_at or 0) > 1_700_000_000_000
    assert catalog.table_facts("db.t").is_external
    catalog.drop_table("db.t")
    assert len(list(place.rglob("data-*"))) == 2


def test_a_repair_registers_what_directories_tell(catalog: Catalog, hms: Metastore) -> None:
    place = hms.make("t", COLUMNS, {"e": "string"})
    (place / "e=x").mkdir()
    (place / "e=x" / "a").write_text("1\x01a\n")
    assert catalog.repair_table("db.t") is True
    assert hms.partitions("t") == {"x": str(place / "e=x")}
    assert catalog.repair_table("db.t") is False
    (place / "e=x" / "a").unlink()
    (place / "e=x").rmdir()
    assert [(p.name, p.statistics.file_count) for p in catalog.list_partitions("db.t")] == [("e=x", 0)]


def test_no_file_is_seen_where_the_metastore_takes_no_partition(
    catalog: Catalog, hms: Metastore, hive: Mapping[str, str]
) -> None:
    place = hms.make("t", COLUMNS, {"e": "string"})
    table = opened(catalog)
    gone = open_catalog({**hive, "uri": f"thrift://127.0.0.1:{free_port()}", "warehouse": str(place)})
    lost = table.with_home(gone._format_home(table))  # type: ignore[attr-defined]
    made = table.new_write()
    made.write(pa.table({"i": [1], "s": ["a"], "e": ["x"]}, schema=arrow_schema(table.schema.fields)))
    with pytest.raises(CatalogError, match="reached"):
        lost.new_commit().append(made.prepare_commit())
    assert [path for path in place.rglob("*") if path.is_file()] == []


def test_a_partition_at_a_place_of_its_own_is_refused(
    catalog: Catalog, hms: Metastore, tmp_path: Path
) -> None:
    hms.make("t", COLUMNS, {"e": "string"})
    table = opened(catalog)
    (tmp_path / "elsewhere").mkdir()
    hms.add_partition("t", ["x"], tmp_path / "elsewhere")
    for use in (
        table.to_arrow,
        lambda: append(table, (1, "a", "x")),
        lambda: catalog.list_partitions("db.t"),
    ):
        with pytest.raises(UnsupportedError, match=r"at a place of its own: e=x"):
            use()


def test_a_partition_in_another_format_is_refused(catalog: Catalog, hms: Metastore) -> None:
    place = hms.make("t", COLUMNS, {"e": "string"})
    hms.add_partition(
        "t", ["x"], place / "e=x", inputFormat="org.apache.hadoop.mapred.SequenceFileInputFormat"
    )
    with pytest.raises(UnsupportedError, match="another format: e=x"):
        opened(catalog).to_arrow()


REFUSED: dict[str, dict[str, Any]] = {
    "ACID": {"parameters": {"transactional": "true"}, **ORC},
    "storage_handler x.HBase": {"parameters": {"storage_handler": "x.HBase"}},
    "ICEBERG": {"parameters": {"table_type": "ICEBERG"}},
    "skewed": {"skewedInfo": SkewedInfo(["i"], [["1"]], {})},
    "skip.footer.line.count": {"parameters": {"skip.footer.line.count": "1"}},
    "escape.delim": {"serde": {"escape.delim": "\\"}},
    "timestamp.formats": {"parameters": {"timestamp.formats": "yyyy"}},
    "parquet.column.index.access": {"parameters": {"parquet.column.index.access": "TRUE"}, **PARQUET},
    "data source of Spark at /elsewhere": {"serde": {"path": "file:/elsewhere"}},
    "x.Input by .*LazySimpleSerDe": {"inputFormat": "x.Input"},
}


def test_what_a_listing_of_files_does_not_tell_is_refused_by_name(catalog: Catalog, hms: Metastore) -> None:
    for number, (named, said) in enumerate(REFUSED.items()):
        hms.make(f"t{number}", COLUMNS, **said)
        with pytest.raises(UnsupportedError, match=named):
            catalog.get_table(f"db.t{number}")
    assert catalog.list_tables("db") == []
    with pytest.raises(InvalidRequestError, match="nothing was dropped"):
        catalog.drop_database("db", cascade=True)
    assert all((hms.folder / f"hives_t{number}").exists() for number in range(len(REFUSED)))


def test_a_bucketed_table_is_read_and_not_written(catalog: Catalog, hms: Metastore) -> None:
    place = hms.make("t", COLUMNS, bucketCols=["i"], numBuckets=2)
    (place / "000000_0").write_text("1\x01a\n")
    assert rows(opened(catalog)) == [(1, "a")]
    with pytest.raises(UnsupportedError, match="bucketed"):
        append(opened(catalog), (2, "b"))


def test_what_we_make_is_hives_own_table(catalog: Catalog, hms: Metastore) -> None:
    columns = fields(k="INT", d="DATE")
    options = {"type": "format-table", "file.format": "csv", "csv.field-delimiter": ";"}
    catalog.create_table("db.t", columns, partition_keys=["d"], options=options, comment="c")
    kept = hms.table("t")
    assert (kept.sd.inputFormat, kept.sd.serdeInfo.parameters) == (TEXT_INPUT, {"field.delim": ";"})
    assert (kept.tableType, [key.name for key in kept.partitionKeys]) == ("MANAGED_TABLE", ["d"])
    append(opened(catalog), (1, date(2024, 5, 6)))
    assert list(hms.partitions("t")) == ["2024-05-06"]  # and not the number of that day
    catalog.rename_table("db.t", "db.u")
    assert rows(opened(catalog, "u")) == [(1, date(2024, 5, 6))]
    assert hms.partitions("u")["2024-05-06"] == f"{catalog.warehouse}/db.db/u/d=2024-05-06"
    with pytest.raises(UnsupportedError, match="changes of a format-table"):
        catalog.alter_table("db.u", [SetOption("a", "b")])
    catalog.drop_database("db", cascade=True)
    assert list(Path(catalog.warehouse).rglob("data-*")) == []


def test_partitions_that_a_rename_left_behind_are_mended_by_a_repair(
    catalog: Catalog, hms: Metastore
) -> None:
    """As where one is added while the metastore moves the others."""
    options = {"type": "format-table", "file.format": "csv"}
    catalog.create_table("db.t", fields(k="INT", p="STRING"), partition_keys=["p"], options=options)
    append(opened(catalog), (1, "x"), (2, "y"))
    there = Path(hms.partitions("t")["x"])
    (kept,) = hms.client.ask("look", lambda hms: hms.get_partitions_by_names("db", "t", ["p=x"]))
    kept.sd.location = f"file:{there.parent}_before/p=x"
    hms.client.change("move", lambda hms: hms.alter_partitions("db", "t", [kept]))
    with pytest.raises(UnsupportedError, match="a repair of the table mends"):
        rows(opened(catalog))
    assert catalog.repair_table("db.t") is True
    assert catalog.repair_table("db.t") is False
    assert rows(opened(catalog)) == [(1, "x"), (2, "y")]
    assert hms.partitions("t")["x"] == str(there)


def test_partitions_with_any_sign_in_their_value_are_where_they_are(
    hive: Mapping[str, str], tmp_path: Path
) -> None:
    empty_metastore(hive["uri"])
    odd = ["a b", "ä/ö", "x=1", "%41", "a%2Fb", "a:b", "..", "#", "A", "a", "?x"]
    catalog = open_catalog({**hive, "warehouse": str(tmp_path / "a#b %41")})
    catalog.create_database("odd")
    plain = {"type": "format-table", "file.format": "csv"}
    catalog.create_table("odd.t", fields(k="INT", p="STRING"), partition_keys=["p"], options=plain)
    table = catalog.get_table("odd.t")
    assert isinstance(table, FormatTable)
    append(table, *enumerate(odd))
    assert [text for _, text in sorted(rows(table))] == odd
    assert {p.spec["p"] for p in catalog.list_partitions("odd.t")} == set(odd)
    catalog.drop_database("odd", cascade=True)


def test_a_type_that_hive_tells_as_another_is_refused(catalog: Catalog) -> None:
    options = {"type": "format-table", "file.format": "parquet"}
    for kind in ("TIME", "TIMESTAMP(9)", "ARRAY<MULTISET<INT>>", "TIMESTAMP(6) WITH LOCAL TIME ZONE"):
        with pytest.raises(UnsupportedError, match="type "):
            catalog.create_table("db.t", fields(k=kind), options=options)
    assert catalog.list_tables("db") == []


def test_files_that_are_there_are_taken_up_by_their_place_alone(catalog: Catalog, tmp_path: Path) -> None:
    left = tmp_path / "db.db" / "t"
    left.mkdir(parents=True)
    (left / "a.csv").write_text("7\n")
    options = {"type": "format-table", "file.format": "csv"}
    with pytest.raises(TableAlreadyExistsError, match="option path"):
        catalog.create_table("db.t", fields(k="INT"), options=options)
    catalog.create_table("db.t", fields(k="INT"), options={**options, "path": str(left)})
    assert rows(opened(catalog)) == [(7,)]
    catalog.drop_table("db.t")
    assert (left / "a.csv").exists()
