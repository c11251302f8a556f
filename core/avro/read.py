"""Avro object containers -> Arrow tables and batches. Spec: 02, 1; 04, A3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO, Any

import pyarrow as pa

from core.avro.blocks import BlockDecoder, BlockGroup
from core.avro.container import Block, open_container
from core.errors import FormatError

GROUP_BYTES = 32 << 20  # unpacked bytes that are decoded side by side


def read_schema(data: bytes | IO[bytes]) -> Any:
    """The writer schema of a container, as JSON values."""
    return open_container(_as_file(data)).schema


def decode_columns(sources: Sequence[bytes]) -> pa.Table:
    """All rows of all files, in order; columns are the fields of the top record, named as in the files.

    Files of different schemas are united by field name, with null where a file lacks a field.

    Raises:
        FormatError: not Avro, cut or damaged; field `source` is the place in `sources`.
        UnsupportedError: a codec or type that Paimon never writes.
    """
    tables: list[pa.Table] = []
    run: _Run | None = None
    for number, data in enumerate(sources):
        for schema_text, schema, block in _blocks_of(number, data):
            if run is None or run.schema_text != schema_text or run.is_full:
                tables.extend([] if run is None else [run.table()])
                run = _Run(schema_text, schema)
            run.add(number, block)
    tables.extend([] if run is None else [run.table()])
    if not tables:
        tables = [_empty_table(read_schema(data)) for data in sources]
    return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})


def iter_batches(file: bytes | IO[bytes], columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of one file in order, unpacked about `GROUP_BYTES` at a time.

    `columns` are the fields wanted, in the order wanted; a name that the file lacks is left out.

    Raises:
        FormatError, UnsupportedError: as `decode_columns`.
    """
    container = open_container(_as_file(file))
    decoder = BlockDecoder(container.schema, columns)
    group = BlockGroup()
    for block in container.blocks:
        group.add(block)
        if len(group.data) >= GROUP_BYTES:
            yield from decoder.table(group).to_batches()
            group = BlockGroup()
    if len(group):
        yield from decoder.table(group).to_batches()


class _Run:
    """Blocks of one writer schema from neighbouring files."""

    def __init__(self, schema_text: str, schema: Any) -> None:
        self.schema_text = schema_text
        self._schema = schema
        self._group = BlockGroup()
        self._sources: list[int] = []  # of each block

    @property
    def is_full(self) -> bool:
        return len(self._group.data) > GROUP_BYTES

    def add(self, source: int, block: Block) -> None:
        self._sources.append(source)
        self._group.add(block)

    def table(self) -> pa.Table:
        decoder = BlockDecoder(self._schema)
        try:
            return decoder.table(self._group)
        except FormatError as error:
            raise self._located(decoder, error) from error

    def _located(self, decoder: BlockDecoder, error: FormatError) -> FormatError:
        """The error with the file it is in: found by decoding the blocks one by one."""
        for index, source in enumerate(self._sources):
            try:
                decoder.table(BlockGroup([self._group.block(index)]))
            except FormatError as found:
                return FormatError(found.what, **{**found.fields, "source": source})
        return error


def _blocks_of(number: int, data: bytes) -> Iterator[tuple[str, Any, Block]]:
    try:
        container = open_container(BytesIO(data))
        for block in container.blocks:
            yield container.schema_text, container.schema, block
    except FormatError as error:
        raise FormatError(error.what, **{**error.fields, "source": number}) from error


def _empty_table(schema: Any) -> pa.Table:
    return BlockDecoder(schema).table(BlockGroup())


def _as_file(data: bytes | IO[bytes]) -> IO[bytes]:
    return BytesIO(data) if isinstance(data, bytes) else data
