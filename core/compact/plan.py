"""What a compaction of a table would do: decided on manifest entries alone. Spec: 07. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType

from core.binary import BinaryRow
from core.compact.append import PackRules, pack_ordered, pack_ordered_full, pack_unordered
from core.compact.levels import highest_level, level_runs
from core.compact.universal import UniversalRules, pick_full, pick_universal
from core.manifest.file_meta import DataFileMeta
from core.options import (
    BUCKET,
    COMPACTION_INCREMENTAL_SIZE_THRESHOLD,
    COMPACTION_MAX_SIZE_AMPLIFICATION,
    COMPACTION_MIN_FILE_NUM,
    COMPACTION_OFFPEAK_END,
    COMPACTION_OFFPEAK_RATIO,
    COMPACTION_OFFPEAK_START,
    COMPACTION_OPTIMIZATION_INTERVAL,
    COMPACTION_SIZE_RATIO,
    COMPACTION_SMALL_FILE_RATIO,
    COMPACTION_TOTAL_SIZE_THRESHOLD,
    NUM_LEVELS,
    NUM_SORTED_RUN_TRIGGER,
    SPLIT_OPEN_FILE_COST,
    TableOptions,
)


class Strategy(StrEnum):
    FULL = "full"  # primary key: every bucket to its top level; append: pack all that is small
    MINOR = "minor"  # what the table's options would pick by themselves


@dataclass(frozen=True, slots=True)
class Bucket:
    """The live files of one bucket."""

    partition: BinaryRow
    bucket: int
    total_buckets: int
    files: tuple[DataFileMeta, ...]


@dataclass(frozen=True, slots=True)
class CompactionTask:
    """Files of one bucket that become fewer. Picklable: executors run tasks."""

    partition: BinaryRow
    bucket: int
    total_buckets: int
    files: tuple[DataFileMeta, ...]  # append tables: in the order in which they are read
    output_level: int
    drops_deletes: bool  # nothing older than the output is left in the bucket
    reason: str

    @property
    def size(self) -> int:
        """Bytes of the inputs; those that are only lifted to another level count too."""
        return sum(f.file_size for f in self.files)

    @property
    def row_count(self) -> int:
        return sum(f.row_count for f in self.files)


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """All tasks of one compaction, and what it looked at."""

    snapshot_id: int | None  # None: the table has no snapshot
    snapshot: str | None  # its reference
    strategy: Strategy
    tasks: tuple[CompactionTask, ...]
    buckets_in_scope: int
    files_in_scope: int
    target_file_size: int  # bytes

    @property
    def files_before(self) -> int:
        return sum(len(task.files) for task in self.tasks)

    @property
    def size_before(self) -> int:
        """Bytes of all inputs."""
        return sum(task.size for task in self.tasks)

    @property
    def files_after(self) -> int:
        """An estimate: outputs of target size, nothing merged away."""
        return sum(max(1, -(-task.size // self.target_file_size)) for task in self.tasks)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a plan is made, on the writer's wall clock."""

    millis: int
    hour: int


def plan_tasks(
    buckets: Iterable[Bucket],
    *,
    keyed: bool,
    options: TableOptions,
    target_file_size: int,
    strategy: Strategy,
    moment: Moment,
) -> Iterator[CompactionTask]:
    """The tasks of each bucket that needs any."""
    rules = _pack_rules(options, target_file_size)
    for bucket in buckets:
        if keyed:
            yield from _merge_tree_tasks(bucket, options, strategy, moment)
        elif options.get(BUCKET) > 0:
            pack = _ORDERED[strategy]
            yield from _append_tasks(bucket, [pack(bucket.files, rules)], strategy)
        else:
            leftovers = strategy is Strategy.FULL
            yield from _append_tasks(
                bucket, pack_unordered(bucket.files, rules, leftovers=leftovers), strategy
            )


