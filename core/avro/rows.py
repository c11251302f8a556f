"""Rows of a block found by fastavro, one at a time: the faster way for few blocks."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import fastavro
from fastavro.schema import SchemaParseException, UnknownType

from core.avro.container import Block
from core.errors import FormatError


class RowReader:
    """Reads rows of one writer schema, logical types left as numbers and bytes."""

    def __init__(self, schema: Any) -> None:
        try:
            self._schema = fastavro.parse_schema(_without_logical_types(schema))
        except (SchemaParseException, UnknownType) as error:
            raise FormatError(f"not an Avro schema: {error}") from error

    def starts(self, block: Block, offset: int, count: int) -> list[int]:
        """Where each of the last `count` rows of a block begins, the first of them at `offset`.

        Raises:
            FormatError: the bytes are no such rows, or too many or too few.
        """
        return [start for start, _ in self.rows(block, offset, count)]

    def rows(self, block: Block, offset: int, count: int) -> Iterator[tuple[int, Any]]:
        """The same rows: where each begins, and its value."""
        stream = BytesIO(block.data)
        stream.seek(offset)
        try:
            for _ in range(count):
                yield stream.tell(), fastavro.schemaless_reader(stream, self._schema)
        except (EOFError, IndexError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error
        if stream.tell() != len(block.data):
            raise FormatError(
                "an Avro block is longer than its rows", expected=stream.tell(), found=len(block.data)
            )


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(s) for s in schema]
    if isinstance(schema, dict):
        return {
            k: _without_logical_types(v) for k, v in schema.items() if k not in ("logicalType", "default")
        }
    return schema
