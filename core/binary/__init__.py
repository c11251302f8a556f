"""BinaryRow: values <-> bytes, one row at a time and in columns, and its hash. Spec: 03."""

from core.binary.decode import decode_row
from core.binary.encode import encode_row
from core.binary.murmur import hash_row
from core.binary.row import EMPTY_ROW, BinaryRow

__all__ = ["EMPTY_ROW", "BinaryRow", "decode_row", "encode_row", "hash_row"]
