"""What a read of a format table has to do: files, in splits, of the partitions that a filter leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.format_table.partitions import PartitionNames, files_by_partition, find_partitions
from core.io.file_io import FileIO, FileStatus
from core.options import parse_size
from core.predicate import Predicate, bind, predicate_of, references, split_and
from core.schema.table_schema import TableSchema
from core.types import DataField

_SPLIT_BYTES, _OPEN_BYTES = "source.split.target-size", "source.split.open-file-cost"


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file as the listing showed it."""

    path: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class FormatSplit:
    """Files of one partition that are read one after the other."""

    files: tuple[FilePart, ...]
    partition: tuple[Any, ...] = ()  # internal values, in the order of the partition keys


@dataclass(frozen=True, slots=True)
class FormatPlan:
    """Picklable; each split can be read elsewhere."""

    splits: tuple[FormatSplit, ...]
    fields: tuple[DataField, ...]  # asked for, in that order
    predicate: Predicate | None = None  # bound; rows are tested one by one
    partitions: int = 0  # that are read
    partitions_left_out: int = 0  # directories that the filter ruled out, on all levels

    @property
    def file_count(self) -> int:
        return sum(len(split.files) for split in self.splits)

    @property
    def file_bytes(self) -> int:
        return sum(file.size for split in self.splits for file in split.files)

    def __str__(self) -> str:
        left_out = f"{self.partitions_left_out} directories of partitions left out by the filter"
        return (
            f"{left_out}\n{self.partitions} partitions, {self.file_count} files, {self.file_bytes} bytes, "
            f"{len(self.splits)} splits: every row of these is read"
        )


def plan_files(
    io: FileIO,
    location: str,
    schema: TableSchema,
    columns: Sequence[str] | None = None,
    filter: Predicate | str | None = None,
) -> FormatPlan:
    """The splits of a read.

    Raises:
        InvalidRequestError: an unknown column or one that is named twice, or a bad filter.
        FormatError: a directory's name is no value of its partition column.
    """
    fields = schema.fields if columns is None else schema.fields_of(columns)
    predicate = predicate_of(filter)
    predicate = None if predicate is None else bind(predicate, schema.fields)
    conjuncts = [] if predicate is None else split_and(predicate)
    of_keys = [c for c in conjuncts if references(c) and set(references(c)) <= set(schema.partition_keys)]
    partitions, left_out = find_partitions(io, location, PartitionNames.of(schema), of_keys)
    listed = files_by_partition(io, partitions)
    target, least = _sizes(schema)
    splits = tuple(
        FormatSplit(files, partition.values)
        for partition, statuses in zip(partitions, listed, strict=True)
        for files in _packed(statuses, target, least)
    )
    return FormatPlan(splits, tuple(fields), predicate, len(partitions), left_out)


def _sizes(schema: TableSchema) -> tuple[int, int]:
    target, least = schema.options.get(_SPLIT_BYTES), schema.options.get(_OPEN_BYTES)
    return parse_size(target or "128 mb"), parse_size(least or "4 mb")


def _packed(statuses: Sequence[FileStatus], target: int, least: int) -> Iterator[tuple[FilePart, ...]]:
    """Files in their order, as many together as have about `target` bytes; each counts `least` at least."""
    together: list[FilePart] = []
    weight = 0
    for status in statuses:
        own = max(status.size, least)
        if together and weight + own > target:
            yield tuple(together)
            together, weight = [], 0
        together.append(FilePart(status.path, status.size))
        weight += own
    if together:
        yield tuple(together)
