"""The merge tree of one bucket, as a picture needs it. Design: 6.9, 9.3; spec: 07, 1 and 3.

Keys are given once, sorted by the format's comparator; files speak of them by position, so
nobody else has to compare keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import to_python
from core.compact.levels import LevelRun, level_runs
from core.compact.plan import Bucket, CompactionTask, Moment, Strategy, plan_tasks, universal_rules
from core.errors import InvalidRequestError, NotFoundError
from core.fileindex import decode_file_index, index_file_name
from core.inspect.selection import BucketFiles, select_bucket
from core.manifest import DataFileMeta, EntryColumns
from core.mergetree.keys import comparable_keys
from core.options import NUM_SORTED_RUN_STOP, NUM_SORTED_RUN_TRIGGER, TableOptions
from core.snapshot import Snapshot
from core.system.file_stats import key_columns
from core.system.text import Column
from core.table import Table
from core.types import DataField, cast_text

Ranks = npt.NDArray[np.int64]
pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class LevelFile:
    """One file as a rectangle: from key `lo` to key `hi`, in lane `lane` of its level."""

    name: str
    level: int
    lane: int  # level 0: 0 is the newest file; other levels: 0
    lo: int  # index into the keys
    hi: int
    size: int  # bytes
    rows: int
    deletes: int | None  # None: unknown
    min_sequence_number: int
    max_sequence_number: int
    source: str | None  # "append", "compact"
    indexes: tuple[str, ...]  # types of embedded indexes; `file` for one beside the data file
    has_deletion_vector: bool
    schema_id: int
    creation_time_millis: int | None  # the writer's wall clock
    is_picked: bool  # whether the next compaction would rewrite or lift it


@dataclass(frozen=True, slots=True)
class LevelSummary:
    level: int
    files: int
    runs: int
    size: int  # bytes
    rows: int
    deletes: int | None  # None: some file does not say
    oldest_creation_millis: int | None


@dataclass(frozen=True, slots=True)
class CompactionRule:
    """One rule of universal compaction, with what was measured."""

    name: str
    measured: float | None  # None: nothing to measure
    threshold: float
    is_met: bool


@dataclass(frozen=True, slots=True)
class NextCompaction:
    """What the table's own rules would compact now."""

    reason: str
    output_level: int
    files: tuple[str, ...]
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class BucketLevels:
    snapshot: str  # reference, `42~9f3c01ab`
    partition: str  # path form
    partition_text: str  # row form
    bucket: int
    total_buckets: int
    key_columns: tuple[str, ...]
    keys: tuple[str, ...]  # distinct, ascending
    places: tuple[float, ...] | None  # of the keys by the value of their first column, from 0 to 1
    levels: tuple[LevelSummary, ...]  # from 0 to the highest, empty ones too
    files: tuple[LevelFile, ...]  # level 0 newest first, then level by level in key order
    depth: tuple[tuple[int, int], ...]  # (first key, files that cover it and the keys up to the next step)
    mean_depth: float  # over the keys
    max_depth: int
    runs: int
    trigger: int  # runs that start a compaction
    stop: int  # runs at which writers wait
    rules: tuple[CompactionRule, ...]
    next_compaction: NextCompaction | None
    added: tuple[str, ...] = ()  # files that the bucket did not have at the snapshot it is held against
    removed: tuple[LevelFile, ...] = ()  # files that it had then; their keys are among `keys`


def read_levels(
    table: Table,
    partition: str,
    bucket: int,
    *,
    moment: Moment,
    snapshot: Snapshot | None = None,
    since: Snapshot | None = None,
) -> BucketLevels:
    """The merge tree of a bucket, held against that of the snapshot `since` where one is given.

    `partition` is as `select_bucket` takes it.

    Raises:
        InvalidRequestError: an append table has no levels. NotFoundError: no such bucket.
    """
    if not table.schema.primary_keys:
        raise InvalidRequestError("only a table with a primary key has levels", table=str(table.identifier))
    chosen = select_bucket(table, partition, bucket, snapshot)
    vectors = {
        vector.data_file
        for entry in table.manifests.index_entries(chosen.snapshot)
        if (entry.partition, entry.bucket) == (chosen.partition, bucket)
        for vector in entry.deletion_vector_ranges or ()
    }
    found = _arranged(table, chosen, _gone(table, chosen, since), vectors, moment)
    if since is None:
        return found
    before = {file.file_name for file in _metas_at(table, chosen, since)}
    return replace(found, added=tuple(file.name for file in found.files if file.name not in before))


def _entries_at(table: Table, chosen: BucketFiles, snapshot: Snapshot) -> EntryColumns:
    """The files of the same bucket at another snapshot; none where it did not have any."""
    try:
        return select_bucket(table, chosen.partition_text, chosen.bucket, snapshot).entries
    except NotFoundError:
        return EntryColumns.empty()


