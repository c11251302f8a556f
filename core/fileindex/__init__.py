"""Indexes of one data file: the container, and what each type of index says of itself."""

from core.fileindex.container import FileIndex, IndexSlot, decode_file_index, index_file_name
from core.fileindex.describe import describe_index, is_known_index

__all__ = [
    "FileIndex",
    "IndexSlot",
    "decode_file_index",
    "describe_index",
    "index_file_name",
    "is_known_index",
]
