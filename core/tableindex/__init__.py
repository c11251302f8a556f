"""Indexes of a whole table: the HASH index of dynamic buckets, and how it gives out buckets."""

from core.tableindex.bucket_assignment import AssignmentRule, Hashes, PartitionBuckets
from core.tableindex.hash_index import decode_hash_index, encode_hash_index

__all__ = ["AssignmentRule", "Hashes", "PartitionBuckets", "decode_hash_index", "encode_hash_index"]
