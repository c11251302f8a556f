"""Table: one table, seen from one branch; doors to the packages that do the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import pyarrow as pa

from core.arrow import arrow_schema
from core.commit import TableCommit
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.errors import NotFoundError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.paths import MAIN_BRANCH, TablePaths
from core.manifest.store import ManifestStore
from core.options import DATA_FILE_PATH_DIRECTORY, TableOptions
from core.predicate import Predicate
from core.read import plan_read, read_plan, read_split
from core.scan import Plan, Split
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.branches import BranchStore
from core.snapshot.consumers import ConsumerStore
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import ChangelogStore, SnapshotStore
from core.snapshot.tags import TagStore
from core.snapshot.time_travel import resolve
from core.write import CommitMessage, TableWrite, overwrite_base
from core.write.compaction import plan_compaction, run_task
from core.write.partition_spec import PartitionSpec


class Table:
    """A table of a catalog. Opening it reads nothing; the schema is read when it is first asked for.

    So the snapshots of a table whose schema is damaged can still be listed.
    """

    def __init__(self, io: FileIO, location: str, identifier: Identifier) -> None:
        self.io = io
        self.location = location.rstrip("/")
        self.identifier = identifier
        self.branch = identifier.branch or MAIN_BRANCH
        paths = TablePaths(self.location, self.branch)
        self.schemas = SchemaStore(io, paths)
        self.snapshots = SnapshotStore(io, paths)
        self.changelogs = ChangelogStore(io, paths)
        self.tags = TagStore(io, paths)
        self.branches = BranchStore(io, paths)
        self.consumers = ConsumerStore(io, paths)
        self.manifests = ManifestStore(io, paths)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.io, self.location, self.identifier)

    def __repr__(self) -> str:
        return f"Table({self.identifier}, {self.location})"

    @cached_property
    def schema(self) -> TableSchema:
        """The latest schema of the branch as of the first time it is asked for."""
        return self.schemas.latest()

    @cached_property
    def options(self) -> TableOptions:
        return TableOptions(self.schema.options)

    @cached_property
    def paths(self) -> TablePaths:
        directory = self.options.get(DATA_FILE_PATH_DIRECTORY) or ""
        return replace(TablePaths(self.location, self.branch), data_directory=directory.strip("/"))

    @property
    def arrow_schema(self) -> pa.Schema:
        """What `to_arrow` gives of all columns."""
        return arrow_schema(self.schema.fields)

    def with_branch(self, name: str) -> Table:
        """The same table seen from another branch; `NotFoundError` if there is none."""
        if name != MAIN_BRANCH and not self.branches.exists(name):
            raise NotFoundError("branch not found", table=str(self.identifier.base), branch=name)
        return Table(self.io, self.location, self.identifier.with_branch(name))

    def refreshed(self) -> Table:
        """The same table with its schema read anew."""
        return Table(self.io, self.location, self.identifier)

    def snapshot_at(
        self,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Snapshot | None:
        """The snapshot asked for by at most one of the three, else the latest; None if there is none.

        Raises:
            NotFoundError, InvalidRequestError: see `core.snapshot.time_travel`.
        """
        return resolve(
            self.snapshots, self.tags, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis
        )

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Plan:
        """What a read of these columns and rows has to do; `plan.explain` says why.

        A read at a snapshot, tag or time has the schema of that snapshot, one of the latest
        snapshot the latest schema. Spec: 09, 6.

        Raises:
            UnsupportedError: the table uses what this version does not read; `feature` names it.
            InvalidRequestError: an unknown column, a filter that does not fit, two ways to travel.
            NotFoundError: no such snapshot or tag.
        """
        at = {"snapshot_id": snapshot_id, "timestamp_millis": timestamp_millis}
        snapshot = self.snapshot_at(tag=tag, **at)
        travels = tag is not None or any(value is not None for value in at.values())
        schema = self.schemas.get(snapshot.schema_id) if snapshot and travels else self.schema
        return plan_read(self, schema, snapshot, columns, filter)

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches, planned at once and read as they are taken; in no order.

        Memory stays bounded whatever the size of the table: see `core.read.reader`.
        Raises as `plan` does, before the first batch.
        """
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return read_plan(self, plan)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> pa.Table:
        """The rows as one Arrow table in memory; raises as `plan` does."""
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return pa.Table.from_batches(read_plan(self, plan), schema=arrow_schema(plan.fields))

    def read_split(
        self,
        split: Split,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        schema: TableSchema | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of one split of a plan, in batches; `schema` is the plan's, the latest if not given."""
        return read_split(self, self.schema if schema is None else schema, split, columns, filter)

    def new_write(self, *, overwrite: bool = False) -> TableWrite:
        """A writer of rows, to be used in a `with` block; nothing is visible before the commit.

        Args:
            overwrite: the messages go to `TableCommit.overwrite`, so that partitions may get
                another number of buckets than they have.

        Raises:
            UnsupportedError: the table asks for something that we would write wrongly.
        """
        return TableWrite(self, base=overwrite_base(self) if overwrite else None)

    def new_commit(self, user: str) -> TableCommit:
        """What makes the messages of writers and compactions visible, in the name of one user."""
        return TableCommit(self, user)

    def plan_compaction(
        self,
        partitions: Sequence[PartitionSpec] | None = None,
        buckets: Sequence[int] | None = None,
        *,
        strategy: Strategy = Strategy.FULL,
    ) -> CompactionPlan:
        """What a compaction of the latest snapshot would do; see `core.write.compaction`.

        Raises:
            UnsupportedError: the table cannot be compacted by this release.
        """
        return plan_compaction(self, partitions, buckets, strategy=strategy)

    def run_compaction(self, task: CompactionTask) -> CommitMessage:
        """The change that one task of a plan makes, for `new_commit`; nothing is visible before."""
        return run_task(self, task)
