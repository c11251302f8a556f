"""Commits beside appends: overwrites, truncation, empty ones, what they note, and who may retry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from core.catalog import FileSystemCatalog
from core.commit import CommitNotes, TableCommit, new_commit_user
from core.errors import (
    CommitConflictError,
    InvalidRequestError,
    NotFoundError,
    StorageError,
    UnsupportedError,
)
from core.options import TableOptions
from core.snapshot import CommitKind
from core.table import Table
from core.types import RowKind
from tests.tables import compact, data_paths, files_of, levels_of, new_table, prepare, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}
DAYS = {"dt": "STRING NOT NULL", "hh": "INT NOT NULL", "v": "INT"}


def by_day() -> Table:
    table = new_table(DAYS, partition=["dt", "hh"], bucket="-1")
    put(table, ("a", 1, 0), ("a", 2, 0), ("b", 1, 0), ("b", 2, 0))
    return table


def test_a_truncated_table_has_no_rows_and_one_more_snapshot() -> None:
    table = by_day()
    snapshot = TableCommit(table, "me").truncate()
    assert (snapshot.commit_kind, snapshot.total_record_count) == (CommitKind.OVERWRITE, 0)
    assert snapshot.operation == "TRUNCATE"
    assert rows_of(table) == []
    assert rows_of(table, snapshot_id=1)


@pytest.mark.parametrize(
    ("specs", "left"),
    [
        ([{"dt": "a"}], [("b", 1, 0), ("b", 2, 0)]),
        ([{"dt": "a", "hh": "1"}, {"dt": "b", "hh": "2"}], [("a", 2, 0), ("b", 1, 0)]),
        ([{"hh": "1"}], [("a", 2, 0), ("b", 2, 0)]),
        ([{"dt": "z"}], [("a", 1, 0), ("a", 2, 0), ("b", 1, 0), ("b", 2, 0)]),
    ],
)
def test_dropped_partitions_are_those_that_match_a_spec(specs: Any, left: list[Any]) -> None:
    table = by_day()
    TableCommit(table, "me").truncate_partitions(specs)
    assert rows_of(table) == left


def test_values_that_are_equal_to_numbers_only_are_partitions_of_their_own() -> None:
    table = new_table({"p": "DOUBLE", "v": "INT"}, partition=["p"], bucket="-1")
    put(table, (0.0, 1), (-0.0, 2), (float("nan"), 3))
    TableCommit(table, "me").truncate_partitions([{"p": "0.0"}, {"p": "NaN"}])
    assert [v for _, v in rows_of(table)] == [2]


def test_a_number_is_named_by_the_text_of_its_type() -> None:
    table = new_table({"p": "FLOAT", "v": "INT"}, partition=["p"], bucket="-1")
    put(table, (np.float32(0.1).item(), 1), (0.5, 2))
    TableCommit(table, "me").truncate_partitions([{"p": "0.1"}])
    assert [v for _, v in rows_of(table)] == [2]


@pytest.mark.parametrize("name", [None, "none"])
def test_null_is_named_by_none_or_by_the_default_name(name: str | None) -> None:
    table = new_table(
        {"p": "STRING", "v": "INT"}, partition=["p"], bucket="-1", partition__default_name="none"
    )
    put(table, (None, 1), ("", 2), ("__DEFAULT_PARTITION__", 3))
    TableCommit(table, "me").truncate_partitions([{"p": name}])
    assert sorted(v for _, v in rows_of(table)) == [2, 3]


@pytest.mark.parametrize(("bucket", "left"), [("-2", 0), ("2", 1)])
def test_postponed_buckets_go_with_the_table_that_has_them(bucket: str, left: int) -> None:
    (message,) = prepare(new_table(ID_V, ["id"]), [(1, "a")])
    table = new_table(ID_V, ["id"], bucket=bucket)
    TableCommit(table, "me").commit([replace(message, bucket=-2, total_buckets=-2)])
    TableCommit(table, "me").truncate()
    assert len(files_of(table)) == left


def test_to_drop_no_partition_is_refused_rather_than_all() -> None:
    with pytest.raises(InvalidRequestError, match="no partition"):
        TableCommit(by_day(), "me").truncate_partitions([])


@pytest.mark.parametrize(
    ("options", "identifier", "made"),
    [
        ({}, 3, 0),
        ({"commit__force_create_snapshot": "true"}, 3, 1),
        ({"commit__force_create_snapshot": "true"}, 2**63 - 1, 0),
        ({"snapshot__ignore_empty_commit": "false"}, 2**63 - 1, 1),
        ({"snapshot__ignore_empty_commit": "true", "commit__force_create_snapshot": "true"}, 3, 0),
    ],
)
def test_empty_commits_make_a_snapshot_where_the_table_says_so(
    options: dict[str, str], identifier: int, made: int
) -> None:
    table = new_table(ID_V, ["id"], **options)
    commit = TableCommit(table, "me")
    assert [s.commit_kind for s in commit.commit([], identifier)] == [CommitKind.APPEND] * made
    assert commit.filter_committed([identifier]) == [identifier] * (1 - made)


def test_notes_stand_in_the_snapshot_and_the_watermark_never_goes_back() -> None:
    table = new_table(ID_V, ["id"])
    commit = TableCommit(table, "me")
    notes = CommitNotes(watermark=50, properties={"job": "7"}, operation="WRITE")
    (first,) = commit.commit(prepare(table, [(1, "a")]), 1, notes)
    assert (first.watermark, first.properties, first.operation) == (50, {"job": "7"}, "WRITE")
    (second,) = commit.commit(prepare(table, [(2, "b")]), 2, CommitNotes(watermark=40))
    assert (second.watermark, second.properties, second.operation) == (50, {}, None)


def test_statistics_make_a_snapshot_that_later_ones_inherit() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    snapshot = TableCommit(table, "me").commit_statistics("stat-1")
    assert (snapshot.commit_kind, snapshot.statistics) == (CommitKind.ANALYZE, "stat-1")
    assert (snapshot.delta_record_count, snapshot.total_record_count) == (0, 1)
    (later,) = put(table, (2, "b"))
    assert later.statistics == "stat-1"


def test_manifests_are_merged_once() -> None:
    table = new_table(ID_V, ["id"])
    for i in range(4):
        put(table, (i, "a"))
    compact(table)
    commit = TableCommit(table, "me")
    snapshot = commit.merge_manifests()
    assert snapshot is not None
    assert snapshot.commit_kind is CommitKind.COMPACT
    (base,) = table.manifests.base_manifests(snapshot)
    assert (base.num_added_files, base.num_deleted_files) == (len(files_of(table)), 0)
    assert table.manifests.delta_manifests(snapshot) == []
    assert commit.merge_manifests() is None
    assert table.snapshots.latest_id() == snapshot.id
    assert len(rows_of(table)) == 4


def test_an_empty_table_has_no_manifests_to_merge() -> None:
    assert TableCommit(new_table(ID_V, ["id"]), "me").merge_manifests() is None


def test_a_user_bears_the_tables_prefix() -> None:
    assert new_commit_user(TableOptions({"commit.user-prefix": "etl"})).startswith("etl_")
    assert "_" not in new_commit_user(TableOptions({}))


class TestRecovery:
    def test_commits_what_had_not_been_committed(self) -> None:
        table = new_table(ID_V, ["id"])
        pending = {i: prepare(table, [(i, "a")]) for i in (3, 1, 2)}
        TableCommit(table, "job").commit(pending[1], 1)
        made = TableCommit(table, "job").filter_and_commit(pending)
        assert [s.commit_identifier for s in made] == [2, 3]
        assert TableCommit(table, "job").filter_and_commit(pending) == []
        assert rows_of(table) == [(1, "a"), (2, "a"), (3, "a")]

    def test_stops_at_a_commit_whose_files_are_gone(self) -> None:
        table = new_table(ID_V, ["id"])
        pending = {1: prepare(table, [(1, "a")]), 2: prepare(table, [(2, "a")])}
        TableCommit(table, "cleaner").abort(pending[2])
        with pytest.raises(NotFoundError, match="has been deleted"):
            TableCommit(table, "job").filter_and_commit(pending)
        assert rows_of(table) == [(1, "a")]


class TestOverwrittenRows:
    def overwrite(self, table: Table, *rows: Any, kinds: Any = None) -> None:
        TableCommit(table, "me").overwrite(prepare(table, list(rows), kinds), {})

    def test_go_to_the_top_level_where_nothing_overlaps(self) -> None:
        table = new_table(ID_V, ["id"])
        put(table, (1, "a"))
        self.overwrite(table, (1, "b"), (2, "b"))
        assert levels_of(table) == [5]
        assert rows_of(table) == [(1, "b"), (2, "b")]

    def test_stay_on_level_0_where_they_overlap_or_delete(self) -> None:
        table = new_table(ID_V, ["id"])
        overlapping = [*prepare(table, [(1, "a"), (3, "a")]), *prepare(table, [(2, "b")])]
        TableCommit(table, "me").overwrite(overlapping, {})
        assert levels_of(table) == [0, 0]
        self.overwrite(table, (1, "a"), (2, "a"), kinds=[RowKind.INSERT, RowKind.DELETE])
        assert levels_of(table) == [0]

    def test_stay_on_level_0_where_the_table_says_so(self) -> None:
        table = new_table(ID_V, ["id"], overwrite_upgrade="false")
        self.overwrite(table, (1, "b"))
        assert levels_of(table) == [0]

    def test_of_a_table_without_keys_have_no_levels(self) -> None:
        table = new_table(ID_V, bucket="-1")
        self.overwrite(table, (1, "b"))
        assert levels_of(table) == [0]


@dataclass
class RecordingLock:
    """Lets another commit before the lock is granted, or grants none."""

    before: Any = lambda: None
    log: list[str] = field(default_factory=list)

    @contextmanager
    def held(self) -> Iterator[None]:
        self.before()
        self.log.append("taken")
        yield
        self.log.append("given back")


class Overwriting:
    """A store whose creations replace what is there, as an object store's do without conditions."""

    def __init__(self, io: Any, log: list[str]) -> None:
        self._io, self._log = io, log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        self._log.append("created")
        self._io.write(path, data)


