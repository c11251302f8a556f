"""What a data file says of itself: row groups, columns, encodings, sizes, statistics. Design: 6.8.

footer.py    the values, of any format
parquet.py   row groups, and of each column its chunks
orc.py       stripes, and of each column its streams
avro.py      blocks; an Avro file says nothing of its columns but their types
"""

from __future__ import annotations

from core.datafile.file_format import FileFormat, format_of
from core.datafile.read import decoding_errors
from core.errors import UnsupportedError
from core.inspect.footers.avro import read_avro
from core.inspect.footers.footer import FileFooter, FooterColumn, RowGroup
from core.inspect.footers.orc import read_orc
from core.inspect.footers.parquet import read_parquet
from core.io.file_io import FileIO

__all__ = ["FileFooter", "FooterColumn", "RowGroup", "read_footer"]

_READERS = {FileFormat.PARQUET: read_parquet, FileFormat.ORC: read_orc, FileFormat.AVRO: read_avro}


def read_footer(io: FileIO, path: str, group: int | None = None) -> FileFooter:
    """What the file says of itself; of its columns in one row group, or in all of them.

    Raises:
        NotFoundError: there is no such file. FormatError: it is damaged.
        InvalidRequestError: it has no such row group.
        UnsupportedError: files of this format do not describe themselves, or are not read.
    """
    reader = _READERS.get(format_of(path))
    if reader is None:
        feature = f"footer of {format_of(path)} files"
        raise UnsupportedError("files of this format do not describe themselves", feature=feature)
    with decoding_errors(path), io.open_input(path) as source:
        return reader(source, group)
