"""How many rows cross from the JVM into Python at once: Spark hands them over as Arrow batches.

To keep a batch below so many bytes Spark adds up the size of every column after every row, which takes
as long as all the rest of the way (docs/performance.md). So our sessions bound batches by rows alone, and
let Spark measure them only where a value may be of any size, such as those of a BLOB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses

_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
_UNMEASURED = str(2**31 - 1)  # at which Spark does not look at sizes at all
_MEASURED = str(64 * 1024 * 1024)  # Spark's own default

BATCH_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        # With 1,000 bytes a row 16 MiB; core's writers gather rows themselves, so larger ones win nothing.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
        _BYTES: _UNMEASURED,
    }
)
"""Of a session; who gives other values has his way."""


@contextmanager
def large_values_measured(frame: DataFrame) -> Iterator[None]:
    """While the block runs, batches end with so many bytes, too, if the rows have columns of any size.

    What other threads write by the same session meanwhile is measured as well, which is slower and no worse.
    """
    conf = frame.sparkSession.conf
    if conf.get(_BYTES) != _UNMEASURED or not may_be_large(frame.schema):
        yield
        return
    conf.set(_BYTES, _MEASURED)
    try:
        yield
    finally:
        conf.set(_BYTES, _UNMEASURED)


def may_be_large(kind: T.DataType) -> bool:
    """Whether values of a type are, or hold, bytes or documents."""
    match kind:
        case T.StructType():
            return any(may_be_large(field.dataType) for field in kind)
        case T.ArrayType():
            return may_be_large(kind.elementType)
        case T.MapType():
            return may_be_large(kind.keyType) or may_be_large(kind.valueType)
    return isinstance(kind, (T.BinaryType, T.VariantType))