def test_under_a_lock_a_snapshot_is_looked_for_before_it_is_created() -> None:
    table = new_table(ID_V, ["id"])
    lock, messages, rivals = RecordingLock(), prepare(table, [(1, "mine")]), [(2, "theirs")]
    lock.before = lambda: put(table, rivals.pop()) if rivals else None
    io = Overwriting(table.io, lock.log)
    TableCommit(Table(io, table.location, table.identifier), "me", lock=lock).commit(messages)
    assert rows_of(table) == [(1, "mine"), (2, "theirs")]
    assert lock.log == ["taken", "taken", "created", "given back"]


def test_a_lock_that_is_not_granted_leaves_nothing() -> None:
    table = new_table(ID_V, ["id"])

    def refuse() -> None:
        raise StorageError("no lock")

    with pytest.raises(StorageError, match="no lock"):
        TableCommit(table, "me", lock=RecordingLock(refuse)).commit(prepare(table, [(1, "a")]))
    assert table.io.list_files(table.paths.manifest_dir) == []


def test_a_commit_that_loses_below_a_lock_takes_its_manifests_back() -> None:
    table = new_table(ID_V, ["id"], commit__max_retries="0")
    lock = RecordingLock(lambda: put(table, (2, "theirs")))
    messages = prepare(table, [(1, "mine")])
    with pytest.raises(CommitConflictError):
        TableCommit(table, "me", lock=lock).commit(messages)
    assert len(table.io.list_files(table.paths.manifest_dir)) == 3


@pytest.mark.parametrize("where", ["table", "catalog"])
def test_a_commit_without_the_lock_that_others_take_is_refused(where: str) -> None:
    options: Any = {"lock__enabled": "true"} if where == "table" else {}
    table = new_table(ID_V, ["id"], **options)
    catalog = FileSystemCatalog(table.io, "memory://wh", {"lock.enabled": "true"})
    if where == "catalog":
        table = catalog.get_data_table("db.t")
    messages, commit = prepare(table, [(1, "a")]), table.new_commit("me")
    with pytest.raises(UnsupportedError, match="CommitLock") as refused:
        commit.commit(messages)
    assert refused.value.fields["feature"] == "lock.enabled without a lock"
    commit.abort(messages)
    assert data_paths(table) == set()
    lock = RecordingLock()
    table.new_commit("me", lock=lock).commit(prepare(table, [(1, "a")]))
    assert (rows_of(table), lock.log) == ([(1, "a")], ["taken", "given back"])
