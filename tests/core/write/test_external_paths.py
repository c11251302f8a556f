"""Data files outside of their table: written, read, compacted, expired, checked, cleaned. Spec: 01, 1.3."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.io import LocalFileIO
from core.maintenance.check import check_table
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.table import Table
from tests.tables import compact, data_paths, files_of, new_table, prepare, put, remove, rows_of

ROWS = [("x", i, f"v{i}") for i in range(10, 50)]


def outside(
    tmp_path: Path, strategy: str = "round-robin", keys: tuple[str, ...] = (), **options: str
) -> Table:
    return new_table(
        {"p": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"},
        keys,
        partition=["p"],
        io=LocalFileIO(),
        warehouse=str(tmp_path / "wh"),
        data_file__external_paths=f"file://{tmp_path}/one,file://{tmp_path}/two",
        data_file__external_paths__strategy=strategy,
        **{"bucket": "-1", **options},
    )


def external_files(tmp_path: Path) -> set[Path]:
    return {f for root in ("one", "two") for f in (tmp_path / root).rglob("*") if f.is_file()}


@pytest.mark.parametrize("strategy", ["round-robin", "entropy-inject", "weight-robin"])
def test_files_lie_in_the_external_roots_and_are_read_there(tmp_path: Path, strategy: str) -> None:
    table = outside(tmp_path, strategy, target_file_row_num="9", file_index__bitmap__columns="v")
    put(table, *ROWS)
    assert rows_of(table) == ROWS
    assert not data_paths(table)
    assert {f"file://{f}" for f in external_files(tmp_path)} == {f.external_path for f in files_of(table)}
    assert {f.relative_to(tmp_path).parts[:3] for f in external_files(tmp_path)} == {
        (root, "p=x", "bucket-0") for root in ("one", "two")
    }


def test_indexes_lie_beside_their_files(tmp_path: Path) -> None:
    options = {"file_index__bloom_filter__columns": "v", "file_index__in_manifest_threshold": "1 b"}
    table = outside(tmp_path, **options)
    put(table, *ROWS)
    (file,) = files_of(table)
    assert {f.name for f in external_files(tmp_path)} == {file.file_name, *file.extra_files}
    assert len(table.to_arrow(filter="v = 'v17'")) == 1


def test_vectors_and_hash_indexes_lie_beside_their_files_where_the_table_says_so(tmp_path: Path) -> None:
    options = {"index_file_in_data_file_dir": "true", "deletion_vectors__enabled": "true"}
    table = outside(tmp_path, keys=("p", "id"), **options)
    put(table, *ROWS)
    compact(table)
    remove(table, *ROWS[:10])
    compact(table)
    kinds = {f.name.split("-")[0] for f in external_files(tmp_path)}
    assert (kinds, data_paths(table)) == ({"data", "index"}, set())
    assert rows_of(table) == ROWS[10:]
    assert not check_table(table).findings
    apply_expire_snapshots(table, plan_expire_snapshots(table, retain_max=1, retain_min=1, now_millis=2**50))
    latest = table.snapshots.latest()
    assert latest is not None
    entries = table.manifests.index_entries(latest)
    named = {f.external_path for f in (*files_of(table), *entries)}
    assert {f"file://{f}" for f in external_files(tmp_path)} == named


def test_compactions_stay_outside_and_expired_files_go(tmp_path: Path) -> None:
    table = outside(tmp_path, compaction__min__file_num="2")
    put(table, *ROWS[:20])
    put(table, *ROWS[20:])
    compact(table)
    assert len(external_files(tmp_path)) == 3
    apply_expire_snapshots(table, plan_expire_snapshots(table, retain_max=1, retain_min=1, now_millis=2**50))
    assert {f"file://{f}" for f in external_files(tmp_path)} == {f.external_path for f in files_of(table)}
    assert rows_of(table) == ROWS


def test_a_lost_file_is_found_by_the_check(tmp_path: Path) -> None:
    table = outside(tmp_path)
    put(table, *ROWS)
    assert not check_table(table).findings
    (file,) = external_files(tmp_path)
    file.unlink()
    assert [f.path for f in check_table(table).findings] == [f"file://{file}"]


def test_files_of_a_writer_that_died_are_orphans_and_no_others(tmp_path: Path) -> None:
    table = outside(tmp_path, data_file__path_directory="below")
    put(table, *ROWS)
    (kept,) = external_files(tmp_path)
    prepare(table, ROWS)  # never committed
    lost = external_files(tmp_path) - {kept}
    plan = plan_remove_orphans(table, now_millis=2**50, external_paths=True)
    assert set(plan.files.paths) == {f"file://{f}" for f in lost}
    apply_remove_orphans(table, plan)
    assert external_files(tmp_path) == {kept}
