"""Makes the hint files say what the listing says. Spec: 01, 3; 10, 6, repair_earliest_snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import CommitConflictError, InvalidRequestError
from core.snapshot import ChangelogStore, HintReport, SnapshotStore
from core.snapshot.hints import parse_hint
from core.table import Table


@dataclass(frozen=True, slots=True)
class HintRepair:
    """A hint that would be written, or deleted where there is nothing to point to."""

    what: str  # `snapshot` or `changelog`
    hint: str  # `EARLIEST` or `LATEST`
    found: str | None  # its text; None: there is no file
    wanted: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairHintsPlan:
    repairs: tuple[HintRepair, ...]


def plan_repair_hints(table: Table, *, earliest: int | None = None) -> RepairHintsPlan:
    """The hints that would be written; one that is missing is legal and stays so.

    Args:
        table: the table, or one of its branches.
        earliest: the snapshot that EARLIEST shall name, where ids have a gap: the first after it, so
            that readers and expirations start there. By default the first of all.

    Raises:
        InvalidRequestError: `earliest` does not follow a gap, or is not there, or ids are missing
            after it.
    """
    report = table.snapshots.hint_report()
    if earliest is not None:
        _check_follows_gap(table.snapshots.ids(), earliest)
    return RepairHintsPlan(
        repairs=(
            *_repairs("snapshot", report, earliest),
            *_repairs("changelog", table.changelogs.hint_report(), None),
        )
    )


def apply_repair_hints(table: Table, plan: RepairHintsPlan) -> None:
    """Write the hints.

    Raises:
        CommitConflictError: what a hint is to name has gone, or is no longer the last, since the plan.
    """
    for repair in plan.repairs:
        store = table.snapshots if repair.what == "snapshot" else table.changelogs
        if repair.wanted is None:
            store.delete_hints()
            continue
        stale = not store.exists(repair.wanted) or (
            repair.hint == "LATEST" and store.exists(repair.wanted + 1)
        )
        if stale:
            raise CommitConflictError(
                "the table has moved since the plan", hint=repair.hint, id=repair.wanted
            )
        _write(store, repair.hint, repair.wanted)


def _write(store: SnapshotStore | ChangelogStore, hint: str, wanted: int) -> None:
    if hint == "EARLIEST":
        store.write_earliest_hint(wanted)
    else:
        store.write_hint(wanted)


def _repairs(what: str, report: HintReport, earliest: int | None) -> Iterator[HintRepair]:
    first = report.earliest if earliest is None else earliest
    for hint, found, wanted in (
        ("EARLIEST", report.earliest_hint, first),
        ("LATEST", report.latest_hint, report.latest),
    ):
        missing = found is None and (hint == "LATEST" or earliest is None)
        if not missing and parse_hint(found) != wanted:
            yield HintRepair(what, hint, found, wanted)


def _check_follows_gap(ids: list[int], earliest: int) -> None:
    if earliest not in ids:
        raise InvalidRequestError("there is no such snapshot", snapshot_id=earliest)
    later = [i for i in ids if i >= earliest]
    if later != list(range(earliest, ids[-1] + 1)):
        raise InvalidRequestError("ids are missing after the snapshot", snapshot_id=earliest, latest=ids[-1])
    if earliest - 1 in ids:
        raise InvalidRequestError("the snapshot before it is there", snapshot_id=earliest)
