"""Indexes of a whole table: the HASH index of dynamic buckets, and how keys are given to buckets."""

from core.tableindex.bucket_assignment import AssignmentRule, Hashes, PartitionBuckets, fill_buckets
from core.tableindex.hash_index import decode_hash_index, encode_hash_index
from core.tableindex.key_index import KeyIndex
from core.tableindex.row_store import GrowingArray, RowStore

__all__ = [
    "AssignmentRule",
    "GrowingArray",
    "Hashes",
    "KeyIndex",
    "PartitionBuckets",
    "RowStore",
    "decode_hash_index",
    "encode_hash_index",
    "fill_buckets",
]
