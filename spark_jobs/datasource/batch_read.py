"""The batch source: plans on the driver, reads splits in executors, hands over Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.types import StructType

from core.predicate import Predicate
from spark_jobs.datasource.filters import joined, translated
from spark_jobs.datasource.rows import Part, Rows
from spark_jobs.failures import carrying_errors
from spark_jobs.spark_types import arrow_of, to_spark


class TableReader(DataSourceReader):
    """Reads the columns that Spark's schema names; what filters it takes hold for every row it gives."""

    def __init__(
        self, rows: Rows, schema: StructType, filter: Predicate | str | None, limit: int | None
    ) -> None:
        self._rows = rows
        self._schema = schema
        self._columns = schema.names
        self._filter: Predicate | None = joined([filter])
        self._limit = limit

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's name
        """Those that Spark has to test itself."""
        with carrying_errors():
            fields = self._rows.filterable()
            pushed = {id(filter): translated(filter, fields) for filter in filters}
            self._filter = joined([self._filter, *pushed.values()])
        return [filter for filter in filters if pushed[id(filter)] is None]

    def partitions(self) -> list[InputPartition]:
        """A part a split; with a limit one part has all of them, as only one reader can count rows."""
        with carrying_errors():
            parts = self._rows.parts(self._columns, self._filter)
        return list(parts if self._limit is None else [_OneAfterTheOther(tuple(parts))])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one part."""
        if isinstance(partition, Part):
            parts: tuple[Part, ...] = (partition,)
        else:  # Spark asks for one part where there is none
            parts = partition.parts if isinstance(partition, _OneAfterTheOther) else ()
        schema = arrow_of(self._schema)
        with carrying_errors():
            for batch in _first(self._batches(parts), self._limit):
                yield to_spark(batch, schema)

    def _batches(self, parts: Iterable[Part]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            yield from self._rows.read(part, self._columns, self._filter)


class _OneAfterTheOther(InputPartition):
    """Parts that one task reads."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts


def _first(batches: Iterator[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    """The first rows, all without a limit."""
    left = limit
    for batch in batches:
        if left is None:
            yield batch
            continue
        yield batch.slice(0, left)
        left -= min(left, batch.num_rows)
        if not left:
            return
