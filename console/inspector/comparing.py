"""Two snapshots side by side: what differs between their live files, and what came and went in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.damage import Damage, damage_of, problem_of
from console.api.errors import Problem
from console.inspector.cache import in_parallel
from console.inspector.changes import delta
from console.inspector.damages import pointers
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from console.inspector.pinning import resolve_at
from core.errors import PaimonError
from core.inspect.schema_diff import OptionChange, diff_options
from core.manifest import EntryColumns
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_COMMITS = 1000  # between the two, for what needs each of them


def compare(opened: OpenTable, base_at: str, at: str | None) -> dict[str, Any]:
    """The net difference from `base_at` to `at`.

    Raises:
        Problem: a snapshot is gone, or there is none.
    """
    base, other = resolve_at(opened, base_at), resolve_at(opened, at)
    if base is None or other is None:
        raise Problem("not-found", kind="snapshot", name=base_at)
    a, b = live_files(opened, base).table, live_files(opened, other).table
    only_a, only_b = _without(a, b), _without(b, a)
    both = b.filter(pc.is_in(b.column("name"), value_set=a.column("name")))
    between, missing = _between(opened, base, other)
    changes, damage = _option_changes(opened, base, other)
    return {
        "base": base.reference,
        "at": other.reference,
        "only_base": _counts(only_a),
        "only_at": _counts(only_b),
        "both": _counts(both),
        "transient": _transient(opened, between, a, b) if not missing else None,
        "partitions": sorted({*_partitions(only_a), *_partitions(only_b)}),
        "levels": _levels(a, b),
        "commits": _by_kind(between),
        "missing_snapshots": missing,
        "base_schema_id": base.schema_id,
        "at_schema_id": other.schema_id,
        "options": [{"key": c.key, "from": c.before, "to": c.after} for c in changes],
        **problem_of(damage),
    }


def _option_changes(
    opened: OpenTable, base: Snapshot, other: Snapshot
) -> tuple[Sequence[OptionChange], Damage | None]:
    """How the options differ; nothing, and why, where one of the schemas cannot be read."""
    schemas = opened.table.schemas
    try:
        return diff_options(schemas.get(base.schema_id).options, schemas.get(other.schema_id).options), None
    except PaimonError as error:
        damage = damage_of(error)
        named = [p for snapshot in (base, other) for p in pointers(opened, snapshot, damage)]
        return (), damage.named(*named)


def _without(files: pa.Table, others: pa.Table) -> pa.Table:
    return files.filter(pc.invert(pc.is_in(files.column("name"), value_set=others.column("name"))))


def _counts(files: pa.Table) -> dict[str, int]:
    return {
        "files": len(files),
        "bytes": pc.sum(files.column("bytes")).as_py() or 0,
        "rows": pc.sum(files.column("rows")).as_py() or 0,
    }


def _partitions(files: pa.Table) -> list[str]:
    labels: list[str] = pc.unique(files.column("partition")).to_pylist()
    return labels


def _levels(a: pa.Table, b: pa.Table) -> list[dict[str, Any]]:
    levels = sorted({*pc.unique(a.column("level")).to_pylist(), *pc.unique(b.column("level")).to_pylist()})
    return [
        {"level": n, "before": _counts(_of_level(a, n)), "after": _counts(_of_level(b, n))} for n in levels
    ]


def _of_level(files: pa.Table, level: int) -> pa.Table:
    return files.filter(pc.equal(files.column("level"), level))


def _between(opened: OpenTable, base: Snapshot, other: Snapshot) -> tuple[list[Snapshot], int]:
    """The commits after the older up to the newer, and how many ids in between are not there."""
    low, high = sorted((base.id, other.id))
    kept = [i for i in opened.table.snapshots.ids() if low < i <= high]
    read = in_parallel(opened.table.snapshots.get, kept[:MOST_COMMITS])
    return read, (high - low) - len(read)


def _by_kind(between: list[Snapshot]) -> list[dict[str, Any]]:
    kinds: dict[str, int] = {}
    for snapshot in between:
        kind = snapshot.commit_kind.value.lower()
        kinds[kind] = kinds.get(kind, 0) + 1
    return [{"kind": kind, "commits": commits} for kind, commits in sorted(kinds.items())]


def _transient(opened: OpenTable, between: list[Snapshot], a: pa.Table, b: pa.Table) -> dict[str, int] | None:
    """Files that were added in between and are live at neither end: rewriting that nobody keeps."""
    try:
        added = EntryColumns.concat([delta(opened, snapshot).adds() for snapshot in between])
    except PaimonError:
        return None
    files = added.table.select(["file_name", "file_size", "row_count"]).rename_columns(
        ["name", "bytes", "rows"]
    )
    once = files.group_by("name").aggregate([("bytes", "max"), ("rows", "max")])
    named = once.rename_columns([c.removesuffix("_max") for c in once.column_names])
    return _counts(_without(_without(named, a), b))
