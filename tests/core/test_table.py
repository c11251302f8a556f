from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core import FormatError, InvalidRequestError, NotFoundError, open_catalog
from core.identifier import Identifier
from core.io import MemoryFileIO
from core.schema import AddColumn, MergeRules, SetOption, UpdateColumnType
from core.system import open_system_table
from core.table import Table
from core.types import BigIntType, IntType
from tests.builders import schema, snapshot
from tests.tables import new_table, put


def opened() -> Table:
    table = Table(MemoryFileIO(), "memory://b/db.db/t/", Identifier("db", "t"))
    table.schemas.create(schema())
    return table


def test_opening_reads_nothing() -> None:
    table = Table(MemoryFileIO(), "memory://b/nowhere", Identifier("db", "t"))
    with pytest.raises(NotFoundError, match="table not found"):
        _ = table.schema


def test_snapshots_are_listed_though_the_schema_is_damaged(corpora: Path) -> None:
    table = open_catalog(str(corpora / "damaged")).get_table("broken.schema_garbage")
    assert table.snapshots.latest() is not None
    with pytest.raises(FormatError, match="schema-0"):
        _ = table.schema


def test_the_schema_stays_until_the_table_is_refreshed() -> None:
    table = opened()
    assert table.schema.id == 0
    table.schemas.create(schema(id=1, comment="new"))
    assert table.schema.id == 0
    assert table.refreshed().schema.id == 1


def test_data_lies_where_the_option_says() -> None:
    table = Table(MemoryFileIO(), "memory://b/t", Identifier("db", "t"))
    table.schemas.create(schema(options={"data-file.path-directory": "/data/"}))
    assert table.paths.bucket_dir("", 0) == "memory://b/t/data/bucket-0"


def test_a_branch_has_a_line_of_its_own() -> None:
    table = opened()
    table.snapshots.create(snapshot(1))
    table.branches.create("b")
    branch = table.with_branch("b")
    assert (branch.branch, str(branch.identifier)) == ("b", "db.t$branch_b")
    assert branch.snapshots.latest() is None
    assert branch.with_branch("main").snapshots.latest() == snapshot(1)
    assert branch.branches.names() == ["b"]
    with pytest.raises(NotFoundError, match="branch=c"):
        table.with_branch("c")


def test_a_snapshot_is_found_by_id_tag_or_time() -> None:
    table = opened()
    assert table.snapshot_at() is None
    table.snapshots.create(snapshot(1))
    table.snapshots.create(snapshot(2))
    assert table.snapshot_at() == snapshot(2)
    assert table.snapshot_at(snapshot_id=1) == snapshot(1)
    assert table.snapshot_at(timestamp_millis=snapshot(1).time_millis) == snapshot(1)


def test_options_of_a_reader_lie_over_those_of_the_table() -> None:
    table = opened().with_options({"source.split.target-size": "1 mb", "unheard.of": "kept"})
    assert table.schema.options["unheard.of"] == "kept"
    again = table.with_options({"source.split.target-size": None}).refreshed()
    assert "source.split.target-size" not in again.schema.options
    rebuild, arguments = again.__reduce__()  # as pickle takes it to another process
    assert rebuild(*arguments).schema == again.schema  # type: ignore[operator,misc]  # a Table
    assert opened().schema.options == {}


def test_options_that_contradict_one_another_are_refused_at_once() -> None:
    with pytest.raises(InvalidRequestError, match="exactly one"):
        opened().with_options({"scan.tag-name": "a", "scan.snapshot-id": "1"})
    with pytest.raises(InvalidRequestError, match="merge-engine"):
        opened().with_options({"merge-engine": "aggregation"})
    with pytest.raises(NotFoundError, match="branch=nowhere"):
        opened().with_options({"branch": "nowhere"})


def test_a_changed_schema_is_read_over_old_files() -> None:
    table = new_table({"k": "INT", "v": "INT"}, bucket="-1")
    put(table, (1, 10))
    altered = table.alter([AddColumn(("n",), IntType()), UpdateColumnType(("v",), BigIntType())])
    put(altered, (2, 20, 30))
    assert altered.to_arrow().sort_by("k").to_pylist() == [
        {"k": 1, "v": 10, "n": None},
        {"k": 2, "v": 20, "n": 30},
    ]
    with pytest.raises(InvalidRequestError, match="bucket-key"):
        altered.alter([AddColumn(("later",), IntType()), SetOption("bucket-key", "k")])
    assert altered.refreshed().schema.id == 1


def test_the_schema_grows_with_the_rows() -> None:
    table = new_table({"k": "INT"}, bucket="-1")
    put(table, (1,))
    rows = pa.table({"k": pa.array([2], pa.int64()), "n": ["new"]})
    grown = table.merge_schema(rows.schema, MergeRules(type_widening=True))
    with grown.new_write() as writer:
        writer.write(rows)
        grown.new_commit("u").commit(writer.prepare_commit())
    assert grown.to_arrow().sort_by("k").to_pylist() == [{"k": 1, "n": None}, {"k": 2, "n": "new"}]
    assert grown.merge_schema(rows.schema).schema.id == 1


@pytest.mark.parametrize("options", [{"scan.snapshot-id": 3}, {7: "x"}, {"write-only": True}])
def test_options_are_texts(options: dict[Any, Any]) -> None:
    with pytest.raises(InvalidRequestError, match="texts"):
        opened().with_options(options)


@pytest.mark.parametrize("name", ["dv.db/pk_dv_part_orc", "append.db/part_types", "merge.db/agg_functions"])
def test_several_splits_at_once_give_the_same_rows(name: str, corpora: Path) -> None:
    table = open_catalog(str(corpora / "java09")).get_table(name.replace(".db/", "."))
    rows = table.to_arrow()
    found = table.to_arrow(threads=3)

    assert found.schema == rows.schema
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, rows.to_pylist()))


def test_a_read_without_a_thread_is_refused_before_its_first_batch() -> None:
    table = new_table({"n": "INT"}, bucket="-1")

    with pytest.raises(InvalidRequestError, match="a thread at least"):
        table.to_batches(threads=0)


def test_a_text_in_place_of_a_list_of_columns_is_refused() -> None:
    table = new_table({"a": "INT", "b": "INT"}, ["a"])

    with pytest.raises(InvalidRequestError, match="a list of columns"):
        table.plan("ab")
    with pytest.raises(InvalidRequestError, match="a list of columns"):
        open_system_table(table, "options").to_arrow("key")
