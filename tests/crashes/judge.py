"""What can be seen of a table, and what of it has to be there after an accident."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from core.arrow import to_python
from core.datafile.system_fields import ROW_ID, tracks_rows
from core.errors import NotFoundError
from core.io import MAIN_BRANCH
from core.maintenance.check import Severity, check_table
from core.read.row_kinds import RowKinds
from core.scan.split import Split
from core.snapshot import Snapshot
from core.table import Table
from core.types import RowKind
from tests.crashes import Case, copy_of, files_of, fresh, original
from tests.crashes.memory import remembered
from tests.tables import rows_of

LOST = "lost"


@dataclass(frozen=True, slots=True)
class Ends:
    """A table as it is before an action and after it, and what is wrong with it then."""

    before: dict[str, object]
    after: dict[str, object]
    faults: set[str]


@cache
def ends_of(case: Case) -> Ends:
    table = copy_of(case.make)
    before, wrong = seen(table), faults(table)
    case.act(table)
    return Ends(before, seen(fresh(table)), wrong | faults(fresh(table)))


def seen(table: Table) -> dict[str, object]:
    """All that a reader can tell: rows (with their ids) and changelog of each snapshot, rows of each tag,
    consumers, schema, partitions done."""
    found: dict[str, object] = {}
    for branch in (MAIN_BRANCH, *table.branches.names()):
        view = table.with_branch(branch)
        if view.schemas.ids():  # else it is being made, or deleted
            found |= {f"{branch}, {what}": value for what, value in _of_branch(view).items()}
    marks = (status.path for status in table.io.iter_tree(table.location))
    return found | {path.removeprefix(table.location): "done" for path in marks if path.endswith("/_SUCCESS")}


def _of_branch(view: Table) -> dict[str, object]:
    reads: dict[str, Callable[[Table], object]] = {}
    for i in view.snapshots.ids():
        reads[f"snapshot {i}"] = lambda table, i=i: _rows(table, snapshot_id=i)
        if view.snapshots.get(i).changelog_manifest_list:
            reads[f"changelog of {i}"] = lambda table, i=i: told(table, table.snapshots.get(i))
    for i in view.changelogs.ids():
        reads[f"changelog of {i}"] = lambda table, i=i: told(table, table.changelogs.get(i))
    for name in view.tags.names():
        reads[f"tag {name}"] = lambda table, name=name: _rows(table, tag=name)
    found = {what: remembered(view, f"{view.branch}, {what}", _or_lost(read)) for what, read in reads.items()}
    consumers = {f"consumer {c.id}": c.next_snapshot for c in view.consumers.list()}
    return {"schema": replace(view.schema, time_millis=0), **found, **consumers}


def _rows(table: Table, **at: Any) -> list[Any]:
    """All rows, with their ids where they have such."""
    if not tracks_rows(table.schema):
        return rows_of(table, **at)
    fields = (*table.schema_at(**at).fields, ROW_ID)
    read = table.to_arrow([field.name for field in fields], **at)
    columns = [to_python(read.column(field.name), field.type) for field in fields]
    return sorted(zip(*columns, strict=True), key=repr)


def told(table: Table, snapshot: Snapshot) -> list[Any]:
    """The rows of a snapshot's changelog with their kinds, in the order of its files."""
    found: list[Any] = []
    for entry in table.manifests.changelog_entries(snapshot).entries():
        split = Split(snapshot.id, entry.partition, entry.bucket, 1, (entry.file,), False, is_streaming=True)
        for batch in table.read_split(split, kinds=RowKinds.ALL):
            columns = [to_python(batch.column(f.name), f.type) for f in table.schema.fields]
            kinds = [RowKind(code).short for code in batch.column("_VALUE_KIND").to_pylist()]
            found += zip(kinds, *columns, strict=True)
    return sorted(found, key=repr)


def _or_lost(read: Callable[[Table], object]) -> Callable[[Table], object]:
    def found(table: Table) -> object:
        try:
            return read(table)
        except NotFoundError:
            return LOST

    return found


def faults(table: Table) -> set[str]:
    """What is wrong with the table; a late hint is no fault."""
    if not table.schemas.ids():
        return set()
    return {str(f) for f in check_table(table).findings if f.severity is Severity.ERROR}


def assert_between(now: Table, ends: Ends) -> None:
    """What is there was so before or is so after, and what both have has not gone.

    What neither has came and will go, as the tag does that guards a rollback: it reads as something that was
    or will be.
    """
    found, both = seen(now), [*ends.before.values(), *ends.after.values()]
    for root, value in found.items():
        wanted = [end[root] for end in (ends.before, ends.after) if root in end]
        assert value in (wanted or both), root
    kept = {root for root in ends.before.keys() & ends.after.keys() if ends.before[root] == ends.after[root]}
    assert kept <= found.keys()
    assert faults(fresh(now)) <= ends.faults


def assert_retried(case: Case, table: Table, accident: str) -> None:
    """What an accident left is sound, and a second try ends as the first one should have.

    A table without a changed byte is as it was before the first try, so nothing has to be tried.
    """
    if files_of(table) == original(case.make)[1]:
        return
    ends = ends_of(case)
    try:
        assert_between(fresh(table), ends)
        case.act(fresh(table))
        assert_ended(case, table)
    except BaseException as error:
        error.add_note(accident)
        raise


def assert_ended(case: Case, table: Table) -> None:
    """All is as after an action that nothing happened to."""
    ends = ends_of(case)
    assert seen(fresh(table)) == ends.after
    assert faults(fresh(table)) <= ends.faults
