"""The file index of a data file, asked before the file is read. Spec: 05, 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import FormatError, NotFoundError, UnsupportedError
from core.fileindex import (
    IndexSlot,
    ask_indexes,
    decode_file_index,
    index_file_name,
    is_known_index,
    read_file_index,
    useful_slots,
)
from core.fileindex.column_index import Rows
from core.io import FileIO
from core.manifest.file_meta import DataFileMeta
from core.predicate import Predicate
from core.types import DataField


@dataclass(frozen=True, slots=True)
class IndexUse:
    """What the index of one file said, and why it was not asked where it was not."""

    rows: Rows = None  # positions of all rows that may match; None where nothing is known
    asked: tuple[str, ...] = ()  # `bitmap(c)`
    unused: tuple[str, ...] = ()  # reasons, for people


NO_INDEX = IndexUse()


def ask_file_index(
    io: FileIO,
    path: str,
    file: DataFileMeta,
    conjuncts: Sequence[Predicate],
    file_fields: Sequence[DataField],
) -> IndexUse:
    """The rows of a file that may satisfy `conjuncts`, which are in the terms of the file.

    An index only speeds a read up: one that is damaged, missing or of an unknown version is
    not used, which the answer says; `check` reports it.

    Args:
        io: the store.
        path: of the data file, which an index in a file of its own lies beside.
        file: its manifest entry.
        conjuncts: bound to `file_fields`.
        file_fields: the columns of the file.
    """
    try:
        return _ask(io, path, file, conjuncts, file_fields)
    except (FormatError, NotFoundError, UnsupportedError) as error:
        return IndexUse(unused=(f"the index cannot be used: {error}",))


def _ask(
    io: FileIO,
    path: str,
    file: DataFileMeta,
    conjuncts: Sequence[Predicate],
    file_fields: Sequence[DataField],
) -> IndexUse:
    beside = index_file_name(file.extra_files)
    if not conjuncts or (file.embedded_index is None and beside is None):
        return NO_INDEX
    types = {field.name: field.type for field in file_fields}
    payloads: Mapping[IndexSlot, bytes]
    if file.embedded_index is not None:
        index = decode_file_index(file.embedded_index)
        slots = useful_slots(index.slots, conjuncts, types)
        payloads = {slot: index.payload(slot) for slot in slots}
    else:
        index_file = read_file_index(io, f"{path.rpartition('/')[0]}/{beside}")
        index = index_file.index
        slots = useful_slots(index.slots, conjuncts, types)
        payloads = index_file.payloads(slots)
    answer = ask_indexes(conjuncts, slots, payloads.__getitem__, types)
    unknown = sorted({slot.index_type for slot in index.slots if not is_known_index(slot.index_type)})
    return IndexUse(answer.rows, answer.asked, tuple(f"index of unknown type {name}" for name in unknown))
