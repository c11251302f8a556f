"""DELETE cancels ADD, over columns. Spec: 02, 4.1; `merge_entries` is the same, entry by entry.

Entries of one identity take turns: the first stands, the second takes it away, the third
stands again. So with the entries of each identity numbered from 0 in order,

- an ADD with an odd number adds a file that is still there (or whose DELETE still stands);
- an identity with an odd count leaves one entry standing: its last.

Most files are mentioned once and stand at once; only names that occur again are compared in
all members of the identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary.pieces import text_hashes
from core.errors import FormatError

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Flags = npt.NDArray[np.bool_]
_Codes = npt.NDArray[np.int64]


# The members of `FileIdentifier`, and what is done with the file.
IDENTITY = (
    "kind",
    "file_name",
    "partition",
    "bucket",
    "level",
    "extra_files",
    "embedded_index",
    "external_path",
)


def standing(file_names: pa.ChunkedArray[Any], identities_of: Callable[[_Codes], pa.Table]) -> Flags:
    """Which rows stand in the end.

    `identities_of` gives the columns `IDENTITY` of some rows.

    Raises:
        FormatError: a file is added while an entry for it is still standing.
    """
    repeated = _seen_again(file_names)
    if not repeated.any():
        return ~repeated
    rows = np.flatnonzero(repeated)
    again = identities_of(rows)
    identities = _identities(again)
    order = np.argsort(identities, kind="stable")
    starts, sizes = _runs(identities[order])
    numbers = np.arange(len(order)) - np.repeat(starts, sizes)
    is_add = again.column("kind").to_numpy()[order] == 0
    _refuse_double_adds(again, order[is_add & (numbers % 2 == 1)])
    last = order[(starts + sizes - 1)[sizes % 2 == 1]]
    stands = ~repeated
    stands[rows[last]] = True
    return stands


def _seen_again(names: pa.ChunkedArray[Any]) -> Flags:
    """Whether a name occurs more than once; a few that do not may be among them, by chance."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *(text_hashes(chunk) for chunk in names.chunks)])
    order = np.argsort(hashes, kind="stable")
    same = hashes[order[1:]] == hashes[order[:-1]]
    again = np.zeros(len(hashes), np.bool_)
    again[order[1:][same]] = again[order[:-1][same]] = True
    return again


def _identities(table: pa.Table) -> _Codes:
    """Equal numbers for rows of equal identity."""
    extra_files = table.column("extra_files").combine_chunks()
    members = (
        _codes(table.column("file_name")),
        _codes(table.column("partition")),
        _codes(table.column("bucket")),
        _codes(table.column("level")),
        # A name never holds U+0000, so joined text and length tell lists apart.
        _codes(pc.binary_join(extra_files, "\x00")),
        _codes(pc.fill_null(pc.list_value_length(extra_files), 0)),
        _codes(table.column("embedded_index")),
        _codes(table.column("external_path")),
    )
    combined = members[0]
    for codes in members[1:]:
        distinct = int(codes.max()) + 1
        if distinct > 1:
            combined = np.unique(combined * distinct + codes, return_inverse=True)[1]
    return combined


def _codes(column: pa.ChunkedArray[Any] | pa.Array[Any]) -> _Codes:
    """Equal numbers for equal values, from 0; null is a value of its own."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy().astype(np.int64)


def _runs(ordered: _Codes) -> tuple[_Codes, _Codes]:
    """Start and length of each run of equal values."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return starts, np.diff(np.append(starts, len(ordered)))


def _refuse_double_adds(table: pa.Table, rows: _Codes) -> None:
    if len(rows):
        raise FormatError("file added twice", file=table.column("file_name")[int(rows.min())].as_py())
