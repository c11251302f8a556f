"""Format and object tables through `lakescope`, but for what only Spark itself can show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql.datasource import EqualTo

from core import open_catalog
from core.format_table import FormatTable
from tests.builders import fields
from tests.spark_jobs.datasource.direct import read, sent, source
from tests.spark_jobs.datasource.test_batch_write import batches

SCHEMA = T.StructType(
    [
        T.StructField("k", T.IntegerType()),
        T.StructField("v", T.StringType()),
        T.StructField("p", T.StringType()),
    ]
)


@pytest.fixture(params=["parquet", "csv", "json"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> FormatTable:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    options = {"type": "format-table", "file.format": request.param}
    catalog.create_table(
        "db.t", fields(k="INT", v="STRING", p="STRING"), partition_keys=["p"], options=options
    )
    found = catalog.get_table("db.t")
    assert isinstance(found, FormatTable)
    return found


def directory(table: FormatTable) -> str:
    return table.location.removesuffix("/data")


def write(table: FormatTable, *tasks: list[tuple[Any, ...]], overwrite: bool = False, **options: str) -> None:
    writer = sent(source(directory(table), **options).writer(SCHEMA, overwrite))
    written = [sent(writer).write(batches(SCHEMA, *rows)) for rows in tasks]
    sent(writer).commit(sent(written))


def rows(table: FormatTable) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())


def test_tasks_write_files_and_the_driver_names_them(table: FormatTable) -> None:
    write(table, [(1, "a", "x"), (2, "b", "y")], [(3, None, "x")], [])
    assert rows(table) == [(1, "a", "x"), (2, "b", "y"), (3, None, "x")]


def test_an_overwrite_replaces_all_or_the_partitions_of_the_rows(table: FormatTable) -> None:
    write(table, [(1, "a", "x"), (2, "b", "y")])
    write(table, [(3, "c", "x")], overwrite=True, partitionOverwriteMode="dynamic")
    assert rows(table) == [(2, "b", "y"), (3, "c", "x")]
    write(table, [(4, "d", "z")], overwrite=True)
    assert rows(table) == [(4, "d", "z")]


def test_a_write_of_which_a_task_failed_leaves_no_file(table: FormatTable) -> None:
    writer = sent(source(directory(table)).writer(SCHEMA, False))
    done = sent(writer).write(batches(SCHEMA, (1, "a", "x")))
    sent(writer).abort([done, None])
    assert list(table.io.iter_tree(table.location)) == []


def test_filters_and_columns_are_pushed_into_the_read(table: FormatTable) -> None:
    write(table, [(1, "a", "x"), (2, "b", "y")])
    reader = source(directory(table)).reader(T.StructType([SCHEMA["p"], SCHEMA["k"]]))
    assert list(reader.pushFilters([EqualTo(("p",), "y")])) == []
    parts = reader.partitions()
    assert len(parts) == 1
    (batch,) = (batch for part in parts for batch in sent(reader).read(sent(part)))
    assert batch.to_pydict() == {"p": ["y"], "k": [2]}


def test_an_object_table_is_read_and_not_written(tmp_path: Path) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    made = catalog.create_table("db.o", fields(k="INT"), options={"type": "object-table"})
    made.io.write(f"{made.location}/data/a.txt", b"12")
    assert [row["path"] for row in read(made.location)[0].to_pylist()] == ["a.txt"]
    with pytest.raises(Exception, match="not written to"):
        source(made.location).writer(SCHEMA, False)


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s.streamReader(SCHEMA),
        lambda s: s.streamWriter(SCHEMA, False),
        lambda s: source(s.options["path"], **{"write.merge-schema": "true"}).writer(SCHEMA, False),
        lambda s: source(s.options["path"], **{"read.changelog": "true"}).reader(SCHEMA),
    ],
)
def test_what_needs_snapshots_is_refused(table: FormatTable, use: Any) -> None:
    with pytest.raises(Exception, match=r"no snapshots|no such writes|format-table") as refused:
        use(source(directory(table)))
    assert not isinstance(refused.value, (AssertionError, AttributeError))
