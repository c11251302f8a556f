"""Reads of two branches as one: a partition comes from the first that has it.

Spec: 04, D (`scan.fallback-branch`, `scan.primary-branch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from core.errors import InvalidRequestError
from core.manifest import EntryColumns
from core.predicate import Predicate
from core.read.batch import plan_batch
from core.scan.batch_start import State
from core.scan.plan import Fallback, Plan
from core.scan.selection import FileSelection
from core.scan.source import TableSource
from core.schema import TableSchema
from core.snapshot.snapshot import Snapshot
from core.types import type_to_text


@dataclass(frozen=True, slots=True)
class Side:
    """A branch, as which rows it is read, and what of it is seen."""

    source: TableSource
    schema: TableSchema
    state: State

    def without(self, other: Side, selection: FileSelection) -> FileSelection:
        """The files of partitions that the other branch does not have."""
        return replace(selection, without_partitions=_partitions(other.source, other.state.snapshot))


def plan_branches(
    own: Side,
    other: Side,
    name: str,
    columns: Sequence[str] | None,
    filter: Predicate | str | None,
    *,
    other_first: bool,
    selection: FileSelection,
) -> Plan:
    """One plan of a branch and of another called `name`, whose splits say so.

    A partition that both have is taken from `own`, or from the other with `other_first`.

    Raises:
        InvalidRequestError: the branches do not have the same columns and partition keys.
    """
    _check_same_rows(own.schema, other.schema)
    ours = own.without(other, selection) if other_first else selection
    theirs = selection if other_first else other.without(own, selection)
    plan = plan_batch(own.source, own.schema, own.state, columns, filter, selection=ours)
    rest = plan_batch(other.source, other.schema, other.state, columns, filter, selection=theirs, branch=name)
    return replace(
        plan,
        entries=EntryColumns.concat([plan.entries, rest.entries]),
        splits=list(chain(plan.splits, rest.splits)),
        fallback=Fallback(other.source, other.schema),
    )


def _partitions(source: TableSource, snapshot: Snapshot | None) -> frozenset[bytes]:
    """The partitions with a live file, as serialized rows."""
    if snapshot is None:
        return frozenset()
    entries = source.manifests.open_entries(source.manifests.manifests(snapshot)).live().adds()
    partitions: Any = entries.column("partition").unique()
    return frozenset(partitions.to_pylist())


def _check_same_rows(schema: TableSchema, other: TableSchema) -> None:
    ours, theirs = (
        [(f.name, type_to_text(f.type.with_nullability(True))) for f in s.fields] for s in (schema, other)
    )
    if ours != theirs or schema.partition_keys != other.partition_keys:
        raise InvalidRequestError(
            "the two branches do not have the same columns and partition keys",
            columns=ours,
            other=theirs,
        )
