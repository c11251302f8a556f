"""Files of a table that lie outside of its directory. Spec: 01, 1.3.

The roots of `data-file.external-paths` may be those of several tables, and nothing in a path says whose file
it is: a table's are those that its metadata names.
"""

from __future__ import annotations

from core.io import MAIN_BRANCH
from core.maintenance.reach import NamedFiles, files_of_entries, metadata_files
from core.maintenance.reach.named import existing
from core.maintenance.reach.roots import Root, RootKind, Roots
from core.options import DATA_FILE_EXTERNAL_PATHS, GLOBAL_INDEX_EXTERNAL_PATH
from core.table import Table


def external_files(table: Table) -> list[str]:
    """Paths of what snapshots, tags and changelogs of all branches name and that lies elsewhere.

    What nothing names is left out. Where no schema has ever asked for such a place, schemas alone are read.

    Raises:
        NotFoundError, FormatError: metadata is missing or damaged.
    """
    names = table.branches.names()
    views = {MAIN_BRANCH: table} | {name: table.with_branch(name) for name in names}
    if not any(_has_roots(view) for view in views.values()):
        return []
    roots = Roots.of(table).found
    named = NamedFiles.union(_named(views.get(root.branch, table), root) for root in roots)
    inside = f"{table.location}/"
    return [path for path in named.paths if not path.removeprefix("file:").startswith(inside)]


def _has_roots(table: Table) -> bool:
    keys = {DATA_FILE_EXTERNAL_PATHS.key, GLOBAL_INDEX_EXTERNAL_PATH.key}
    return any(keys.intersection(schema.options) for schema in table.schemas.all())


def _named(table: Table, root: Root) -> NamedFiles:
    """All files that one snapshot or changelog leads to."""
    manifests, snapshot = table.manifests, root.snapshot
    has_state = root.kind is not RootKind.CHANGELOG
    parts = [metadata_files(table, snapshot, with_state=has_state)]
    if has_state:
        parts.append(files_of_entries(table, manifests.live_entries(snapshot)))
    entries = existing(lambda of: [manifests.changelog_entries(of)], snapshot)
    return NamedFiles.union([*parts, *(files_of_entries(table, one) for one in entries)])