def _metas_at(table: Table, chosen: BucketFiles, snapshot: Snapshot) -> list[DataFileMeta]:
    return [entry.file for entry in _entries_at(table, chosen, snapshot).entries()]


def _gone(table: Table, chosen: BucketFiles, since: Snapshot | None) -> EntryColumns:
    """The files that the bucket had at `since` and has no more."""
    if since is None:
        return EntryColumns.empty()
    before = _entries_at(table, chosen, since)
    names = chosen.entries.column("file_name").combine_chunks()
    return before.filter(pc.invert(pc.is_in(before.column("file_name"), value_set=names)))


def _arranged(
    table: Table,
    chosen: BucketFiles,
    gone: EntryColumns,
    vectors: set[str],
    moment: Moment,
) -> BucketLevels:
    options, fields = table.options, table.schema.key_fields()
    keys, places, lo, hi = _ranked(fields, *_ends(table, chosen.entries, gone))
    metas = [entry.file for entry in chosen.entries.entries()]
    ghosts = [entry.file for entry in gone.entries()]
    ghost_lo, ghost_hi = lo[len(metas) :], hi[len(metas) :]
    lo, hi = lo[: len(metas)], hi[: len(metas)]
    ghost_spans = {
        meta.file_name: (int(a), int(b)) for meta, a, b in zip(ghosts, ghost_lo, ghost_hi, strict=True)
    }
    runs = level_runs(metas)
    task = _next_task(chosen, metas, options, moment)
    spans = {meta.file_name: (int(a), int(b)) for meta, a, b in zip(metas, lo, hi, strict=True)}
    depth = _depth(lo, hi, len(keys))
    trigger = options.get(NUM_SORTED_RUN_TRIGGER)
    picked = {file.file_name for file in task.files} if task else set()
    return BucketLevels(
        snapshot=chosen.snapshot.reference,
        partition=chosen.partition_name,
        partition_text=chosen.partition_text,
        bucket=chosen.bucket,
        total_buckets=int(chosen.entries.numpy("total_buckets").max()),
        key_columns=tuple(field.name for field in fields),
        keys=keys,
        places=places,
        levels=tuple(_summaries(metas)),
        files=tuple(_files(runs, spans, vectors, picked)),
        depth=_steps(depth),
        mean_depth=float(depth.mean()),
        max_depth=int(depth.max()),
        runs=len(runs),
        trigger=trigger,
        stop=stop_trigger(options),
        rules=tuple(_rules(runs, options, moment)),
        next_compaction=_next(task),
        removed=tuple(_files(level_runs(ghosts), ghost_spans, set(), set())),
    )


def _ends(table: Table, *parts: EntryColumns) -> tuple[list[Column], list[Column]]:
    """The smallest and largest keys of the files of all parts, a column a key field."""
    low, high = (
        [key_columns(table.schemas, table.schema, part, which) for part in parts]
        for which in ("min_key", "max_key")
    )
    return [pa.concat_arrays(list(same)) for same in zip(*low, strict=True)], [
        pa.concat_arrays(list(same)) for same in zip(*high, strict=True)
    ]


def stop_trigger(options: TableOptions) -> int:
    """Runs at which writers wait: never below the trigger. Spec: 07, 2."""
    trigger = options.get(NUM_SORTED_RUN_TRIGGER)
    stop = options.get(NUM_SORTED_RUN_STOP)
    return trigger + 3 if stop is None else max(stop, trigger)


def _ranked(
    fields: Sequence[DataField], low: Sequence[Column], high: Sequence[Column]
) -> tuple[tuple[str, ...], tuple[float, ...] | None, Ranks, Ranks]:
    """All distinct keys as text in order and by value, and the position of each file's least and greatest."""
    columns = [pa.concat_arrays([a, b]) for a, b in zip(low, high, strict=True)]
    _, first, ranks = np.unique(comparable_keys(columns), return_index=True, return_inverse=True)
    distinct = [
        to_python(column.take(pa.array(first)), f.type) for column, f in zip(columns, fields, strict=True)
    ]
    texts = tuple(
        ", ".join(cast_text(field.type, value) for field, value in zip(fields, key, strict=True))
        for key in zip(*distinct, strict=True)
    )
    half = len(low[0])
    return texts, key_places(columns[0].take(pa.array(first))), ranks[:half], ranks[half:]


