"""Rows of a primary key that does not hold all partition keys: a key may move. Spec: 05, 3.1; 06, 2.

Where a key lives is known from one pass over the keys of the table, when the first rows come.
What a row does that comes with another partition than its key lives in, the merge engine says:

    deduplicate                  the old row is deleted where it was, the new one stands in its partition
    partial-update, aggregation  the row joins the others: it goes to the partition that they are in
    first-row                    the row is dropped, as a later one of its key would be

An overwrite of partitions does the first of these to keys that live in those that stay; tables that
do another, or where a delete on level 0 is not seen, are overwritten whole.

One writer at a time may write to such a table. Another one is noticed: the commit is refused where
others have brought in rows in the same range of keys since this one began (`core.commit.moving_keys`),
and so is a further commit of a writer that is not alone any more. Memory is bounded, whatever the
number of keys: they, and where they live, lie in mapped files (`core.tableindex`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import from_python
from core.binary import BinaryRow, decode_row, encode_rows, hash_rows
from core.datafile.system_fields import VALUE_KIND
from core.datafile.write import FileNames
from core.errors import CommitConflictError, NotFoundError
from core.options import MERGE_ENGINE, MergeEngine, TableOptions
from core.read.planning import plan_read
from core.read.reader import read_split
from core.scan.levels import skips_level_zero
from core.scan.selection import FileSelection
from core.schema.table_schema import TableSchema
from core.snapshot.snapshot import CommitKind, Snapshot
from core.tableindex import AssignmentRule, GrowingArray, KeyIndex, fill_buckets
from core.types.row_kind import RowKind
from core.write.partitions import BucketRows, RowPartitions, partitions_of, split_rows
from core.write.target import WriteTarget

Ints = npt.NDArray[np.int64]

_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class _Places:
    """For each row a partition (by its code) and a bucket; `_NOWHERE` for both if it has none."""

    partition: Ints
    bucket: Ints

    def at(self, rows: Any) -> _Places:
        return _Places(self.partition[rows], self.bucket[rows])


def leaves_partitions_that_stay(schema: TableSchema, options: TableOptions) -> bool:
    """Whether rows that replace some partitions delete their keys from all others by a row there.

    Else they would join rows that stay, or the delete would wait on level 0 where nobody sees it; such
    tables are overwritten as a whole.
    """
    return options.get(MERGE_ENGINE) is MergeEngine.DEDUPLICATE and not skips_level_zero(schema)


class _Homes:
    """Where each key lives, by its number; `_NOWHERE` at first."""

    def __init__(self) -> None:
        self._partition, self._bucket = GrowingArray(np.int32), GrowingArray(np.int32)

    def make_room(self, keys: int) -> None:
        room = np.full(keys - len(self._bucket), _NOWHERE)
        self._partition.append(room)
        self._bucket.append(room)

    def of(self, numbers: Ints) -> _Places:
        return _Places(
            self._partition[numbers].astype(np.int64, copy=False),
            self._bucket[numbers].astype(np.int64, copy=False),
        )

    def put(self, numbers: Ints, partition: Any, bucket: Any) -> None:
        self._partition[numbers] = partition
        self._bucket[numbers] = bucket


class CrossPartitionBuckets:
    """Routes rows by where their keys live."""

    def __init__(self, table: WriteTarget, *, replaces: bool = False, own: FileNames | None = None) -> None:
        """A router that has read nothing yet.

        Args:
            table: that is written to.
            replaces: the rows are to replace partitions. If keys do not leave partitions that stay
                (`leaves_partitions_that_stay`), all of them are replaced, and no key lives anywhere.
            own: names that files of the rows get, which tells them from those of others.
        """
        self._table = table
        self._starts_empty = replaces and not leaves_partitions_that_stay(table.schema, table.options)
        self._keys = table.schema.fields_of(table.schema.primary_keys)
        self._engine = table.options.get(MERGE_ENGINE)
        rule = AssignmentRule.of(table.options)
        self._rule = AssignmentRule(rule.target_rows, rule.max_buckets)  # this is the only assigner
        self._own = own
        self._index, self._home = KeyIndex(), _Homes()
        self._codes: dict[BinaryRow, int] = {}  # of partitions
        self._counts: dict[int, dict[int, int]] = {}  # keys of each bucket of each partition
        self._known: Snapshot | None = None  # up to which all is known
        self._is_read = self._is_current = False

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        """The rows by bucket, with the deletes that moving keys ask for."""
        if not len(rows):
            return
        self._learn()
        placed = partitions_of(rows, self._table.schema.partition_fields)
        codes = np.array([self._code(p) for p in placed.partitions], np.int64)[placed.codes]
        order, is_first, before = self._before(rows)
        rows, wanted = rows.take(order), codes[order]
        if self._engine is MergeEngine.DEDUPLICATE:
            yield from self._moving(rows, order, wanted, is_first, before)
        else:
            yield from self._staying(rows, order, wanted, is_first, before)

    def prepare(self) -> Iterator[Any]:
        """Nothing: the table itself says where its keys live."""
        self._is_current = False
        return iter(())

    def abort(self) -> None: ...

    def _before(self, rows: pa.Table) -> tuple[Ints, npt.NDArray[np.bool_], Ints]:
        """Rows ordered by key and arrival; which are the first of their key; and each one's key number."""
        columns = [pa.concat_arrays(rows.column(f.name).chunks) for f in self._keys]
        types = [f.type for f in self._keys]
        keys, hashes = encode_rows(types, columns), hash_rows(types, columns)
        encoded = keys.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        _, first = np.unique(codes, return_index=True)
        numbers = self._index.find(encoded.dictionary, hashes[first])
        new = np.flatnonzero(numbers < 0)
        numbers[new] = self._index.add(encoded.dictionary.take(new), hashes[first][new])
        self._home.make_room(len(self._index))
        order = np.argsort(codes, kind="stable")
        is_first = np.diff(codes[order], prepend=-1) != 0
        return order, is_first, numbers[codes[order]]

    def _moving(
        self, rows: pa.Table, order: Ints, wanted: Ints, is_first: npt.NDArray[np.bool_], numbers: Ints
    ) -> Iterator[BucketRows]:
        """Each row goes to its own partition; where its key lived elsewhere, a delete goes there first."""
        home = self._home.of(numbers)
        earlier = np.where(is_first, home.partition, np.roll(wanted, 1))
        enters = earlier != wanted
        leaves = enters & (earlier != _NOWHERE)
        stays = np.where(is_first, home.bucket, _NOWHERE)
        run = np.maximum.accumulate(np.where(enters | is_first, np.arange(len(wanted)), 0))
        # A key that leaves a place which it has entered in these same rows leaves a bucket given below.
        entering = np.flatnonzero(enters)
        known = np.flatnonzero(leaves & is_first)
        for code, bucket in zip(earlier[known].tolist(), stays[known].tolist(), strict=True):
            self._counts[code][bucket] -= 1
        given = np.full(len(wanted), _NOWHERE, np.int64)
        arrival = entering[np.argsort(order[entering])]
        given[arrival] = self._new_buckets(wanted[arrival])
        buckets = np.where(given != _NOWHERE, given, stays)[run]
        old_bucket = np.where(is_first, stays, np.roll(buckets, 1))
        later = np.flatnonzero(leaves & ~is_first)
        for code, bucket in zip(earlier[later].tolist(), old_bucket[later].tolist(), strict=True):
            self._counts[code][bucket] -= 1
        self._home.put(numbers, wanted, buckets)
        gone = np.flatnonzero(leaves)
        deletes = self._in_partition(rows.take(gone), earlier[gone])
        deletes = _of_kind(deletes, RowKind.DELETE)
        everything = pa.concat_tables([deletes, _with_kinds(rows)])
        # Back into the order of arrival, each delete just before the row that asks for it.
        arrived = np.concatenate([order[gone] * 2, order * 2 + 1])
        places = _Places(np.concatenate([earlier[gone], wanted]), np.concatenate([old_bucket[gone], buckets]))
        back = np.argsort(arrived, kind="stable")
        yield from self._split(everything.take(back), places.at(back))

    def _staying(
        self, rows: pa.Table, order: Ints, wanted: Ints, is_first: npt.NDArray[np.bool_], numbers: Ints
    ) -> Iterator[BucketRows]:
        """A key stays in the partition of its first row; others join it there, or are dropped."""
        first = np.maximum.accumulate(np.where(is_first, np.arange(len(wanted)), 0))
        home = self._home.of(numbers)
        is_new = is_first & (home.partition == _NOWHERE)
        partition = np.where(home.partition == _NOWHERE, wanted[first], home.partition)
        new = np.flatnonzero(is_new)
        arrival = new[np.argsort(order[new])]
        given = home.bucket.copy()
        given[arrival] = self._new_buckets(wanted[arrival])
        buckets = given[first]
        self._home.put(numbers, partition, buckets)
        back = np.argsort(order, kind="stable")
        if self._engine is MergeEngine.FIRST_ROW:
            back = back[(wanted == partition)[back]]
        else:
            rows = self._in_partition(rows, partition)
        yield from self._split(_with_kinds(rows).take(back), _Places(partition, buckets).at(back))

    def _new_buckets(self, codes: Ints) -> Ints:
        """A bucket for each key that enters a partition: the lowest that is not full."""
        given = np.empty(len(codes), np.int64)
        for code in np.unique(codes).tolist():
            mine = np.flatnonzero(codes == code)
            counts = self._counts.setdefault(code, {})
            filled = fill_buckets(self._rule, 0, counts, len(mine))
            rest = len(mine) - len(filled)
            given[mine] = np.concatenate([filled, np.resize(np.array(sorted(counts)), rest)])
        return given

    def _in_partition(self, rows: pa.Table, codes: Ints) -> pa.Table:
        """The rows with the partition columns of other partitions."""
        types = self._table.schema.partition_types
        values = [decode_row(types, partition) for partition in self._codes]
        for i, field in enumerate(self._table.schema.partition_fields):
            column = from_python([row[i] for row in values], field.type).take(codes)
            place = rows.schema.get_field_index(field.name)
            rows = rows.set_column(place, rows.schema.field(place), column)
        return rows

    def _split(self, rows: pa.Table, places: _Places) -> Iterator[BucketRows]:
        yield from split_rows(rows, RowPartitions(places.partition, list(self._codes)), places.bucket)

    def _code(self, partition: BinaryRow) -> int:
        return self._codes.setdefault(partition, len(self._codes))

    def _learn(self) -> None:
        """Read where keys live before the first row; before that of a later commit see that it is still so.

        Raises:
            CommitConflictError: others have written since, or it cannot be told whether they have.
        """
        if self._is_current:
            return
        latest = self._table.snapshots.latest()
        if not self._is_read:
            self._read_table(None if self._starts_empty else latest)
        elif latest is not None:
            self._check_alone(latest)
        self._known, self._is_read, self._is_current = latest, True, True

    def _read_table(self, snapshot: Snapshot | None) -> None:
        """Note where all keys of the table live; rows that are not visible yet count too."""
        table, names = self._table, [field.name for field in self._keys]
        selection = FileSelection(with_level_zero=True)
        plan = plan_read(table, table.schema, snapshot, names, selection=selection)
        types = [field.type for field in self._keys]
        for split in plan.splits:
            code = self._code(split.partition)
            counts = self._counts.setdefault(code, {})
            for batch in read_split(table, table.schema, split, names):
                numbers = self._index.add(encode_rows(types, batch.columns), hash_rows(types, batch.columns))
                self._home.make_room(len(self._index))
                self._home.put(numbers, code, split.bucket)
                counts[split.bucket] = counts.get(split.bucket, 0) + batch.num_rows

    def _check_alone(self, latest: Snapshot) -> None:
        first = self._known.id + 1 if self._known else 1
        for number in range(first, latest.id + 1):
            try:
                snapshot = latest if number == latest.id else self._table.snapshots.get(number)
            except NotFoundError as error:
                raise _not_alone(number) from error
            if snapshot.commit_kind is CommitKind.OVERWRITE or not self._is_own(snapshot):
                raise _not_alone(number)

    def _is_own(self, snapshot: Snapshot) -> bool:
        """Whether no rows have come but those of this writer."""
        if snapshot.commit_kind is not CommitKind.APPEND:
            return True
        names: list[Any] = self._table.manifests.delta_entries(snapshot).column("file_name").to_pylist()
        return self._own is not None and all(map(self._own.gave, names))


def _not_alone(snapshot_id: int) -> CommitConflictError:
    return CommitConflictError(
        "another writer may have moved keys since this one began: begin a new one",
        check="moving keys",
        snapshot_id=snapshot_id,
    )


def _with_kinds(rows: pa.Table) -> pa.Table:
    return rows if VALUE_KIND.name in rows.column_names else _of_kind(rows, RowKind.INSERT)


def _of_kind(rows: pa.Table, kind: RowKind) -> pa.Table:
    kinds = pa.array(np.full(len(rows), int(kind), np.int8))
    if VALUE_KIND.name in rows.column_names:
        rows = rows.drop_columns([VALUE_KIND.name])
    return rows.append_column(VALUE_KIND.name, kinds)
