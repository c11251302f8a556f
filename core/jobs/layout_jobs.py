"""Jobs that put the same rows into other files, or describe them: what they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from core.errors import InvalidRequestError
from core.jobs.declared import AtLeast, NotEmpty
from core.jobs.values import (
    AnyText,
    BucketNumber,
    BucketRange,
    Columns,
    Count,
    Duration,
    Expression,
    Partitions,
)
from core.jobs.work import Work


class CompactStrategy(StrEnum):
    FULL = "full"  # every bucket to its top level
    MINOR = "minor"  # what the universal rule picks
    DELETION_VECTORS = "deletion-vectors"  # full, where files have such


class SortStrategy(StrEnum):
    ORDER = "order"  # by the columns one after the other
    ZORDER = "zorder"
    HILBERT = "hilbert"
    INCREMENTAL = "incremental"  # what clustering.incremental has still to do


_PARTITIONS = "specs that may name some of the partition keys; without it all"
_WHERE = "condition over partition columns alone, such as dt < '2026-11-01'; instead of partitions"
_IDLE = "only partitions that have got no file for so long, such as '1 d'"
_OPTIONS = "options of the table for this run alone: how it picks files, and how it writes theirs"

COMPACTION_OPTIONS = frozenset(
    {
        "compaction.delete-ratio-threshold", "compaction.file-num-limit",
        "compaction.force-rewrite-all-files", "compaction.force-up-level-0",
        "compaction.incremental-size-threshold",
        "compaction.max-size-amplification-percent", "compaction.min.file-num",
        "compaction.optimization-interval", "compaction.size-ratio", "compaction.small-file-ratio",
        "compaction.total-size-threshold", "file.block-size", "file.compression",
        "file.compression.zstd-level", "num-sorted-run.compaction-trigger", "parquet.enable.dictionary",
        "sort-spill-buffer-size", "sort-spill-threshold", "source.split.open-file-cost",
        "target-file-row-num", "target-file-size", "write-buffer-size", "zorder.var-length-contribution",
    }
)  # fmt: skip
"""What a compaction may be told for its one run: nothing that decides which rows there are, or where."""


@dataclass(frozen=True, slots=True)
class CompactJob(Work):
    """Merge the files of buckets; the rows of the table stay the same."""

    strategy: Annotated[
        CompactStrategy,
        "full: every bucket to its top level, every small file packed; minor: what the table's options "
        "would pick; deletion-vectors: full, but only where files have deletion vectors, which are gone then",
    ] = CompactStrategy.FULL
    partitions: Annotated[Partitions | None, _PARTITIONS] = None
    buckets: Annotated[
        tuple[BucketNumber | BucketRange, ...] | None, "numbers, and ranges such as '2-5'; without it all"
    ] = None
    where: Annotated[str | None, _WHERE] = None
    partition_idle_time: Annotated[Duration | None, _IDLE] = None
    options: Annotated[Mapping[str, AnyText], _OPTIONS] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_one_choice(self.partitions, self.where)
        _check_options(self.options)
        for number, bucket in enumerate(self.buckets or ()):
            if isinstance(bucket, str):
                first, last = map(int, bucket.split("-"))
                if first > last or last >= 1 << 31:
                    raise InvalidRequestError(
                        "a range of buckets ends before it begins, or beyond what there can be",
                        field=f"buckets[{number}]",
                        found=bucket,
                    )


@dataclass(frozen=True, slots=True)
class CompactDatabaseJob(Work):
    """Compact every table of the warehouse whose names match; one that fails does not stop the others."""

    including_databases: Annotated[Expression, "databases whose whole name matches"] = ".*"
    including_tables: Annotated[Expression, "tables whose whole name, database.table, matches"] = ".*"
    excluding_tables: Annotated[Expression | None, "but for those that match this"] = None
    strategy: Annotated[CompactStrategy, "as of compact"] = CompactStrategy.FULL
    partition_idle_time: Annotated[Duration | None, _IDLE] = None


@dataclass(frozen=True, slots=True)
class SortCompactJob(Work):
    """Put the rows of an append table in order, so that readers skip files; a task a partition."""

    strategy: Annotated[SortStrategy, "order, zorder or hilbert; or incremental, for clustered tables"]
    order_by: Annotated[Columns, "columns of that order; of an incremental one the table names them"] = ()
    partitions: Annotated[Partitions | None, _PARTITIONS] = None
    where: Annotated[str | None, _WHERE] = None
    options: Annotated[Mapping[str, AnyText], _OPTIONS] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_one_choice(self.partitions, self.where)
        _check_options(self.options)
        if (self.strategy is SortStrategy.INCREMENTAL) == bool(self.order_by):
            raise InvalidRequestError(
                "an order needs columns, and one that is incremental takes those of the table",
                field="order_by",
                strategy=self.strategy.value,
            )


@dataclass(frozen=True, slots=True)
class RescaleJob(Work):
    """Give partitions another number of buckets; a task and a snapshot a partition."""

    buckets: Annotated[Count | None, "how many; without it what the table's option bucket says"] = None
    partitions: Annotated[Partitions | None, _PARTITIONS] = None


@dataclass(frozen=True, slots=True)
class AnalyzeJob(Work):
    """Compute the statistics of rows and columns that query engines plan by."""

    columns: Annotated[Columns | None, "only these; [] counts rows alone; without it all"] = None


@dataclass(frozen=True, slots=True)
class RewriteFileIndexJob(Work):
    """Give files the indexes that the table asks for by now; a task a file."""

    partitions: Annotated[Partitions | None, _PARTITIONS] = None


@dataclass(frozen=True, slots=True)
class CompactManifestsJob(Work):
    """Write as few manifests as hold the live files."""


@dataclass(frozen=True, slots=True)
class DropPartitionsJob(Work):
    """Drop partitions."""

    partitions: Annotated[Partitions, NotEmpty(), "each told by all keys or some"]
    base: Annotated[
        str | None,
        "reference id~identity of the latest snapshot, as a plan showed it; the job refuses to drop rows of "
        "any other",
    ] = None


@dataclass(frozen=True, slots=True)
class ExpirePartitionsJob(Work):
    """Drop partitions whose time has come."""

    age: Annotated[Duration | None, "in place of partition.expiration-time, such as '30 d'"] = None
    only: Annotated[
        Partitions | None, "those that a plan showed, each with all keys; the job drops no others"
    ] = None


@dataclass(frozen=True, slots=True)
class MarkPartitionsDoneJob(Work):
    """Write the success files of partitions."""

    partitions: Annotated[Partitions, NotEmpty(), "each with a value for every key"]


@dataclass(frozen=True, slots=True)
class AlterOptionsJob(Work):
    """Set and remove options of the table, which gets its next schema."""

    set: Annotated[Mapping[str, AnyText], "values by option"] = field(default_factory=dict)
    remove: Annotated[tuple[str, ...], "options that go back to their defaults"] = ()
    schema: Annotated[
        int | None,
        AtLeast(0),
        "id of the latest schema, as a plan showed it; the job refuses to change any other",
    ] = None

    def __post_init__(self) -> None:
        if not self.set and not self.remove:
            raise InvalidRequestError("name an option that is set or removed", field="set")


def _check_options(options: Mapping[str, str]) -> None:
    other = next((key for key in sorted(options) if key not in COMPACTION_OPTIONS), None)
    if other is not None:
        raise InvalidRequestError(
            "a compaction cannot be told this option for its run alone",
            field="options",
            option=other,
            expected=", ".join(sorted(COMPACTION_OPTIONS)),
        )


def _check_one_choice(partitions: object, where: str | None) -> None:
    if partitions is not None and where is not None:
        raise InvalidRequestError("give partitions or a condition, not both", field="where")
