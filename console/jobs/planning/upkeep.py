"""What describes the rows or finds them sooner: file indexes, manifests, statistics. Design: 7.6."""

from __future__ import annotations

from typing import Any

from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import refused
from console.jobs.planning.concerned import concerned
from console.jobs.planning.draft import Asked, Draft, plan_key
from core.errors import InvalidRequestError
from core.maintenance.analyze import plan_analyze
from core.maintenance.compact_manifests import plan_compact_manifests
from core.maintenance.rewrite_file_index import plan_rewrite_file_index
from core.options import MANIFEST_TARGET_FILE_SIZE
from core.snapshot import Snapshot

KEPT = ["rows", "history", "tags", "options"]
MOST_READ = 100 * 1024**3  # bytes


def plan_file_index(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """Which files would get and lose which indexes, by what the table's options ask for.

    Raises:
        Problem: a partition that is none.
        UnsupportedError: the table cannot be written by this release.
    """
    labels = asked.params.get("partitions") or None
    partitions = None if labels is None else [opened.labels.partition_values(label) for label in labels]
    try:
        found = computed(
            plan_key("file_index", opened, latest, asked.params),
            lambda: plan_rewrite_file_index(opened.table, partitions),
        )
    except InvalidRequestError as error:
        raise refused("partitions", error) from error
    effects = {
        "kind": "file_index",
        "files_in_scope": found.files_in_scope,
        "files": len(found.files),
        "bytes_to_read": found.bytes_to_read,
        "added": _counted(found.added),
        "dropped": _counted(found.dropped),
    }
    return Draft(
        level=0,
        job="rewrite-file-index",
        work={} if partitions is None else {"partitions": partitions},
        effects=effects | concerned(opened, latest),
        kept=[*KEPT, "data_files"],
        warnings=[notice("much-read")] if found.bytes_to_read > MOST_READ else [],
        blockers=[notice("indexes-as-asked")] if found.changes_nothing else [],
    )


def _counted(indexes: dict[str, int]) -> list[dict[str, Any]]:
    return [{"index": name, "files": files} for name, files in sorted(indexes.items())]


def plan_manifests(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """Which manifests would be written anew, told by the lists of the latest snapshot."""
    found = computed(plan_key("manifests", opened, latest, {}), lambda: plan_compact_manifests(opened.table))
    target: int = opened.table.options.get(MANIFEST_TARGET_FILE_SIZE)
    made = -(-found.rewritten_bytes // max(target, 1))
    effects = {
        "kind": "manifests",
        "manifests": found.manifests,
        "bytes": found.manifest_bytes,
        "rewritten": len(found.rewritten),
        "rewritten_bytes": found.rewritten_bytes,
        "deleted_entries": found.deleted_entries,
        "manifests_after": found.manifests - len(found.rewritten) + made,
        "target_bytes": target,
    }
    return Draft(
        level=0,
        job="compact-manifests",
        work={},
        effects=effects | concerned(opened, latest),
        kept=[*KEPT, "data_files"],
        blockers=[notice("manifests-compact")] if found.is_empty else [],
    )


def plan_analysis(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """Whose rows would be read to compute the statistics that engines plan by.

    Raises:
        Problem: a column that is none, or whose type has no statistics.
        UnsupportedError: the table cannot be read by this release.
    """
    columns = asked.params.get("columns")
    try:
        found = computed(
            plan_key("analyze", opened, latest, asked.params), lambda: plan_analyze(opened.table, columns)
        )
    except InvalidRequestError as error:
        raise refused("columns", error) from error
    effects = {
        "kind": "analyze",
        "columns": list(found.columns),
        "left_out": list(found.left_out),
        "files": found.files,
        "bytes": found.size,
        "rows": found.rows,
        "has_statistics": latest is not None and latest.statistics is not None,
    }
    return Draft(
        level=0,
        job="analyze",
        work={} if columns is None else {"columns": columns},
        effects=effects | concerned(opened, latest),
        kept=[*KEPT, "data_files"],
        warnings=[notice("much-read")] if found.size > MOST_READ else [],
        blockers=[notice("no-snapshot")] if found.changes_nothing else [],
    )
