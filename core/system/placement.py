"""Where the files of manifest entries lie, and what their partitions are called.

Entries name a partition once a file; each distinct one is decoded and spelled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow, decode_row
from core.io import TablePaths
from core.manifest import EntryColumns
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, TableOptions
from core.partition import partition_name, partition_path, partition_text
from core.schema import TableSchema
from core.system.text import Column
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Partitions:
    """The distinct partitions of some rows, in the order first seen, and which row has which."""

    schema: TableSchema
    rows: tuple[BinaryRow, ...]
    codes: Codes  # an index into `rows` for each row

    @staticmethod
    def of(schema: TableSchema, column: Column) -> Partitions:
        """Of a column of serialized partitions, as entries have it."""
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        encoded = column.dictionary_encode()
        rows = tuple(BinaryRow.from_bytes(value.as_py()) for value in encoded.dictionary)
        return Partitions(schema, rows, encoded.indices.to_numpy().astype(np.int64))

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """Each partition's values, in the order of the partition keys."""
        return tuple(decode_row(self.schema.partition_types, row) for row in self.rows)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The row form, `{v1, v2}`."""
        return tuple(partition_text(self.schema.partition_types, values) for values in self.values)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The path form, `k1=v1/k2=v2`, not escaped."""
        return tuple(partition_name(*self._spelled(values)) for values in self.values)

    @cached_property
    def cast_names(self) -> tuple[str, ...]:
        """The path form of values cast to text, whatever their directories are called."""
        return tuple(partition_name(*self._spelled(values, legacy=False)) for values in self.values)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The directories below the table, escaped."""
        return tuple(partition_path(*self._spelled(values)) for values in self.values)

    def _spelled(self, values: Sequence[Any], *, legacy: bool | None = None) -> tuple[Any, ...]:
        options = TableOptions(self.schema.options)
        default_name = options.get(PARTITION_DEFAULT_NAME)
        if legacy is None:
            legacy = options.get(PARTITION_LEGACY_NAME)
        return self.schema.partition_keys, self.schema.partition_types, values, default_name, legacy

    def spread(self, of_each: Sequence[str]) -> Column:
        """A text of each partition as a column of the rows."""
        return pc.take(pa.array(of_each, pa.string()), pa.array(self.codes))


def bucket_directories(paths: TablePaths, partitions: Partitions, buckets: Codes) -> Column:
    """The directory of each row's bucket."""
    span = int(np.ptp(buckets)) + 1 if len(buckets) else 1
    lowest = int(buckets.min()) if len(buckets) else 0
    combined = partitions.codes * span + (buckets - lowest)
    distinct, codes = np.unique(combined, return_inverse=True)
    directories = [
        paths.bucket_dir(partitions.paths[code // span], int(code % span) + lowest)
        for code in distinct.tolist()
    ]
    return pc.take(pa.array(directories, pa.string()), pa.array(codes))


def file_paths(paths: TablePaths, partitions: Partitions, entries: EntryColumns) -> Column:
    """The path of each entry's data file: the external one, or the one in its bucket."""
    directories = bucket_directories(paths, partitions, entries.numpy("bucket").astype(np.int64))
    names = entries.column("file_name").combine_chunks()
    inside = pc.binary_join_element_wise(directories, names, "/")
    return pc.coalesce(entries.column("external_path").combine_chunks(), inside)


def bucket_directory(table: Table, partition: BinaryRow, bucket: int) -> str:
    """The directory of one bucket."""
    row = pa.array([partition.to_bytes()], pa.binary())
    return table.paths.bucket_dir(Partitions.of(table.schema, row).paths[0], bucket)
