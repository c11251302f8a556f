"""The batch sink for format tables: tasks write files that nobody sees, the driver names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from core.errors import InvalidRequestError
from core.format_table import FormatTable, WrittenFile
from core.format_table.home import DIRECTORIES
from spark_jobs.datasource.options import MERGE_SCHEMA, ROWKIND_FIELD, flag
from spark_jobs.datasource.writing import replaces_partitions
from spark_jobs.failures import carrying_errors
from spark_jobs.incoming import incoming


@dataclass(frozen=True)
class WrittenFiles(WriterCommitMessage):
    """The files of one task."""

    files: tuple[WrittenFile, ...]


class FormatTableWriter(DataSourceArrowWriter):
    """Appends files, or replaces those of the whole table or of the partitions of the new rows.

    A task that fails deletes its files; of one that is killed they stay below `_temporary`, where no reader
    looks.
    """

    def __init__(
        self, table: FormatTable, frame: StructType, options: Mapping[str, str], overwrite: bool
    ) -> None:
        """Raises `InvalidRequestError` for rows that do not fit and for options of other tables."""
        for key in (MERGE_SCHEMA, ROWKIND_FIELD):
            if (key == ROWKIND_FIELD and key in options) or (key == MERGE_SCHEMA and flag(options, key)):
                raise InvalidRequestError("a format table has no such writes", option=key)
        table.new_write()  # refuses what its files would not hold before a task starts
        self._table = table
        self._rows = incoming(frame, table.schema, None, None)
        self._overwrites = overwrite
        self._dynamic = replaces_partitions(options)

    def write(  # type: ignore[override] # Spark's own Arrow writer says so, too
        self, iterator: Iterator[pa.RecordBatch]
    ) -> WriterCommitMessage:
        with carrying_errors():
            write = self._table.with_home(DIRECTORIES).new_write()  # the driver has asked the catalog
            try:
                for batch in iterator:
                    write.write(self._rows.rows(batch))
                return WrittenFiles(tuple(write.prepare_commit()))
            except BaseException:
                write.abort()
                raise

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        with carrying_errors():
            commit = self._table.new_commit()
            if self._overwrites:
                commit.overwrite(_files(messages), None if self._dynamic else {})
            else:
                commit.append(_files(messages))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what the tasks that ended well have made, because another one failed."""
        if any(message is None for message in messages):
            with carrying_errors():
                self._table.new_commit().abort(_files(messages))


def _files(messages: Sequence[WriterCommitMessage | None]) -> list[WrittenFile]:
    return [file for message in messages if isinstance(message, WrittenFiles) for file in message.files]
