"""Table: one table, seen from one branch; doors to the packages that do the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import pyarrow as pa

from core.arguments import check_argument, is_a, is_whole_number
from core.arrow import arrow_schema, fields_from_arrow
from core.commit import DIRECTORY, CommitLock, TableCommit, TableHome
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.compact.sort_order import SortStrategy
from core.dml import ChangePlan, Expression, MergeClause, apply_changes, plan_delete, plan_merge, plan_update
from core.errors import InvalidRequestError, NotFoundError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.paths import MAIN_BRANCH, TablePaths
from core.manifest.store import ManifestStore
from core.options import (
    BRANCH,
    DATA_FILE_PATH_DIRECTORY,
    SCAN_FALLBACK_BRANCH,
    SCAN_MODE,
    SCAN_PRIMARY_BRANCH,
    TableOptions,
)
from core.predicate import Predicate
from core.read import Explanation, RowKinds, explain_plan, plan_batch, read_plan, read_split
from core.read.fallback import Side, plan_branches
from core.scan import Plan, Split
from core.scan.batch_start import BatchStart, State, batch_start
from core.scan.selection import ALL_FILES, FileSelection
from core.schema.changes import SchemaChange
from core.schema.dynamic import with_dynamic_options
from core.schema.merge import DEFAULT_RULES, MergeRules
from core.schema.start import START_KEYS, start_of
from core.schema.table_schema import TableSchema
from core.snapshot.branches import BranchStore
from core.snapshot.consumers import ConsumerStore
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import ChangelogStore, SnapshotStore
from core.snapshot.tags import TagStore
from core.snapshot.time_travel import resolve
from core.stream import SYSTEM_CLOCK, Clock, Rows, TableStream
from core.write import CommitMessage, TableWrite, overwrite_base
from core.write.compaction import plan_compaction, run_task
from core.write.partition_spec import PartitionSpec
from core.write.sort_compaction import plan_sort_compaction


class Table:
    """A table of a catalog. Opening it reads nothing; the schema is read when it is first asked for.

    So the snapshots of a table whose schema is damaged can still be listed.
    """

    def __init__(
        self,
        io: FileIO,
        location: str,
        identifier: Identifier,
        dynamic_options: Mapping[str, str | None] = MappingProxyType({}),
        home: TableHome = DIRECTORY,
    ) -> None:
        self.io = io
        self.location = location.rstrip("/")
        self.identifier = identifier
        self.dynamic_options = dict(dynamic_options)  # laid over those of the schema
        self.home = home  # what its catalog does for it
        self.branch = identifier.branch or MAIN_BRANCH
        paths = TablePaths(self.location, self.branch)
        self.schemas = home.schemas(io, paths)
        self.snapshots = SnapshotStore(io, paths)
        self.changelogs = ChangelogStore(io, paths)
        watch = home.tag_watch(self.schemas) if self.branch == MAIN_BRANCH else None
        self.tags = TagStore(io, paths, watch)
        self.branches = BranchStore(io, paths)
        self.consumers = ConsumerStore(io, paths)
        self.manifests = ManifestStore(io, paths)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.io, self.location, self.identifier, self.dynamic_options, self.home)

    def __repr__(self) -> str:
        return f"Table({self.identifier}, {self.location})"

    @cached_property
    def schema(self) -> TableSchema:
        """The latest schema of the branch as of the first time it is asked for, with dynamic options."""
        return with_dynamic_options(self.schemas.latest(), self.dynamic_options)

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
        branch = self.identifier.with_branch(name)
        return Table(self.io, self.location, branch, self.dynamic_options, self.home)

    def with_options(self, options: Mapping[str, str | None]) -> Table:
        """The same table with options of its own for reads and writes; None takes one away.

        Nothing is written. `branch` leads to another branch; options that Paimon does not know
        are kept. Spec: 04, D; 09, 6.

        Raises:
            InvalidRequestError: an option that cannot be set so, a value that is none of it, or
                options that say different things about where a read starts.
            NotFoundError: no such branch.
        """
        check_argument(is_a(options, Mapping), "give a mapping of options", options)
        given = dict(options)
        wrong = {key: value for key, value in given.items() if not _is_option(key, value)}
        if wrong:
            raise InvalidRequestError("options and their values are texts", found=repr(wrong))
        name = given.pop(BRANCH.key, None)
        table = self if name is None else self.with_branch(name)
        laid = {**table.dynamic_options, **given}
        laid_over = Table(table.io, table.location, table.identifier, laid, table.home)
        start_of(laid_over.options)
        return laid_over

    def refreshed(self) -> Table:
        """The same table with its schema read anew."""
        return Table(self.io, self.location, self.identifier, self.dynamic_options, self.home)

    def snapshot_at(
        self,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Snapshot | None:
        """The snapshot asked for by at most one of the three, else by the table's options.

        Without either it is the latest; None if there is none.

        Raises:
            NotFoundError, InvalidRequestError: see `core.snapshot.time_travel`; changes between
                two snapshots are asked for, not one.
        """
        start = self._start(snapshot_id, tag, timestamp_millis)
        if not isinstance(start, State):
            raise InvalidRequestError("the options ask for changes, not for one snapshot")
        return start.snapshot

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        selection: FileSelection | None = None,
    ) -> Plan:
        """What a read of these columns and rows has to do; `plan.explain` says why.

        Where it starts is said by at most one of the three keywords, else by the table's options
        (`scan.mode`). A read at a snapshot, tag, time, watermark or version has the schema of that
        snapshot, any other the latest schema. Spec: 09, 6.

        Args:
            columns: names, in the order wanted; None for all.
            filter: a predicate or its text.
            snapshot_id: a snapshot, or one that only a tag still holds.
            tag: the name of a tag.
            timestamp_millis: the state at a time, epoch milliseconds.
            selection: which files of the state to read, such as those of one level.

        Raises:
            UnsupportedError: the table uses what this version does not read; `feature` names it.
            InvalidRequestError: an unknown column, a filter that does not fit, two ways to travel.
            NotFoundError: no such snapshot or tag.
        """
        start = self._start(snapshot_id, tag, timestamp_millis)
        schema = self._schema_at(start)
        other = self._other_branch()
        if other is None or not isinstance(start, State):
            return plan_batch(self, schema, start, columns, filter, selection=selection)
        return plan_branches(
            Side(self, schema, start),
            Side(other, other.schema, _same_moment(start, other)),
            other.branch,
            columns,
            filter,
            other_first=self.options.is_set(SCAN_PRIMARY_BRANCH),
            selection=ALL_FILES if selection is None else selection,
        )

    def schema_at(
        self, *, snapshot_id: int | None = None, tag: str | None = None, timestamp_millis: int | None = None
    ) -> TableSchema:
        """As which rows `plan` reads: the latest schema, or that of the snapshot of the past asked for."""
        return self._schema_at(self._start(snapshot_id, tag, timestamp_millis))

    def explain(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Explanation:
        """What a read leaves out, stage by stage, and of every file whether and how much it is read.

        Dearer than `plan`: it lists all live files, and looks into those that the read would open.
        Raises as `plan` does, and `FormatError` or `NotFoundError` for a file that is damaged or missing.
        """
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return explain_plan(self, plan)

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> Iterator[pa.RecordBatch]:
        """The rows in batches, planned at once and read as they are taken; in no order.

        Memory stays bounded whatever the size of the table: `threads` times what `core.read.reader`
        says, as so many splits are read at once.
        Raises as `plan` does, before the first batch.
        """
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return read_plan(self, plan, threads=threads)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
        threads: int = 1,
    ) -> pa.Table:
        """The rows as one Arrow table in memory, `threads` splits read at once; raises as `plan` does."""
        plan = self.plan(columns, filter, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis)
        return pa.Table.from_batches(read_plan(self, plan, threads=threads), schema=arrow_schema(plan.fields))

    def read_split(
        self,
        split: Split,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        schema: TableSchema | None = None,
        kinds: RowKinds = RowKinds.HIDDEN,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of one split of a plan, in batches.

        Args:
            split: of a plan of this table, or of a stream of it.
            columns: names, in the order wanted; None for all.
            filter: a predicate or its text.
            schema: the plan's; the latest if not given.
            kinds: whether deletes are shown, and `_VALUE_KIND` behind the columns.

        Raises:
            UnsupportedError, InvalidRequestError: as `plan` does; or this is no split.
        """
        check_argument(is_a(split, Split), "give a split of a plan", split)
        check_argument(is_a(schema, TableSchema | None), "give the schema of the plan", schema)
        other = self._other_branch() if split.branch else None
        if other is not None:
            return read_split(other, other.schema, split, columns, filter, kinds=kinds)
        at = self.schema if schema is None else schema
        return read_split(self, at, split, columns, filter, kinds=kinds)

    def stream(
        self,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        from_: int | str | None = None,
        clock: Clock = SYSTEM_CLOCK,
        rows: Rows | None = None,
    ) -> TableStream:
        """The rows of the table, then its changes as they are committed; see `core.stream`.

        Args:
            columns: names, in the order wanted, behind `rowkind`; None for all.
            filter: over columns of the table; changes that do not satisfy it are left out.
            from_: the snapshot to go on at, as `TableStream.next_snapshot` of another stream said;
                or a start of page 09, 6 such as `latest`; None for what the options say.
            clock: what tells the time and waits.
            rows: how a plan's rows are told, if not with `rowkind` before their columns.

        Raises:
            InvalidRequestError: no such start for a stream, an unknown column, a bad filter.
            UnsupportedError: the table cannot be read by this version.
        """
        starts = from_ is None or is_a(from_, str) or is_whole_number(from_)
        check_argument(starts, "a stream starts at the id of a snapshot, or as scan.mode names it", from_)
        if isinstance(from_, int):
            return TableStream(self, columns, filter, clock=clock, next_snapshot=from_, rows=rows)
        table = self if from_ is None else self.with_options({SCAN_MODE.key: from_})
        return TableStream(table, columns, filter, clock=clock, rows=rows)

    def _start(self, snapshot_id: int | None, tag: str | None, timestamp_millis: int | None) -> BatchStart:
        """Where a batch read starts: the keywords, if any is given, replace what options say."""
        if snapshot_id is None and tag is None and timestamp_millis is None:
            return batch_start(self)
        at = {"snapshot_id": snapshot_id, "timestamp_millis": timestamp_millis}
        return State(resolve(self.snapshots, self.tags, tag=tag, **at), travels=True)

    def _schema_at(self, start: BatchStart) -> TableSchema:
        """As which rows are read: the snapshot's columns where one of the past was asked for."""
        if isinstance(start, State) and start.travels and start.snapshot is not None:
            return with_dynamic_options(self.schemas.get(start.snapshot.schema_id), self.dynamic_options)
        return self.schema

    def _other_branch(self) -> Table | None:
        """The branch that is read along with this one, if any; where it is read is said by this one."""
        fallback, primary = self.options.get(SCAN_FALLBACK_BRANCH), self.options.get(SCAN_PRIMARY_BRANCH)
        if fallback is not None and primary is not None:
            raise InvalidRequestError(
                "a branch comes before or after this one, not both", fallback=fallback, primary=primary
            )
        name = fallback or primary
        if name is None:
            return None
        other = self.with_branch(name)
        alone = (*START_KEYS, SCAN_FALLBACK_BRANCH.key, SCAN_PRIMARY_BRANCH.key)
        other.dynamic_options |= dict.fromkeys(alone, None)
        return other

    def alter(self, changes: Sequence[SchemaChange]) -> Table:
        """The table with its schema changed: all changes in order, or none of them. Spec: 09, 1.

        Raises:
            InvalidRequestError, AlreadyExistsError: the first change that is not allowed, or what
                the changed schema breaks of the rules of page 09, 5.
        """
        self.home.alter(self, changes)
        return self.refreshed()

    def merge_schema(self, incoming: pa.Schema, rules: MergeRules = DEFAULT_RULES) -> Table:
        """The table with a schema that can hold rows of `incoming` too, as `write.merge-schema` has it.

        Raises:
            InvalidRequestError: types that do not merge, by the rules given. Spec: 09, 3.
        """
        check_argument(is_a(rules, MergeRules), "give MergeRules", rules)
        self.home.merge_schema(self, fields_from_arrow(incoming), rules)
        return self.refreshed()

    def new_write(self, *, overwrite: bool = False) -> TableWrite:
        """A writer of rows, to be used in a `with` block; nothing is visible before the commit.

        Args:
            overwrite: the messages go to `TableCommit.overwrite`, so that partitions may get
                another number of buckets than they have.

        Raises:
            UnsupportedError: the table asks for something that we would write wrongly.
        """
        return TableWrite(self, base=overwrite_base(self) if overwrite else None)

    def new_commit(self, user: str, *, lock: CommitLock | None = None) -> TableCommit:
        """What makes the messages of writers and compactions visible, in the name of one user.

        Args:
            user: whose snapshots they are to be.
            lock: that all writers of the table take, if `lock.enabled` says that they do; the
                catalog's own if not given.
        """
        return TableCommit(self, user, lock=lock)

    def plan_delete(self, filter: Predicate | str | None) -> ChangePlan:
        """What it takes to delete the rows that satisfy a filter; see `core.dml.plan_delete`."""
        return plan_delete(self, filter)

    def plan_update(
        self, filter: Predicate | str | None, assignments: Mapping[str, Expression]
    ) -> ChangePlan:
        """What it takes to change columns of the rows that satisfy a filter; see `core.dml.plan_update`."""
        return plan_update(self, filter, assignments)

    def plan_merge(
        self,
        source: pa.Table | pa.RecordBatchReader,
        on: Sequence[str] | Mapping[str, str],
        clauses: Sequence[MergeClause],
    ) -> ChangePlan:
        """What it takes to merge rows into the table; see `core.dml.plan_merge`."""
        return plan_merge(self, source, on, clauses)

    def apply_changes(self, plan: ChangePlan) -> list[CommitMessage]:
        """The change of such a plan, for `new_commit`; nothing is visible before."""
        return apply_changes(self, plan)

    def plan_compaction(
        self,
        partitions: Sequence[PartitionSpec] | None = None,
        buckets: Sequence[int] | None = None,
        *,
        strategy: Strategy | None = None,
    ) -> CompactionPlan:
        """What a compaction of the latest snapshot would do; see `core.write.compaction`.

        Raises:
            UnsupportedError: the table cannot be compacted by this release.
        """
        return plan_compaction(self, partitions, buckets, strategy=strategy)

    def plan_sort_compaction(
        self,
        strategy: SortStrategy | str,
        columns: Sequence[str],
        partitions: Sequence[PartitionSpec] | None = None,
    ) -> CompactionPlan:
        """What sorting an append table's rows would rewrite; see `core.write.sort_compaction`."""
        return plan_sort_compaction(self, strategy, columns, partitions)

    def run_compaction(self, task: CompactionTask) -> CommitMessage:
        """The change that one task of a plan makes, for `new_commit`; nothing is visible before."""
        return run_task(self, task)


def _is_option(key: object, value: object) -> bool:
    return isinstance(key, str) and isinstance(value, str | None)


def _same_moment(start: State, other: Table) -> State:
    """What another branch showed when the snapshot of this one was the latest."""
    if not start.travels or start.snapshot is None:
        return State(other.snapshots.latest())
    return State(other.snapshots.by_time(start.snapshot.time_millis), travels=True)
