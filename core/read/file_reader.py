"""One data file of a split as rows of the read schema. Spec: 09, 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap

from core.arrow import arrow_schema, from_python
from core.binary import decode_row
from core.datafile.conform import conform
from core.datafile.read import (
    BATCH_BYTES,
    BATCH_ROWS,
    iter_data_file,
    only_wanted,
    proves_no_deletes,
    without_deleted,
)
from core.datafile.system_fields import ROW_ID, SEQUENCE_NUMBER, VALUE_KIND
from core.deletionvectors import DeletionVector, read_vectors
from core.io.decoding import errors_naming
from core.manifest.file_meta import DataFileMeta
from core.options import FILE_INDEX_READ_ENABLED, TableOptions
from core.predicate import Predicate, evaluate, references
from core.read.file_index import NO_INDEX, IndexUse, ask_file_index
from core.read.pushdown import file_conjuncts, row_filters
from core.read.row_tracking import with_row_tracking
from core.scan.source import TableSource, bucket_directory
from core.scan.split import DeletionFile, Split
from core.schema import TableSchema
from core.schema.evolution import FieldMapping, map_fields
from core.types import DataField

Scalar: TypeAlias = Any  # a pa.Scalar
_repeat: Any = pa.repeat  # its stubs want the type spelled out


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files of one bucket; partition columns come from the partition, not the files."""

    source: TableSource
    schema: TableSchema  # that is read; each file has its own
    bucket_dir: str
    constants: dict[int, Scalar]  # of the partition columns, by field id
    deleted: dict[str, DeletionVector]  # by data file

    @staticmethod
    def of(source: TableSource, schema: TableSchema, split: Split) -> FileReader:
        values = decode_row(schema.partition_types, split.partition)
        fields = schema.partition_fields
        scalars = [from_python([v], f.type)[0] for v, f in zip(values, fields, strict=True)]
        constants = {f.id: scalar for f, scalar in zip(fields, scalars, strict=True)}
        directory = bucket_directory(source, schema, split.partition, split.bucket)
        return FileReader(source, schema, directory, constants, _vectors(source, split.deletion_files))

    def path(self, file: DataFileMeta) -> str:
        return file.external_path or f"{self.bucket_dir}/{file.file_name}"

    def check(self, files: Sequence[DataFileMeta], fields: Sequence[DataField]) -> None:
        """`UnsupportedError` if a column of one of the files cannot be read as it stands in `fields`."""
        for file in {(file.schema_id, file.write_cols): file for file in files}.values():
            self.mapping(file, fields)

    def read(
        self,
        file: DataFileMeta,
        fields: Sequence[DataField],
        conjuncts: Sequence[Predicate] = (),
        *,
        max_bytes: int = BATCH_BYTES,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of `fields`, which may be columns of the table or of the system.

        Rows that do not satisfy `conjuncts` may be left out, so that less has to be made of them. A batch
        has about `max_bytes` at most. Rows that the file's deletion vector marks are left out, as are
        those that its index rules out.
        """
        mapping = self.mapping(file, fields)
        deleted = self.deleted.get(file.file_name)
        wanted = self.ask_index(file, mapping, conjuncts).rows
        matching = file_conjuncts(conjuncts, mapping)
        for _, batch in self.iter_numbered(
            file, fields, conjuncts, max_bytes=max_bytes, deleted=deleted, wanted=wanted, matching=matching
        ):
            yield batch

    def iter_numbered(
        self,
        file: DataFileMeta,
        fields: Sequence[DataField],
        conjuncts: Sequence[Predicate] = (),
        *,
        max_bytes: int = BATCH_BYTES,
        deleted: DeletionVector | None = None,
        wanted: BitMap | None = None,
        matching: Sequence[Predicate] = (),
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The batches of `read`, each beside the position of its first row in the file.

        `conjuncts` may let parts of the file be skipped. What `deleted` marks is left out, what is not
        `wanted`, and what does not satisfy all of `matching`, in the file's own names and types; only
        where that leaves out nothing are all rows of a batch there, in their places.
        """
        if wanted is not None and deleted is not None:
            wanted, deleted = deleted.left_of(wanted), None
        if wanted is not None and not wanted:
            return
        mapping = self.mapping(file, fields)
        if mapping.file_fields:
            batches = iter_data_file(
                self.source.io,
                self.path(file),
                mapping.file_fields,
                row_filters=row_filters(conjuncts, mapping),
                max_bytes=max_bytes,
                wanted=wanted,
                dictionaries=True,
            )
        else:  # nothing of it is in the file: its row count is all there is to know
            batches = _blank_batches(file.row_count)
        for position, stored in batches:
            batch = stored if self.schema.primary_keys else with_row_tracking(stored, position, file)
            if deleted is not None:
                batch = without_deleted(batch, position, deleted)
            if wanted is not None:
                batch = only_wanted(batch, position, wanted)
            with errors_naming(self.path(file)):
                if matching and batch.num_rows:
                    batch = _satisfying(batch, matching, mapping.file_fields)
                if not batch.num_rows:
                    continue
                rows = self._with_constants(_plain(batch, mapping.file_fields), mapping, fields)
            yield position, rows

    def ask_index(
        self, file: DataFileMeta, mapping: FieldMapping, conjuncts: Sequence[Predicate]
    ) -> IndexUse:
        """What the file's own index says about the conjuncts."""
        if not conjuncts or not TableOptions(self.schema.options).get(FILE_INDEX_READ_ENABLED):
            return NO_INDEX
        asked = file_conjuncts(conjuncts, mapping)
        return ask_file_index(self.source.io, self.path(file), file, asked, mapping.file_fields)

    def has_no_deletes(self, file: DataFileMeta) -> bool:
        """Whether manifest and footer both say that no row of the file is a retract."""
        return file.delete_row_count == 0 and proves_no_deletes(self.source.io, self.path(file))

    def mapping(self, file: DataFileMeta, fields: Sequence[DataField]) -> FieldMapping:
        """How those of `fields` that are no partition columns come out of the file."""
        stored = [field for field in fields if field.id not in self.constants]
        return map_fields(stored, (*self._written(file), SEQUENCE_NUMBER, VALUE_KIND, ROW_ID))

    def column_sequences(self, file: DataFileMeta) -> dict[str, int]:
        """The largest sequence number of each column of a file, where its manifest entry has them."""
        names = [field.name for field in self._written(file)]
        return dict(zip(names, file.write_cols_sequences or (), strict=False))

    def _written(self, file: DataFileMeta) -> tuple[DataField, ...]:
        """The columns of the table that a file holds, in its order, as its own schema has them."""
        schema = self.schema if file.schema_id == self.schema.id else self.source.schemas.get(file.schema_id)
        if file.write_cols is None:
            return schema.fields
        return tuple(schema.field(name) for name in file.write_cols if name in schema.field_names)

    def _with_constants(
        self, batch: pa.RecordBatch, mapping: FieldMapping, fields: Sequence[DataField]
    ) -> pa.RecordBatch:
        if mapping.is_identity and not self.constants:
            return batch
        rows = batch.num_rows
        stored = iter(mapping.apply_columns(batch))
        columns = [
            _repeat(self.constants[field.id], rows) if field.id in self.constants else next(stored)
            for field in fields
        ]
        return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(fields))


