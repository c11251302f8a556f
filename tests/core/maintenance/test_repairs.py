"""Tables that lost files or have wrong hints are made readable again. Spec: 01, 3; 10, 5 and 6."""

from __future__ import annotations

import pytest

from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.maintenance.remove_missing import apply_remove_missing, plan_remove_missing
from core.maintenance.repair_hints import apply_repair_hints, plan_repair_hints
from core.table import Table
from tests.core.maintenance.tables import corpus, keyed
from tests.tables import new_table, put, rows_of


def losing() -> tuple[Table, str]:
    """Three files of a row each, of which the second is lost."""
    table = new_table({"id": "INT"}, bucket="-1")
    for i in range(3):
        put(table, (i,))
    entries = list(table.manifests.delta_entries(table.snapshots.get(2)).entries())
    path = table.paths.data_file("", 0, entries[0].file)
    content = table.io.read(path)
    table.io.write(f"{table.location}/kept", content)
    table.io.delete(path)
    return table, path


def test_the_rest_can_be_read_once_a_lost_file_is_taken_out() -> None:
    table, path = losing()
    with pytest.raises(NotFoundError):
        rows_of(table)
    plan = plan_remove_missing(table)
    assert plan.paths == (path,)
    assert [(n.code, dict(n.fields)) for n in plan.warnings] == [("rows-lost", {"files": 1, "rows": 1})]
    apply_remove_missing(table, plan, "repairer")
    assert rows_of(table) == [(0,), (2,)]


def test_a_whole_table_stays_as_it_is() -> None:
    table = keyed()
    plan = plan_remove_missing(table)
    assert plan.changes_nothing
    assert apply_remove_missing(table, plan, "repairer").id == 6


def test_a_file_that_is_there_again_is_not_taken_out() -> None:
    table, path = losing()
    plan = plan_remove_missing(table)
    table.io.write(path, table.io.read(f"{table.location}/kept"))
    with pytest.raises(CommitConflictError, match="there again"):
        apply_remove_missing(table, plan, "repairer")
    assert rows_of(table) == [(0,), (1,), (2,)]


def test_a_plan_is_stale_once_the_table_has_moved() -> None:
    table, _ = losing()
    plan = plan_remove_missing(table)
    put(table, (9,))
    with pytest.raises(CommitConflictError, match="moved"):
        apply_remove_missing(table, plan, "repairer")


def test_a_file_with_a_deletion_vector_is_left_to_people() -> None:
    table = corpus("java09/dv.db/append_dv")
    (index, *_) = table.manifests.index_entries(table.snapshots.latest())
    name = index.deletion_vector_ranges[0].data_file
    for status in list(table.io.iter_tree(table.location)):
        if status.path.endswith(name):
            table.io.delete(status.path)
    assert ("file-has-deletion-vector", name) in [
        (n.code, n.fields["file"]) for n in plan_remove_missing(table).blockers
    ]


def hints(table: Table) -> tuple[bytes, bytes]:
    return tuple(table.io.read(f"{table.paths.snapshot_dir}/{name}") for name in ("EARLIEST", "LATEST"))


def test_wrong_hints_are_written_anew() -> None:
    table = keyed()
    table.snapshots.write_earliest_hint(4)
    table.snapshots.write_hint(99)
    plan = plan_repair_hints(table)
    assert [(r.hint, r.found, r.wanted) for r in plan.repairs] == [("EARLIEST", "4", 1), ("LATEST", "99", 6)]
    apply_repair_hints(table, plan)
    assert hints(table) == (b"1", b"6")
    assert plan_repair_hints(table).repairs == ()


def test_hints_that_name_nothing_go() -> None:
    table = keyed()
    for snapshot_id in table.snapshots.ids():
        table.snapshots.delete(snapshot_id)
    apply_repair_hints(table, plan_repair_hints(table))
    assert table.io.list_files(table.paths.snapshot_dir) == []


def test_a_gap_is_passed_by_the_hint_to_the_first() -> None:
    table = keyed()
    table.snapshots.delete(3)
    apply_repair_hints(table, plan_repair_hints(table, earliest=4))
    assert hints(table)[0] == b"4"
    assert table.snapshots.earliest_id() == 4


@pytest.mark.parametrize("earliest", [2, 5, 3, 9])
def test_only_the_first_after_the_gap_will_do(earliest: int) -> None:
    table = keyed()
    table.snapshots.delete(3)
    with pytest.raises(InvalidRequestError):
        plan_repair_hints(table, earliest=earliest)


def test_a_commit_since_the_plan_makes_it_stale() -> None:
    table = keyed()
    table.snapshots.write_hint(99)
    plan = plan_repair_hints(table)
    put(table, (9, "late"))
    with pytest.raises(CommitConflictError):
        apply_repair_hints(table, plan)
