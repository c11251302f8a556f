from __future__ import annotations

import pytest

from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.schema import SchemaStore
from core.snapshot import BranchStore, SnapshotStore, Tag, TagStore
from tests.builders import schema, snapshot

PATHS = TablePaths("memory://b/t")


def table() -> MemoryFileIO:
    """Schemas 0 to 2, snapshot 5 of schema 1, and a tag on it."""
    io = MemoryFileIO()
    for number in range(3):
        SchemaStore(io, PATHS).create(schema(id=number))
    SnapshotStore(io, PATHS).create(snapshot(5, schema_id=1))
    TagStore(io, PATHS).create(Tag("v1", snapshot(5, schema_id=1)))
    return io


def test_an_empty_branch_has_all_schemas_and_no_snapshot() -> None:
    io = table()
    BranchStore(io, PATHS).create("b")
    assert SchemaStore(io, PATHS.on_branch("b")).ids() == [0, 1, 2]
    assert SnapshotStore(io, PATHS.on_branch("b")).latest() is None


@pytest.mark.parametrize("expired", [False, True])
def test_a_branch_from_a_tag_stands_where_the_tag_stands(expired: bool) -> None:
    io = table()
    if expired:
        SnapshotStore(io, PATHS).delete(5)
    BranchStore(io, PATHS).create("b", from_tag="v1")
    branch = PATHS.on_branch("b")
    assert SnapshotStore(io, branch).latest() == snapshot(5, schema_id=1)
    assert SchemaStore(io, branch).ids() == [0, 1]
    assert TagStore(io, branch).names() == ["v1"]
    assert not io.exists(f"{branch.snapshot_dir}/LATEST")


def test_branches_are_listed_and_main_is_not_among_them() -> None:
    io = table()
    store = BranchStore(io, PATHS.on_branch("b"))
    store.create("b")
    store.create("a")
    assert store.names() == [branch.name for branch in store.list()] == ["a", "b"]
    assert store.list()[0].created_millis > 0


def test_a_branch_goes_with_its_metadata_only() -> None:
    io = table()
    io.write(PATHS.manifest_file("manifest-1"), b"")
    store = BranchStore(io, PATHS)
    store.create("b", from_tag="v1")
    store.delete("b")
    assert store.names() == []
    assert io.exists(PATHS.manifest_file("manifest-1"))
    with pytest.raises(NotFoundError, match="branch=b"):
        store.delete("b")


def test_a_branch_is_created_once() -> None:
    store = BranchStore(table(), PATHS)
    store.create("b")
    with pytest.raises(AlreadyExistsError, match="branch=b"):
        store.create("b")


@pytest.mark.parametrize("name", ["main", "", " ", "12", "a/b"])
def test_names_that_paimon_refuses_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError, match="name"):
        BranchStore(table(), PATHS).create(name)
