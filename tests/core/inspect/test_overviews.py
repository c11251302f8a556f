"""Manifest trees, indexes, deletion vectors, lineage, freshness and schema usage of real tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.errors import NotFoundError
from core.inspect import (
    Reading,
    effects_on_reads,
    list_deletion_vectors,
    list_file_indexes,
    measure_freshness,
    measure_schema_usage,
    read_file_indexes,
    read_manifest_tree,
    trace_file,
)
from core.snapshot import Snapshot
from core.table import Table

CORPORA = Path(__file__).parents[2] / "corpora"


def table(name: str, warehouse: str = "java09") -> Table:
    return open_catalog(str(CORPORA / warehouse)).get_table(name)


def latest(opened: Table) -> Snapshot:
    snapshot = opened.snapshots.latest()
    assert snapshot is not None
    return snapshot


def test_a_tree_has_the_lists_with_their_manifests() -> None:
    opened = table("changelog.input")
    tree = read_manifest_tree(opened, latest(opened), count_references=True)
    assert [node.role for node in tree.lists] == ["base", "delta", "changelog"]
    (delta,) = [node for node in tree.lists if node.role == "delta"]
    assert [(m.added, m.references, m.is_missing) for m in delta.manifests] == [(1, 1, False)]
    assert all(m.references and m.references > 1 for m in tree.lists[0].manifests[:1])


def test_a_missing_list_stands_in_its_place() -> None:
    opened = table("broken.missing_manifest_list", "damaged")
    tree = read_manifest_tree(opened, latest(opened))
    assert [(node.role, node.size is None, bool(node.problem)) for node in tree.lists] == [
        ("base", False, False),
        ("delta", True, True),
    ]


def test_a_damaged_index_manifest_stands_in_its_place() -> None:
    opened = table("broken.garbage_index_manifest", "damaged")
    node = read_manifest_tree(opened, latest(opened)).index_manifest
    assert node is not None
    assert node.problem is not None
    assert node.size == 200


def test_partition_bounds_are_shown_as_rows() -> None:
    opened = table("pk.fixed_orc_part")
    tree = read_manifest_tree(opened, latest(opened))
    assert {(m.min_partition, m.max_partition) for m in tree.lists[0].manifests} == {("{d0}", "{d2}")}


@pytest.mark.parametrize(
    ("name", "embedded", "types"),
    [
        ("idx.bloom_embedded", True, {"bloom-filter"}),
        ("idx.bloom_file", False, {"bloom-filter"}),
        ("idx.bitmap_embedded", True, {"bitmap"}),
        ("idx.bitmap_file_mixed", False, {"bitmap", "bloom-filter"}),
    ],
)
def test_indexes_are_found_where_they_are_stored(name: str, embedded: bool, types: set[str]) -> None:
    opened = table(name)
    found = list_file_indexes(opened)
    assert {one.index_type for one in found.overview} == types
    assert all((one.embedded == one.files) == embedded for one in found.overview)
    assert all(one.is_known for one in found.overview)
    assert bool(found.separate_files) != embedded


def test_the_limit_says_how_many_files_were_left_out() -> None:
    found = list_file_indexes(table("idx.bloom_file"), limit=1)
    assert (found.separate_files, found.unread_files) == (2, 1)


@pytest.mark.parametrize("name", ["idx.bitmap_embedded", "idx.bitmap_file_mixed", "idx.bloom_file"])
def test_every_index_is_described_with_the_rows_of_its_file(name: str) -> None:
    opened = table(name)
    for entry in opened.manifests.live_entries(latest(opened)).entries():
        described = read_file_indexes(opened, entry)
        rows = [i.facts["row_count"] for i in described.indexes if i.index_type == "bitmap"]
        assert all(count == entry.file.row_count for count in rows)
        assert all(i.facts for i in described.indexes)


@pytest.mark.parametrize("name", ["idx.bsi_embedded", "idx.bsi_file_mixed"])
def test_bsi_indexes_count_the_rows_of_their_file(name: str) -> None:
    opened = table(name, "java09bsi")
    for entry in opened.manifests.live_entries(latest(opened)).entries():
        facts = [i.facts for i in read_file_indexes(opened, entry).indexes if i.index_type == "bsi"]
        assert facts
        assert all(one["row_count"] == entry.file.row_count for one in facts)


def test_a_file_without_index_is_said_to_have_none() -> None:
    opened = table("append.logs_unaware")
    entry = opened.manifests.live_entries(latest(opened)).entry(0)
    with pytest.raises(NotFoundError, match="no index"):
        read_file_indexes(opened, entry)


def test_vectors_are_counted_by_bucket() -> None:
    found = list_deletion_vectors(table("py.data_evolution_deletes", "pypaimon21"))
    assert [(b.files_with_vectors, b.deleted_rows, b.rows) for b in found] == [(2, 4, 14)]


def test_writers_of_0_9_do_not_say_how_many_rows_are_deleted() -> None:
    assert {b.deleted_rows for b in list_deletion_vectors(table("dv.append_dv_bucketed"))} == {None}
    assert list_deletion_vectors(table("append.logs_unaware")) == ()


def test_a_compacted_file_knows_its_inputs() -> None:
    opened = table("pk.fixed_orc_part")
    entry = next(opened.manifests.delta_entries(opened.snapshots.get(4)).adds().entries())
    lineage = trace_file(opened, entry.file.file_name)
    assert lineage.born_in == opened.snapshots.get(4).reference
    assert len(lineage.inputs) == 3
    assert lineage.removed_in == opened.snapshots.get(7).reference
    assert lineage.snapshots == (4, 5, 6)


def test_a_lifted_file_keeps_its_birth_and_tells_its_levels() -> None:
    opened = table("pk.lsm_levels")
    lifted = [
        trace_file(opened, e.file.file_name) for e in opened.manifests.live_entries(latest(opened)).entries()
    ]
    assert any(lineage.levels for lineage in lifted)
    assert all(lineage.removed_in is None and lineage.born_in for lineage in lifted)


def test_a_file_older_than_every_snapshot_has_no_birth() -> None:
    opened = table("ops.expired")
    first = opened.snapshots.earliest()
    assert first is not None
    live = {e.file.file_name for e in opened.manifests.live_entries(first).entries()}
    added = {e.file.file_name for e in opened.manifests.delta_entries(first).entries()}
    for name in live - added:
        lineage = trace_file(opened, name)
        assert lineage.born_in is None
        assert lineage.snapshots[0] == first.id


def test_tags_and_branches_that_hold_a_file_are_named() -> None:
    opened = table("ops.tags")
    first = opened.manifests.live_entries(opened.tags.get("v1").snapshot).entry(0)
    assert trace_file(opened, first.file.file_name).tags == ("v1", "2024-01-01", "same-a", "same-b")
    assert trace_file(opened, first.file.file_name).branches == ("main",)


def test_an_unknown_file_has_no_lineage() -> None:
    with pytest.raises(NotFoundError, match="knows this file"):
        trace_file(table("ops.tags"), "data-nothing.parquet")


def test_rows_that_wait_for_a_compaction_are_counted() -> None:
    waiting = measure_freshness(table("dv.pk_dv_l0"))
    assert waiting.batch_reads_skip_level_0
    assert (waiting.waiting_files, waiting.waiting_rows) == (1, 3)
    assert measure_freshness(table("merge.first_row_l0")).waiting_files == 1


def test_merge_on_read_tables_wait_for_nothing() -> None:
    fresh = measure_freshness(table("pk.fixed_parquet"))
    assert not fresh.batch_reads_skip_level_0
    assert fresh.waiting_rows == 0


def test_the_bytes_of_each_schema_are_summed() -> None:
    opened = table("evo.append_parquet")
    usage = measure_schema_usage(opened)
    entries = opened.manifests.live_entries(latest(opened))
    assert [one.schema_id for one in usage] == sorted(set(entries.numpy("schema_id").tolist()))
    assert sum(one.size for one in usage) == int(entries.numpy("file_size").sum())


def test_each_field_says_how_old_files_are_read() -> None:
    opened = table("evo.append_parquet")
    usage = measure_schema_usage(opened)
    effects = {(e.path, e.reading): e for e in effects_on_reads(opened, opened.schema, usage)}
    assert effects["qty", Reading.CAST].detail == "INT to BIGINT"
    assert effects["extra", Reading.NULL].detail is None
    sizes = {one.schema_id: one.size for one in usage}
    assert all(e.size == sum(sizes[i] for i in e.schema_ids) for e in effects.values())
