"""Files that nothing names. Spec: 08, 12: what counts is the name, not the place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from core.io import FileStatus
from core.maintenance.check.finding import Orphan

# Pointers: they are found by listing, so nothing needs to name them.
_POINTERS = re.compile(
    r"(branch/branch-[^/]+/)?"
    r"(schema/schema-\d+|snapshot/(snapshot-\d+|EARLIEST|LATEST)|changelog/(changelog-\d+|EARLIEST|LATEST)"
    r"|tag/(tag-[^/]+|tag-success-file/[^/]+)|consumer/consumer-[^/]+|service/[^/]+)"
)
# Where files are named by metadata, or should not be at all.
_WATCHED = re.compile(
    r"(branch/branch-[^/]+/)?(schema|snapshot|changelog)/[^/]+|(manifest|index|statistics)/[^/]+|(.*/)?bucket-(\d+|postpone)/[^/]+"
)


def iter_orphans(root: str, files: Collection[FileStatus], used_names: Collection[str]) -> Iterator[Orphan]:
    """The files of the table's own directories that nothing names, in the listing's order."""
    for status in files:
        path = status.path.removeprefix(f"{root}/")
        if path.rpartition("/")[2] in used_names or _POINTERS.fullmatch(path) or not _WATCHED.fullmatch(path):
            continue
        yield Orphan(path, status.size, status.modified_millis)
