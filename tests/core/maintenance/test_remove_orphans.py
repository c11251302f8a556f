"""What nothing reaches goes once it is old, and nothing else. Spec: 08, 12."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.commit import TableCommit
from core.errors import InvalidRequestError
from core.io import LocalFileIO
from core.maintenance import remove_orphans
from core.maintenance.orphan_places import old_files, orphan_roots, split_by_bucket
from core.maintenance.reach import NamedFiles
from core.maintenance.remove_orphans import (
    SAFETY_AGE_MILLIS,
    OrphanPlan,
    apply_remove_orphans,
    plan_remove_orphans,
)
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.table import Table
from tests.core.maintenance.tables import checked, corpus, everything, files, is_clean, keyed, later, tag
from tests.tables import new_table, prepare, put


def plan(table: Table, hours: int = 48) -> OrphanPlan:
    return plan_remove_orphans(table, now_millis=later(table, hours))


def names(found: OrphanPlan) -> set[str]:
    return set(found.files.names.to_pylist())


def test_a_table_without_orphans_loses_nothing() -> None:
    table = keyed()
    assert len(plan(table).files) == 0


def test_files_that_were_never_committed_go_once_they_are_old() -> None:
    table = keyed()
    before = files(table)
    prepare(table, [(7, "lost")])
    assert len(plan(table, hours=2).files) == 0
    found = plan(table)
    assert names(found) == {path.rpartition("/")[2] for path in files(table) - before}
    apply_remove_orphans(table, found)
    assert files(table) == before


def test_what_a_rollback_left_goes() -> None:
    table = keyed()
    apply_rollback(table, plan_rollback(table, 2))
    before = everything(table)
    apply_remove_orphans(table, plan(table))
    assert everything(table) == before
    assert is_clean(checked(table))


def test_tags_and_branches_keep_what_only_they_reach() -> None:
    table = keyed()
    tag(table, "v4", 4)
    table.branches.create("dev", from_tag="v4")
    put(table.with_branch("dev"), (8, "b"))
    apply_rollback(table, plan_rollback(table, 1))
    before = everything(table)
    assert set(before) == {"main/1", "dev/4", "dev/5", "dev/v4"}
    apply_remove_orphans(table, plan(table))
    assert everything(table) == before
    assert is_clean(checked(table))


@pytest.mark.parametrize(
    "path",
    [
        "snapshot/.snapshot-7.0e1f.tmp",
        "snapshot/snapshot-70e1f.tmp",
        "schema/.schema-1.0e1f.tmp",
        "tag/.tag-a.0e1f.tmp",
        "branch/branch-dev/snapshot/.snapshot-7.0e1f.tmp",
        "manifest/manifest-lost-0",
        "index/index-lost-0",
        "statistics/stat-lost-0",
        "bucket-0/data-lost-0.parquet",
        "bucket-postpone/data-u-lost.avro",
    ],
)
def test_leavings_are_known_by_their_place(path: str) -> None:
    table = keyed()
    tag(table, "v", 1)
    table.branches.create("dev", from_tag="v")
    table.io.write(f"{table.location}/{path}", b"x")
    assert [p.removeprefix(f"{table.location}/") for p in plan(table).files.paths] == [path]


@pytest.mark.parametrize(
    "path",
    [
        "snapshot/EARLIEST",
        "schema/schema-0.bak",
        "tag/tag-x",
        "consumer/consumer-x",
        "service/service-primary-key-lookup",
        "notes.txt",
        "p=1/bucket-0/of-another-layout.parquet",
        "other/bucket-0/data-lost-0.parquet",
        "bucket-0/deep/data-lost-0.parquet",
    ],
)
def test_what_lies_elsewhere_is_none_of_its_business(path: str) -> None:
    table = keyed()
    content = (
        table.io.read(table.paths.snapshot_file(1)) if path.startswith("tag/") else b'{"nextSnapshot":1}'
    )
    table.io.write(f"{table.location}/{path}", content)
    assert plan(table).files.paths == []


def test_bucket_folders_lie_below_as_many_partitions_as_there_are_keys() -> None:
    table = new_table({"a": "STRING", "b": "INT", "v": "INT"}, partition=["a", "b"], bucket="-1")
    put(table, ("x", 1, 1))
    for path in ("a=x/b=1/bucket-0", "a=x/bucket-0", "bucket-0"):
        table.io.write(f"{table.location}/{path}/lost.parquet", b"x")
    assert [p.removeprefix(f"{table.location}/") for p in plan(table).files.paths] == [
        "a=x/b=1/bucket-0/lost.parquet"
    ]


def external(tmp_path: Path) -> Table:
    table = new_table(
        {"id": "INT NOT NULL", "v": "STRING"},
        ["id"],
        io=LocalFileIO(),
        warehouse=str(tmp_path / "wh"),
        data_file__external_paths=f"file://{tmp_path}/out",
    )
    put(table, (1, "a"))
    lost = tmp_path / "out" / "bucket-0" / "0101" / "1110" / "lost.parquet"
    lost.parent.mkdir(parents=True)
    lost.write_bytes(b"x")
    return table


def test_roots_outside_are_left_alone_and_named(tmp_path: Path) -> None:
    found = plan(external(tmp_path))
    assert found.files.paths == []
    assert [(n.code, n.fields["path"]) for n in found.warnings] == [
        ("external-path-left", f"file://{tmp_path}/out")
    ]


def test_roots_outside_are_cleaned_where_they_are_the_tables_own(tmp_path: Path) -> None:
    table = external(tmp_path)
    found = plan_remove_orphans(table, now_millis=later(table, 48), external_paths=True)
    assert [path.rpartition("/")[2] for path in found.files.paths] == ["lost.parquet"]
    apply_remove_orphans(table, found)
    assert not list((tmp_path / "out").rglob("lost.parquet"))


def test_an_age_limit_in_the_future_is_refused() -> None:
    table = keyed()
    with pytest.raises(InvalidRequestError, match="past"):
        plan_remove_orphans(table, now_millis=5, older_than_millis=5)


def test_a_young_age_limit_is_a_warning() -> None:
    table = keyed()
    now = later(table)
    found = plan_remove_orphans(table, now_millis=now, older_than_millis=now - 1)
    assert [(n.code, n.fields["safe_millis"]) for n in found.warnings] == [("young-limit", SAFETY_AGE_MILLIS)]


def test_a_branch_that_is_being_made_blocks_it() -> None:
    table = keyed()
    table.io.write(table.paths.on_branch("half").tag_file("t"), table.io.read(table.paths.snapshot_file(1)))
    found = plan(table)
    assert [(n.code, n.fields["branch"]) for n in found.blockers] == [("branch-without-schema", "half")]
    with pytest.raises(InvalidRequestError, match="branch-without-schema"):
        apply_remove_orphans(table, found)


def test_metadata_that_cannot_be_read_blocks_it() -> None:
    table = keyed()
    lost = table.paths.manifest_file(table.snapshots.get(3).delta_manifest_list)
    table.io.delete(lost)
    prepare(table, [(7, "lost")])
    found = plan(table)
    assert [(n.code, n.fields["path"]) for n in found.blockers] == [("unreadable-reference", lost)]
    assert len(found.files) == 0


def test_what_was_committed_after_the_plan_stays() -> None:
    table = keyed()
    messages = prepare(table, [(7, "late")])
    found = plan(table)
    assert len(found.files) == 1

    TableCommit(table, "slow").commit(messages)
    assert len(apply_remove_orphans(table, found)) == 0


def test_directories_that_are_left_empty_go(tmp_path: Path) -> None:
    table = new_table(
        {"p": "STRING", "v": "INT"}, partition=["p"], io=LocalFileIO(), warehouse=str(tmp_path), bucket="-1"
    )
    put(table, ("a", 1))
    prepare(table, [("b", 1)])
    apply_remove_orphans(table, plan(table))
    assert sorted(path.name for path in (tmp_path / "db.db" / "t").glob("p=*")) == ["p=a"]


@pytest.mark.parametrize(
    "name",
    [
        "java09/changelog.db/decoupled",
        "java09/dv.db/append_dv",
        "java09/ops.db/branches",
        "java09/ops.db/analyzed",
    ],
)
def test_a_table_of_real_paimon_loses_nothing_that_can_be_read(name: str) -> None:
    table = corpus(name)
    before = everything(table)
    apply_remove_orphans(table, plan(table, hours=24 * 10_000))
    assert everything(table) == before
    assert checked(table).findings == ()


@pytest.mark.parametrize("options", [{}, {"data_file__path_directory": "data/here"}])
@pytest.mark.parametrize("partition", [(), ("k",)])
def test_folders_of_buckets_hold_all_that_the_whole_tree_does(
    partition: tuple[str, ...], options: dict[str, str]
) -> None:
    table = new_table({"k": "INT NOT NULL", "v": "INT"}, partition=partition, bucket="-1", **options)
    put(table, (1, 1), (2, 2))
    prepare(table, [(2, 3), (3, 4)])
    roots, limit = orphan_roots(table, external_paths=False), later(table, 48)
    split = split_by_bucket(table, roots)
    assert sum("/bucket-" in folder.path for folder in split) == (3 if partition else 1)
    whole, parts = (NamedFiles.joined(old_files(table, f, limit)).paths for f in (roots, split))
    assert sorted(parts) == sorted(whole)


@pytest.mark.parametrize("folder", ["index", "manifest/data", "statistics"])
def test_data_in_a_folder_of_other_files_is_looked_through_with_them(folder: str) -> None:
    table = new_table({"k": "INT NOT NULL", "v": "INT"}, bucket="-1", data_file__path_directory=folder)
    put(table, (1, 1))
    prepare(table, [(2, 3)])
    table.io.write(f"{table.location}/{folder.partition('/')[0]}/lost", b"lost")
    roots, limit = orphan_roots(table, external_paths=False), later(table, 48)
    split = split_by_bucket(table, roots)
    whole, parts = (NamedFiles.joined(old_files(table, f, limit)).paths for f in (roots, split))
    assert any(path.endswith("/lost") for path in parts)
    assert sorted(parts) == sorted(whole)


def test_a_listing_in_parts_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table = keyed()
    prepare(table, [(7, "lost"), (8, "lost, too")])
    wanted = names(plan(table))
    monkeypatch.setattr(remove_orphans, "_NAMES_AT_ONCE", 2)
    found = plan_remove_orphans(
        table,
        now_millis=later(table, 48),
        listed=lambda table, roots, limit: (
            part for f in split_by_bucket(table, roots) for part in old_files(table, [f], limit)
        ),
    )
    assert names(found) == wanted != set()