def key_places(values: Column) -> tuple[float, ...] | None:
    """Where ascending values lie between the least (0) and the greatest (1); None if no numbers or times."""
    kind = values.type
    if pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind):
        values = pc.cast(pc.cast(values, pa.int32() if kind.bit_width == 32 else pa.int64()), pa.int64())
    elif pa.types.is_decimal(kind):
        values = pc.cast(values, pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    numbers = values.to_numpy(zero_copy_only=False)
    if pa.types.is_integer(values.type):
        # differences of 64-bit integers fit into 64 bits without a sign
        above = numbers.astype(np.int64).astype(np.uint64) - np.uint64(int(numbers[0]) % 2**64)
        shares = above.astype(np.float64)
    else:
        shares = numbers.astype(np.float64) - float(numbers[0])
    span = shares[-1]
    if not np.isfinite(shares).all() or span <= 0:
        return None  # one value alone has no scale, nor has one without end
    return tuple(round(float(share), 6) for share in shares / span)


def _depth(lo: Ranks, hi: Ranks, keys: int) -> Ranks:
    """How many files cover each key."""
    change = np.zeros(keys + 1, dtype=np.int64)
    np.add.at(change, lo, 1)
    np.add.at(change, hi + 1, -1)
    return np.cumsum(change[:-1])


def _steps(depth: Ranks) -> tuple[tuple[int, int], ...]:
    """Where the depth changes, and to what."""
    starts = np.flatnonzero(np.concatenate([[True], depth[1:] != depth[:-1]]))
    return tuple((int(start), int(depth[start])) for start in starts)


def _files(
    runs: Sequence[LevelRun], spans: Mapping[str, tuple[int, int]], vectors: set[str], picked: set[str]
) -> Iterator[LevelFile]:
    lanes: Counter[int] = Counter()
    for run in runs:
        for file in sorted(run.files, key=lambda f: spans[f.file_name]):
            lo, hi = spans[file.file_name]
            yield LevelFile(
                name=file.file_name,
                level=file.level,
                lane=lanes[run.level],
                lo=lo,
                hi=hi,
                size=file.file_size,
                rows=file.row_count,
                deletes=file.delete_row_count,
                min_sequence_number=file.min_sequence_number,
                max_sequence_number=file.max_sequence_number,
                source=None if file.file_source is None else file.file_source.name.lower(),
                indexes=index_types(file),
                has_deletion_vector=file.file_name in vectors,
                schema_id=file.schema_id,
                creation_time_millis=file.creation_time_millis,
                is_picked=file.file_name in picked,
            )
        lanes[run.level] += 1


def index_types(file: DataFileMeta) -> tuple[str, ...]:
    """Types of the indexes in the manifest, sorted; `file` for indexes beside the data file."""
    types: set[str] = set()
    if file.embedded_index is not None:
        types.update(slot.index_type for slot in decode_file_index(file.embedded_index).slots)
    if index_file_name(file.extra_files):
        types.add("file")
    return tuple(sorted(types))


def _summaries(files: Sequence[DataFileMeta]) -> Iterator[LevelSummary]:
    for level in range(max(file.level for file in files) + 1):
        here = [file for file in files if file.level == level]
        deletes = [file.delete_row_count for file in here]
        times = [file.creation_time_millis for file in here if file.creation_time_millis is not None]
        yield LevelSummary(
            level=level,
            files=len(here),
            runs=len(here) if level == 0 else min(len(here), 1),
            size=sum(file.file_size for file in here),
            rows=sum(file.row_count for file in here),
            deletes=None if None in deletes else sum(count or 0 for count in deletes),
            oldest_creation_millis=min(times, default=None),
        )


def _rules(runs: Sequence[LevelRun], options: TableOptions, moment: Moment) -> Iterator[CompactionRule]:
    """The three rules in the order in which they are asked. Spec: 07, 3."""
    rules = universal_rules(options, moment.hour)
    sizes = [run.as_run.size for run in runs]
    enough = len(runs) >= rules.trigger
    amplification = 100 * sum(sizes[:-1]) / sizes[-1] if len(sizes) > 1 and sizes[-1] else None
    limit = rules.max_size_amplification
    met = enough and amplification is not None and amplification > limit
    yield CompactionRule("size amplification percent", amplification, limit, met)
    # How much bigger the second run is than the newest: taken in while it is not by more than the ratio.
    ratio = 100 * sizes[1] / sizes[0] - 100 if len(sizes) > 1 and sizes[0] else None
    met = enough and ratio is not None and ratio <= rules.size_ratio
    yield CompactionRule("size ratio percent", ratio, rules.size_ratio, met)
    yield CompactionRule("sorted runs", len(runs), rules.trigger, len(runs) > rules.trigger)


def _next_task(
    chosen: BucketFiles, files: Sequence[DataFileMeta], options: TableOptions, moment: Moment
) -> CompactionTask | None:
    totals = int(chosen.entries.numpy("total_buckets").max())
    tasks = plan_tasks(
        [Bucket(chosen.partition, chosen.bucket, totals, tuple(files))],
        keyed=True,
        options=options,
        target_file_size=1,  # plays no part in choosing runs
        strategy=Strategy.MINOR,
        moment=moment,
    )
    return next(iter(tasks), None)


def _next(task: CompactionTask | None) -> NextCompaction | None:
    if task is None:
        return None
    return NextCompaction(
        task.reason, task.output_level, tuple(file.file_name for file in task.files), task.size
    )