def _satisfying(
    batch: pa.RecordBatch, predicates: Sequence[Predicate], fields: Sequence[DataField]
) -> pa.RecordBatch:
    """The rows that satisfy all of some predicates."""
    named = {name for predicate in predicates for name in references(predicate)}
    looked_at = conform(batch, [field for field in fields if field.name in named])
    return batch.filter(reduce(pc.and_, (evaluate(predicate, looked_at) for predicate in predicates)))


def _plain(batch: pa.RecordBatch, fields: Sequence[DataField]) -> pa.RecordBatch:
    """The batch without dictionaries."""
    return conform(batch, fields) if any(map(pa.types.is_dictionary, batch.schema.types)) else batch


def _vectors(source: TableSource, files: Sequence[DeletionFile]) -> dict[str, DeletionVector]:
    """The deletion vectors of a split, by data file; each index file is opened once."""
    found: dict[str, DeletionVector] = {}
    for path in dict.fromkeys(file.path for file in files):
        found |= read_vectors(source.io, path, [file.vector for file in files if file.path == path])
    return found


def _blank_batches(rows: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches without a column of the file; one column says how many rows they have."""
    for start in range(0, rows, BATCH_ROWS):
        yield start, pa.record_batch({"": pa.nulls(min(BATCH_ROWS, rows - start))})
