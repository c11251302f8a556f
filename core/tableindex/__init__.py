"""Indexes of a whole table: the HASH index of dynamic buckets, and how keys are given to buckets."""

from core.tableindex.bucket_assignment import AssignmentRule, Hashes, PartitionBuckets, fill_buckets
from core.tableindex.hash_index import decode_hash_index, encode_hash_index
from core.tableindex.key_index import KeyIndex

__all__ = [
    "AssignmentRule",
    "Hashes",
    "KeyIndex",
    "PartitionBuckets",
    "decode_hash_index",
    "encode_hash_index",
    "fill_buckets",
]
