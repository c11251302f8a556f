"""Object tables: the files below a directory, and their content."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidRequestError, NotFoundError
from core.identifier import Identifier
from core.io.local import LocalFileIO
from core.object_table import OBJECT_FIELDS, ObjectTable, open_object
from core.schema import TableSchema


@pytest.fixture
def table(tmp_path: Path) -> ObjectTable:
    (tmp_path / "objects" / "a").mkdir(parents=True)
    (tmp_path / "objects" / "x.txt").write_bytes(b"0123456789")
    (tmp_path / "objects" / "a" / "y.png").write_bytes(b"png")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "objects" / "link").symlink_to(tmp_path / "secret")
    schema = TableSchema(id=0, fields=OBJECT_FIELDS, highest_field_id=5)
    return ObjectTable(LocalFileIO(), f"{tmp_path}/objects", Identifier("db", "o"), schema)


def test_each_file_is_a_row_wherever_it_lies(table: ObjectTable) -> None:
    rows = {row["path"]: row for row in table.to_arrow().to_pylist()}
    assert {"a/y.png", "x.txt"} <= set(rows)
    row = rows["a/y.png"]
    assert (row["name"], row["length"], row["atime"], row["owner"]) == ("y.png", 3, 0, None)
    assert row["mtime"] == table.io.status(f"{table.location}/a/y.png").modified_millis


def test_columns_and_a_filter_are_chosen(table: ObjectTable) -> None:
    assert table.to_arrow(["length"], "name like '%.txt'").to_pydict() == {"length": [10]}


def test_content_is_read_by_ranges(table: ObjectTable) -> None:
    content = open_object(table, "x.txt")
    assert (content.name, content.size) == ("x.txt", 10)
    assert b"".join(content.chunks(2, 5)) == b"23456"


@pytest.mark.parametrize(
    "path", ["../secret", "a/../../secret", "/etc/passwd", "", "a//y.png", "link", "a\\b", "."]
)
def test_no_path_leads_out_of_the_table(table: ObjectTable, path: str) -> None:
    with pytest.raises(InvalidRequestError):
        open_object(table, path)


def test_what_is_not_there_is_not_found(table: ObjectTable) -> None:
    with pytest.raises(NotFoundError):
        open_object(table, "a")


def test_it_is_neither_written_to_nor_travelled_in(table: ObjectTable) -> None:
    with pytest.raises(InvalidRequestError, match="has no snapshots"):
        table.to_batches(snapshot_id=1)
    with pytest.raises(InvalidRequestError, match="not written to"):
        table.refuse_writes()
