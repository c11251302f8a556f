"""ORC data files, a stripe at a time: pyarrow decodes no less, so one stripe is in memory.

pyarrow tells neither the statistics nor the rows of a stripe, so a filter skips none: the
statistics of the manifest and the file's index are what rules an ORC file out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

import pyarrow as pa
from pyarrow import orc

from core.errors import UnsupportedError


def iter_orc(source: IO[bytes], columns: Sequence[str], *, max_rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of the columns that the file has of `columns`, in file order."""
    file = orc.ORCFile(source)
    # One column at least: without any, a stripe would not say how many rows it has.
    present = [name for name in columns if name in file.schema.names] or file.schema.names[:1]
    for stripe in range(file.nstripes):
        batch = _read_stripe(file, stripe, present)
        for start in range(0, batch.num_rows, max_rows):
            yield batch.slice(start, max_rows)


def _read_stripe(file: orc.ORCFile, stripe: int, columns: list[str]) -> pa.RecordBatch:
    try:
        return file.read_stripe(stripe, columns=columns)
    except pa.ArrowInvalid as error:
        if "nanosecond resolution" not in str(error):
            raise
        # Arrow gives every ORC timestamp in nanoseconds, whatever the column's precision.
        feature = "ORC timestamp before 1677 or after 2262"
        raise UnsupportedError("a timestamp is outside of what Arrow decodes", feature=feature) from error
