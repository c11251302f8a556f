"""Parts of a planned change that several processes can carry out, each by `apply_changes`, into one commit.

tables without buckets                            one split
the same with deletion vectors; fixed buckets     one bucket: its vectors lie in one file, and its
                                                  sequence numbers are given out by one writer
dynamic buckets                                   one partition, as one writer keeps its index
keys that move between partitions                 all
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from core.binary import BinaryRow
from core.bucket import BucketMode, bucket_mode
from core.dml.plan import ChangePlan
from core.manifest import EntryColumns
from core.options import BUCKET, DELETION_VECTORS_ENABLED
from core.scan import Split
from core.scan.explain import Explain
from core.write.target import WriteTarget


def parts_of(table: WriteTarget, plan: ChangePlan) -> list[ChangePlan]:
    """The plan in parts that know nothing of each other, the largest first; each as small as it can be sent.

    Only for a DELETE or UPDATE that reads rows: what a plan drops unread, and what a merge inserts, is
    not a matter of its splits.
    """
    found: dict[Hashable, list[Split]] = {}
    of = _one_part(table)
    for number, split in enumerate(plan.scan.splits if plan.scan else ()):
        found.setdefault(of(number, split), []).append(split)
    largest_first = sorted(found.values(), key=lambda splits: -sum(split.size for split in splits))
    return [_with_splits(plan, splits) for splits in largest_first]


def part_within(plan: ChangePlan, is_chosen: Callable[[BinaryRow, int], bool]) -> ChangePlan:
    """The part of a plan that reads the buckets chosen by their partition and number."""
    splits: Iterable[Split] = plan.scan.splits if plan.scan else ()
    return _with_splits(plan, [split for split in splits if is_chosen(split.partition, split.bucket)])


def _one_part(table: WriteTarget) -> Callable[[int, Split], Hashable]:
    """What is equal of splits that go together."""
    schema, options = table.schema, table.options
    match bucket_mode(schema.primary_keys, schema.partition_keys, options.get(BUCKET)):
        case BucketMode.BUCKET_UNAWARE if not options.get(DELETION_VECTORS_ENABLED):
            return lambda number, split: number
        case BucketMode.BUCKET_UNAWARE | BucketMode.HASH_FIXED:
            return lambda number, split: (split.partition, split.bucket)
        case BucketMode.HASH_DYNAMIC:
            return lambda number, split: split.partition
        case _:
            return lambda number, split: 0


def _with_splits(plan: ChangePlan, splits: Sequence[Split]) -> ChangePlan:
    if plan.scan is None:
        return plan
    scan = replace(plan.scan, splits=tuple(splits), entries=EntryColumns.empty(), explain=Explain(()))
    return replace(plan, scan=scan)
