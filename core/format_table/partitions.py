"""Which partitions there are: directories, level by level, and only those that a filter leaves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema, from_python
from core.errors import FormatError, InvalidRequestError
from core.format_table.options import values_only
from core.io.file_io import FileIO, FileStatus
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, TableOptions
from core.partition import escape_path_name, parse_value, unescape, value_text
from core.predicate import And, Predicate, evaluate, references
from core.schema.table_schema import TableSchema
from core.types import DataField

_NAME = re.compile("([^/]+)=([^/]+)")
_LISTING = 16  # directories listed at once


@dataclass(frozen=True, slots=True)
class FormatPartition:
    """A directory of files, and what its name says."""

    directory: str
    values: tuple[Any, ...] = ()  # internal values, in the order of the partition keys


@dataclass(frozen=True, slots=True)
class PartitionNames:
    """How directories of partitions are named."""

    fields: tuple[DataField, ...]
    default_name: str
    legacy: bool = True  # of new directories; both forms are read
    values_only: bool = False

    @classmethod
    def of(cls, schema: TableSchema) -> PartitionNames:
        options = TableOptions(schema.options)
        return cls(
            schema.partition_fields,
            options.get(PARTITION_DEFAULT_NAME),
            options.get(PARTITION_LEGACY_NAME),
            values_only(schema.options),
        )

    def directory(self, values: Sequence[Any]) -> str:
        """The steps of a path, escaped; fewer values than keys name what holds such partitions.

        Raises:
            InvalidRequestError: a value that without `key=` before it names no directory of a partition.
        """
        steps = []
        for field, value in zip(self.fields, values, strict=False):
            text = self._text(field, value)
            if self.values_only and text[:1] in ("_", ".") and text != self.default_name:
                # No reader looks there; and `..` is the directory of other tables.
                raise InvalidRequestError(
                    "where a directory is named by its value alone, none begins with _ or .",
                    column=field.name,
                    found=text,
                )
            steps.append(text if self.values_only else f"{escape_path_name(field.name)}={text}")
        return "/".join(steps)

    def _text(self, field: DataField, value: Any) -> str:
        text = None if value is None else value_text(field.type, value, legacy=self.legacy)
        return self.default_name if text is None or not text.strip() else escape_path_name(text)

    def spec(self, directory: str) -> dict[str, str]:
        """What a directory that `directory` named says, not escaped; by the keys that it has steps for."""
        steps = directory.split("/")
        texts = steps if self.values_only else [step.partition("=")[2] for step in steps]
        return {field.name: unescape(text) for field, text in zip(self.fields, texts, strict=False)}

    def value(self, level: int, step: str) -> tuple[bool, Any]:
        """Whether a directory's name is one of a partition on this level, and the value that it tells.

        Raises:
            FormatError: it tells no value of the column's type.
        """
        field = self.fields[level]
        hidden = step[:1] in ("_", ".")
        if self.values_only:
            if hidden and step != self.default_name:
                return False, None
            text = unescape(step)
        else:
            match = _NAME.fullmatch(step)
            if hidden or match is None or unescape(match[1]) != field.name:
                return False, None
            text = unescape(match[2])
        return True, self.parsed(level, text)

    def parsed(self, level: int, text: str) -> Any:
        """The value that a text, not escaped, tells of a key; raises as `value`."""
        field = self.fields[level]
        if text == self.default_name:
            return None
        try:
            return parse_value(field.type, text)
        except InvalidRequestError as error:
            raise FormatError(
                "a directory's name is no value of its partition column",
                column=field.name,
                expected=error.fields.get("type"),
                found=text if self.values_only else f"{field.name}={text}",
            ) from error


def find_partitions(
    io: FileIO, location: str, names: PartitionNames, conjuncts: Sequence[Predicate]
) -> tuple[list[FormatPartition], int]:
    """The partitions that may satisfy all conjuncts, which are over partition columns, and how many
    directories were left out for that. A table without keys is one partition."""
    found, left_out = [FormatPartition(location)], 0
    for level in range(len(names.fields)):
        known = names.fields[: level + 1]
        decided = {f.name for f in known}
        tests = [c for c in conjuncts if set(references(c)) <= decided and known[level].name in references(c)]
        with ThreadPoolExecutor(_LISTING) as pool:
            below = pool.map(partial(_children, io, level, names), found)
        there = list(chain.from_iterable(below))
        found = _satisfying(there, known, tests)
        left_out += len(there) - len(found)
    return found, left_out


def _children(
    io: FileIO, level: int, names: PartitionNames, partition: FormatPartition
) -> list[FormatPartition]:
    steps = ((step, names.value(level, step)) for step in io.list_directories(partition.directory))
    return [
        FormatPartition(f"{partition.directory}/{step}", (*partition.values, value))
        for step, (is_one, value) in steps
        if is_one
    ]


def _satisfying(
    partitions: list[FormatPartition], fields: Sequence[DataField], tests: Sequence[Predicate]
) -> list[FormatPartition]:
    if not tests or not partitions:
        return partitions
    columns = [from_python([p.values[i] for p in partitions], f.type) for i, f in enumerate(fields)]
    batch = pa.RecordBatch.from_arrays(columns, schema=arrow_schema(fields))
    kept = evaluate(And(tuple(tests)), batch).to_pylist()  # one value a partition
    return [partition for partition, keep in zip(partitions, kept, strict=True) if keep]


def files_of(io: FileIO, directory: str) -> list[FileStatus]:
    """The data files anywhere below a directory, by path."""
    start = len(directory.rstrip("/")) + 1
    return [
        status
        for status in io.list_files(directory, recursive=True)
        if not any(step[:1] in ("_", ".") for step in status.path[start:].split("/"))
    ]


def files_by_partition(io: FileIO, partitions: Sequence[FormatPartition]) -> list[list[FileStatus]]:
    with ThreadPoolExecutor(_LISTING) as pool:
        return list(pool.map(lambda partition: files_of(io, partition.directory), partitions))


def prefix_of(schema: TableSchema, spec: Mapping[str, str | None]) -> tuple[Any, ...]:
    """The values of the first partition keys that a spec names; `InvalidRequestError` if it leaves a gap."""
    given = dict(spec)
    values = []
    for field in schema.partition_fields:
        if field.name not in given:
            break
        values.append(parse_value(field.type, given.pop(field.name)))
    if given:
        raise InvalidRequestError(
            "a partition is named by its first keys",
            keys=", ".join(schema.partition_keys),
            found=", ".join(spec),
        )
    return tuple(values)
