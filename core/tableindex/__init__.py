"""Indexes of a whole table: the HASH index of dynamic buckets."""

from core.tableindex.hash_index import decode_hash_index, encode_hash_index

__all__ = ["decode_hash_index", "encode_hash_index"]
