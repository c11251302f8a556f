"""Indexes of one data file: the container, what each type of index says of itself and of a filter."""

from core.fileindex.bits import BitShares, bit_shares
from core.fileindex.container import (
    FileIndex,
    IndexSlot,
    decode_file_index,
    encode_file_index,
    index_file_name,
)
from core.fileindex.describe import describe_index
from core.fileindex.evaluate import IndexAnswer, ask_indexes, is_known_index, useful_slots
from core.fileindex.read import read_file_index

__all__ = [
    "BitShares",
    "FileIndex",
    "IndexAnswer",
    "IndexSlot",
    "ask_indexes",
    "bit_shares",
    "decode_file_index",
    "describe_index",
    "encode_file_index",
    "index_file_name",
    "is_known_index",
    "read_file_index",
    "useful_slots",
]
