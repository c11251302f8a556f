"""`merge-engine = partial-update`: newer values that are not null replace older ones. Spec: 06, 3.

Columns of a *sequence group* follow that group's own order instead. Which versions count for a
group depends on what the key has at that moment, so versions are walked from oldest to newest,
the n-th of every key at once, over the ranks of the groups' sequence columns:

    status of a version in a group    0  not part of it: all of its sequence columns are null
                                      1  newer than what is there, or as new
                                      2  older

Each column is then folded over the versions that its group gives it. `PartialUpdate` called with
the versions of one key is the rule in its clear form; tests hold `history` against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.errors import InvalidRequestError, UnsupportedError
from core.mergetree.aggregate import (
    NULL,
    AggregateFunction,
    Events,
    Folded,
    RetractionError,
    retraction_refused,
)
from core.mergetree.aggregate.events import Column, Flags, validity
from core.mergetree.aggregate.pick import FirstValue, LastNonNullValue, LastValue
from core.mergetree.key_value import KeyValue
from core.mergetree.keys import comparable_keys
from core.mergetree.merge.fold import Aggregate, last_row
from core.mergetree.sort_merge import Window
from core.mergetree.versions import Positions, Versions
from core.options import (
    DEFAULT_AGGREGATE_FUNCTION,
    IGNORE_DELETE,
    PARTIAL_UPDATE_REMOVE_ON_DELETE,
    PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP,
    TableOptions,
)
from core.schema import TableSchema
from core.types import DataField, RowKind

Ranks = npt.NDArray[np.int64]

_PREFIX, _SUFFIX = "fields.", ".sequence-group"
_OLDER, _NEWER = 2, 1


@dataclass(frozen=True, slots=True)
class SequenceGroup:
    """`fields.<sequence>.sequence-group = <protected>`."""

    sequence: tuple[str, ...]
    protected: tuple[str, ...]
    removes: bool  # a -D that is newer in the group removes the whole row

    def __contains__(self, column: str) -> bool:
        return column in self.sequence or column in self.protected


@dataclass(frozen=True, slots=True)
class PartialUpdate:
    """The groups and functions of a table, and what a delete does."""

    fields: tuple[DataField, ...]
    keys: frozenset[str]  # columns of the primary key
    groups: tuple[SequenceGroup, ...] = ()
    functions: Mapping[str, Aggregate] = field(default_factory=dict)
    ignore_delete: bool = False
    remove_on_delete: bool = False

    @staticmethod
    def of(schema: TableSchema) -> PartialUpdate:
        """Raises:
        UnsupportedError: a function that we do not have.
        InvalidRequestError: options that contradict one another, or name what is not there.
        """
        options = TableOptions(schema.options)
        groups = tuple(_groups(schema, options))
        functions = dict(_functions(schema, options, groups))
        ignore, remove = options.get(IGNORE_DELETE), options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE)
        return PartialUpdate(schema.fields, frozenset(schema.primary_keys), groups, functions, ignore, remove)

    def group_of(self, column: str) -> int | None:
        return next((i for i, group in enumerate(self.groups) if column in group), None)

    def needed(self, fields: Sequence[DataField]) -> tuple[str, ...]:
        """All sequence columns: a delete in one group may remove what another has."""
        return tuple(dict.fromkeys(name for group in self.groups for name in group.sequence))

    def function_of_adds(self, field: DataField) -> AggregateFunction | None:
        if field.name in self.keys:
            return FirstValue(skips_null=False)
        return LastNonNullValue() if self.group_of(field.name) is None else None

    def history(self, window: Window, versions: Versions) -> PartialUpdateHistory:
        if versions.retracts.any() and not (self.ignore_delete or self.remove_on_delete or self.groups):
            raise _deletes_refused()
        orders = [_GroupOrder.of(self._types(group), group, window, versions) for group in self.groups]
        walk = _Walk(self, versions, orders)
        walk.run()
        return PartialUpdateHistory(self, versions, walk)

    def _types(self, group: SequenceGroup) -> list[DataField]:
        return [next(f for f in self.fields if f.name == name) for name in group.sequence]

    def __call__(self, versions: Sequence[KeyValue]) -> KeyValue:
        return versions[0] if len(versions) == 1 else _ClearMerge(self).merge(versions)


@dataclass(frozen=True, slots=True)
class PartialUpdateHistory:
    engine: PartialUpdate
    versions: Versions
    walk: _Walk
    _seen: dict[tuple[object, ...], Events] = field(default_factory=dict)  # by what tells columns apart

    @property
    def deleted(self) -> Flags:
        return self.walk.deleted | ~self.walk.met_add

    def fold(self, field: DataField, column: Column) -> Folded:
        engine, group = self.engine, self.engine.group_of(field.name)
        aggregate = engine.functions.get(field.name)
        late_last = aggregate is not None and aggregate.function.appends_older
        alike = (group, aggregate is None, late_last)
        if alike not in self._seen:
            self._seen[alike] = self._events(group, aggregate)
        events = self._seen[alike]
        if field.name in engine.keys:  # equal in all versions
            return Folded(self.versions.rows[self.versions.starts])
        if group is None:
            return LastNonNullValue().fold(column, events)
        if field.name in engine.groups[group].sequence:
            return last_row(events.live())
        return aggregate.fold(column, events) if aggregate else LastValue().fold(column, events)

    def _all(self) -> Events:
        versions = self.versions
        return Events.of(len(versions.starts), versions.group, versions.rows, versions.retracts)

    def _events(self, group: int | None, aggregate: Aggregate | None) -> Events:
        versions, walk = self.versions, self.walk
        age = versions.age
        place = turn = 2 * age + 1
        late = np.zeros(len(age), dtype=np.bool_)
        if group is None:
            seen = ~versions.retracts
        else:
            status = walk.status[group]
            seen = status != 0 if aggregate else status == _NEWER
            if aggregate and not aggregate.function.appends_older:
                late = (status == _OLDER) & ~versions.retracts
                place = np.where(late, -place, place)
        events = replace(self._all(), turn=turn, late=late)
        if np.any(walk.emptied_at != NULL):
            events = replace(events, dropped=age <= walk.emptied_at[events.key])
        return _with_starts(events.where(seen), place[seen], versions, walk)


def _with_starts(events: Events, place: Positions, versions: Versions, walk: _Walk) -> Events:
    """The events in their order, with what columns of some keys start from."""
    starts = np.flatnonzero(walk.begins)
    if len(starts) == 0 and np.all(place > 0):
        return events
    keys, rows, age = versions.group[starts], versions.rows[starts], versions.age[starts]
    yes, no = np.ones(len(keys), dtype=np.bool_), np.zeros(len(keys), dtype=np.bool_)
    together = Events(
        events.keys,
        np.concatenate([events.key, keys]),
        np.concatenate([events.row, rows]),
        np.concatenate([events.retract, no]),
        np.concatenate([events.initial, yes]),
        np.concatenate([events.dropped, age < walk.emptied_at[keys]]),
        np.concatenate([events.late, no]),
        np.concatenate([events.turn, 2 * age]),
    )
    # What a delete dropped stands before all that came later, reversed or not.
    order = np.lexsort((np.concatenate([place, 2 * age]), ~together.dropped, together.key))
    return together.take(order)


@dataclass(frozen=True, slots=True)
class _GroupOrder:
    """How versions compare in one group, as numbers."""

    rank: Ranks  # of each version
    absent: Flags

    @staticmethod
    def of(
        fields: Sequence[DataField], group: SequenceGroup, window: Window, versions: Versions
    ) -> _GroupOrder:
        columns = [window.column(f.name).combine_chunks().take(pa.array(versions.rows)) for f in fields]
        ranks = np.unique(comparable_keys(columns), return_inverse=True)[1].astype(np.int64)
        absent = ~np.logical_or.reduce([validity(column) for column in columns])
        return _GroupOrder(ranks, absent)


class _Walk:
    """Takes the versions of all keys from oldest to newest."""

    def __init__(self, engine: PartialUpdate, versions: Versions, orders: Sequence[_GroupOrder]) -> None:
        keys = len(versions.starts)
        self._engine, self._versions, self._orders = engine, versions, orders
        self._state = [np.full(keys, -1, dtype=np.int64) for _ in orders]
        self._filled = np.zeros(keys, dtype=np.bool_)
        self.met_add = np.zeros(keys, dtype=np.bool_)
        self.deleted = np.zeros(keys, dtype=np.bool_)
        self.status = [np.zeros(len(versions.rows), dtype=np.int8) for _ in orders]
        self.emptied_at = np.full(keys, NULL, dtype=np.intp)  # age of the last version that removed the row
        self.begins = np.zeros(len(versions.rows), dtype=np.bool_)  # versions that the row starts from

    def run(self) -> None:
        versions = self._versions
        if not self._orders and not versions.retracts.any():
            self.met_add[:] = True
            return
        sizes = versions.sizes
        by_size = np.argsort(-sizes, kind="stable")
        retracts, deletes = versions.retracts, versions.deletes
        for age in range(int(sizes.max(initial=0))):
            keys = by_size[: np.count_nonzero(sizes > age)]
            at = versions.starts[keys] + age
            self.deleted[keys] = False  # only the newest version can delete
            self._first_retracts(keys[retracts[at] & ~self._filled[keys]], age)
            self._adds(keys[~retracts[at]], age)
            if self._engine.ignore_delete:
                continue
            if self._engine.remove_on_delete and not self._orders:
                self._remove(keys[deletes[at]], age)
            else:
                self._retracts(keys[retracts[at]], age)

    def _first_retracts(self, keys: Positions, age: int) -> None:
        self._start(keys, age)
        self._filled[keys] = True

    def _adds(self, keys: Positions, age: int) -> None:
        self.met_add[keys] = self._filled[keys] = True
        for number in range(len(self._orders)):
            self._compare(number, keys, age)

    def _retracts(self, keys: Positions, age: int) -> None:
        at = self._versions.starts[keys] + age
        removed = np.zeros(len(keys), dtype=np.bool_)
        for number, (group, order) in enumerate(zip(self._engine.groups, self._orders, strict=True)):
            if group.removes:
                newer = ~order.absent[at] & (order.rank[at] >= self._state[number][keys])
                removed |= newer & self._versions.deletes[at]
        self._remove(keys[removed], age)
        for number in range(len(self._orders)):
            self._compare(number, keys[~removed], age)

    def _compare(self, number: int, keys: Positions, age: int) -> None:
        order, state = self._orders[number], self._state[number]
        at = self._versions.starts[keys] + age
        newer = order.rank[at] >= state[keys]
        self.status[number][at] = np.where(order.absent[at], 0, np.where(newer, _NEWER, _OLDER))
        replaced = newer & ~order.absent[at]
        state[keys[replaced]] = order.rank[at[replaced]]

    def _remove(self, keys: Positions, age: int) -> None:
        self._start(keys, age)
        self.emptied_at[keys] = age
        self.deleted[keys] = True

    def _start(self, keys: Positions, age: int) -> None:
        """Keys begin anew, with the row of a version."""
        at = self._versions.starts[keys] + age
        self.begins[at] = True
        for order, state in zip(self._orders, self._state, strict=True):
            state[keys] = order.rank[at]


class _ClearMerge:
    """One key, one version after the other, one column after the other."""

    def __init__(self, engine: PartialUpdate) -> None:
        self._engine = engine
        self._names = [f.name for f in engine.fields]
        self._clear = {name: a.function.accumulator() for name, a in engine.functions.items()}
        self._row: list[Any] = [None] * len(self._names)
        self._filled = False

    def merge(self, versions: Sequence[KeyValue]) -> KeyValue:
        met_add = deleted = False
        for version in versions:
            deleted = False
            if version.kind.is_retract:
                if not self._filled:
                    self._row = list(version.value)
                deleted = self._retract(version)
            else:
                self._add(version)
                met_add = True
            self._filled = True
        kind = RowKind.INSERT if met_add and not deleted else RowKind.DELETE
        return replace(versions[-1], kind=kind, value=tuple(self._row))

    def _add(self, version: KeyValue) -> None:
        for i, name, group in self._columns():
            value, known = version.value[i], self._clear.get(name)
            if group is None or name in self._engine.keys:
                self._row[i] = self._row[i] if value is None else value
            elif self._is_absent(group, version):
                continue
            elif self._compare(group, version) >= 0:
                self._newer(i, name, group, version)
            elif known is not None:
                self._row[i] = known.agg_reversed(self._row[i], value)

    def _newer(self, i: int, name: str, group: SequenceGroup, version: KeyValue) -> None:
        if name in group.sequence:
            for s in group.sequence:
                self._row[self._names.index(s)] = version.value[self._names.index(s)]
        else:
            known = self._clear.get(name)
            value = version.value[i]
            self._row[i] = value if known is None else known.agg(self._row[i], value)

    def _retract(self, version: KeyValue) -> bool:
        """Whether the row is removed."""
        engine = self._engine
        if engine.ignore_delete:
            return False
        if engine.groups:
            return self._retract_groups(version)
        if not engine.remove_on_delete:
            raise _deletes_refused()
        if version.kind is RowKind.DELETE:
            self._row = list(version.value)
        return version.kind is RowKind.DELETE

    def _retract_groups(self, version: KeyValue) -> bool:
        for i, name, group in self._columns():
            if group is None or self._is_absent(group, version):
                continue
            newer = self._compare(group, version) >= 0
            if newer and name in group.sequence:
                if group.removes and version.kind is RowKind.DELETE:
                    self._row = list(version.value)
                    return True
                self._newer(i, name, group, version)
            elif name in self._clear:
                self._take_back(i, name, version.value[i])
            elif newer:
                self._row[i] = None
        return False

    def _take_back(self, i: int, name: str, value: Any) -> None:
        aggregate = self._engine.functions[name]
        if aggregate.ignores_retracts:
            return
        try:
            self._row[i] = self._clear[name].retract(self._row[i], value)
        except RetractionError:
            raise retraction_refused(aggregate.name, name) from None

    def _columns(self) -> Iterator[tuple[int, str, SequenceGroup | None]]:
        """Columns left to right; the sequence columns of a group are all handled at the first of them."""
        done: set[SequenceGroup] = set()
        for i, name in enumerate(self._names):
            number = self._engine.group_of(name)
            group = None if number is None else self._engine.groups[number]
            if group is not None and name in group.sequence:
                if group in done:
                    continue
                done.add(group)
            yield i, name, group

    def _is_absent(self, group: SequenceGroup, version: KeyValue) -> bool:
        return all(version.value[self._names.index(name)] is None for name in group.sequence)

    def _compare(self, group: SequenceGroup, version: KeyValue) -> int:
        at = [self._names.index(name) for name in group.sequence]
        new = [(version.value[i] is not None, version.value[i]) for i in at]
        old = [(self._row[i] is not None, self._row[i]) for i in at]
        for a, b in zip(new, old, strict=True):
            if a != b:
                return -1 if a[0] < b[0] or (a[0] and b[0] and a[1] < b[1]) else 1
        return 0


def _groups(schema: TableSchema, options: TableOptions) -> Iterator[SequenceGroup]:
    listed: tuple[str, ...] = options.get(PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP)
    removing = set(listed)
    groups: list[SequenceGroup] = []
    for key, text in sorted(schema.options.items()):
        if key.startswith(_PREFIX) and key.endswith(_SUFFIX):
            sequence = _split(key[len(_PREFIX) : -len(_SUFFIX)])
            groups.append(SequenceGroup(sequence, _split(text), not removing.isdisjoint(sequence)))
    _check_groups(schema, groups)
    in_groups = {name for group in groups for name in group.sequence}
    if removing - in_groups:
        _invalid("field is no sequence field of a group", field=", ".join(sorted(removing - in_groups)))
    removes_all: bool = options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE)
    ignores: bool = options.get(IGNORE_DELETE)
    if groups and removes_all:
        _invalid("sequence groups and partial-update.remove-record-on-delete exclude one another")
    if ignores and (removes_all or removing):
        _invalid("ignore-delete and partial-update.remove-record-on-* exclude one another")
    yield from groups


def _check_groups(schema: TableSchema, groups: Sequence[SequenceGroup]) -> None:
    seen: set[str] = set()
    for group in groups:
        for name in (*group.sequence, *group.protected):
            if name not in schema.field_names:
                _invalid("a sequence group names a column that is not there", column=name)
            if name in schema.primary_keys:
                _invalid("a sequence group contains a column of the primary key", column=name)
        for name in group.protected:
            if name in seen:
                _invalid("a column is in two sequence groups", column=name)
            seen.add(name)


def _invalid(what: str, **fields: str) -> None:
    raise InvalidRequestError(what, **fields)


def _split(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _functions(
    schema: TableSchema, options: TableOptions, groups: Sequence[SequenceGroup]
) -> Iterator[tuple[str, Aggregate]]:
    sequences = {name for group in groups for name in group.sequence}
    protected = {name for group in groups for name in group.protected}
    for f in schema.fields:
        name = options.of_field(f.name, "aggregate-function") or options.get(DEFAULT_AGGREGATE_FUNCTION)
        if not name or f.name in sequences or f.name in schema.primary_keys:
            continue
        if f.name in protected:
            yield f.name, Aggregate.of(name, f, options)
        elif name != "last_non_null_value":
            _invalid("an aggregate function needs a sequence group", column=f.name, function=name)


def _deletes_refused() -> UnsupportedError:
    return UnsupportedError(
        "the partial-update engine cannot take a row back unless ignore-delete, sequence groups or "
        "partial-update.remove-record-on-delete say what it means",
        feature="retracting with merge-engine = partial-update",
    )
