"""Where reads start, if the table itself says so. Spec: 09, 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import InvalidRequestError
from core.options import TABLE_READ_SEQUENCE_NUMBER, TableOptions
from core.schema.start import start_of
from core.schema.table_schema import TableSchema


def start(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    try:
        start_of(options)
    except InvalidRequestError as problem:
        yield problem


def shown_columns(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    if options.get(TABLE_READ_SEQUENCE_NUMBER) and not schema.primary_keys:
        yield InvalidRequestError(
            "only rows with a primary key show their sequence number", option=TABLE_READ_SEQUENCE_NUMBER.key
        )
