"""What is reached, told by reading everything that can be read. Spec: 08, 7."""

from __future__ import annotations

import pyarrow as pa
import pytest

from core.errors import NotFoundError
from core.maintenance.reach import RootKind, Roots, reached_names
from core.table import Table
from tests.core.maintenance.tables import corpus, files, keyed, tag
from tests.crashes import seen_through
from tests.faults import RacingFileIO
from tests.tables import put


def names_of(table: Table) -> set[str]:
    return {path.rpartition("/")[2] for path in files(table)}


def reached(table: Table, *roots: str) -> set[str]:
    """What roots by pointer reach of all the files that there are; all roots if none is named."""
    chosen = [root for root in Roots.of(table).found if not roots or root.pointer in roots]
    return set(reached_names(table, chosen, pa.array(sorted(names_of(table)))).to_pylist())


def live_names(table: Table, snapshot_id: int) -> set[str]:
    entries = table.manifests.live_entries(table.snapshots.get(snapshot_id)).entries()
    return {entry.file.file_name for entry in entries}


def test_everything_that_was_committed_is_reached() -> None:
    table = keyed()
    assert reached(table) == names_of(table)


@pytest.mark.parametrize("snapshot_id", range(1, 7))
def test_one_snapshot_reaches_what_is_live_in_it(snapshot_id: int) -> None:
    table = keyed()
    data = {name for name in reached(table, f"snapshot {snapshot_id}") if name.startswith("data-")}
    assert data == live_names(table, snapshot_id)


@pytest.mark.parametrize("first", range(1, 7))
def test_consecutive_snapshots_reach_what_is_live_in_any_of_them(first: int) -> None:
    table = keyed()
    run = [f"snapshot {i}" for i in range(first, 7)]
    data = {name for name in reached(table, *run) if name.startswith("data-")}
    assert data == set().union(*(live_names(table, i) for i in range(first, 7)))


@pytest.mark.parametrize("snapshot_id", [1, 4])
def test_a_tag_reaches_what_its_snapshot_does(snapshot_id: int) -> None:
    table = keyed()
    tag(table, "t", snapshot_id)
    assert reached(table, "tag t") == reached(table, f"snapshot {snapshot_id}")


def test_a_branch_reaches_what_it_was_made_of_and_what_it_wrote() -> None:
    table = keyed()
    tag(table, "t", 2)
    table.branches.create("b", from_tag="t")
    before = names_of(table)
    put(table.with_branch("b"), (9, "b"))
    own = names_of(table) - before
    assert own
    assert reached(table, "snapshot 2 of branch b", "snapshot 3 of branch b") >= own | live_names(table, 2)
    assert {root.branch for root in Roots.of(table).found if root.kind is RootKind.TAG} == {"main", "b"}


@pytest.mark.parametrize(
    "name",
    [
        "java09/changelog.db/input",
        "java09/changelog.db/decoupled",
        "java09/dv.db/append_dv",
        "java09/ops.db/branches",
        "java09/ops.db/analyzed",
        "java09/idx.db/bloom_file",
        "pypaimon21/py.db/tags_branches",
    ],
)
def test_of_a_table_of_real_paimon_everything_is_reached(name: str) -> None:
    table = corpus(name)
    lost = {path for path in names_of(table) - reached(table) if not path.endswith(".crc")}
    assert lost == set()


def test_a_name_that_nothing_names_is_not_reached() -> None:
    table = keyed()
    assert reached_names(table, Roots.of(table).found, pa.array(["data-x.parquet"])).to_pylist() == []


def test_a_manifest_that_is_missing_is_an_error_with_its_path() -> None:
    table = keyed()
    meta = table.manifests.delta_manifests(table.snapshots.get(4))[0]
    table.io.delete(table.paths.manifest_file(meta.file_name))
    with pytest.raises(NotFoundError) as error:
        reached(table)
    assert error.value.fields["path"] == table.paths.manifest_file(meta.file_name)


def test_a_root_that_goes_meanwhile_is_no_error_and_the_next_one_gives_all_it_has() -> None:
    table = keyed()
    roots = Roots.of(table).found
    expected = reached(table, *(f"snapshot {i}" for i in range(2, 7)))
    table.snapshots.delete(1)
    table.io.delete(table.paths.manifest_file(roots[0].snapshot.delta_manifest_list))
    found = reached_names(table, roots, pa.array(sorted(names_of(table)))).to_pylist()
    assert set(found) == expected


def pointers(table: Table) -> set[str]:
    return {root.pointer for root in Roots.of(table).found if "snapshot" not in root.pointer}


def test_a_tag_that_gets_another_name_while_it_is_looked_for_is_found() -> None:
    table = keyed()
    tag(table, "old", 2)

    def rename() -> None:
        tag(table, "new", 2)
        table.tags.delete("old")

    assert pointers(seen_through(table, RacingFileIO(table.io, "read", "tag-old", rename))) == {"tag new"}


@pytest.mark.parametrize("at", ["snapshot", "tag", "changelog"])
def test_a_branch_that_gets_another_name_while_it_is_looked_through_is_found(at: str) -> None:
    table = keyed()
    tag(table, "v2", 2)
    table.branches.create("old", from_tag="v2")
    io = RacingFileIO(table.io, "list_files", f"branch-old/{at}", lambda: table.branches.rename("old", "new"))
    assert "tag v2 of branch new" in pointers(seen_through(table, io))
