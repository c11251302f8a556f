"""What a REST catalog does for a table of its own: it decides on snapshots and changes schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.catalog.errors import AccessDeniedError
from core.catalog.facts import PartitionStatistics
from core.catalog.partitions import statistics_of
from core.catalog.rest.http import RestServer
from core.catalog.rest.names import ResourcePaths
from core.catalog.rest.objects import partition_from_wire
from core.catalog.rest.requests import AlterTable, CommitTable
from core.catalog.told import ToldSchemas
from core.commit import TableHome
from core.errors import AlreadyExistsError, CommitConflictError, NotFoundError, UnsupportedError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.schema.changes import AddColumn, SchemaChange, UpdateColumnType
from core.schema.merge import MergeRules, merge_schema
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.snapshot import Snapshot
from core.types import DataField, RowType
from core.write.target import WriteTarget


@dataclass(frozen=True)
class RestHome(TableHome):
    """A table of a catalog's server."""

    server: RestServer
    at: ResourcePaths
    table: Identifier
    id: str  # as the server gave it: another table of the name has another
    told: TableSchema | None = None  # of a table without snapshots, which has no file of it that we know

    def schemas(self, io: FileIO, paths: TablePaths) -> SchemaStore:
        return super().schemas(io, paths) if self.told is None else ToldSchemas(io, paths, self.told)

    def create_snapshot(self, table: WriteTarget, snapshot: Snapshot, base: Snapshot | None) -> None:
        """Ask the server to make it visible; where its answer is lost, `CommitAttempts` looks for it."""
        asked = CommitTable(
            snapshot, self.id, base.uuid if base else None, tuple(commit_statistics(table, snapshot))
        )
        path = self.at.table(self._on_branch(table), "commit")
        try:
            answer = self.server.post(path, asked.to_wire(), repeatable=True)
        except (AccessDeniedError, NotFoundError) as error:
            # A plain no. It is no StorageError, after which the snapshot might be there.
            raise CommitConflictError(
                "the catalog does not let us commit", table=str(self.table), cause=str(error)
            ) from error
        if not answer.flag("success"):
            raise AlreadyExistsError("another commit was first", snapshot_id=snapshot.id)

    def partitions_done(
        self, schema: TableSchema, specs: Sequence[Mapping[str, str]]
    ) -> Sequence[bool] | None:
        path = self.at.table(self.table, "partitions", "list-by-names")
        asked = {"specs": [dict(spec) for spec in specs]}
        found = self.server.post(path, asked, repeatable=True).nested_list("partitions")
        done = {frozenset(one.spec.items()) for one in map(partition_from_wire, found) if one.done}
        return [frozenset(spec.items()) in done for spec in specs]

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        self.server.post(self.at.table(self._on_branch(table)), AlterTable(tuple(changes)).to_wire())

    def merge_schema(self, table: WriteTarget, incoming: Sequence[DataField], rules: MergeRules) -> None:
        """Raises `UnsupportedError` where a column inside another would change."""
        latest = table.schemas.latest()
        changes = merge_changes(latest, merge_schema(latest, incoming, rules, time_millis=0))
        if changes:
            self.alter(table, changes)

    def _on_branch(self, table: WriteTarget) -> Identifier:
        return self.table.with_branch(table.paths.branch)


def merge_changes(old: TableSchema, merged: TableSchema) -> list[SchemaChange]:
    """The changes that make one schema of the other, as a merge makes them. Pure."""
    known = {field.name: field for field in old.fields}
    changes: list[SchemaChange] = []
    for field in merged.fields:
        before = known.get(field.name)
        if before is None:
            changes.append(AddColumn((field.name,), field.type, field.description))
        elif before.type != field.type:
            if isinstance(field.type, RowType):
                raise UnsupportedError(
                    "a merge would change columns inside a column: change them by themselves first",
                    feature="merge of nested columns through a REST catalog",
                    column=field.name,
                )
            changes.append(UpdateColumnType((field.name,), field.type, keep_nullability=False))
    return changes


def commit_statistics(table: WriteTarget, snapshot: Snapshot) -> list[PartitionStatistics]:
    """By how much a snapshot that is written, and not visible yet, changes each partition."""
    delta = table.manifests.delta_entries(snapshot)
    added, removed = delta.adds(), delta.deletes()
    changed: dict[tuple[tuple[str, str], ...], PartitionStatistics] = {}
    for entries, sign in ((added, 1), (removed, -1)):
        for one in statistics_of(table, entries) if len(entries) else ():
            key = tuple(one.spec.items())
            before = changed.get(key, PartitionStatistics(one.spec, 0, 0, 0, 0, one.total_buckets))
            changed[key] = PartitionStatistics(
                one.spec,
                before.record_count + sign * one.record_count,
                before.file_size_in_bytes + sign * one.file_size_in_bytes,
                before.file_count + sign * one.file_count,
                max(before.last_file_creation_time, one.last_file_creation_time),
                max(before.total_buckets, one.total_buckets),
            )
    return list(changed.values())
