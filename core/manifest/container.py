"""The container of a metadata file, told by its first bytes. Spec: 02, 1."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from pyarrow import orc, parquet

from core.avro import decode_columns, open_rows, read_records
from core.binary.pieces import Longs
from core.errors import FormatError

_T = TypeVar("_T")

_AVRO = b"Obj\x01"
_ORC = b"ORC"
_PARQUET = b"PAR1"


def decode_records(data: bytes, decode: Callable[[dict[str, Any]], _T]) -> list[_T]:
    """What `decode` makes of each record, for the small files: lists and index manifests.

    Raises:
        FormatError: also where a record lacks a member that `decode` asks for, or it is of another kind.
    """
    try:
        records = read_records(data) if _magic(data) == _AVRO else decode_tables([data])[0].to_pylist()
        return [decode(record) for record in records]
    except KeyError as error:
        raise FormatError("a record lacks a member", member=error.args[0]) from error
    except (TypeError, ValueError) as error:
        raise FormatError(f"a record has a member of another kind: {error}") from error


class Records(Protocol):
    """Records of neighbouring files, whose columns are read when asked for."""

    def __len__(self) -> int: ...

    def read(self, columns: Collection[str] | None = None, rows: Longs | None = None) -> pa.Table:
        """Members at dotted paths (None: all) of the records with these numbers (None: all)."""
        ...


def decode_tables(sources: Sequence[bytes]) -> list[pa.Table]:
    """The records of files as columns, in order; neighbours of one format share a table."""
    return _of_each_format(sources, lambda avro: [decode_columns(avro)], lambda table: table)


def open_records(sources: Sequence[bytes], mark: Sequence[str] = ()) -> list[Records]:
    """The same records, not yet read where the format lets them wait.

    Members behind the one at the path `mark` are quickly found, too.
    """
    return _of_each_format(sources, lambda avro: open_rows(avro, mark), _TableRecords)


def _of_each_format(
    sources: Sequence[bytes],
    of_avro: Callable[[Sequence[bytes]], Sequence[_T]],
    of_table: Callable[[pa.Table], _T],
) -> list[_T]:
    """Avro is what every version but a few before 1.3 writes; names do not tell it apart."""
    found: list[_T] = []
    for magic, group in groupby(sources, key=_magic):
        if magic == _AVRO:
            found += of_avro(list(group))
        else:
            found += [of_table(_read_orc(data) if magic == _ORC else _read_parquet(data)) for data in group]
    return found


@dataclass(frozen=True, slots=True)
class _TableRecords:
    """Records of the rare formats are read as a whole."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def read(self, columns: Collection[str] | None = None, rows: Longs | None = None) -> pa.Table:
        return self.table if rows is None else self.table.take(rows)


def _magic(data: bytes) -> bytes:
    magic = next((m for m in (_AVRO, _ORC, _PARQUET) if data.startswith(m)), None)
    if magic is None:
        raise FormatError("not an Avro, ORC or Parquet file", found=repr(data[:8]))
    return magic


def _read_orc(data: bytes) -> pa.Table:
    try:
        return _checked(orc.ORCFile(io.BytesIO(data)).read())
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError("not a readable ORC file", cause=error) from error


def _read_parquet(data: bytes) -> pa.Table:
    try:
        return _checked(parquet.ParquetFile(io.BytesIO(data)).read())
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError("not a readable Parquet file", cause=error) from error


def _checked(table: pa.Table) -> pa.Table:
    """The table, once its text is found to be UTF-8, which neither reader looks at."""
    table.validate(full=True)
    return table
