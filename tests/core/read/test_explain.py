"""An explanation tells of every file what becomes of it, and agrees with the read. Spec: 09, 8."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.errors import PaimonError
from core.read.explain import Explanation, explain_plan
from core.scan import StageName
from core.table import Table
from core.types import RowKind
from tests.tables import compact, new_table, put

CORPORA = Path(__file__).parents[2] / "corpora"


def explained(table: Table, where: str | None = None) -> Explanation:
    return explain_plan(table, table.plan(filter=where))


def corpus(name: str) -> Table:
    warehouse, _, table = name.partition("/")
    return open_catalog(str(CORPORA / warehouse)).get_data_table(table)


def fates(found: Explanation) -> list[tuple[str | None, int]]:
    return sorted((str(file.dropped_by or ""), file.rows_read) for file in found.files)


def outcome(act: Callable[[], object]) -> str:
    """What kind of error of ours ends it; empty if none does."""
    try:
        act()
    except PaimonError as error:
        return type(error).__name__
    return ""


@pytest.fixture(scope="module")
def append() -> Table:
    table = new_table({"p": "INT", "v": "BIGINT", "s": "STRING"}, partition=["p"], bucket="-1")
    for p in (1, 2):
        for start in (0, 10):
            put(table, *((p, v, f"s{v}") for v in range(start, start + 10)))
    return table


def test_each_stage_tells_files_bytes_and_rows(append: Table) -> None:
    found = explained(append, "p = 1 AND v < 5")
    stages = {stage.name: stage for stage in found.stages}
    partitions, statistics = stages[StageName.PARTITIONS], stages[StageName.STATISTICS]
    assert (partitions.kept, partitions.dropped, partitions.kept_rows, partitions.dropped_rows) == (
        2,
        2,
        20,
        20,
    )
    assert (statistics.kept, statistics.dropped, statistics.kept_rows, statistics.dropped_rows) == (
        1,
        1,
        10,
        10,
    )
    assert statistics.kept_size + statistics.dropped_size == partitions.kept_size


def test_a_line_tells_what_a_stage_kept_in_files_bytes_and_rows(append: Table) -> None:
    stage = next(s for s in explained(append, "p = 1").stages if s.name is StageName.PARTITIONS)
    sizes = f"{stage.kept_size} of {stage.kept_size + stage.dropped_size} bytes"
    assert stage.line == f"partitions: kept 2 of 4 files, {sizes}, 20 of 40 rows: p = 1"


def test_each_file_has_its_reason(append: Table) -> None:
    found = explained(append, "p = 1 AND v < 5")
    assert fates(found) == [("", 10), ("partitions", 0), ("partitions", 0), ("statistics", 0)]
    (by_bounds,) = (file for file in found.files if file.dropped_by is StageName.STATISTICS)
    assert by_bounds.reason == "v is in 10..19, so not v < 5"
    assert by_bounds.partition == "{1}"
    assert "dropped by statistics: v is in 10..19, so not v < 5" in str(found)


def test_what_is_read_is_what_the_plan_has(append: Table) -> None:
    plan = append.plan(filter="v BETWEEN 3 AND 12 AND s <> 's4'")
    read = [file.file_name for file in explain_plan(append, plan).files if file.dropped_by is None]
    assert read == plan.entries.column("file_name").to_pylist()


def test_without_a_filter_every_file_is_read_whole(append: Table) -> None:
    assert fates(explained(append)) == [("", 10)] * 4


@pytest.mark.parametrize(
    ("name", "where", "expected"),
    [
        ("java09/idx.bitmap_embedded", "c = 'red'", [("", 10), ("", 10)]),
        ("java09/idx.bloom_file", "s = 'absent'", [("statistics", 0), ("statistics", 0)]),
        ("java09/idx.bloom_file", "s = 'str-0007x'", [("", 0), ("statistics", 0)]),
        ("java09bsi/idx.bsi_embedded", "n = 40", [("file index", 0), ("statistics", 0)]),
    ],
)
def test_indexes_of_java_are_told_of(name: str, where: str, expected: list[Any]) -> None:
    assert fates(explained(corpus(name), where)) == expected


def test_the_rows_told_of_are_those_that_are_read() -> None:
    table = corpus("java09/idx.bitmap_file_mixed")
    found = explained(table, "d = '2024-01-05'")
    assert (
        sum(file.rows_read for file in found.files) == table.to_arrow(filter="d = '2024-01-05'").num_rows == 2
    )
    stage = next(stage for stage in found.stages if stage.name is StageName.INDEX_ROWS)
    assert (stage.kept, stage.dropped, stage.reason) == (2, 48, "bitmap(d)")


def test_a_damaged_index_is_named() -> None:
    found = explained(corpus("damaged/broken.garbage_file_index"), "s IN ('str-0007', 'str-0107')")
    assert any("the index cannot be used" in file.reason for file in found.files)


def test_files_that_are_merged_say_so() -> None:
    table = new_table({"k": "INT", "v": "INT"}, ["k"], write_only="true")
    put(table, (1, 10), (2, 20))
    put(table, (1, 11), kinds=[RowKind.DELETE])
    reasons = [file.reason for file in explained(table, "v = 10").files]
    assert all(reason.startswith("merged with other files: only conditions on the key") for reason in reasons)
    compact(table)
    assert [file.reason for file in explained(table, "v = 20").files] == ["1 of 1 row groups"]


def test_deleted_rows_are_counted() -> None:
    found = explained(corpus("java09/dv.append_dv"))
    deleted = next(stage for stage in found.stages if stage.name is StageName.DELETION_VECTORS)
    assert deleted.unit == "rows"
    assert any("rows deleted" in file.reason for file in found.files)


@pytest.mark.parametrize(
    "name",
    ["java09/evo.append_orc", "java09/dv.pk_dv_l0", "java09/append.empty_table", "pypaimon21/py.pk_fixed"],
)
def test_every_live_file_is_told_of_once(name: str) -> None:
    table = corpus(name)
    snapshot = table.snapshots.latest()
    live = table.manifests.live_entries(snapshot).column("file_name").to_pylist() if snapshot else []
    where = f"{table.schema.field_names[0]} IS NULL"
    assert sorted(file.file_name for file in explained(table, where).files) == sorted(live)


def lived(**options: str) -> Table:
    """Snapshots: 1 and 2 insert into two buckets, 3 updates in one of them, 4 compacts."""
    table = new_table({"k": "INT", "v": "INT"}, ["k"], bucket="2", **options)
    put(table, *((k, k) for k in range(20)))
    put(table, *((k, k) for k in range(20, 40)))
    put(table, (0, -1))
    compact(table)
    return table


@pytest.mark.parametrize("mode", ["delta", "changelog", "diff"])
def test_a_read_of_changes_tells_its_stages_and_the_files_that_it_opens(mode: str) -> None:
    options = {"incremental-between": "1,4", "incremental-between-scan-mode": mode}
    table = corpus("java09/changelog.lookup").with_options(options)
    found = table.explain(filter="k = 1")
    stages = {stage.name: stage for stage in found.stages}
    sides = [side for split in table.plan(filter="k = 1").splits for side in (split.before, split) if side]
    assert {file.file_name for file in found.files} == {f.file_name for side in sides for f in side.files}
    assert found.stages[0].name is StageName.SNAPSHOTS
    assert stages[StageName.STATISTICS].kept > 0


def test_snapshots_without_changes_of_the_kind_are_passed_over() -> None:
    found = lived().with_options({"incremental-between": "0,4"}).explain()
    assert (found.stages[0].kept, found.stages[0].dropped) == (3, 1)  # the compaction tells nothing


def test_a_bucket_in_which_nothing_changed_is_left_out_of_a_diff() -> None:
    table = lived().with_options({"incremental-between": "2,3", "incremental-between-scan-mode": "diff"})
    plan, found = table.plan(), table.explain()
    (stage,) = [stage for stage in found.stages if stage.name is StageName.DIFFERENCE]
    assert len({(split.partition, split.bucket) for split in plan.splits}) == 1
    assert (stage.kept, stage.kept + stage.dropped) == (1, 4 + 5)  # two files a bucket, and the update


def test_nothing_that_changed_is_no_file() -> None:
    table = lived().with_options({"incremental-between": "4,4"})
    assert table.explain().files == ()


def test_files_joined_by_rows_are_read_whole() -> None:
    table = corpus("pypaimon21/py.data_evolution_updates")
    found = explained(table, f"{table.schema.fields[0].name} IS NOT NULL")
    joined = [file for file in found.files if "joined with other files" in file.reason]
    assert joined
    assert all(file.rows_read == file.rows and file.dropped_by is None for file in joined)


@pytest.mark.parametrize("folder", sorted((CORPORA / "damaged/broken.db").iterdir()), ids=lambda f: f.name)
def test_damage_is_told_as_reads_tell_it(folder: Path) -> None:
    table = corpus(f"damaged/broken.{folder.name}")
    assert outcome(table.explain) in ("", outcome(table.to_arrow))
