"""Indexes come and go while data files stay. Spec: 10, 4.3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.fileindex import encode_file_index
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.rewrite_file_index import (
    apply_rewrite_file_index,
    index_names,
    plan_rewrite_file_index,
)
from core.manifest import DataFileMeta
from core.schema.changes import RemoveOption, RenameColumn, SetOption
from core.snapshot import CommitKind
from core.system import open_system_table
from core.table import Table
from core.write import CommitMessage
from tests.builders import data_file
from tests.core.maintenance.tables import checked, deleted_yet_live, is_clean, later
from tests.tables import compact, files_of, new_table, put, rows_of

COLUMNS = {"id": "INT NOT NULL", "v": "STRING", "m": "MAP<STRING, INT>"}
BITMAP = SetOption("file-index.bitmap.columns", "v")
BLOOM = SetOption("file-index.bloom-filter.columns", "id")
BESIDE = SetOption("file-index.in-manifest-threshold", "0 B")


def plain(*keys: str, **options: str) -> Table:
    table = new_table(COLUMNS, keys, **{"bucket": "1" if keys else "-1", **options})
    for start in (0, 10):
        put(table, *[(i, "odd" if i % 2 else "even", (("k", i),)) for i in range(start, start + 10)])
    return table


def rewritten(table: Table, *changes: Any) -> Table:
    table = table.alter(changes)
    apply_rewrite_file_index(table, plan_rewrite_file_index(table), "indexer")
    return table.refreshed()


def indexes_of(table: Table) -> list[set[str]]:
    """The indexes of each file, from the first file on."""
    rows = open_system_table(table, "file_indexes").to_arrow().to_pylist()
    names = [file.file_name for file in files_of(table)]
    shown = [(row["file_path"].rpartition("/")[2], row["index_type"], row["column_name"]) for row in rows]
    return [{f"{kind}({column})" for name, kind, column in shown if name == file} for file in names]


def files_read(table: Table, text: str) -> int:
    return sum(len(split.files) for split in table.plan(filter=text).splits)


@pytest.mark.parametrize("keys", [(), ("id",)])
@pytest.mark.parametrize("changes", [(BITMAP,), (BITMAP, BESIDE)])
def test_files_get_the_indexes_of_the_options(keys: tuple[str, ...], changes: tuple[Any, ...]) -> None:
    table = plain(*keys)
    rows, names = rows_of(table), [file.file_name for file in files_of(table)]
    table = rewritten(table, *changes)
    latest = table.snapshots.latest()
    assert latest is not None
    assert (latest.id, latest.commit_kind, latest.delta_record_count) == (3, CommitKind.COMPACT, 0)
    assert [file.file_name for file in files_of(table)] == names
    assert indexes_of(table) == [{"bitmap(v)"}, {"bitmap(v)"}]
    assert rows_of(table) == rows
    assert len(table.to_arrow(filter="v = 'odd'")) == 10
    assert files_read(table, "v = 'none'") == (2 if BESIDE in changes else 0)
    assert is_clean(checked(table))


def test_an_index_is_what_a_writer_would_have_made() -> None:
    asked = {"file_index__bitmap__columns": "v", "file_index__bloom_filter__columns": "id,m[k]"}
    written = plain(**asked)
    made = rewritten(
        plain(),
        BITMAP,
        SetOption("file-index.bloom-filter.columns", "id,m[k]"),
        SetOption("file-index.in-manifest-threshold", "1 mb"),
    )
    threshold = written.with_options({"file-index.in-manifest-threshold": "1 mb"})
    put(threshold, *[(i, "odd" if i % 2 else "even", (("k", i),)) for i in range(10)])
    assert files_of(made)[0].embedded_index == files_of(threshold)[-1].embedded_index


def test_what_is_not_asked_for_goes_and_the_rest_is_kept() -> None:
    table = rewritten(plain(), BITMAP, BLOOM)
    kept = files_of(table)[0]
    plan = plan_rewrite_file_index(table.alter([RemoveOption(BITMAP.key)]))
    assert (dict(plan.added), dict(plan.dropped), plan.bytes_to_read) == ({}, {"bitmap(v)": 2}, 0)
    table = rewritten(table, RemoveOption(BITMAP.key))
    assert indexes_of(table) == [{"bloom-filter(id)"}] * 2
    assert files_of(table)[0] != kept
    table = rewritten(table, RemoveOption(BLOOM.key))
    assert indexes_of(table) == [set(), set()]
    assert [(f.embedded_index, f.extra_files) for f in files_of(table)] == [(None, ())] * 2


def test_a_file_that_has_what_it_should_is_left_alone() -> None:
    table = rewritten(plain(), BITMAP)
    plan = plan_rewrite_file_index(table)
    assert (plan.changes_nothing, plan.files_in_scope) == (True, 2)
    assert apply_rewrite_file_index(table, plan, "indexer") is None
    assert table.snapshots.latest_id() == 3


def test_an_index_of_an_unknown_type_is_kept() -> None:
    table = plain()
    entry, *_ = table.manifests.live_entries(latest(table)).entries()
    unknown = replace(entry.file, embedded_index=encode_file_index({"v": {"of-tomorrow": b"bytes"}}))
    swap(table, entry.file, unknown)
    table = rewritten(table, BITMAP)
    assert {"of-tomorrow(v)", "bitmap(v)"} in indexes_of(table)


def swap(table: Table, old: DataFileMeta, new: DataFileMeta) -> None:
    entry = next(e for e in table.manifests.live_entries(latest(table)).entries() if e.file == old)
    TableCommit(table, "other").commit(
        [
            CommitMessage(
                partition=entry.partition,
                bucket=entry.bucket,
                total_buckets=entry.total_buckets,
                compact_before=(old,),
                compact_after=(new,),
            )
        ]
    )


def latest(table: Table) -> Any:
    return table.snapshots.latest()


def test_a_lost_index_is_made_again_under_a_name_of_its_own() -> None:
    table = rewritten(plain(), BITMAP, BESIDE)
    lost, other = (file.extra_files[0] for file in files_of(table))
    table.io.delete(f"{table.location}/bucket-0/{lost}")
    table = rewritten(table, SetOption("comment", "x"))
    named = {name for file in files_of(table) for name in file.extra_files}
    assert named == {lost.replace(".index", "-1.index"), other}
    assert indexes_of(table) == [{"bitmap(v)"}] * 2


def test_a_renamed_column_is_indexed_under_the_name_of_the_file() -> None:
    table = plain().alter([RenameColumn(("v",), "w")])
    table = rewritten(table, SetOption("file-index.bitmap.columns", "w"))
    assert indexes_of(table) == [{"bitmap(v)"}] * 2
    assert files_read(table, "w = 'none'") == 0
    assert len(table.to_arrow(filter="w = 'odd'")) == 10


def test_names_count_on_and_pass_over_what_is_taken() -> None:
    def next_two(*old: str) -> list[str]:
        names = index_names(data_file(file_name="data-u-0.orc", extra_files=old))
        return [next(names), next(names)]

    assert next_two() == ["data-u-0.orc.index", "data-u-0.orc-1.index"]
    assert next_two("data-u-0.orc.index") == ["data-u-0.orc-1.index", "data-u-0.orc-2.index"]
    assert next_two("data-u-0.orc-1.index") == ["data-u-0.orc-2.index", "data-u-0.orc-3.index"]


def test_two_rewrites_at_once_do_not_touch_the_files_of_each_other() -> None:
    table = plain().alter([BITMAP, BESIDE])
    plan = plan_rewrite_file_index(table)
    apply_rewrite_file_index(table, plan, "one")
    with pytest.raises(CommitConflictError):
        apply_rewrite_file_index(table, plan, "two")
    assert indexes_of(table) == [{"bitmap(v)"}] * 2
    assert is_clean(checked(table))
    assert sum(status.path.endswith(".index") for status in table.io.iter_tree(table.location)) == 2


def test_a_file_that_was_compacted_since_is_not_brought_back() -> None:
    table = plain().alter([BITMAP])
    plan = plan_rewrite_file_index(table)
    compact(table)
    with pytest.raises(CommitConflictError):
        apply_rewrite_file_index(table, plan, "indexer")


def test_marked_rows_keep_their_place_in_an_index() -> None:
    table = plain(deletion_vectors__enabled="true")
    table.new_commit("me").commit(table.apply_changes(table.plan_delete("id = 3")))
    table = rewritten(table, BITMAP)
    assert sorted(table.to_arrow(["id"], "v = 'odd'").column("id").to_pylist()) == [
        1,
        5,
        7,
        9,
        11,
        13,
        15,
        17,
        19,
    ]


def test_old_index_files_go_with_their_snapshots_and_data_files_stay() -> None:
    table = rewritten(plain(), BITMAP, BESIDE)
    table = rewritten(table, BLOOM)
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_max=1, retain_min=1)
    apply_expire_snapshots(table, plan)
    assert len(rows_of(table)) == 20
    assert sum(status.path.endswith(".index") for status in table.io.iter_tree(table.location)) == 2
    assert is_clean(checked(table))


def test_only_partitions_that_are_named_are_rewritten() -> None:
    table = new_table({"p": "STRING", "v": "STRING"}, partition=["p"], bucket="-1")
    put(table, ("a", "x"), ("b", "x"))
    plan = plan_rewrite_file_index(table.alter([BITMAP]), [{"p": "a"}])
    assert (plan.files_in_scope, dict(plan.added)) == (1, {"bitmap(v)": 1})


def test_an_index_that_there_cannot_be_is_refused() -> None:
    table = plain().with_options({"file-index.bitmap.columns": "nope"})
    with pytest.raises(InvalidRequestError, match="no such column to index"):
        plan_rewrite_file_index(table)


def test_a_file_that_is_again_as_it_was_is_in_no_manifest_as_deleted() -> None:
    table = plain("id")
    rows = rows_of(table)
    without = files_of(table)
    table = rewritten(table, BITMAP)
    table = rewritten(table, RemoveOption(BITMAP.key))
    assert files_of(table) == without
    assert (deleted_yet_live(table), rows_of(table)) == (set(), rows)
