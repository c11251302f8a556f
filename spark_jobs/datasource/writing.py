"""What batch and streaming sinks share: how a write is set up, what a task does, what comes back.

A task writes files with core and sends back commit messages, nothing else. A task that fails deletes
the files that it made; one that is killed leaves them to the clean-up of orphans, and so does one that
another attempt of the same task was faster than. Spark hands at most one attempt's messages on, so no
row is there twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
from pyspark.sql.datasource import WriterCommitMessage
from pyspark.sql.types import StructType

from core import Table
from core.errors import InvalidRequestError
from core.options import DYNAMIC_PARTITION_OVERWRITE
from core.options import ROWKIND_FIELD as TABLE_ROWKIND_FIELD
from core.schema import MergeRules
from core.types.casts import CastKind
from core.write import CommitMessage, TableWrite, WriteBase, decode_messages, encode_message
from spark_jobs.committing import check_tasks_apart
from spark_jobs.datasource.address import Address
from spark_jobs.datasource.options import (
    EXPLICIT_CAST,
    MERGE_SCHEMA,
    OVERWRITE_MODE,
    ROWKIND_FIELD,
    TYPE_WIDENING,
    flag,
)
from spark_jobs.incoming import Incoming, incoming
from spark_jobs.spark_types import paimon_fields


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """What one task made, and in which streaming query."""

    messages: tuple[bytes, ...]
    query: str = ""  # its id; empty in a batch


@dataclass(frozen=True, slots=True)
class WriteSetup:
    """A write of a DataFrame into a table. Picklable."""

    table: Table
    rows: Incoming
    replaces_partitions: bool = False  # of an overwrite: those of the new rows, else the whole table

    @classmethod
    def of(cls, options: Mapping[str, str], frame: StructType) -> WriteSetup:
        """The write that options ask for; the table's schema is merged with that of the rows if they do.

        Raises:
            InvalidRequestError: the rows do not fit the table, or an option is wrong.
            NotFoundError: there is no such table.
        """
        table = Address.of(options).open_for_writes()
        kinds = _column_of_kinds(table, options)
        casts = None
        if flag(options, MERGE_SCHEMA):
            explicit = flag(options, EXPLICIT_CAST)
            rules = MergeRules(flag(options, TYPE_WIDENING), explicit, case_sensitive=False)
            table.schemas.commit_merge([f for f in paimon_fields(frame) if f.name != kinds], rules)
            table = table.refreshed()
            casts = CastKind.EXPLICIT if explicit else CastKind.IMPLICIT
        rows = incoming(frame, table.schema, casts, kinds)
        dynamic = replaces_partitions(options)
        if dynamic:
            table = table.with_options({DYNAMIC_PARTITION_OVERWRITE.key: "true"})
        return cls(table, rows, dynamic)

    def write(
        self, batches: Iterator[pa.RecordBatch], base: WriteBase | None = None, identifier: int | None = None
    ) -> tuple[bytes, ...]:
        """In an executor: write the batches of one task; its commit messages."""
        first = next(batches, None)
        if first is None:
            return ()  # nothing is read of the table either
        with TableWrite(self.table, base=base) as write:
            for batch in chain([first], batches):
                write.write(self.rows.rows(batch), self.rows.kinds_of(batch))
            return tuple(encode_message(message) for message in write.prepare_commit(identifier))

    def received(self, written: Sequence[WriterCommitMessage | None]) -> list[CommitMessage]:
        """The commit messages of all tasks that ended well."""
        tasks = [task for task in written if isinstance(task, Written)]
        return decode_messages([data for task in tasks for data in task.messages])

    def check_tasks_apart(
        self, messages: Sequence[CommitMessage], written: Sequence[WriterCommitMessage | None]
    ) -> None:
        """Raises as `spark_jobs.committing.check_tasks_apart`."""
        writers = [task for task in written if isinstance(task, Written) and task.messages]
        check_tasks_apart(self.table, messages, len(writers))


def _column_of_kinds(table: Table, options: Mapping[str, str]) -> str | None:
    """The column of the rows that holds their kinds, if the table itself does not name one."""
    given, own = options.get(ROWKIND_FIELD), table.options.get(TABLE_ROWKIND_FIELD)
    if given is not None and own is not None and given != own:
        raise InvalidRequestError(
            "the table takes the kinds of rows from another column",
            option=ROWKIND_FIELD,
            found=given,
            table=own,
        )
    return None if own is not None else given


def replaces_partitions(options: Mapping[str, str]) -> bool:
    """Whether an overwrite replaces the partitions of its rows, not the whole table. Spec: 10, 6."""
    mode = options.get(OVERWRITE_MODE, "static").lower()
    if mode not in ("static", "dynamic"):
        raise InvalidRequestError(
            "static or dynamic is expected", option="partitionOverwriteMode", found=mode
        )
    return mode == "dynamic" or flag(options, DYNAMIC_PARTITION_OVERWRITE.key)
