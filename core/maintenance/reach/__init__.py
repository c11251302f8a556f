"""Which files something reaches, and which can go. Spec: 08, 7.

    roots.py      what readers start from: snapshots, tags, changelogs of every branch
    named.py      the files that metadata names: what may go together with it
    search.py     which of them something that stays reaches all the same
    unreached.py  the rest, planned and deleted
    delete.py     deletes files, and directories that are left empty

Every action that deletes files goes the same way: **first the roots, then the search, then the
files**. So a crash leaves orphans and never a root without its files; a tag or branch that is
made until the search keeps what it names; and of two actions that each remove one of the last two
roots of a file, the one that searches last deletes it.
"""

from __future__ import annotations

from core.maintenance.reach.delete import Progress, delete_empty_directories, delete_files, no_progress
from core.maintenance.reach.named import FileRole, NamedFiles, RoleTotals, files_of_entries, metadata_files
from core.maintenance.reach.roots import Root, RootKind, Roots
from core.maintenance.reach.search import reached_names
from core.maintenance.reach.unreached import delete_unreached, would_go

__all__ = [
    "FileRole",
    "NamedFiles",
    "Progress",
    "RoleTotals",
    "Root",
    "RootKind",
    "Roots",
    "delete_empty_directories",
    "delete_files",
    "delete_unreached",
    "files_of_entries",
    "metadata_files",
    "no_progress",
    "reached_names",
    "would_go",
]
