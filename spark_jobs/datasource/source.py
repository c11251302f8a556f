"""The data source `lakescope`: what Spark makes of `format("lakescope")`."""

from __future__ import annotations

from functools import cached_property

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from core.format_table import FormatTable
from core.object_table import ObjectTable
from spark_jobs.datasource.address import Address
from spark_jobs.datasource.batch_read import TableReader
from spark_jobs.datasource.batch_write import TableWriter
from spark_jobs.datasource.format_tables import FormatTableWriter
from spark_jobs.datasource.options import FILTER, LIMIT, column_names, count
from spark_jobs.datasource.rows import FormatRows, Rows, rows_of
from spark_jobs.datasource.stream_read import TableStreamReader
from spark_jobs.datasource.stream_write import TableStreamWriter
from spark_jobs.datasource.writing import WriteSetup
from spark_jobs.failures import carrying_errors
from spark_jobs.spark_types import spark_schema


class LakescopeSource(DataSource):
    """A Paimon table as a source and a sink; docs/spark.md tells its options."""

    @classmethod
    def name(cls) -> str:
        return "lakescope"

    @cached_property
    def _rows(self) -> Rows:
        return rows_of(Address.of(self.options))

    def __getstate__(self) -> dict[str, object]:
        return {"options": self.options}  # each process opens the table anew

    def schema(self) -> StructType:
        """The columns of the table, or those of the option `columns`."""
        with carrying_errors():
            fields = self._rows.fields(column_names(self.options))
            return spark_schema(fields, self._rows.never_null())

    def reader(self, schema: StructType) -> TableReader:
        with carrying_errors():
            return TableReader(self._rows, schema, self.options.get(FILTER), count(self.options, LIMIT))

    def writer(self, schema: StructType, overwrite: bool) -> TableWriter | FormatTableWriter:
        with carrying_errors():
            found = Address.of(self.options).open()
            if isinstance(found, ObjectTable):
                found.refuse_writes()
            if isinstance(found, FormatTable):
                return FormatTableWriter(found, schema, self.options, overwrite)
            return TableWriter(WriteSetup.of(self.options, schema), overwrite)

    def streamReader(self, schema: StructType) -> TableStreamReader:  # noqa: N802 - Spark's name
        with carrying_errors():
            if isinstance(self._rows, FormatRows):
                self._rows.table.refuse_snapshots()
            return TableStreamReader(self._rows, schema, self.options.get(FILTER), self.options)

    def streamWriter(self, schema: StructType, overwrite: bool) -> TableStreamWriter:  # noqa: N802
        with carrying_errors():
            return TableStreamWriter(WriteSetup.of(self.options, schema), overwrite)
