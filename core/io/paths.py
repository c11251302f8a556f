"""Where every file of a table lives. Spec: 01, 1 and 5; 01, 1.2 to 1.4."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from core.errors import UnsupportedError
from core.options import POSTPONE_BUCKET

MAIN_BRANCH = "main"


class LocatedFile(Protocol):
    """A data file as far as its place is concerned; `DataFileMeta` is one."""

    @property
    def file_name(self) -> str: ...
    @property
    def external_path(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class TablePaths:
    """The paths of one table, seen from one branch.

    A branch has schemas, snapshots, tags, consumers and changelogs of its own; manifests,
    index, statistics and data files of all branches lie in the table's root.
    """

    root: str  # without a trailing slash
    branch: str = MAIN_BRANCH
    data_directory: str = ""  # option data-file.path-directory

    def on_branch(self, name: str) -> TablePaths:
        return replace(self, branch=name)

    @property
    def branch_root(self) -> str:
        return self.root if self.branch == MAIN_BRANCH else self.branch_dir(self.branch)

    def branch_dir(self, name: str) -> str:
        return f"{self.root}/branch/branch-{name}"

    @property
    def branches_dir(self) -> str:
        return f"{self.root}/branch"

    @property
    def schema_dir(self) -> str:
        return f"{self.branch_root}/schema"

    def schema_file(self, schema_id: int) -> str:
        return f"{self.schema_dir}/schema-{schema_id}"

    @property
    def snapshot_dir(self) -> str:
        return f"{self.branch_root}/snapshot"

    def snapshot_file(self, snapshot_id: int) -> str:
        return f"{self.snapshot_dir}/snapshot-{snapshot_id}"

    @property
    def changelog_dir(self) -> str:
        return f"{self.branch_root}/changelog"

    def changelog_file(self, snapshot_id: int) -> str:
        return f"{self.changelog_dir}/changelog-{snapshot_id}"

    @property
    def tag_dir(self) -> str:
        return f"{self.branch_root}/tag"

    def tag_file(self, name: str) -> str:
        return f"{self.tag_dir}/tag-{name}"

    @property
    def consumer_dir(self) -> str:
        return f"{self.branch_root}/consumer"

    def consumer_file(self, consumer_id: str) -> str:
        return f"{self.consumer_dir}/consumer-{consumer_id}"

    @property
    def manifest_dir(self) -> str:
        return f"{self.root}/manifest"

    def manifest_file(self, name: str) -> str:
        """A manifest, manifest list or index manifest."""
        return f"{self.manifest_dir}/{name}"

    @property
    def index_dir(self) -> str:
        return f"{self.root}/index"

    def index_file(self, name: str, external_path: str | None = None) -> str:
        return external_path or f"{self.index_dir}/{name}"

    @property
    def statistics_dir(self) -> str:
        return f"{self.root}/statistics"

    def statistics_file(self, name: str) -> str:
        return f"{self.statistics_dir}/{name}"

    @property
    def data_root(self) -> str:
        """What partition and bucket directories lie in."""
        return f"{self.root}/{self.data_directory}" if self.data_directory else self.root

    def partition_dir(self, partition_path: str) -> str:
        return f"{self.data_root}/{partition_path}" if partition_path else self.data_root

    def bucket_dir(self, partition_path: str, bucket: int) -> str:
        """`partition_path` as of `core.partition`, empty for an unpartitioned table."""
        name = "postpone" if bucket == POSTPONE_BUCKET else str(bucket)
        return f"{self.partition_dir(partition_path)}/bucket-{name}"

    def data_file(self, partition_path: str, bucket: int, meta: LocatedFile) -> str:
        """The path of a data file; an external path of its own wins."""
        return meta.external_path or f"{self.bucket_dir(partition_path, bucket)}/{meta.file_name}"

    def extra_file(self, partition_path: str, bucket: int, meta: LocatedFile, name: str) -> str:
        """A companion of a data file lies in the data file's directory."""
        return f"{self.data_file(partition_path, bucket, meta).rpartition('/')[0]}/{name}"


def other_store(path: str, own: str) -> UnsupportedError:
    """The refusal of a path that is not in the kind of store that was opened for the table.

    Metadata may name files anywhere (`_EXTERNAL_PATH`); whoever wrote it must not make a server open its
    own disk, or a store with the keys of another.
    """
    scheme, separator, _ = path.partition("://")
    found = f"{scheme}://" if separator else "a path without a scheme"
    return UnsupportedError(
        "a file lies in another kind of store than its table", feature=f"{found} beside {own}://", path=path
    )