_ORDERED: Mapping[Strategy, Callable[[Sequence[DataFileMeta], PackRules], Sequence[DataFileMeta]]] = (
    MappingProxyType({Strategy.FULL: pack_ordered_full, Strategy.MINOR: pack_ordered})
)


def _pack_rules(options: TableOptions, target_file_size: int) -> PackRules:
    return PackRules(
        target_file_size=target_file_size,
        small_file_size=int(target_file_size * options.get(COMPACTION_SMALL_FILE_RATIO)),
        min_file_num=options.get(COMPACTION_MIN_FILE_NUM),
        open_file_cost=options.get(SPLIT_OPEN_FILE_COST),
    )


def _append_tasks(
    bucket: Bucket, groups: Iterable[Sequence[DataFileMeta]], strategy: Strategy
) -> Iterator[CompactionTask]:
    for files in groups:
        if files:
            yield CompactionTask(
                partition=bucket.partition,
                bucket=bucket.bucket,
                total_buckets=bucket.total_buckets,
                files=tuple(files),
                output_level=0,
                drops_deletes=False,
                reason=f"{strategy.value}: small files",
            )


def _merge_tree_tasks(
    bucket: Bucket, options: TableOptions, strategy: Strategy, moment: Moment
) -> Iterator[CompactionTask]:
    runs = level_runs(bucket.files)
    max_level = highest_level(runs, num_levels(options))
    shapes = [run.as_run for run in runs]
    if strategy is Strategy.FULL:
        pick = pick_full(shapes, max_level)
    else:
        age = _millis_since_full(bucket.files, max_level, moment)
        pick = pick_universal(shapes, max_level, universal_rules(options, moment.hour), age)
    if pick is None:
        return
    rest = runs[pick.count :]
    yield CompactionTask(
        partition=bucket.partition,
        bucket=bucket.bucket,
        total_buckets=bucket.total_buckets,
        files=tuple(file for run in runs[: pick.count] for file in run.files),
        output_level=pick.output_level,
        # Spec 07, 4: the output lies at or below the lowest data that is left.
        drops_deletes=pick.output_level > 0 and not rest,
        reason=pick.reason.value,
    )


def num_levels(options: TableOptions) -> int:
    """How many levels a merge tree has, level 0 counted."""
    return options.get(NUM_LEVELS) or options.get(NUM_SORTED_RUN_TRIGGER) + 1


def _millis_since_full(files: Iterable[DataFileMeta], max_level: int, moment: Moment) -> int | None:
    """Age of the newest file of the top level: the last time everything was compacted."""
    times = [f.creation_time_millis for f in files if f.level == max_level]
    known = [time for time in times if time is not None]
    return moment.millis - max(known) if known else None


def universal_rules(options: TableOptions, hour: int) -> UniversalRules:
    """The options of universal compaction at an hour of the day."""
    off_peak = is_off_peak(hour, options.get(COMPACTION_OFFPEAK_START), options.get(COMPACTION_OFFPEAK_END))
    interval = options.get(COMPACTION_OPTIMIZATION_INTERVAL)
    return UniversalRules(
        trigger=options.get(NUM_SORTED_RUN_TRIGGER),
        max_size_amplification=options.get(COMPACTION_MAX_SIZE_AMPLIFICATION),
        size_ratio=options.get(COMPACTION_SIZE_RATIO)
        + (options.get(COMPACTION_OFFPEAK_RATIO) if off_peak else 0),
        optimization_interval_millis=None if interval is None else interval // timedelta(milliseconds=1),
        total_size_threshold=options.get(COMPACTION_TOTAL_SIZE_THRESHOLD),
        incremental_size_threshold=options.get(COMPACTION_INCREMENTAL_SIZE_THRESHOLD),
    )


def is_off_peak(hour: int, start: int, end: int) -> bool:
    """Whether the hour is in [start, end), which may go past midnight; -1 or equal: never."""
    if start == -1 or end == -1 or start == end:
        return False
    return start <= hour < end if start < end else hour >= start or hour < end
