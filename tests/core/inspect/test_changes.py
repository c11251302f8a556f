"""Changes of a snapshot, and the difference of two."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.errors import InvalidRequestError
from core.inspect import compare_snapshots, read_changelog, read_changes
from core.table import Table

CORPORA = Path(__file__).parents[2] / "corpora"
TABLES = ["append.overwrites", "pk.fixed_orc_part", "pk.lsm_levels", "pk.dyn_hash_part", "append.many_files"]


def table(name: str) -> Table:
    return open_catalog(str(CORPORA / "java09")).get_table(name)


def test_an_append_adds_and_a_compaction_replaces() -> None:
    opened = table("pk.fixed_orc_part")
    append, compact = (read_changes(opened, opened.snapshots.get(i)) for i in (3, 4))
    assert (append.added.files, append.deleted.files) == (3, 0)
    assert (compact.added.files, compact.deleted.files) == (3, 9)
    assert append.partitions == ("dt=d0", "dt=d1", "dt=d2")
    assert append.buckets == 3


def test_the_flow_goes_from_level_to_level() -> None:
    opened = table("pk.fixed_orc_part")
    flow = {
        f.level: (f.removed_files, f.added_files)
        for f in read_changes(opened, opened.snapshots.get(4)).level_flow
    }
    assert flow == {0: (9, 0), 3: (0, 3)}


def test_a_file_lifted_without_rewriting_is_one_row() -> None:
    opened = table("pk.lsm_levels")
    moves = [row for s in opened.snapshots.iter_all() for row in read_changes(opened, s).entries.to_pylist()
             if row["change"] == "moved"]  # fmt: skip
    assert moves
    assert all(row["from_level"] is not None and row["from_level"] < row["level"] for row in moves)


@pytest.mark.parametrize("name", TABLES)
def test_totals_are_those_of_the_rows(name: str) -> None:
    opened = table(name)
    for snapshot in opened.snapshots.iter_all():
        changes = read_changes(opened, snapshot)
        counts = Counter(changes.entries["change"].to_pylist())
        assert counts["added"] == changes.added.files
        assert counts["deleted"] == changes.deleted.files
        assert counts["moved"] == changes.moved.files
        assert changes.added.rows - changes.deleted.rows == snapshot.delta_record_count


def test_changelog_files_are_listed_apart() -> None:
    opened = table("changelog.input")
    latest = opened.snapshots.get(1)
    changes = read_changes(opened, latest)
    assert changes.changelog.files == read_changelog(opened, latest).num_rows == 2


def test_index_files_that_came_with_a_snapshot_are_named() -> None:
    opened = table("dv.append_dv")
    changes = read_changes(opened, opened.snapshots.get(4))
    assert [entry.index_type for entry in changes.index_added] == ["DELETION_VECTORS"]
    assert len(changes.index_removed) == 1


@pytest.mark.parametrize("name", TABLES)
def test_a_comparison_accounts_for_every_file(name: str) -> None:
    opened = table(name)
    ids = opened.snapshots.ids()
    before, after = opened.snapshots.get(ids[0]), opened.snapshots.get(ids[-1])
    found = compare_snapshots(opened, before, after)
    assert found.only_before.files + found.both.files == len(opened.manifests.live_entries(before))
    assert found.only_after.files + found.both.files == len(opened.manifests.live_entries(after))
    assert len(found.commits) == len(ids) - 1
    assert sum(level.after.files for level in found.levels) == found.only_after.files + found.both.files


def test_what_was_made_and_removed_in_between_is_transient() -> None:
    opened = table("pk.fixed_orc_part")
    found = compare_snapshots(opened, opened.snapshots.get(2), opened.snapshots.get(4))
    assert found.transient is not None
    assert (found.only_before.files, found.only_after.files, found.transient.files) == (6, 3, 3)


def test_the_way_back_swaps_the_sides() -> None:
    opened = table("append.overwrites")
    one, other = opened.snapshots.get(1), opened.snapshots.get(7)
    there, back = compare_snapshots(opened, one, other), compare_snapshots(opened, other, one)
    assert (there.only_before, there.only_after) == (back.only_after, back.only_before)
    assert there.transient == back.transient


def test_schemas_are_compared_where_they_differ() -> None:
    opened = table("evo.append_parquet")
    found = compare_snapshots(opened, opened.snapshots.get(1), opened.snapshots.get(2))
    assert found.schemas is not None
    assert found.schemas.from_id < found.schemas.to_id


def test_a_snapshot_is_not_compared_with_itself() -> None:
    opened = table("ops.tags")
    latest = opened.snapshots.get(5)
    with pytest.raises(InvalidRequestError, match="one snapshot"):
        compare_snapshots(opened, latest, latest)
