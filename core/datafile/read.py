"""Rows of one data file: the columns asked for, in canonical form, in bounded memory.

Parquet streams pages; Avro streams blocks; ORC holds one stripe (64 MB by default); blob files are
read by ranges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
from pyroaring import BitMap

from core.avro import GROUP_BYTES, iter_batches
from core.datafile.blob import check_inline, iter_blobs
from core.datafile.conform import conform
from core.datafile.file_format import FileFormat, format_of
from core.datafile.orc import iter_orc
from core.datafile.parquet import RowFilter, iter_parquet, proves_no_retracts
from core.deletionvectors import DeletionVector
from core.errors import FormatError, StorageError
from core.io.decoding import errors_naming
from core.io.file_io import FileIO
from core.types import BlobType, DataField

__all__ = [
    "BATCH_BYTES",
    "BATCH_ROWS",
    "RowFilter",
    "decoding_errors",
    "iter_data_file",
    "only_wanted",
    "proves_no_deletes",
    "read_data_file",
    "without_deleted",
]

BATCH_ROWS = 128 * 1024  # of fewer, decoding takes a tenth more
BATCH_BYTES = 16 * 1024 * 1024


def read_data_file(
    io: FileIO,
    path: str,
    fields: Sequence[DataField],
    *,
    row_filters: Sequence[RowFilter] = (),
    max_rows: int = BATCH_ROWS,
    max_bytes: int = BATCH_BYTES,
    deleted: DeletionVector | None = None,
) -> Iterator[pa.RecordBatch]:
    """Batches with exactly the columns `fields`, in the order of the rows in the file.

    Args:
        io: the store.
        path: of the data file; its name tells the format.
        fields: at least one, as the schema that the file was written with has them.
        row_filters: all of which rows have to satisfy; parts of the file without a match may be
            skipped, but rows are not filtered one by one.
        max_rows: the most rows of a batch.
        max_bytes: about the most bytes of a batch, by the widest rows seen before it; Parquet only.
        deleted: positions in the file of rows to leave out.

    Raises:
        NotFoundError: there is no such file. FormatError: it is damaged.
        UnsupportedError: its format is not read.
    """
    batches = iter_data_file(
        io, path, fields, row_filters=row_filters, max_rows=max_rows, max_bytes=max_bytes
    )
    for position, batch in batches:
        left = batch if deleted is None else without_deleted(batch, position, deleted)
        if left.num_rows:
            yield left


def iter_data_file(
    io: FileIO,
    path: str,
    fields: Sequence[DataField],
    *,
    row_filters: Sequence[RowFilter] = (),
    max_rows: int = BATCH_ROWS,
    max_bytes: int = BATCH_BYTES,
    wanted: BitMap | None = None,
    dictionaries: bool = False,
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The batches of `read_data_file`, each beside the position in the file of its first row.

    Rows are numbered from 0; row groups that the filters rule out, or that have none of the rows
    `wanted`, leave gaps. With `dictionaries` texts may come as such, until `conform` makes them plain.
    Raises as `read_data_file`.
    """
    names = [f.name for f in fields]
    file_format = format_of(path)
    with decoding_errors(path), io.open_input(path) as source:
        match file_format:
            case FileFormat.PARQUET:
                batches = iter_parquet(
                    source,
                    names,
                    max_rows=max_rows,
                    max_bytes=max_bytes,
                    row_filters=row_filters,
                    wanted=wanted,
                )
            case FileFormat.ORC:
                asked = [(f.predicate, f.fields) for f in row_filters]
                batches = iter_orc(source, fields, max_rows=max_rows, predicates=asked, wanted=wanted)
            case FileFormat.AVRO:
                batches = _numbered(iter_batches(source, names, group_bytes=min(GROUP_BYTES, 2 * max_bytes)))
            case FileFormat.BLOB:
                column = next((f.name for f in fields if isinstance(f.type, BlobType)), "")
                batches = iter_blobs(source, column, max_rows=max_rows, max_bytes=max_bytes)
        blobs = [] if file_format is FileFormat.BLOB else [f for f in fields if isinstance(f.type, BlobType)]
        for position, batch in batches:
            conformed = conform(batch, fields, dictionaries=dictionaries)
            for field in blobs:
                check_inline(conformed.column(field.name))
            yield position, conformed


def without_deleted(batch: pa.RecordBatch, position: int, deleted: DeletionVector) -> pa.RecordBatch:
    """The rows of a batch that a deletion vector leaves; `position` is the first row's in its file."""
    rows = deleted.within(position, batch.num_rows)
    if not len(rows):
        return batch
    keep = np.ones(batch.num_rows, dtype=np.bool_)
    keep[rows] = False
    return batch.filter(pa.array(keep))


def only_wanted(batch: pa.RecordBatch, position: int, wanted: BitMap) -> pa.RecordBatch:
    """The rows of a batch that are wanted; `position` is the first row's in its file."""
    rows = wanted & BitMap(range(position, position + batch.num_rows))
    if len(rows) == batch.num_rows:
        return batch
    return batch.take(np.array(rows.to_array(), dtype=np.int64) - position)


def _numbered(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of a whole file, each with the position of its first row."""
    position = 0
    for batch in batches:
        yield position, batch
        position += batch.num_rows


def proves_no_deletes(io: FileIO, path: str) -> bool:
    """Whether a primary-key file says by itself that no row is a retract; False if it does not tell.

    The manifest's `_DELETE_ROW_COUNT` is not enough: pypaimon writes 0 over -D rows. Spec: 02, 3.1.
    """
    if format_of(path) is not FileFormat.PARQUET:
        return False
    with decoding_errors(path), io.open_input(path) as source:
        return proves_no_retracts(source)


@contextmanager
def decoding_errors(path: str) -> Iterator[None]:
    """Errors of the decoders as ours, with the file's path."""
    try:
        with errors_naming(path):
            yield
    except MemoryError:
        raise  # Arrow's is an ArrowException besides, and says nothing of the file
    except OSError as error:
        if error.errno is not None:
            raise StorageError(str(error), path=path, operation="read", cause=error) from error
        raise FormatError(f"data file cannot be decoded: {error}", path=path) from error
    except (pa.ArrowException, ValueError) as error:
        raise FormatError(f"data file cannot be decoded: {error}", path=path) from error
