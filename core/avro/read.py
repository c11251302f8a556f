"""Avro object containers -> Arrow tables and batches. Spec: 02, 1; 04, A3."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from typing import IO, Any, TypeVar

import pyarrow as pa

from core.avro.blocks import BlockGroup, find_rows
from core.avro.container import Block, open_container
from core.avro.encoded import EncodedRows
from core.avro.rows import RowReader
from core.avro.schema import Nullable, Plain, parse_root, record_of
from core.errors import FormatError

_T = TypeVar("_T")

GROUP_BYTES = 32 << 20  # unpacked bytes of a data file that become batches together
_INT = 1 << 31
RUN_BYTES = 128 << 20  # unpacked bytes of metadata: walking more blocks side by side takes less time


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
    tables = [run.located(lambda rows: rows.read()) for run in _runs(sources)]
    return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})


def read_records(data: bytes) -> list[dict[str, Any]]:
    """The rows of a file, each by itself: for a handful that is four times as fast as columns.

    Logical types are left as numbers and bytes.

    Raises:
        FormatError, UnsupportedError: as `decode_columns`.
    """
    rows: list[dict[str, Any]] = []
    container = open_container(BytesIO(data))
    fields, reader = _record_reader(container.schema_text)
    for block in container.blocks:
        rows += [row for _, row in reader.rows(block, 0, block.count)]
    if any(row is None for row in rows):
        raise FormatError("an Avro row is null")
    for name in fields:
        if any(not -_INT <= (row[name] or 0) < _INT for row in rows):
            raise FormatError("an Avro int is beyond 32 bits", field=name)
    return rows


@lru_cache(maxsize=16)
def _record_reader(schema_text: str) -> tuple[tuple[str, ...], RowReader]:
    """The members of kind `int`, which fastavro does not look at, and what reads the rows."""
    schema = json.loads(schema_text)
    kinds = [
        (name, k.inner if isinstance(k, Nullable) else k) for name, k in record_of(parse_root(schema)).fields
    ]
    return tuple(n for n, k in kinds if isinstance(k, Plain) and k.kind == "int"), RowReader(schema)


def open_rows(sources: Sequence[bytes], mark: Sequence[str] = ()) -> list[EncodedRows]:
    """The rows of all files, in order, for columns to be read one after the other.

    Rows lie unpacked in memory as long as they are held; neighbouring files of one schema share one.
    The member at the path `mark` and those behind it are read without those before, if there is one.

    Raises:
        FormatError, UnsupportedError: as `decode_columns`.
    """
    return [run.located(lambda rows: rows, mark) for run in _runs(sources)]


def _runs(sources: Sequence[bytes]) -> Iterator[_Run]:
    """Blocks to be decoded side by side; files without rows stand alone if no file has any."""
    run: _Run | None = None
    for number, data in enumerate(sources):
        for schema_text, schema, block in _blocks_of(number, data):
            if run is None or run.schema_text != schema_text or run.is_full:
                yield from [] if run is None else [run]
                run = _Run(schema_text, schema)
            run.add(number, block)
    yield from [_Run("", read_schema(data)) for data in sources] if run is None else [run]


def iter_batches(
    file: bytes | IO[bytes], columns: Sequence[str] | None = None, *, group_bytes: int = GROUP_BYTES
) -> Iterator[pa.RecordBatch]:
    """The rows of one file in order, unpacked about `group_bytes` at a time, of whole blocks.

    `columns` are the fields wanted, in the order wanted; a name that the file lacks is left out.

    Raises:
        FormatError, UnsupportedError: as `decode_columns`.
    """
    container = open_container(_as_file(file))
    group = BlockGroup()
    for block in container.blocks:
        group.add(block)
        if len(group.data) >= group_bytes:
            table = find_rows(container.schema, group).read(columns)
            group = BlockGroup()  # let go of before anybody works on what became of it
            yield from table.to_batches()
            del table
    if len(group):
        yield from find_rows(container.schema, group).read(columns).to_batches()


class _Run:
    """Blocks of one writer schema from neighbouring files."""

    def __init__(self, schema_text: str, schema: Any) -> None:
        self.schema_text = schema_text
        self._schema = schema
        self._group = BlockGroup()
        self._sources: list[int] = []  # of each block

    @property
    def is_full(self) -> bool:
        return len(self._group.data) > RUN_BYTES

    def add(self, source: int, block: Block) -> None:
        self._sources.append(source)
        self._group.add(block)

    def located(self, read: Callable[[EncodedRows], _T], mark: Sequence[str] = ()) -> _T:
        """What `read` makes of the rows; a failure names the file it is in."""
        try:
            return read(find_rows(self._schema, self._group, mark=mark))
        except FormatError as error:
            raise self._with_source(read, error) from error

    def _with_source(self, read: Callable[[EncodedRows], _T], error: FormatError) -> FormatError:
        """Found by decoding the blocks one by one."""
        for index, source in enumerate(self._sources):
            try:
                read(find_rows(self._schema, BlockGroup([self._group.block(index)])))
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


def _as_file(data: bytes | IO[bytes]) -> IO[bytes]:
    return BytesIO(data) if isinstance(data, bytes) else data
