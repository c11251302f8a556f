"""What a compaction of a table would do: decided on manifest entries alone. Spec: 07. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from core.binary import BinaryRow
from core.compact.append import Marks, PackRules, pack_marked, pack_ordered, pack_ordered_full, pack_unordered
from core.compact.clustering import Clustering, pick_clustered
from core.compact.levels import LevelRun, highest_level, level_runs
from core.compact.lookup import lifts_level_zero, looks_up
from core.compact.row_ranges import pack_row_ranges
from core.compact.sort_order import SortOrder
from core.compact.universal import (
    Pick,
    PickReason,
    UniversalRules,
    pick_full,
    pick_level_zero,
    pick_universal,
)
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import IndexManifestEntry
from core.options import (
    BUCKET,
    COMPACTION_DELETE_RATIO,
    COMPACTION_FILE_NUM_LIMIT,
    COMPACTION_FORCE_REWRITE,
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
    DATA_EVOLUTION_ENABLED,
    DELETION_VECTORS_ENABLED,
    NUM_LEVELS,
    NUM_SORTED_RUN_TRIGGER,
    SPLIT_OPEN_FILE_COST,
    TableOptions,
)


class Strategy(StrEnum):
    FULL = "full"  # primary key: every bucket to its top level; append: pack all that is small
    MINOR = "minor"  # what the table's options would pick by themselves
    DELETION_VECTORS = "deletion-vectors"  # full, where files have such: afterwards none has


@dataclass(frozen=True, slots=True)
class Bucket:
    """The live files of one bucket."""

    partition: BinaryRow
    bucket: int
    total_buckets: int
    files: tuple[DataFileMeta, ...]
    index_files: tuple[IndexManifestEntry, ...] = ()  # with the deletion vectors of the files

    @property
    def marks(self) -> Marks:
        """The deletion vectors of the files."""
        found = [(entry, r) for entry in self.index_files for r in entry.deletion_vector_ranges or ()]
        return Marks(
            {r.data_file: entry.file_name for entry, r in found},
            {r.data_file: r.cardinality for _, r in found},
        )


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
    max_level: int = 0  # the top of the bucket's merge tree
    older: tuple[DataFileMeta, ...] = ()  # above the output: where versions of keys are looked up
    index_files: tuple[IndexManifestEntry, ...] = ()  # with the deletion vectors of all these files
    in_place: bool = False  # each file is rewritten by itself, whatever its size
    order: SortOrder | None = None  # that the rows get; they stay in the order of the files without one

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
    expired: Callable[[DataFileMeta], bool] = lambda file: False,
    clustering: Clustering | None = None,
) -> Iterator[CompactionTask]:
    """The tasks of each bucket that needs any; `expired` files hold rows past their time.

    `clustering` is that of a table that is clustered incrementally.
    """
    rules = _pack_rules(options, target_file_size)
    room = options.get(COMPACTION_FILE_NUM_LIMIT)
    full = strategy is not Strategy.MINOR
    for bucket in buckets:
        marks = bucket.marks
        if strategy is Strategy.DELETION_VECTORS and not marks.index_file:
            continue
        if keyed:
            yield from _merge_tree_tasks(bucket, options, strategy, moment, expired)
        elif clustering is not None:
            yield from _clustering_tasks(bucket, options, strategy, moment, clustering)
        elif options.get(DATA_EVOLUTION_ENABLED):
            joined = pack_row_ranges(bucket.files, rules, leftovers=full, marks=marks)
            yield from _append_tasks(bucket, joined, strategy, "neighbouring row ids")
        elif options.get(BUCKET) > 0:
            files = (
                pack_ordered_full(bucket.files, rules, marks) if full else pack_ordered(bucket.files, rules)
            )
            yield from _append_tasks(bucket, [files], strategy)
        elif strategy is Strategy.DELETION_VECTORS:
            yield from _append_tasks(bucket, pack_marked(bucket.files, rules, marks), strategy)
        else:
            groups = pack_unordered(bucket.files, rules, leftovers=full, marks=marks, most_files=room)
            room -= sum(map(len, groups))
            yield from _append_tasks(bucket, groups, strategy)


def _pack_rules(options: TableOptions, target_file_size: int) -> PackRules:
    return PackRules(
        target_file_size=target_file_size,
        small_file_size=int(target_file_size * options.get(COMPACTION_SMALL_FILE_RATIO)),
        min_file_num=options.get(COMPACTION_MIN_FILE_NUM),
        open_file_cost=options.get(SPLIT_OPEN_FILE_COST),
        deleted_ratio=options.get(COMPACTION_DELETE_RATIO),
    )


def _append_tasks(
    bucket: Bucket, groups: Iterable[Sequence[DataFileMeta]], strategy: Strategy, reason: str = ""
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
                reason=f"{strategy.value}: {reason or _append_reason(files, bucket.marks)}",
                index_files=bucket.index_files,
            )


def _append_reason(files: Sequence[DataFileMeta], marks: Marks) -> str:
    return "deleted rows" if any(file.file_name in marks.index_file for file in files) else "small files"


def _clustering_tasks(
    bucket: Bucket, options: TableOptions, strategy: Strategy, moment: Moment, clustering: Clustering
) -> Iterator[CompactionTask]:
    rules = replace(
        universal_rules(options, moment.hour),
        optimization_interval_millis=None,
        total_size_threshold=None,
        incremental_size_threshold=None,
    )
    full = strategy is not Strategy.MINOR
    max_level = highest_level(level_runs(bucket.files), num_levels(options))
    pick, runs = pick_clustered(bucket.files, clustering, max_level, rules, full=full)
    if pick is not None:
        yield CompactionTask(
            partition=bucket.partition,
            bucket=bucket.bucket,
            total_buckets=bucket.total_buckets,
            files=tuple(file for run in runs[: pick.count] for file in run.files),
            output_level=pick.output_level,
            drops_deletes=False,
            reason=f"clustering by {clustering.order}: {pick.reason.value}",
            max_level=max_level,
            index_files=bucket.index_files,
            order=clustering.order,
        )


def _merge_tree_tasks(
    bucket: Bucket,
    options: TableOptions,
    strategy: Strategy,
    moment: Moment,
    expired: Callable[[DataFileMeta], bool],
) -> Iterator[CompactionTask]:
    runs = level_runs(bucket.files)
    max_level = highest_level(runs, num_levels(options))
    if strategy is not Strategy.MINOR and [run.level for run in runs] == [max_level]:
        yield from _rewrites(bucket, options, max_level, expired)
        return
    pick = _pick(runs, bucket, options, strategy, moment, max_level)
    if pick is None:
        return
    rest = runs[pick.count :]
    yield CompactionTask(
        partition=bucket.partition,
        bucket=bucket.bucket,
        total_buckets=bucket.total_buckets,
        files=tuple(file for run in runs[: pick.count] for file in run.files),
        output_level=pick.output_level,
        # Spec 07, 4: the output lies at or below the lowest data that is left, or that is marked.
        drops_deletes=pick.output_level > 0 and (not rest or options.get(DELETION_VECTORS_ENABLED)),
        reason=pick.reason.value,
        max_level=max_level,
        older=tuple(file for run in rest for file in run.files) if looks_up(options) else (),
        index_files=bucket.index_files,
    )


def _pick(
    runs: Sequence[LevelRun],
    bucket: Bucket,
    options: TableOptions,
    strategy: Strategy,
    moment: Moment,
    max_level: int,
) -> Pick | None:
    shapes = [run.as_run for run in runs]
    if strategy is not Strategy.MINOR:
        return pick_full(shapes, max_level)
    rules = universal_rules(options, moment.hour)
    age = _millis_since_full(bucket.files, max_level, moment)
    pick = pick_universal(shapes, max_level, rules, age)
    if pick is None and lifts_level_zero(options, sum(run.level == 0 for run in runs)):
        return pick_level_zero(shapes, max_level, rules)
    return pick


def _rewrites(
    bucket: Bucket, options: TableOptions, max_level: int, expired: Callable[[DataFileMeta], bool]
) -> Iterator[CompactionTask]:
    """Files of the top level, alone in the bucket, that are rewritten for their own sake. Spec: 07, 3."""
    every, marked = options.get(COMPACTION_FORCE_REWRITE), bucket.marks.index_file
    chosen = tuple(f for f in bucket.files if every or f.file_name in marked or expired(f))
    if chosen:
        yield CompactionTask(
            partition=bucket.partition,
            bucket=bucket.bucket,
            total_buckets=bucket.total_buckets,
            files=chosen,
            output_level=max_level,
            drops_deletes=True,
            reason=PickReason.REWRITE.value,
            max_level=max_level,
            index_files=bucket.index_files,
            in_place=True,
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
