"""Whether the first and last bytes of data files are those of their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import pyarrow as pa

from core.errors import PaimonError
from core.io import FileIO

_READERS = 8
_EDGE = 4  # bytes looked at on either end

_PARQUET = (b"PAR1", b"PARE")  # PARE: with an encrypted footer
_ORC_TAIL = b"ORC"  # ends the postscript; the last byte of the file is the postscript's length

# Format -> how it is called, what its first bytes start with, what its last four bytes start with.
_CHECKS: dict[str, tuple[str, tuple[bytes, ...], tuple[bytes, ...]]] = {
    "parquet": ("a parquet", _PARQUET, _PARQUET),
    "orc": ("an orc", (b"ORC",), (_ORC_TAIL,)),
    "avro": ("an avro", (b"Obj\x01",), (b"",)),
}

KNOWN_FORMATS = tuple(_CHECKS)

LookAtEdges: TypeAlias = "Callable[[FileIO, pa.Table], Sequence[tuple[int, str]]]"
"""Of files with columns path, format and size: the numbers of those with a fault, and what it is."""


def edge_problems(io: FileIO, files: pa.Table) -> list[tuple[int, str]]:
    """As `LookAtEdges`, by some threads of this process."""

    def problem(number: int) -> str | None:
        path, file_format, size = (column[number].as_py() for column in files.columns)
        try:
            return _problem(io, path, file_format, size)
        except PaimonError as error:
            return f"cannot be read: {error}"

    with ThreadPoolExecutor(_READERS) as pool:
        problems: list[Any] = list(pool.map(problem, range(files.num_rows)))
    return [(number, text) for number, text in enumerate(problems) if text is not None]


def _problem(io: FileIO, path: str, file_format: str, size: int) -> str | None:
    """What is wrong with the first and last bytes, None if nothing is."""
    if size < 2 * _EDGE:
        return f"is not {_CHECKS[file_format][0]} file: it has {size} bytes"
    head, tail = io.read_ranges(path, [(0, _EDGE), (size - _EDGE, _EDGE)])
    article, heads, tails = _CHECKS[file_format]
    if not head.startswith(heads):
        return f"is not {article} file: it starts with {head.hex()}"
    if not tail.startswith(tails):
        return f"is not {article} file: it ends with {tail.hex()}"
    return None
