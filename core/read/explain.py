"""What a filtered read leaves out: stage by stage, and file by file with the reason.

A plan drops files by metadata alone and says how many. Here every live file of the snapshot
is told of, and those that are read are looked into, as the read would: their indexes, the
footers and page indexes of parquet files, their deletion vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import pyarrow.compute as pc

from core.binary import decode_row
from core.datafile.file_format import FileFormat, format_of
from core.datafile.parquet import ParquetParts, parts_to_read
from core.datafile.read import decoding_errors
from core.datafile.system_fields import evolves_data
from core.manifest import EntryColumns
from core.manifest.file_meta import DataFileMeta
from core.manifest.row_ranges import group_by_row_range
from core.mergetree.sorted_run import interval_partition
from core.partition import partition_text
from core.predicate import Predicate, references, split_and
from core.read.file_index import IndexUse
from core.read.file_reader import FileReader
from core.read.pushdown import file_conjuncts, filters_of_file
from core.scan.explain import Explain, Stage, StageName
from core.scan.levels import keys_unique_above_level_zero
from core.scan.plan import Plan
from core.scan.planner import on_columns
from core.scan.pruning import Pruner
from core.scan.source import TableSource
from core.scan.split import Split
from core.schema import TableSchema

_BY_BOUNDS = (StageName.STATISTICS, StageName.WHOLE_BUCKETS)


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What becomes of one data file in a read."""

    file_name: str
    partition: str  # `{v1, v2}`
    bucket: int
    level: int
    size: int  # bytes
    rows: int  # in the file
    dropped_by: StageName | None  # None for a file that is read
    reason: str
    rows_read: int  # that are decoded; 0 for a file that is dropped

    @property
    def line(self) -> str:
        """`data-1.parquet: dropped by statistics: v is in 1..9`."""
        fate = f"{self.rows_read} of {self.rows} rows read" if self.dropped_by is None else "dropped"
        by = f" by {self.dropped_by}" if self.dropped_by else ""
        return f"{self.file_name}: {fate}{by}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The stages of a read in order, and every file that could have been read.

    `unused` names what there is to speed reads up and is left alone.
    """

    stages: tuple[Stage, ...]
    files: tuple[FileVerdict, ...]
    unused: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([str(Explain(self.stages, self.unused)), *(file.line for file in self.files)])


def explain_plan(source: TableSource, plan: Plan) -> Explanation:
    """Why a plan reads what it reads, and how much of each file.

    Of a read of changes only the files that it opens are told of one by one.

    Raises:
        FormatError, NotFoundError: a file that the read would open is damaged or missing.
    """
    stages, dropped = _dropped(source, plan)
    looked_into = list(_looked_into(source, plan))
    read = tuple(_verdict(plan.schema, of_file) for of_file in looked_into)
    vectors = [stage for stage in plan.explain.stages if stage.name is StageName.DELETION_VECTORS]
    at_read = _stages_of_reading(plan.entries, looked_into)
    return Explanation((*stages, *vectors, *at_read), (*read, *dropped), plan.explain.unused)


def _dropped(source: TableSource, plan: Plan) -> tuple[list[Stage], list[FileVerdict]]:
    """The stages of planning over the live files, and the files that they drop."""
    planned = [stage for stage in plan.explain.stages if stage.name is not StageName.DELETION_VECTORS]
    if plan.snapshot is None or any(stage.name is StageName.SNAPSHOTS for stage in planned):
        return planned, []
    pruner = Pruner(source.schemas, plan.schema, on_columns(plan.schema, plan.predicate), keeps_dropped=True)
    live = source.manifests.live_entries(plan.snapshot)
    entries = pruner.levels(pruner.buckets(pruner.partitions(live)))
    left = pruner.whole_buckets(pruner.file_indexes(pruner.statistics(entries)))
    verdicts = [v for stage, gone in pruner.dropped for v in _of_stage(pruner, plan.schema, stage, gone)]
    manifests = [stage for stage in planned if stage.name is StageName.MANIFESTS]
    return [*manifests, *pruner.stages], [*verdicts, *_not_selected(plan, left)]


def _of_stage(pruner: Pruner, schema: TableSchema, stage: Stage, gone: EntryColumns) -> Iterator[FileVerdict]:
    reasons = [stage.reason] * len(gone)
    if stage.name in _BY_BOUNDS and len(gone):
        reasons = [f"{bounds}, so not {stage.reason}" for bounds in pruner.bounds(stage.name, gone)]
    yield from _verdicts(schema, gone, stage.name, reasons)


def _not_selected(plan: Plan, left: EntryColumns) -> Iterator[FileVerdict]:
    """Files that no filter drops and the plan does not have: another kind of read would."""
    reason = next((s.reason for s in plan.explain.stages if s.name is StageName.SELECTION), None)
    if reason is None:
        return
    planned = pc.is_in(left.column("file_name"), value_set=plan.entries.column("file_name").combine_chunks())
    gone = left.filter(pc.invert(planned))
    yield from _verdicts(plan.schema, gone, StageName.SELECTION, [reason] * len(gone))


def _verdicts(
    schema: TableSchema, gone: EntryColumns, stage: StageName, reasons: Iterable[str]
) -> Iterator[FileVerdict]:
    for entry, reason in zip(gone.entries(), reasons, strict=True):
        file = entry.file
        values = decode_row(schema.partition_types, entry.partition)
        partition = partition_text(schema.partition_types, values)
        size, rows = file.file_size, file.row_count
        yield FileVerdict(file.file_name, partition, entry.bucket, file.level, size, rows, stage, reason, 0)


class Kin(Enum):
    """What other files of its split have to do with a file."""

    NONE = "nothing"
    SAME_KEYS = "merged with other files: only conditions on the key skip rows"
    SAME_ROWS = "joined with other files that hold columns of the same rows: none is skipped"


@dataclass(frozen=True, slots=True)
class _LookedInto:
    """A file that is read, and what of it."""

    split: Split
    file: DataFileMeta
    kin: Kin
    index: IndexUse
    parts: ParquetParts | None  # None for other formats
    deleted: int  # rows

    @property
    def index_rows(self) -> int:
        return self.file.row_count if self.index.rows is None else len(self.index.rows)

    @property
    def rows_read(self) -> int:
        return min(self.index_rows, self.parts.page_rows) if self.parts else self.index_rows


def _looked_into(source: TableSource, plan: Plan) -> Iterator[_LookedInto]:
    conjuncts = () if plan.predicate is None else tuple(split_and(plan.predicate))
    for split in plan.splits:
        of_branch = plan.fallback if split.branch else None
        at, schema = (of_branch.source, of_branch.schema) if of_branch else (source, plan.schema)
        for side in (split.before, split):
            if side is not None and side.files:
                reader = FileReader.of(at, schema, side)
                for file, kin in _files(schema, side, is_compared=split.before is not None):
                    yield _of_file(reader, side, file, kin, conjuncts)


def _files(schema: TableSchema, split: Split, *, is_compared: bool) -> Iterator[tuple[DataFileMeta, Kin]]:
    """The files of a split, each with what the others have to do with it."""
    if split.is_streaming:
        yield from ((file, Kin.NONE) for file in split.files)
    elif evolves_data(schema):
        for group in group_by_row_range(split.files):
            yield from ((file, Kin.SAME_ROWS if len(group) > 1 else Kin.NONE) for file in group)
    elif not schema.primary_keys or (split.raw_convertible and keys_unique_above_level_zero(schema)):
        yield from ((file, Kin.NONE) for file in split.files)
    else:
        for section in interval_partition(split.files, [field.type for field in schema.key_fields()]):
            merged = is_compared or len(section.runs) > 1 or any(file.level == 0 for file in section.files)
            yield from ((file, Kin.SAME_KEYS if merged else Kin.NONE) for file in section.files)


def _of_file(
    reader: FileReader,
    split: Split,
    file: DataFileMeta,
    kin: Kin,
    conjuncts: Sequence[Predicate],
) -> _LookedInto:
    keys = {field.name for field in reader.schema.key_fields()} if kin is Kin.SAME_KEYS else set()
    asked = [c for c in conjuncts if kin is Kin.NONE or (set(references(c)) <= keys and references(c))]
    mapping = reader.mapping(file, reader.schema.fields)
    index = reader.ask_index(file, mapping, asked)
    deleted = reader.deleted.get(file.file_name)
    found = _LookedInto(split, file, kin, index, None, len(deleted) if deleted else 0)
    if format_of(file.file_name) is not FileFormat.PARQUET or not found.index_rows:
        return found
    path = reader.path(file)
    filters = filters_of_file(file_conjuncts(asked, mapping), mapping)
    with decoding_errors(path), reader.source.io.open_input(path) as opened:
        return replace(found, parts=parts_to_read(opened, filters, index.rows))


def _verdict(schema: TableSchema, found: _LookedInto) -> FileVerdict:
    file = found.file
    values = decode_row(schema.partition_types, found.split.partition)
    return FileVerdict(
        file_name=file.file_name,
        partition=partition_text(schema.partition_types, values),
        bucket=found.split.bucket,
        level=file.level,
        size=file.file_size,
        rows=file.row_count,
        dropped_by=None,
        reason="; ".join(_reasons(found)),
        rows_read=found.rows_read,
    )


def _reasons(found: _LookedInto) -> Iterator[str]:
    if found.kin is not Kin.NONE:
        yield found.kin.value
    if found.index.rows is not None:
        yield f"{', '.join(found.index.asked)} leaves {found.index_rows} rows"
    yield from found.index.unused
    if found.parts is not None:
        parts = found.parts
        yield f"{parts.kept_groups} of {parts.groups} row groups"
        if parts.page_rows < parts.group_rows:
            yield f"{parts.page_rows} of {parts.group_rows} rows of these by pages"
    if found.deleted:
        yield f"{found.deleted} rows deleted"
    if found.index.rows is None and found.parts is None:
        yield "read whole"


def _stages_of_reading(entries: EntryColumns, files: Sequence[_LookedInto]) -> Iterator[Stage]:
    """What indexes, row groups and pages leave of the files that are read."""
    size = int(entries.numpy("file_size").sum())
    asked = sorted({name for found in files for name in found.index.asked})
    rows = sum(found.file.row_count for found in files)
    left = sum(found.index_rows for found in files)
    reason = ", ".join(asked) if asked else "no index of a file was asked"
    yield Stage(StageName.INDEX_ROWS, "rows", left, rows - left, size, 0, reason, left, rows - left)
    parts = [found.parts for found in files if found.parts is not None]
    groups, kept = sum(p.groups for p in parts), sum(p.kept_groups for p in parts)
    in_groups, in_pages = sum(p.group_rows for p in parts), sum(p.page_rows for p in parts)
    of_parquet = sum(found.file.row_count for found in files if found.parts is not None)
    yield Stage(
        StageName.ROW_GROUPS,
        "row groups",
        kept,
        groups - kept,
        size,
        0,
        "statistics of the footers" if parts else "no parquet file is read",
        in_groups,
        of_parquet - in_groups,
    )
    gone = in_groups - in_pages
    reason = "page indexes" if gone else "no row group was worth looking into"
    yield Stage(StageName.PAGES, "rows", in_pages, gone, size, 0, reason, in_pages, gone)
