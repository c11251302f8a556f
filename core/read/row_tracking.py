"""Row ids and sequence numbers of the rows of append tables that track them. Spec: 04, A6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from core.datafile.system_fields import ROW_ID, SEQUENCE_NUMBER
from core.errors import FormatError
from core.manifest.file_meta import DataFileMeta

pc: Any = pyarrow.compute  # its stubs have no overloads for columns whose type is known when it runs


def with_row_tracking(batch: pa.RecordBatch, position: int, file: DataFileMeta) -> pa.RecordBatch:
    """A batch of a file, its `_ROW_ID` and `_SEQUENCE_NUMBER` filled in if it has such columns.

    What a rewritten file stores stays; a null there, as in every other file, is a count from the
    file's first row id on, and the file's largest sequence number.

    Args:
        batch: neighbouring rows, with null for what is not stored.
        position: of the first row, in the file.
        file: whose rows they are.

    Raises:
        FormatError: the row ids are stored neither in the file nor in its manifest entry.
    """
    for field, counted in ((ROW_ID, _row_ids), (SEQUENCE_NUMBER, _sequence_numbers)):
        index = batch.schema.get_field_index(field.name)
        if index >= 0 and batch.column(index).null_count:
            filled = pc.coalesce(batch.column(index), counted(file, position, batch.num_rows))
            batch = batch.set_column(index, batch.schema.field(index), filled)
    return batch


def _row_ids(file: DataFileMeta, position: int, rows: int) -> Any:
    if file.first_row_id is None:
        raise FormatError("a file of a table with row tracking has no row ids", file=file.file_name)
    first = file.first_row_id + position
    return pa.array(np.arange(first, first + rows), pa.int64())


def _sequence_numbers(file: DataFileMeta, position: int, rows: int) -> Any:
    return pa.scalar(file.max_sequence_number, pa.int64())
