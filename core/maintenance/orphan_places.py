"""Where orphans may lie, and the old files there: a folder after the other, by whom ever.

manifest/ index/ statistics/              every file
[data directory/] k=v/.../bucket-n/       every file, at as many levels as there are partition keys
snapshot/ changelog/ of each branch       what is neither one of these nor a hint
schema/ tag/ consumer/ of each branch     the hidden files in which their files are written first
roots of data-file.external-paths         bucket folders, only if asked for: tables may share a root
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from core.io import FileIO, FileStatus
from core.maintenance.reach import FileRole, NamedFiles
from core.options import DATA_FILE_EXTERNAL_PATHS
from core.table import Table

_BATCH = 10_000  # files of a listing at once
_AT_ONCE = 16  # listings of folders
_HIDDEN = r"\.[^/]+\.tmp"
_BRANCH = r"(?:branch/branch-[^/]+/)?"
_HASHED = r"(?:[01]+/)*"  # the folders of strategy entropy-inject
_NOT_OF_DATA = frozenset(
    {"branch", "changelog", "consumer", "index", "manifest", "schema", "snapshot", "statistics", "tag"}
)


@dataclass(frozen=True, slots=True)
class OrphanFolder:
    """A folder that is looked through with all below it. Picklable."""

    path: str
    root: str  # above it: of the table, or one of its external paths

    @classmethod
    def whole(cls, root: str) -> OrphanFolder:
        return cls(root, root)


def orphan_roots(table: Table, external_paths: bool) -> list[OrphanFolder]:
    """All places where orphans may be: the table, and its external paths if they are asked for."""
    roots = [root.rstrip("/") for root in table.options.get(DATA_FILE_EXTERNAL_PATHS) if external_paths]
    return [OrphanFolder.whole(root) for root in (table.location, *roots)]


def split_by_bucket(table: Table, roots: Sequence[OrphanFolder]) -> list[OrphanFolder]:
    """The folders in which there may be orphans, those of buckets each by itself.

    They hold all that `old_files` finds in the roots; only names of folders are listed, one level
    of partitions after the other. Where the data lies in a folder that holds other files of the table, too,
    such as `index`, that is one part.
    """
    data = _data_folder(table).rstrip("/")
    found = []
    for root in roots:
        others = table.io.list_directories(root.path) if root.root == table.location else []
        paths = [f"{root.path}/{name}" for name in others if not _leads_to_data(table, data, name)]
        mixed = any(data.partition("/")[0] == name in _NOT_OF_DATA for name in others)
        level = [] if mixed else [f"{root.path}/{data}" if data else root.path]
        for _ in table.schema.partition_keys:
            level = _below(table.io, level, re.compile("[^/=]+=.+"))
        paths += _below(table.io, level, re.compile("bucket-.+"))
        found += [OrphanFolder(path, root.root) for path in paths]
    return found


def _leads_to_data(table: Table, data: str, name: str) -> bool:
    """Whether a folder of the table is one of the data alone."""
    if data:
        return name == data.partition("/")[0] and name not in _NOT_OF_DATA
    return "=" in name if table.schema.partition_keys else name.startswith("bucket-")


def _below(io: FileIO, folders: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    """The folders directly in some others whose names fit."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        listed = list(pool.map(io.list_directories, folders))
    return [
        f"{folder}/{name}"
        for folder, names in zip(folders, listed, strict=True)
        for name in names
        if pattern.fullmatch(name)
    ]


def old_files(table: Table, folders: Sequence[OrphanFolder], limit_millis: int) -> Iterator[NamedFiles]:
    """Files that may be orphans by place and age alone, some thousands at a time.

    Args:
        table: the table, whatever branch it is seen from.
        folders: of its own, as `orphan_roots` or `split_by_bucket` gives them.
        limit_millis: epoch milliseconds; files that were changed since are left out.
    """
    inside = _places(table)
    outside = [(re.compile(f"{_data_pattern(table)}{_bucket_files(table)}{_HASHED}[^/]+"), FileRole.DATA)]
    for folder in folders:
        places = inside if folder.root == table.location else outside
        tree = table.io.iter_tree(folder.path)
        while batch := list(islice(tree, _BATCH)):
            yield _fitting(batch, folder.root, places, limit_millis)


def _places(table: Table) -> list[tuple[re.Pattern[str], FileRole]]:
    """What may be cleaned, as patterns of paths below the table; the first that fits counts."""
    kept = r"(?!(?:snapshot|changelog)-\d+$|EARLIEST$|LATEST$)"
    return [
        (re.compile("manifest/[^/]+"), FileRole.MANIFEST),
        (re.compile("index/[^/]+"), FileRole.INDEX),
        (re.compile("statistics/[^/]+"), FileRole.STATISTICS),
        (re.compile(f"{_BRANCH}(?:snapshot|changelog)/{kept}[^/]+"), FileRole.TEMPORARY),
        (re.compile(f"{_BRANCH}(?:schema|tag|consumer)/{_HIDDEN}"), FileRole.TEMPORARY),
        (re.compile(f"{_data_pattern(table)}{_bucket_files(table)}[^/]+"), FileRole.DATA),
    ]


def _data_folder(table: Table) -> str:
    """The folder of the data below the table, with a slash behind it; empty where it is the table's own."""
    data = table.paths.data_root.removeprefix(table.location).strip("/")
    return f"{data}/" if data else ""


def _data_pattern(table: Table) -> str:
    return re.escape(_data_folder(table))


def _bucket_files(table: Table) -> str:
    levels = len(table.schema.partition_keys)
    return f"(?:[^/=]+=[^/]+/){{{levels}}}bucket-[^/]+/"


def _fitting(
    batch: Iterable[FileStatus], root: str, places: Iterable[tuple[re.Pattern[str], FileRole]], limit: int
) -> NamedFiles:
    rows = []
    for status in batch:
        if status.modified_millis >= limit:
            continue
        below = status.path.removeprefix(f"{root}/")
        role = next((role for pattern, role in places if pattern.fullmatch(below)), None)
        if role is not None:
            rows.append((role.value, below.rpartition("/")[2], status.path, status.size))
    return NamedFiles.of_rows(rows)
