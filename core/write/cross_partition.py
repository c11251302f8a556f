"""Rows of a primary key that does not hold all partition keys: a key may move. Spec: 05, 3.1; 06, 2.

Where a key lives is known from one pass over the keys of the table, when the first rows come.
What a row does that comes with another partition than its key lives in, the merge engine says:

    deduplicate                  the old row is deleted where it was, the new one stands in its partition
    partial-update, aggregation  the row joins the others: it goes to the partition that they are in
    first-row                    the row is dropped, as a later one of its key would be

Only one writer at a time may write to such a table, as each knows only of the keys that it has
seen itself. Memory: see `core.tableindex.key_index`, and 6 bytes a key.
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
from core.errors import UnsupportedError
from core.options import MERGE_ENGINE, MergeEngine
from core.read.planning import plan_read
from core.read.reader import read_split
from core.scan.selection import FileSelection
from core.tableindex import AssignmentRule, KeyIndex, fill_buckets
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


class CrossPartitionBuckets:
    """Routes rows by where their keys live."""

    def __init__(self, table: WriteTarget, *, replaces: bool = False) -> None:
        """`replaces`: the rows are to replace partitions.

        Raises:
            UnsupportedError: then the rest of the table would have to be known, and it is not yet.
        """
        if replaces:
            raise UnsupportedError(
                "keys may live in partitions that are not replaced: truncate the table, then write",
                feature="overwrite with a primary key without the partition keys",
            )
        self._table = table
        self._keys = table.schema.fields_of(table.schema.primary_keys)
        self._engine = table.options.get(MERGE_ENGINE)
        rule = AssignmentRule.of(table.options)
        self._rule = AssignmentRule(rule.target_rows, rule.max_buckets)  # this is the only assigner
        self._index = KeyIndex()
        self._home = _Places(np.empty(0, np.int64), np.empty(0, np.int64))  # of each key, by its number
        self._codes: dict[BinaryRow, int] = {}  # of partitions
        self._counts: dict[int, dict[int, int]] = {}  # keys of each bucket of each partition
        self._is_read = False

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        """The rows by bucket, with the deletes that moving keys ask for."""
        if not len(rows):
            return
        self._read_table()
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
        self._make_room()
        order = np.argsort(codes, kind="stable")
        is_first = np.diff(codes[order], prepend=-1) != 0
        return order, is_first, numbers[codes[order]]

    def _make_room(self) -> None:
        room = len(self._index) - len(self._home.bucket)
        if room:
            more = np.full(room, _NOWHERE, np.int64)
            self._home = _Places(
                np.concatenate([self._home.partition, more]), np.concatenate([self._home.bucket, more])
            )

    def _moving(
        self, rows: pa.Table, order: Ints, wanted: Ints, is_first: npt.NDArray[np.bool_], numbers: Ints
    ) -> Iterator[BucketRows]:
        """Each row goes to its own partition; where its key lived elsewhere, a delete goes there first."""
        earlier = np.where(is_first, self._home.partition[numbers], np.roll(wanted, 1))
        enters = earlier != wanted
        leaves = enters & (earlier != _NOWHERE)
        stays = np.where(is_first, self._home.bucket[numbers], _NOWHERE)
        run = np.maximum.accumulate(np.where(enters | is_first, np.arange(len(wanted)), 0))
        # A key that leaves a place which it has entered in these same rows leaves a bucket given below.
        entering = np.flatnonzero(enters)
        known = np.flatnonzero(leaves & is_first)
        self._leave(_Places(earlier, stays).at(known))
        given = np.full(len(wanted), _NOWHERE, np.int64)
        arrival = entering[np.argsort(order[entering])]
        given[arrival] = self._new_buckets(wanted[arrival])
        buckets = np.where(given != _NOWHERE, given, stays)[run]
        old_bucket = np.where(is_first, stays, np.roll(buckets, 1))
        self._leave(_Places(earlier, old_bucket).at(np.flatnonzero(leaves & ~is_first)))
        self._remember(numbers, wanted, buckets)
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
        home = self._home.at(numbers)
        is_new = is_first & (home.partition == _NOWHERE)
        partition = np.where(home.partition == _NOWHERE, wanted[first], home.partition)
        new = np.flatnonzero(is_new)
        arrival = new[np.argsort(order[new])]
        given = home.bucket.copy()
        given[arrival] = self._new_buckets(wanted[arrival])
        buckets = given[first]
        self._remember(numbers, partition, buckets)
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

    def _leave(self, places: _Places) -> None:
        """Each of the places has one key less."""
        pairs, counts = np.unique([places.partition, places.bucket], axis=1, return_counts=True)
        for code, bucket, count in zip(*pairs.tolist(), counts.tolist(), strict=True):  # one a bucket
            self._counts[code][bucket] -= count

    def _remember(self, numbers: Ints, partition: Ints, bucket: Ints) -> None:
        """Where each key is after its last row."""
        self._home.partition[numbers] = partition
        self._home.bucket[numbers] = bucket

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

    def _read_table(self) -> None:
        """Note where all keys of the table live; rows that are not visible yet count too."""
        if self._is_read:
            return
        self._is_read = True
        table, names = self._table, [field.name for field in self._keys]
        selection = FileSelection(with_level_zero=True)
        plan = plan_read(table, table.schema, table.snapshots.latest(), names, selection=selection)
        types = [field.type for field in self._keys]
        for split in plan.splits:
            code = self._code(split.partition)
            counts = self._counts.setdefault(code, {})
            for batch in read_split(table, table.schema, split, names):
                numbers = self._index.add(encode_rows(types, batch.columns), hash_rows(types, batch.columns))
                self._make_room()
                self._home.partition[numbers], self._home.bucket[numbers] = code, split.bucket
                counts[split.bucket] = counts.get(split.bucket, 0) + batch.num_rows


def _with_kinds(rows: pa.Table) -> pa.Table:
    return rows if VALUE_KIND.name in rows.column_names else _of_kind(rows, RowKind.INSERT)


def _of_kind(rows: pa.Table, kind: RowKind) -> pa.Table:
    kinds = pa.array(np.full(len(rows), int(kind), np.int8))
    if VALUE_KIND.name in rows.column_names:
        rows = rows.drop_columns([VALUE_KIND.name])
    return rows.append_column(VALUE_KIND.name, kinds)
