"""ORC data files, a stripe at a time: pyarrow decodes no less, so one stripe is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

import pyarrow as pa
from pyarrow import orc


def iter_orc(source: IO[bytes], columns: Sequence[str], *, max_rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of the columns that the file has of `columns`, in file order."""
    file = orc.ORCFile(source)
    present = [name for name in columns if name in file.schema.names]
    for stripe in range(file.nstripes):
        batch = file.read_stripe(stripe, columns=present)
        for start in range(0, batch.num_rows, max_rows):
            yield batch.slice(start, max_rows)
