from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from core.errors import AlreadyExistsError, FormatError, InvalidRequestError, NotFoundError
from core.io import LocalFileIO, MemoryFileIO, TablePaths
from core.schema import AddColumn, SchemaStore, TableSchema, UpdateComment, encode_schema
from core.types import IntType
from tests.builders import schema

PATHS = TablePaths("memory://b/t")


def store(*schemas: TableSchema) -> tuple[MemoryFileIO, SchemaStore]:
    io = MemoryFileIO()
    made = SchemaStore(io, PATHS)
    for value in schemas:
        made.create(value)
    return io, made


def test_the_latest_has_the_highest_number() -> None:
    _, found = store(*(schema(id=i) for i in (0, 9, 10)))
    assert found.ids() == [0, 9, 10]
    assert found.latest().id == 10
    assert [s.id for s in found.all()] == [0, 9, 10]


def test_where_there_is_no_schema_there_is_no_table() -> None:
    with pytest.raises(NotFoundError, match="table not found"):
        store()[1].latest()


def test_a_schema_that_is_missing_or_damaged_is_named() -> None:
    io, found = store(schema())
    with pytest.raises(NotFoundError, match="schema_id=3"):
        found.get(3)
    io.write(PATHS.schema_file(1), b"garbage")
    with pytest.raises(FormatError, match="schema/schema-1"):
        found.get(1)
    io.write(PATHS.schema_file(2), encode_schema(schema()))
    with pytest.raises(FormatError, match="expected=2, found=0"):
        found.get(2)


def test_a_schema_is_read_once() -> None:
    io, found = store(schema())
    first = found.get(0)
    io.delete(PATHS.schema_file(0))
    assert found.get(0) is first


def test_a_schema_that_breaks_a_rule_is_not_written() -> None:
    io, found = store()
    with pytest.raises(InvalidRequestError):
        found.create(schema(options={"bucket": "0"}))
    assert io.list_files(PATHS.schema_dir) == []


def test_an_id_is_created_once() -> None:
    _, found = store(schema())
    with pytest.raises(AlreadyExistsError):
        found.create(schema(comment="other"))


def test_changes_are_written_as_the_next_schema() -> None:
    _, found = store(schema())
    changed = found.commit_changes([UpdateComment("x")], has_snapshots=False)
    assert changed.id == 1
    assert found.latest() == changed
    assert found.commit_changes([UpdateComment("x")], has_snapshots=False) == changed
    assert found.ids() == [0, 1]


def test_a_writer_that_was_first_is_built_upon() -> None:
    class Overtaken(MemoryFileIO):
        """Before our schema-1 is created, somebody else's is."""

        def create(self, path: str, data: bytes) -> None:
            if path.endswith("schema-1") and not self.exists(path):
                super().create(path, encode_schema(schema(id=1, comment="theirs")))
            super().create(path, data)

    io = Overtaken()
    found = SchemaStore(io, PATHS)
    found.create(schema())
    changed = found.commit_changes([AddColumn(("n",), IntType())], has_snapshots=False)
    assert (changed.id, changed.comment, changed.field_names) == (2, "theirs", ("k", "v", "n"))


def test_a_store_travels_to_executors(tmp_path: Path) -> None:
    made = SchemaStore(LocalFileIO(), TablePaths(str(tmp_path)))
    made.create(schema())
    assert pickle.loads(pickle.dumps(made)).latest() == schema()


def test_a_name_that_no_writer_took_ends_the_retries(tmp_path: Path) -> None:
    made = SchemaStore(LocalFileIO(), TablePaths(str(tmp_path)))
    made.create(schema())
    (tmp_path / "schema/schema-1").symlink_to(tmp_path / "nowhere")
    with pytest.raises(AlreadyExistsError, match="schema-1"):
        made.commit_changes([UpdateComment("new")], has_snapshots=False)
