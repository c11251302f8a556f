"""The format of a data file, told by its name. Spec: 04, A3."""

from __future__ import annotations

from enum import StrEnum

from core.errors import UnsupportedError

# Codecs may stand before the format: `data-<uuid>-0.zstd.parquet` (`file.suffix.include.compression`).


class FileFormat(StrEnum):
    PARQUET = "parquet"
    ORC = "orc"
    AVRO = "avro"


def format_of(file_name: str) -> FileFormat:
    """The format that the last extension names.

    Raises:
        UnsupportedError: a format of Paimon that we do not read, such as `blob` or `lance`.
    """
    extension = file_name.rpartition(".")[2].lower()
    try:
        return FileFormat(extension)
    except ValueError:
        raise UnsupportedError(
            "data files of this format are not read", feature=f"file format {extension}", where=file_name
        ) from None
